"""The archived records of a crawl's relevant pages, copied byte for byte into one file."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO
from uuid import NAMESPACE_URL, uuid5

from foragers.errors import UsageError
from foragers.reporting.folder import ARCHIVE, CrawlFolder
from foragers.reporting.pages import Selection, place
from foragers.worlds.warc_record import MICROSECONDS, date, record

CHUNK = 1 << 16
RECORDS = """
SELECT number, record FROM visits
WHERE number > ? AND number <= ? AND record != '' {only} ORDER BY number LIMIT ?
"""


@dataclass
class Copied:
    """How many records were copied, and how many could not be found whole."""

    records: int = 0
    lost: int = 0


def write_warc(folder: CrawlFolder, out: BinaryIO, name: str) -> Iterator[Copied]:
    """Copy the records of relevant pages; the count is given after each of them."""
    out.write(info(folder, name))
    counted, files = Copied(), Files(folder.path)
    try:
        for _, where in folder.rows(RECORDS.format(only=Selection(relevant=True).condition)):
            copied = copy(files, where, out)
            counted.records += copied
            counted.lost += not copied
            yield counted
    finally:
        files.close()


class Files:
    """The WARC files of a folder; the one read last stays open."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._name = ""
        self._file: BinaryIO | None = None

    def at(self, name: str, offset: int) -> BinaryIO | None:
        """Return a file at a place in it, or None if it is not there."""
        if name != self._name:
            self.close()
            self._name, self._file = name, self._open(name)
        if self._file:
            self._file.seek(offset)
        return self._file

    def close(self) -> None:
        """Let go of the open file."""
        if self._file:
            self._file.close()
        self._name, self._file = "", None

    def _open(self, name: str) -> BinaryIO | None:
        for path in (self._folder / ARCHIVE / name, self._folder / name):
            # A name is data: it must not lead out of the folder.
            if path.resolve().is_relative_to(self._folder.resolve()) and path.is_file():
                return path.open("rb")
        return None


def copy(files: Files, where: str, out: BinaryIO) -> bool:
    """Copy one record as it stands there; say whether it was there, and whole."""
    name, offset = place(where)
    file = files.at(name, offset) if name is not None and offset is not None else None
    if file is None or offset is None:
        return False
    length = member_length(file)
    if length is None:
        return False
    file.seek(offset)
    while length > 0:
        chunk = file.read(min(CHUNK, length))
        out.write(chunk)
        length -= len(chunk)
    return True


def member_length(file: BinaryIO) -> int | None:
    """Return how long the gzip member is that begins here, or None if it is none or cut off."""
    inflate, length = zlib.decompressobj(wbits=31), 0
    try:
        while not inflate.eof:
            if not (chunk := inflate.unconsumed_tail):
                chunk = file.read(CHUNK)
                length += len(chunk)
            if not chunk:
                return None
            # Bounded, since a member of a kilobyte may hold a gigabyte.
            inflate.decompress(chunk, CHUNK)
    except zlib.error:
        return None
    return length - len(inflate.unused_data)


def info(folder: CrawlFolder, name: str) -> bytes:
    """Return the record that says what the file is."""
    first = folder.connection.execute("SELECT min(time) FROM visits").fetchone()[0]
    headers = {
        "WARC-Type": "warcinfo",
        "WARC-Record-ID": f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{folder.path.name} {name}')}>",
        "WARC-Filename": name,
        "WARC-Date": date(round((first or 0.0) * MICROSECONDS)),
        "Content-Type": "application/warc-fields",
    }
    fields = {"software": f"foragers/{version('foragers')}", "format": "WARC File Format 1.1"}
    text = "".join(f"{key}: {value}\r\n" for key, value in fields.items())
    return record(headers, text.encode(), compress=True)


def check_archived(folder: CrawlFolder) -> None:
    """Refuse to export from a crawl that kept no records."""
    query = "SELECT 1 FROM visits WHERE record != '' LIMIT 1"
    if folder.length and folder.connection.execute(query).fetchone() is None:
        raise UsageError(f"{folder.path} has no archived pages; export another format")
