"""`foragers export`: the pages of a crawl, for other programs."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import BinaryIO

from rich.console import Console

from foragers.cli.options import moment
from foragers.cli.terminal.progress import ConsoleMeter, progress
from foragers.core.display import counted
from foragers.core.files import replacing, stream_number
from foragers.errors import UsageError
from foragers.judges.novelty import parse_duration
from foragers.reports.crawl_folder import ARCHIVE, CrawlFolder, check_out, opened
from foragers.reports.export import (
    Exported,
    Selection,
    check_parquet,
    count,
    pages,
    write_csv,
    write_jsonl,
    write_parquet,
)
from foragers.reports.warc_export import Copied, check_archived, write_warc

Write = Callable[[Iterable[Exported], BinaryIO, Selection], None]
WRITERS: dict[str, Write] = {"jsonl": write_jsonl, "csv": write_csv, "parquet": write_parquet}
WARC = "warc"
STDOUT = "-"
STEP = 100


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    verb.add_argument("folder", type=Path, metavar="DIR", help="folder of a crawl")
    verb.add_argument(
        "--format",
        choices=(*WRITERS, WARC),
        default="jsonl",
        help="jsonl: one object a page; csv: one row a page; parquet: needs foragers[parquet];"
        " warc: the archived records of the relevant pages (default: jsonl)",
    )
    verb.add_argument(
        "--out", default=STDOUT, metavar="FILE", help="file to write (default: standard output)"
    )
    verb.add_argument("--relevant", action="store_true", help="relevant pages only")
    verb.add_argument(
        "--since", metavar="TIME", help="pages fetched since a date, or within a time such as 24h"
    )
    verb.add_argument("--no-text", action="store_true", help="leave out the text")
    verb.add_argument("--no-links", action="store_true", help="leave out the links")
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Write the pages, and say how many there were unless they went to standard output."""
    selection = Selection(
        relevant=options.relevant or options.format == WARC,
        since=-inf if options.since is None else since_of(options.since),
        text=not options.no_text,
        links=not options.no_links,
    )
    check(options)
    with opened(options.folder) as folder:
        if options.format == WARC:
            check_archived(folder)
        total = count(folder, selection)
        with (
            output(options.out) as out,
            progress(Console(stderr=True), "exporting", total) as meter,
        ):
            written, lost = export(folder, options, selection, out, meter)
    if options.out != STDOUT and stream_number(Path(options.out)) is None:
        noun = "record" if options.format == WARC else "page"
        console.print(f"{options.out}: {counted(written, noun)}", markup=False, soft_wrap=True)
    if lost:
        Console(stderr=True).print(
            f"foragers: {counted(lost, 'record')} not found whole in {options.folder / ARCHIVE}",
            markup=False,
            soft_wrap=True,
        )


def since_of(text: str) -> float:
    """Return the time that `--since` names: a date, or so long ago."""
    try:
        return time.time() - parse_duration(text, "--since")
    except UsageError:
        return moment(text, "--since")


def check(options: argparse.Namespace) -> None:
    """Check the options before the work begins."""
    if options.format == "parquet":
        if options.out == STDOUT:
            raise UsageError("--format parquet cannot be streamed; give --out FILE")
        check_parquet()
    if options.out == STDOUT:
        return
    check_out(options.folder, Path(options.out))
    if Path(options.out).is_dir():
        raise UsageError(f"--out {options.out} is a folder; name a file in it")


@contextmanager
def output(name: str) -> Iterator[BinaryIO]:
    """Give standard output, or a file that gets its name when it is complete."""
    if name == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with replacing(Path(name)) as file:
        yield file


def export(
    folder: CrawlFolder,
    options: argparse.Namespace,
    selection: Selection,
    out: BinaryIO,
    meter: ConsoleMeter,
) -> tuple[int, int]:
    """Write the pages; return how many pages or records were written and lost."""
    if options.format == WARC:
        name = "export.warc.gz" if options.out == STDOUT else Path(options.out).name
        copied = Copied()
        for copied in write_warc(folder, out, name):
            meter(copied.records + copied.lost)
        return copied.records, copied.lost
    written = 0

    def watched() -> Iterator[Exported]:
        nonlocal written
        for page in pages(folder, selection):
            yield page
            written += 1
            if written % STEP == 0:
                meter(written)

    WRITERS[options.format](watched(), out, selection)
    return written, 0
