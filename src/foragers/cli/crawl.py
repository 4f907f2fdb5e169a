"""`foragers crawl`: the live web."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.text import Text

from foragers.cli.crawl_view import View
from foragers.cli.options import add_aim, aim_of
from foragers.cli.summary import print_left_alone, print_summary
from foragers.core.files import check_writable, write
from foragers.core.types import Visit
from foragers.crawling.options import CrawlOptions
from foragers.crawling.seeds import came, failure_of
from foragers.crawling.session import Session
from foragers.errors import NothingFetchedError, UsageError
from foragers.evaluation.metrics.summary import summarise
from foragers.reports.text import plain

LONGEST_LINE = 1000
STRATEGY = "strategy (default: auto, which learns while it crawls); see 'foragers strategies'"
WITHIN = (
    "stay on the hosts of the seeds, on their registered domains, or go anywhere (default: site)"
)


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the verb."""
    verb.add_argument("urls", nargs="+", metavar="URL", help="page to start from (seed)")
    add_aim(verb, labels=False)
    verb.add_argument("--strategy", default="auto", metavar="NAME", help=STRATEGY)
    verb.add_argument("--seed", type=int, default=0, metavar="S", help="random seed (default: 0)")
    verb.add_argument(
        "--budget",
        type=int,
        default=2000,
        metavar="N",
        help="stop after this many downloads (default: 2000)",
    )
    verb.add_argument(
        "--per-host", type=int, metavar="N", help="download at most this many pages from each host"
    )
    verb.add_argument("--minutes", type=float, metavar="M", help="stop after this many minutes")
    add_enough(verb)
    verb.add_argument(
        "--concurrency",
        type=int,
        default=16,
        metavar="C",
        help="download from this many hosts at once (default: 16)",
    )
    verb.add_argument(
        "--delay",
        type=float,
        default=1.0,
        metavar="SECONDS",
        help="pause between two requests to one host (default: 1)",
    )
    verb.add_argument(
        "--out",
        type=folder,
        required=True,
        metavar="DIR",
        help="folder for the results; a crawl that is in it already is resumed",
    )
    verb.add_argument(
        "--learned",
        metavar="FILE",
        help="file that keeps what the strategy learns, for later crawls to start with",
    )
    verb.add_argument("--json", type=Path, metavar="FILE", help="write the summary as JSON")
    add_scope(verb)
    verb.add_argument(
        "--render",
        action="store_true",
        help="run pages that are empty without JavaScript in a browser",
    )
    verb.add_argument("--chromium", default="", metavar="PATH", help="Chromium to use for --render")
    add_manners(verb)
    verb.set_defaults(run=run)


def folder(name: str) -> Path:
    """Return a folder that was given by name, which must have one."""
    if not name.strip():
        raise UsageError("--out is empty: name a folder for the crawl")
    return Path(name)


def add_enough(verb: argparse.ArgumentParser) -> None:
    """Describe what is enough."""
    verb.add_argument(
        "--until-recall",
        type=float,
        metavar="R",
        help="stop at this estimated recall, for example 0.9",
    )
    verb.add_argument(
        "--until-yield",
        metavar="K/N",
        help="stop when the last N downloads found fewer than K relevant pages, for example 1/200",
    )


def add_scope(verb: argparse.ArgumentParser) -> None:
    """Describe where the crawl may go."""
    scope = verb.add_argument_group("scope")
    scope.add_argument("--scope", choices=("host", "site", "any"), default="site", help=WITHIN)
    scope.add_argument(
        "--hosts",
        action="append",
        default=[],
        metavar="A,.B",
        help="also crawl these hosts; .b.org means b.org and all its subdomains",
    )
    scope.add_argument(
        "--prefix", action="append", default=[], metavar="URL", help="only URLs with this prefix"
    )
    scope.add_argument(
        "--include",
        action="append",
        default=[],
        metavar="RE",
        help="only URLs that match this pattern",
    )
    scope.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="RE",
        help="no URLs that match this pattern",
    )
    scope.add_argument(
        "--max-depth", type=int, metavar="D", help="at most this many links away from a seed"
    )
    scope.add_argument("--sitemaps", action="store_true", help="also follow the links in sitemaps")
    scope.add_argument(
        "--feeds", action="store_true", help="also follow the links in RSS and Atom feeds"
    )


