"""`foragers watch`: sites watched for new pages, until it is stopped."""

from __future__ import annotations

import argparse
import gc
import sys
import time

import msgspec
from rich.console import Console
from rich.text import Text

from foragers.cli.crawl import folder
from foragers.cli.options import add_options
from foragers.cli.watch.view import WatchView
from foragers.core.display import iso, plain
from foragers.core.options import make
from foragers.watching.account import account_of
from foragers.watching.events import Event
from foragers.watching.watch_options import KEEPING, WatchOptions
from foragers.watching.watching import Watching


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    verb.usage = "%(prog)s [SITE ...] --out DIR [options]"
    verb.add_argument("urls", nargs="*", metavar="SITE", help="home page of a site to watch")
    add_options(verb, WatchOptions)
    results = next(group for group in verb._action_groups if group.title == KEEPING)
    results.add_argument(
        "--out",
        type=folder,
        required=True,
        metavar="DIR",
        help="folder for the results; a watch that is in it already is resumed",
    )
    verb.add_argument("--config", metavar="FILE", help="read options from a TOML file")
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Watch, and print every event."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    order = make(WatchOptions, vars(options), seeds=tuple(options.urls))
    log = Log(Console(stderr=True, highlight=False, soft_wrap=True), order.log_format)
    output = EventPrinter(console)
    with Watching.open(order, options.out, log, output) as watching:
        if watching.visits:
            log(f"going on with {options.out} after {watching.visits:,} visits")
        with WatchView(console if console.is_terminal else None) as view:
            stopped = watching.run(view.show)
        kept = account_of(watching.events)
        log(f"stopped ({stopped}): {kept}; the same command goes on")


class Log:
    """Lines for people and machines on standard error."""

    def __init__(self, console: Console, form: str) -> None:
        self._console = console
        self._form = form

    def __call__(self, line: str) -> None:
        """Print a line."""
        shown = plain(line, 1000)
        if self._form == "json":
            record = {"time": iso(time.time()), "message": shown}
            print(msgspec.json.encode(record).decode(), file=sys.stderr, flush=True)
        else:
            self._console.print(shown, markup=False)


class EventPrinter:
    """Events on standard output: JSON lines, or on a terminal a line for people."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __call__(self, event: Event) -> None:
        """Print an event."""
        if not self._console.is_terminal:
            print(msgspec.json.encode(event).decode(), flush=True)
            return
        moment = time.strftime("%H:%M:%S", time.localtime(event.found))
        told = Text(f"{moment}  {event.event.value:<10}")
        told.append(plain(event.title or event.url, 100), style="bold")
        told.append(f"  {plain(event.url, 200)}", style="dim")
        told.append("" if event.fetched else "  (not fetched yet)", style="dim")
        self._console.print(told, soft_wrap=True)
