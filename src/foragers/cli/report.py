"""`foragers report`: a crawl or a watch as one HTML file."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from foragers.core.files import stream_number, write
from foragers.reports.crawl_folder import check_out, opened
from foragers.reports.html_report import report
from foragers.watching.report import is_watch, watch_report

NAME = "report.html"


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    verb.add_argument("folder", type=Path, metavar="DIR", help="folder of a crawl or a watch")
    verb.add_argument(
        "--out", type=Path, metavar="FILE", help=f"file to write (default: {NAME} in DIR)"
    )
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Write the report and say where it is."""
    out = options.out or options.folder / NAME
    check_out(options.folder, out)
    if is_watch(options.folder):
        text = watch_report(options.folder)
    else:
        with opened(options.folder) as folder, Console(stderr=True).status("reading the ledger"):
            text = report(folder)
    write(out, text.encode())
    if stream_number(out) is None:
        console.print(f"report: {out}", markup=False, soft_wrap=True)
