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
from foragers.errors import NothingFetchedError, UsageError
from foragers.files import check_writable, write
from foragers.measures.summary import summarise
from foragers.reporting.plain import plain
from foragers.session.order import Order
from foragers.session.seeds import came, failure_of
from foragers.session.session import Session
from foragers.types import Visit

LONGEST_LINE = 1000


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the verb."""
    verb.add_argument("urls", nargs="+", metavar="URL", help="where to start")
    add_aim(verb)
    verb.add_argument("--strategy", default="auto", metavar="NAME", help="see 'strategies'")
    verb.add_argument("--seed", type=int, default=0, metavar="S", help="of chance")
    verb.add_argument("--budget", type=int, default=2000, metavar="N", help="downloads (2000)")
    verb.add_argument("--per-host", type=int, metavar="N", help="downloads from each host at most")
    verb.add_argument("--minutes", type=float, metavar="M", help="stop after so long")
    add_enough(verb)
    verb.add_argument("--concurrency", type=int, default=16, metavar="C", help="hosts at once (16)")
    verb.add_argument(
        "--delay", type=float, default=1.0, metavar="SECONDS", help="pause at each host (1)"
    )
    verb.add_argument("--out", type=folder, required=True, metavar="DIR", help="the same: go on")
    verb.add_argument(
        "--learned",
        metavar="FILE",
        help="what the strategy learns: taken up from here if it is there, and kept here after",
    )
    verb.add_argument("--json", type=Path, metavar="FILE", help="write the summary for machines")
    add_scope(verb)
    verb.add_argument(
        "--render", action="store_true", help="run the scripts of pages that are empty without"
    )
    verb.add_argument("--chromium", default="", metavar="PATH", help="the browser for --render")
    manners = verb.add_argument_group("manners")
    manners.add_argument("--user-agent", default="", metavar="NAME", help="how to introduce itself")
    manners.add_argument("--contact", default="", metavar="URL|MAIL", help="whom sites can ask")
    manners.add_argument(
        "--allow-private",
        action="append",
        default=[],
        metavar="HOST[:PORT]|CIDR",
        help="a private address that may be reached",
    )
    manners.add_argument("--no-warc", dest="warc", action="store_false", help="keep no WARC")
    manners.add_argument("--no-traps", dest="traps", action="store_false", help="walk into traps")
    verb.set_defaults(run=run)


def folder(name: str) -> Path:
    """Return a folder that was given by name, which must have one."""
    if not name.strip():
        raise UsageError("--out is empty: name a folder for the crawl")
    return Path(name)


def add_enough(verb: argparse.ArgumentParser) -> None:
    """Describe what is enough."""
    verb.add_argument(
        "--until-recall", type=float, metavar="R", help="stop at this estimated recall, like 0.9"
    )
    verb.add_argument(
        "--until-yield",
        metavar="K/N",
        help="stop when the last N downloads found fewer than K relevant pages, like 1/200",
    )


def add_scope(verb: argparse.ArgumentParser) -> None:
    """Describe where the crawl may go."""
    scope = verb.add_argument_group("where it may go")
    scope.add_argument(
        "--scope", choices=("host", "site", "any"), default="site", help="(default: site)"
    )
    scope.add_argument(
        "--hosts",
        action="append",
        default=[],
        metavar="A,.B",
        help="these hosts besides; .b.org is b.org and all below it",
    )
    scope.add_argument(
        "--prefix", action="append", default=[], metavar="URL", help="only what begins so"
    )
    scope.add_argument("--include", action="append", default=[], metavar="RE", help="only these")
    scope.add_argument("--exclude", action="append", default=[], metavar="RE", help="not these")
    scope.add_argument("--max-depth", type=int, metavar="D", help="links from the seeds")
    scope.add_argument("--sitemaps", action="store_true", help="follow the links of sitemaps too")
    scope.add_argument("--feeds", action="store_true", help="follow the links of feeds too")


def order_of(options: argparse.Namespace) -> Order:
    """Return what the user ordered."""
    if options.relevant:
        raise UsageError("--relevant is for worlds with labels; say what you want with --topic")
    return Order(
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