def add_manners(verb: argparse.ArgumentParser) -> None:
    """Describe how the crawl treats sites, and what it keeps of them."""
    manners = verb.add_argument_group("politeness and safety")
    manners.add_argument(
        "--user-agent", default="", metavar="NAME", help="name sent to sites as User-Agent"
    )
    manners.add_argument(
        "--contact", default="", metavar="URL|MAIL", help="contact shown to site owners"
    )
    manners.add_argument(
        "--allow-private",
        action="append",
        default=[],
        metavar="HOST[:PORT]|CIDR",
        help="allow requests to this private address or network",
    )
    manners.add_argument(
        "--no-warc", dest="warc", action="store_false", help="do not store the pages as WARC"
    )
    manners.add_argument(
        "--no-traps",
        dest="traps",
        action="store_false",
        help="turn off the detection of crawler traps",
    )


def order_of(options: argparse.Namespace) -> CrawlOptions:
    """Return what the user ordered."""
    if options.relevant:
        raise UsageError("--relevant is for worlds with labels; say what you want with --topic")
    return CrawlOptions(
        seeds=tuple(options.urls),
        aim=aim_of(options),
        strategy=options.strategy,
        seed=options.seed,
        budget=options.budget,
        minutes=options.minutes,
        concurrency=options.concurrency,
        delay=options.delay,
        within=options.scope,
        include=tuple(options.include),
        exclude=tuple(options.exclude),
        max_depth=options.max_depth,
        allow_private=tuple(options.allow_private),
        user_agent=options.user_agent,
        contact=options.contact,
        warc=options.warc,
        traps=options.traps,
        hosts=tuple(name for text in options.hosts for name in text.split(",") if name.strip()),
        prefix=tuple(options.prefix),
        per_host=options.per_host,
        sitemaps=options.sitemaps,
        feeds=options.feeds,
        learned=options.learned,
        render=options.render,
        chromium=options.chromium,
        until_recall=options.until_recall,
        until_yield=options.until_yield,
    )


def run(options: argparse.Namespace, console: Console) -> None:
    """Crawl, show it, and say what came of it."""
    # What is loaded stays, and pages make no circles: looking for some is a twentieth of the work.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    session = Session(order_of(options), options.out)
    session.open()
    try:
        if options.json:  # which may be in the folder of the crawl
            check_writable(options.json, "--json")
        if session.taken_up:
            console.print(f"going on with {options.out} after {session.taken_up:,} visits")
        with View(console, session) as view:

            def watch(visits: Sequence[Visit]) -> None:
                for line in filter(None, map(failure_of, visits)):
                    text = Text(plain(line, LONGEST_LINE), style="bold")
                    console.print(text, soft_wrap=True, highlight=False)
                for line in session.notices():
                    console.print(plain(line), soft_wrap=True, highlight=False, markup=False)
                view.update(visits)

            session.run(watch)
        tell(session, options, console)
        any_seed = came(session.ledger.facts())
    finally:
        session.close()
    if session.stopped == "interrupted":
        raise KeyboardInterrupt
    if not any_seed:
        raise NothingFetchedError("no seed could be fetched; see above why")


def tell(session: Session, options: argparse.Namespace, console: Console) -> None:
    """Print the summary, and write it for machines."""
    table = session.live.table
    facts = session.ledger.facts()
    hosts = [table.host_name(table.host(url)) for url in facts.urls.tolist()]
    summary = summarise(facts, hosts, session.ledger.reasons())
    found = session.estimate()
    print_summary(summary, session.stopped, console, found)
    print_left_alone(session.left_alone, console)
    kept = "ledger.sqlite, warc/" if options.warc else "ledger.sqlite"
    console.print(f"everything is in {options.out}: {kept}", soft_wrap=True)
    if options.json:
        told = {"stopped": session.stopped, **msgspec.to_builtins(summary)}
        told["estimate"] = msgspec.to_builtins(found)
        told["left_alone"] = msgspec.to_builtins(session.left_alone)
        write(options.json, msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n")
