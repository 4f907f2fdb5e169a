"""From WARC files to a world.

Captures are read once, in the order of the files, and each distinct content of a URL is parsed and
written once.  At the end versions are sorted by URL and time; a capture with the content of the one
before it is no new version.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from foragers.core.types import Document, Ids, UrlId
from foragers.errors import UsageError
from foragers.storage.warc.reader import Capture, WarcReader
from foragers.urls.parse import resolve
from foragers.urls.table import UrlTable
from foragers.worlds.addresses import AddressBook
from foragers.worlds.archive import Archive, Body
from foragers.worlds.importing.assemble import assemble, sort_versions
from foragers.worlds.importing.parse_ahead import Reading, read, readings
from foragers.worlds.store import new_folder, write_columns
from foragers.worlds.texts import StoredTexts, TextWriter, pack

REDIRECTS = (301, 302, 303, 307, 308)
OK, NOT_MODIFIED = 200, 304
WORTH_PROCESSES = 4 << 20
NO_LINKS: Ids = np.empty(0, np.int32)
Watch = Callable[[Path, int], None]
Finish = Callable[[Archive], Archive]


@dataclass(frozen=True)
class ImportOptions:
    """How to read a recording; `None` means: as the recording suggests."""

    salvage: bool = False
    evolving: bool | None = None
    window: tuple[float, float] | None = None
    time_scale: float = 1.0
    processes: int | None = None


DEFAULTS = ImportOptions()


@dataclass
class ImportSummary:
    """Counts of an import."""

    records: int = 0
    captures: int = 0
    repeated: int = 0
    broken: int = 0
    bad_addresses: int = 0


@dataclass
class Importer:
    """Reads captures, and knows every distinct content and where it was seen."""

    writer: TextWriter
    table: UrlTable = field(default_factory=UrlTable)
    summary: ImportSummary = field(default_factory=ImportSummary)
    # One entry per capture: URL, time, status code, target of a redirect, block of texts.
    rows: list[tuple[UrlId, float, int, UrlId, int]] = field(default_factory=list)
    links: list[Ids] = field(default_factory=list)
    # A page is shown under the URL it was recorded at, however others spell it.
    spellings: dict[UrlId, str] = field(default_factory=dict)
    revisits: list[tuple[UrlId, float, str]] = field(default_factory=list)
    _blocks: dict[tuple[UrlId, int], int] = field(default_factory=dict)
    _payloads: dict[tuple[UrlId, str], int] = field(default_factory=dict)
    _anywhere: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Block 0 is for captures without content: redirects and errors.
        self.writer.add(pack(Document(), (), Body("", b"")))
        self.links.append(NO_LINKS)

    def read(self, file: Path, salvage: bool, processes: int, watch: Watch | None) -> None:
        """Read one file."""
        reader = WarcReader(file)
        try:
            for reading in readings(reader, processes):
                self.take(reading)
                if watch:
                    watch(file, reader.position)
        except OSError as error:
            raise UsageError(f"cannot read {file}: {error.strerror or error}") from error
        self.summary.records += reader.records
        self.summary.broken += reader.broken
        if not reader.records:
            raise UsageError(f"{file} holds no WARC record; is it a WARC file (.warc, .warc.gz)?")
        if reader.cut_off and not salvage:
            raise UsageError(
                f"{file} is cut off in the middle of record {reader.records}; fetch it again,"
                " or use --salvage to import what is whole"
            )

    def take(self, reading: Reading) -> None:
        """Add one capture."""
        capture = reading.capture
        if capture.code == NOT_MODIFIED:
            self.summary.repeated += 1
            return
        try:
            url = self.table.intern(capture.url)
            if capture.revisit:
                self.revisits.append((url, capture.time, capture.payload))
                return
            onward = self.redirect(capture)
        except ValueError:
            self.summary.bad_addresses += 1
            return
        if onward == url:
            # A redirect from one spelling of the URL to another: for us they are one.
            self.summary.repeated += 1
            return
        block = self.block(url, reading) if 200 <= capture.code < 300 else 0
        self.summary.captures += 1
        self.spellings.setdefault(url, resolve(capture.url).partition("#")[0])
        self.rows.append((url, capture.time, capture.code, onward, block))
        if block and capture.payload:
            self._payloads[url, capture.payload] = block
            self._anywhere.setdefault(capture.payload, block)

    def settle(self) -> None:
        """Give each revisit the content it refers to; those of unknown content are left out."""
        for url, time, payload in self.revisits:
            block = self._payloads.get((url, payload)) or self.borrow(url, payload)
            self.summary.repeated += block is None
            if block is not None:
                self.summary.captures += 1
                self.spellings.setdefault(url, self.table.href(url))
                self.rows.append((url, time, OK, -1, block))

    def borrow(self, url: UrlId, payload: str) -> int | None:
        """Parse for one URL a content that was recorded under another; its links may differ."""
        other = self._anywhere.get(payload)
        if other is None:
            return None
        body = self.writer.body(other)
        copy = Capture(self.table.href(url), 0.0, OK, body.content_type, "", body.data)
        packed, hrefs = read(copy)
        self.links.append(self.table.numbers(hrefs))
        block = self._payloads[url, payload] = self.writer.add(packed)
        return block

    def redirect(self, capture: Capture) -> UrlId:
        """Return the target of a capture's redirect, or -1."""
        if capture.code in REDIRECTS and capture.location:
            return self.table.intern(resolve(capture.location, capture.url))
        return -1

    def block(self, url: UrlId, reading: Reading) -> int:
        """Return the block with a capture's content, which is written if it is new."""
        number = self._blocks.get((url, reading.digest))
        if number is None:
            # Another spelling of the URL may have been parsed with this content before.
            packed, hrefs = reading.packed, reading.hrefs
            if packed is None:
                packed, hrefs = read(reading.capture)
            self.links.append(self.table.numbers(hrefs))
            number = self._blocks[url, reading.digest] = self.writer.add(packed)
        return number


def suitable_processes(file: Path) -> int:
    """Return a suitable number of processes: starting one takes as long as parsing a megabyte."""
    size = file.stat().st_size if file.exists() else 0
    return (os.cpu_count() or 1) if size > WORTH_PROCESSES else 1


def import_world(
    path: Path,
    files: Sequence[Path],
    options: ImportOptions = DEFAULTS,
    finish: Finish = lambda archive: archive,
    watch: Watch | None = None,
) -> ImportSummary:
    """Read WARC files and write a world, to which `finish` may add seeds and labels."""
    with new_folder(path) as folder, TextWriter(folder) as writer:
        importer = Importer(writer)
        for file in files:
            processes = options.processes or suitable_processes(file)
            importer.read(file, options.salvage, processes, watch)
        importer.settle()
        versions = sort_versions(importer.rows, options.window, options.time_scale)
        writer.close(versions.blocks)
        hrefs = [
            importer.spellings.get(url) or importer.table.href(url)
            for url in range(len(importer.table))
        ]
        book = AddressBook.of(hrefs, *importer.table.columns())
        archive = assemble(book, versions, importer.links, StoredTexts(folder))
        if options.evolving is not None:
            archive.evolving = options.evolving
        write_columns(finish(archive), folder)
    return importer.summary
