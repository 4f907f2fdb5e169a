"""Reading recorded responses back, one at a time."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import msgspec

from foragers.errors import UsageError
from foragers.parsing.content_coding import MAX_BYTES, decoded
from foragers.storage.warc import cdxj as capture_index
from foragers.storage.warc.records import END, record_at

FILE = re.compile(r"-(\d{5,})\.warc(?:\.gz)?$")
BLANK = re.compile(rb"\r?\n\r?\n")
Fields = tuple[tuple[str, str], ...]


class RecordedResponse(msgspec.Struct, frozen=True):
    """A recorded response, its body without transfer and content codings."""

    url: str
    time: float
    code: int
    headers: Fields
    body: bytes

    def header(self, name: str) -> str:
        """Return the first header of a name, or ""."""
        return first(self.headers, name)


class RecordParts(msgspec.Struct, frozen=True):
    """A parsed record; `code` and `fields` are those of the HTTP response in it."""

    headers: Fields
    code: int
    fields: Fields
    body: bytes

    def __getitem__(self, name: str) -> str:
        return first(self.headers, name)


def recordings(folder: Path) -> list[Path]:
    """Return the WARC files of a recording, in the order in which they were written.

    Empty files are left out.
    """
    return [path for path in numbered(folder) if path.stat().st_size]


def numbered(folder: Path) -> list[Path]:
    """Return the files that are named like those of a recording, by their numbers."""
    named = [path for path in folder.glob("*.warc*") if FILE.search(path.name)]
    return sorted(named, key=lambda path: (number_of(path), path.name))


def number_of(path: Path) -> int:
    """Return the number of a file of a recording."""
    match = FILE.search(path.name)
    return int(match[1]) if match else -1


def series_of(path: Path) -> str:
    """Return the part before the number in the name of a file of a recording."""
    return FILE.sub("", path.name)


def read_record(folder: Path, place: str, most: int = MAX_BYTES) -> RecordedResponse:
    """Return the response at a place; for an unchanged response, with the body sent earlier."""
    parts = parts_at(folder, place)
    body, fields = parts.body, parts.fields
    if parts["WARC-Type"] == "revisit" and (date := parts["WARC-Refers-To-Date"]):
        url = parts["WARC-Refers-To-Target-URI"]
        source = capture_index.find(folder / capture_index.NAME, url, date)
        if source:
            original = parts_at(folder, f"{source.filename}#{source.offset}")
            # The coding is that of the body, not that of the response without one.
            body, fields = original.body, original.fields
    coding = first(fields, "Transfer-Encoding"), first(fields, "Content-Encoding")
    time = datetime.fromisoformat(parts["WARC-Date"]).timestamp()
    return RecordedResponse(
        parts["WARC-Target-URI"], time, parts.code, parts.fields, decoded(body, *coding, most)
    )


def parts_at(folder: Path, place: str) -> RecordParts:
    """Return the record at a place."""
    name, _, offset = place.rpartition("#")
    path = folder / name
    try:
        with path.open("rb") as file:
            record = record_at(file, int(offset))
    except (OSError, ValueError) as error:
        raise UsageError(f"{place!r} cannot be read in {folder}: {error}") from error
    if record is None:
        raise UsageError(f"{path} has no whole record at {offset}")
    return taken_apart(record[0])


def taken_apart(record: bytes) -> RecordParts:
    """Return the parts of a complete record."""
    lines, _, block = record.removesuffix(END).partition(END)
    headers = fields_of(lines.decode("utf-8", "replace"))
    end = BLANK.search(block)
    if block[:5].upper() != b"HTTP/" or not end:
        return RecordParts(headers, 0, (), block)
    head = block[: end.start()].decode("latin-1")
    status = head.split(None, 2)[1:2]
    code = int(status[0]) if status and status[0].isdigit() else 0
    return RecordParts(headers, code, fields_of(head), block[end.end() :])


def fields_of(head: str) -> Fields:
    """Return the fields of a head, without its first line."""
    split = [line.partition(":") for line in head.split("\n")[1:]]
    return tuple((name.strip(), value.strip()) for name, colon, value in split if colon)


def first(fields: Fields, name: str) -> str:
    """Return the first field of a name, or ""."""
    wanted = name.lower()
    return next((value for key, value in fields if key.lower() == wanted), "")
