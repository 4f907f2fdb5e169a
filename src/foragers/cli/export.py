"""`foragers export`: the pages of a crawl, for other programs."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rich.console import Console

from foragers.cli.options import add_options, moment
from foragers.cli.terminal.progress import ConsoleMeter, progress
from foragers.core.display import counted
from foragers.core.files import replacing, stream_number
from foragers.core.options import make
from foragers.errors import UsageError
from foragers.judges.novelty import parse_duration
from foragers.parsing.language import parse_languages
from foragers.reports.corpus.formats import write_dolma, write_markdown_files
from foragers.reports.corpus.options import (
    CSV,
    DOLMA,
    JSONL,
    MARKDOWN,
    PARQUET,
    STDOUT,
    WACZ,
    WARC,
    ExportOptions,
)
from foragers.reports.corpus.page_texts import check_extractor
from foragers.reports.corpus.tally import Tally
from foragers.reports.corpus.wacz import write_wacz
from foragers.reports.crawl_folder import ARCHIVE, CrawlFolder, check_out, opened
from foragers.reports.export import (
    DROP,
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

Write = Callable[[Iterable[Exported], BinaryIO, Selection, Path], None]
WRITERS: dict[str, Write] = {
    JSONL: lambda found, out, *_: write_jsonl(found, out),
    MARKDOWN: lambda found, out, *_: write_jsonl(found, out),
    DOLMA: lambda found, out, *_: write_dolma(found, out),
    CSV: lambda found, out, selection, _: write_csv(found, out, selection),
    PARQUET: lambda found, out, selection, folder: write_parquet(
        found, out, selection, folder.resolve().name
    ),
}
STEP = 100


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    verb.add_argument("folder", type=Path, metavar="DIR", help="folder of a crawl")
    add_options(verb, ExportOptions)
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Write the pages, and say how many there were unless they went to standard output."""
    # What is loaded stays, and pages make few circles: looking for some is much of the work.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    order = make(ExportOptions, vars(options))
    check(order, options.folder)
    selection = selection_of(order, options.folder)
    tally = Tally()
    with opened(options.folder) as folder:
        if order.format in (WARC, WACZ):
            check_archived(folder)
        total = count(folder, selection)
        with progress(Console(stderr=True), "exporting", total) as meter:
            written, lost = Export(folder, order, selection, tally, meter).run()
    if order.out != STDOUT and stream_number(Path(order.out)) is None:
        noun = "record" if order.format == WARC else "page"
        noun = "chunk" if order.chunks else noun
        console.print(f"{order.out}: {counted(written, noun)}", markup=False, soft_wrap=True)
    told = [f"{counted(lost, 'record')} not found whole in {options.folder / ARCHIVE}"] * bool(lost)
    for line in (*told, *tally.lines(order.duplicates == DROP)):
        Console(stderr=True).print(f"foragers: {line}", markup=False, soft_wrap=True)


def selection_of(order: ExportOptions, folder: Path) -> Selection:
    """Return which pages are wanted, and how much of them."""
    return Selection(
        relevant=order.relevant,
        text=not order.no_text,
        links=not order.no_links,
        every=order.every,
        since=since_of(order.since) if order.since else None,
        visits=new_in(folder) if order.new else None,
        min_words=order.min_words,
        languages=parse_languages(order.language),
        duplicates=order.duplicates,
        extractor=order.extractor,
        markdown=order.format == MARKDOWN,
        chunks=order.chunks,
    )


def new_in(folder: Path) -> tuple[int, ...]:
    """Return the visits at which the new articles of a watch were fetched."""
    from foragers.watching.events import EventKind
    from foragers.watching.report import is_watch
    from foragers.watching.watching import events_in

    if not is_watch(folder):
        raise UsageError(f"--new is for watches: {folder} is the folder of a crawl")
    kinds = (EventKind.NEW, EventKind.FETCHED)
    return tuple(one.visit for one in events_in(folder) if one.event in kinds and one.fetched)


def since_of(text: str) -> float:
    """Return the time that `--since` names: a date, or so long ago."""
    try:
        return time.time() - parse_duration(text, "--since")
    except UsageError:
        pass
    try:
        return moment(text, "--since")
    except UsageError as error:
        raise UsageError(f"{error}, or 24h for the last day") from None


def check(order: ExportOptions, folder: Path) -> None:
    """Check the options before the work begins."""
    order.check()
    check_extractor(order.extractor)
    if order.format == PARQUET:
        check_parquet()
    if order.out == STDOUT:
        return
    check_out(folder, Path(order.out))
    if Path(order.out).is_dir() and not order.in_files:
        raise UsageError(f"--out {order.out} is a folder; name a file in it")
    if order.in_files and Path(order.out).exists() and not Path(order.out).is_dir():
        raise UsageError(f"--out {order.out} is a file; name a folder, or a file ending in .jsonl")


@contextmanager
def output(name: str) -> Iterator[BinaryIO]:
    """Give standard output, or a file that gets its name when it is complete."""
    if name == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with replacing(Path(name)) as file:
        yield file


class Export:
    """Writes the pages, and counts them."""

    def __init__(
        self,
        folder: CrawlFolder,
        order: ExportOptions,
        selection: Selection,
        tally: Tally,
        meter: ConsoleMeter,
    ) -> None:
        self.folder, self.order, self.selection = folder, order, selection
        self.tally, self.meter = tally, meter
        self.written = 0

    def run(self) -> tuple[int, int]:
        """Return how many pages or records were written, and how many were lost."""
        order = self.order
        if order.in_files:
            for _ in write_markdown_files(self.pages(), Path(order.out)):
                pass
            return self.written, 0
        with output(order.out) as out:
            if order.format == WARC:
                return self.records(out)
            if order.format == WACZ:
                return write_wacz(self.folder, out, self.selection, self.pages())
            WRITERS[order.format](self.pages(), out, self.selection, self.folder.path)
        return self.written, 0

    def pages(self) -> Iterator[Exported]:
        """Give the pages, and show how far it is."""
        for page in pages(self.folder, self.selection, self.tally):
            yield page
            self.written += 1
            if self.written % STEP == 0:
                self.meter(self.written)

    def records(self, out: BinaryIO) -> tuple[int, int]:
        """Copy archived records."""
        name = "export.warc.gz" if self.order.out == STDOUT else Path(self.order.out).name
        copied = Copied()
        for copied in write_warc(self.folder, out, name, self.selection):
            self.meter(copied.records + copied.lost)
        return copied.records, copied.lost
