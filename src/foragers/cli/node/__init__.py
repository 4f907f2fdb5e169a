"""`foragers node`: fetch for a crawl on another machine."""

from __future__ import annotations

import argparse
import gc
from pathlib import Path

from rich.console import Console

from foragers.core.display import plain
from foragers.core.processes import keep_large_apart
from foragers.crawling.nodes.node import Node


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the verb."""
    verb.usage = "%(prog)s --join URL --out DIR"
    verb.add_argument(
        "--join", required=True, metavar="URL", help="the database that is the --ledger of a crawl"
    )
    verb.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="folder for the WARC files"
    )
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Fetch until interrupted."""

    def say(line: str) -> None:
        console.print(plain(line), soft_wrap=True, highlight=False, markup=False)

    # As in a crawl: pages form no reference cycles.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    keep_large_apart()
    Node(options.join, options.out, say).run()
