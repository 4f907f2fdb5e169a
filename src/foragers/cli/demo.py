"""`foragers demo`: crawls of a generated news site that is served on this machine."""

from __future__ import annotations

import argparse
import shutil
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from urllib.parse import urlsplit

import numpy as np
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from foragers.cli.terminal.crawl_view import View
from foragers.core.options import ReplayOptions, Target
from foragers.crawling.options import CrawlOptions
from foragers.crawling.session import Session
from foragers.evaluation.comparison.run import perform
from foragers.evaluation.comparison.study import Study
from foragers.evaluation.metrics import harvest
from foragers.evaluation.plots.harvest import Curve, plot_curves
from foragers.judges.build import build_judge
from foragers.worlds.generated import generate
from foragers.worlds.serving.server import WorldServer

PAGES, BUDGET = 6000, 400
SITE, OTHER_SITES = 1, range(2, 10)
"""The site that is served and crawled, and those on which the crawls are repeated."""
AIM = Target("football goal league")
STRATEGIES = {
    "breadth-first": "follows links in the order in which it finds them",
    "best-first": "prefers links whose words, and whose page, resemble the topic",
    "auto": "also learns, while it crawls, which links lead to relevant pages",
}


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    verb.add_argument(
        "--out",
        type=Path,
        default=Path("demo-out"),
        metavar="DIR",
        help="folder for the crawls and the curves (default: demo-out)",
    )
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Serve a news site, crawl it with several strategies, and show what each found."""
    archive = generate("news", seed=SITE, pages=PAGES)
    curves: dict[str, list[Curve]] = {}
    with WorldServer(archive) as server:
        home = server.address(archive.book.href(archive.seeds[0]))
        check_reachable(home)
        console.print(
            f"A generated news site of {PAGES:,} pages is served on this machine at {home}\n"
            f"Three strategies look for pages about “{AIM.topic}”;"
            f" each downloads {BUDGET} pages.\n",
            soft_wrap=True,
        )
        if server.notice:
            console.print(f"{server.notice}\n", soft_wrap=True, highlight=False)
        for strategy in STRATEGIES:
            shutil.rmtree(options.out / strategy, ignore_errors=True)
            found, best = crawl(home, strategy, options.out / strategy, console)
            curves[strategy] = [found]
    with console.status("repeating the crawls on other sites"):
        for other in OTHER_SITES:
            for strategy, found in replayed(other):
                curves[strategy].append(found)
    console.print(table(curves))
    for strategy, what in STRATEGIES.items():
        console.print(f"{strategy} {what}.", highlight=False)
    console.print(f"\n{verdict(curves)}\n", highlight=False, soft_wrap=True)
    title = f"“{AIM.topic}”: mean and range of {len(OTHER_SITES) + 1} generated news sites"
    picture = plot_curves(curves, BUDGET, title, options.out / "harvest")
    for line in next_steps(options.out, picture, best):
        console.print(line, soft_wrap=True, highlight=False, markup=False)


def check_reachable(home: str) -> None:
    """Fail with one line if the machine cannot reach itself."""
    parts = urlsplit(home)
    try:
        socket.create_connection((parts.hostname, parts.port), timeout=10).close()
    except OSError as error:
        raise ConnectionError(
            f"the demo cannot reach its own web server at {home} ({error.strerror or error});"
            " the loopback interface is down: bring it up with 'ip link set lo up'"
        ) from error


def crawl(home: str, strategy: str, folder: Path, console: Console) -> tuple[Curve, str]:
    """Crawl the site with one strategy; return its curve, and the best page it found."""
    order = CrawlOptions(
        seeds=(home,),
        aim=AIM,
        strategy=strategy,
        budget=BUDGET,
        delay=0.0,
        within="any",
        allow_private=("127.0.0.0/8",),
    )
    console.print(
        f"$ foragers crawl {home} --topic '{AIM.topic}'"
        f" --strategy {strategy} --budget {BUDGET} --delay 0 --scope any"
        f" --allow-private 127.0.0.0/8 --out {folder}",
        soft_wrap=True,
        highlight=False,
    )
    session = Session.open(order, folder)
    try:
        with View(console, session) as view:
            session.run(view.update)
        facts = session.ledger.facts()
        if not facts.ok.any():
            raise ConnectionError(f"the demo could not fetch a single page of {home}")
        best = int(facts.urls[np.argmax(np.where(facts.ok, facts.relevance, -np.inf))])
        return harvest.curve(harvest.found(facts)), session.table.href(best)
    finally:
        session.close()


def replayed(site: int) -> Iterator[tuple[str, Curve]]:
    """Repeat the crawls on another site by replay: the same loop without a network."""
    archive = generate("news", seed=site, pages=PAGES)
    judge = build_judge(AIM, archive)
    study = Study(archive, judge, None, None)
    for strategy in STRATEGIES:
        yield strategy, perform(ReplayOptions("", strategy, AIM, BUDGET), study).curve


def last(curves: Sequence[Curve]) -> list[int]:
    """Return the number of relevant pages that each crawl found."""
    return [curve[-1][1] for curve in curves]


def table(curves: Mapping[str, Sequence[Curve]]) -> Table:
    """Return the table of results."""
    grid = Table(box=SIMPLE, pad_edge=False)
    others = f"on {len(OTHER_SITES)} other sites"
    for heading in ("strategy", "downloads", "relevant pages", "per 100", others):
        grid.add_column(heading, justify="left" if heading == "strategy" else "right")
    for strategy, (here, *elsewhere) in curves.items():
        downloads, relevant = here[-1]
        there = last(elsewhere)
        grid.add_row(
            strategy,
            f"{downloads:,}",
            f"{relevant:,}",
            f"{100 * relevant / downloads:.0f}",
            f"{mean(there):.0f} ({min(there)}–{max(there)})",
        )
    return grid


def verdict(curves: Mapping[str, Sequence[Curve]]) -> str:
    """Return how often auto was better."""
    pairs = list(zip(last(curves["auto"][1:]), last(curves["best-first"][1:]), strict=True))
    more = sum(auto > best for auto, best in pairs)
    return (
        f"On the {len(pairs)} other sites, which are replayed without a network,"
        f" auto found more than best-first {more} times."
    )


def next_steps(out: Path, picture: Path, page: str) -> Iterator[str]:
    """Return files and commands to look at next."""
    command = sys.argv[0] if Path(sys.argv[0]).name == "foragers" else "foragers"
    command = "foragers" if shutil.which("foragers") else command
    yield "Look at:"
    yield f"  {picture}: relevant pages found over downloads"
    yield f"  {out / 'auto'}: the pages as WARC, and ledger.sqlite, which answers SQL"
    yield "Run:"
    yield f"  {command} report {out / 'auto'}"
    yield f"  {command} explain {out / 'auto'} {page}"
