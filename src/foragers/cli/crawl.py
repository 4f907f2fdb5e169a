"""`foragers crawl`: the live web."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.text import Text

from foragers.cli.options import add_options
from foragers.cli.terminal.crawl_view import View
from foragers.cli.terminal.summary import print_left_alone, print_summary
from foragers.core.display import plain
from foragers.core.files import check_writable, write
from foragers.core.options import make
from foragers.core.types import Visit
from foragers.crawling.checkpoint import standings_in
from foragers.crawling.options import RESULTS, CrawlOptions
from foragers.crawling.seeds import any_fetched, failure_of, seeds_in
from foragers.crawling.session import Session
from foragers.errors import NothingFetchedError, UsageError
from foragers.evaluation.metrics.summary import summarise
from foragers.storage.ledger.postgres import without_password

LONGEST_LINE = 1000


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    verb.usage = "%(prog)s URL [URL ...] --out DIR [options]"
    verb.add_argument("urls", nargs="*", metavar="URL", help="page to start from (seed)")
    add_options(verb, CrawlOptions)
    verb.add_argument("--relevant", help=argparse.SUPPRESS)
    results = next(group for group in verb._action_groups if group.title == RESULTS)
    results.add_argument(
        "--out",
        type=folder,
        required=True,
        metavar="DIR",
        help="folder for the results; a crawl that is in it already is resumed",
    )
    results.add_argument("--json", type=Path, metavar="FILE", help="write the summary as JSON")
    verb.add_argument("--config", metavar="FILE", help="read options from a TOML file")
    verb.set_defaults(run=run)


def folder(name: str) -> Path:
    """Return the folder, whose name must not be empty."""
    if not name.strip():
        raise UsageError("--out is empty: name a folder for the crawl")
    return Path(name)


def order_of(options: argparse.Namespace) -> CrawlOptions:
    """Return the options of the crawl."""
    if options.relevant:
        raise UsageError("--relevant is for worlds with labels; say what you want with --topic")
    seeds = seeds_in(options.seeds, options.urls)
    budgets = (*seeds.host_budgets, *options.host_budget)
    return make(CrawlOptions, {**vars(options), "host_budget": budgets}, seeds=seeds.urls)


def run(options: argparse.Namespace, console: Console) -> None:
    """Crawl, show progress, and print the summary."""
    # Pages form no reference cycles, and searching for cycles would cost 5 % of the time.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    session = Session.open(order_of(options), options.out)
    try:
        if options.json:  # which may be in the folder of the crawl
            check_writable(options.json, "--json")
        if session.resumed_after:
            console.print(
                f"going on with {options.out} after {session.resumed_after:,} visits",
                soft_wrap=True,
            )
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
        any_seed = any_fetched(session.ledger.facts())
    finally:
        session.close()
    if session.stopped == "interrupted":
        raise KeyboardInterrupt
    if not any_seed:
        raise NothingFetchedError("no seed could be fetched; see above why")


def tell(session: Session, options: argparse.Namespace, console: Console) -> None:
    """Print the summary, and write it as JSON if requested."""
    table = session.table
    facts = session.ledger.facts()
    hosts = [table.host_name(table.host(url)) for url in facts.urls.tolist()]
    summary = summarise(facts, hosts, session.ledger.reasons())
    found = session.estimate()
    print_summary(summary, session.stopped, console, found, session.standing)
    print_left_alone(session.left_alone, console)
    ledger = without_password(options.ledger) if options.ledger else "ledger.sqlite"
    archive = "the warc/ of each node" if options.cluster else "warc/"
    kept = ", ".join([ledger, *([archive] if options.warc else [])])
    console.print(f"everything is in {options.out}: {kept}", soft_wrap=True)
    if options.json:
        told = {"stopped": session.stopped, **msgspec.to_builtins(summary)}
        told["estimate"] = msgspec.to_builtins(found)
        told["judge"] = msgspec.to_builtins(session.standing)
        told["left_alone"] = msgspec.to_builtins(session.left_alone)
        told["foragers"] = msgspec.to_builtins(standings_in(session.crawl.strategy, table))
        write(options.json, msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n")
