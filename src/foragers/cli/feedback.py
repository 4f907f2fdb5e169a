"""`foragers feedback`: tell a crawl which of its pages are wanted, while it runs or afterwards."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from foragers.core.display import plain
from foragers.core.options import Target
from foragers.crawling.feedback import Remark, remark
from foragers.errors import UsageError
from foragers.judges.build import build_judge, teachable
from foragers.reports.crawl_folder import CrawlFolder, opened
from foragers.reports.explain import Leaps, numbers_of
from foragers.reports.retell import aim_of

PAGE = "SELECT 1 FROM visits WHERE number = ? AND status = 'ok' AND words IS NOT NULL"


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    verb.add_argument("folder", type=Path, metavar="DIR", help="folder of a crawl")
    verb.add_argument("url", nargs="+", metavar="URL", help="page that the crawl has fetched")
    wish = verb.add_mutually_exclusive_group(required=True)
    wish.add_argument("--more", action="store_true", help="pages like this are wanted")
    wish.add_argument("--not-this", action="store_true", help="pages like this are not wanted")
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Store the feedback of the user, for the crawl to read."""
    with opened(options.folder) as folder:
        check_learns(folder)
        visits = {url: last_visit(folder, url) for url in options.url}
    for url, visit in visits.items():
        remark(options.folder, Remark(url, visit, options.more))
        wish = "more pages like" if options.more else "no pages like"
        console.print(f"{wish} {plain(url)}", soft_wrap=True, highlight=False, markup=False)
    console.print("a running crawl learns this at once, another when it is resumed")


def check_learns(folder: CrawlFolder) -> None:
    """Refuse feedback if the judge of a crawl learns from no pages."""
    aim = aim_of(folder)
    learner = None if aim == Target() else teachable(build_judge(aim))
    if learner is None:
        raise UsageError(
            f"{folder.path}: its judge does not learn from pages; feedback is for crawls"
            " with --topic (similarity words or meaning) or --examples"
        )


def last_visit(folder: CrawlFolder, url: str) -> int:
    """Return the number of the last visit with a page."""
    urls = numbers_of(folder, url)
    leaps = Leaps.of(folder)
    for row in reversed(leaps.downloads(urls) if urls else []):
        number = int(leaps.numbers[row])
        if folder.connection.execute(PAGE, (number,)).fetchone():
            return number
    raise UsageError(f"{url} was not fetched by this crawl; name a page that was")
