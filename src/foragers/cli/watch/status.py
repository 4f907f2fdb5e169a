"""`foragers status`: how a watch is doing."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec
from rich.console import Console

from foragers.cli.watch.view import table
from foragers.core.display import counted, duration
from foragers.watching.status import WatchStatus, read_status


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    verb.add_argument("folder", type=Path, metavar="DIR", help="folder of a watch")
    verb.add_argument("--json", action="store_true", help="print everything as JSON")
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Print the state of a watch."""
    status = read_status(options.folder)
    if options.json:
        text = msgspec.json.format(msgspec.json.encode(status), indent=1)
        sys.stdout.write(text.decode() + "\n")
        return
    console.print(table(status))
    for line in lines_of(status):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def lines_of(status: WatchStatus) -> list[str]:
    """Return what the table does not say."""
    state = "running" if status.running else "stopped"
    lines = [f"{state}, {duration(status.updated - status.began)} since it began"]
    lines.append(f"so far: {status.account}")
    for site in status.sites:
        if site.promise is not None:
            more = ""
            if site.more is not None and site.promise.observed:
                more = f"; {site.more.requests:,} would give {site.more.share:.0%}"
            lines.append(f"{site.site}: {site.promise}{more}")
            if site.promise.lack:
                lines.append(f"{site.site}: {site.promise.lack}")
        lines += [f"{site.site}: trouble: {trouble}" for trouble in site.troubles]
    if status.untold:
        lines.append(f"{counted(status.untold, 'event')} wait for the next message")
    return lines
