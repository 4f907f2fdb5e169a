"""The archived records of a crawl's relevant pages, copied byte for byte into one file."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO
from uuid import NAMESPACE_URL, uuid5

from foragers.errors import UsageError
from foragers.reports.crawl_folder import ARCHIVE, CrawlFolder
from foragers.reports.export import Selection, place
from foragers.storage.warc.records import MICROSECONDS, date, record, record_at

RECORDS = """
SELECT number, record FROM visits
WHERE number > ? AND number <= ? AND record != '' {only} ORDER BY number LIMIT ?
"""
RELEVANT = Selection(relevant=True)


@dataclass
class Copied:
    """The number of records copied, and of those missing or damaged."""

    records: int = 0
    lost: int = 0


def write_warc(
    folder: CrawlFolder, out: BinaryIO, name: str, selection: Selection = RELEVANT
) -> Iterator[Copied]:
    """Copy the records of the selected pages; yield the count after each."""
    out.write(info(folder, name))
    counted, files = Copied(), Files(folder.path)
    try:
        for _, where in folder.rows(RECORDS.format(only=selection.condition)):
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

    def at(self, name: str) -> BinaryIO | None:
        """Return an open file, or None if it does not exist."""
        if name != self._name:
            self.close()
            self._name, self._file = name, self._open(name)
        return self._file

    def close(self) -> None:
        """Close the open file."""
        if self._file:
            self._file.close()
        self._name, self._file = "", None

    def _open(self, name: str) -> BinaryIO | None:
        for path in (self._folder / ARCHIVE / name, self._folder / name):
            # A name in a ledger is data and must not lead out of the folder.
            if path.resolve().is_relative_to(self._folder.resolve()) and path.is_file():
                return path.open("rb")
        return None


def copy(files: Files, where: str, out: BinaryIO) -> bool:
    """Copy one record byte for byte; return whether it was found and complete."""
    name, offset = place(where)
    if name is None or offset is None or (file := files.at(name)) is None:
        return False
    found = record_at(file, offset)
    if found is None:
        return False
    record, end = found
    file.seek(offset)
    raw = file.read(end - offset)
    # All records of the copy are compressed, also those from an uncompressed file.
    out.write(gzip.compress(raw, mtime=0) if raw == record else raw)
    return True


def info(folder: CrawlFolder, name: str) -> bytes:
    """Return the warcinfo record of the file."""
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
    """Refuse to export from a crawl without WARC files."""
    query = "SELECT 1 FROM visits WHERE record != '' LIMIT 1"
    if folder.length and folder.connection.execute(query).fetchone() is None:
        raise UsageError(f"{folder.path} has no archived pages; export another format")
