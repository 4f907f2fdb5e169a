"""Reading WARC files, whole or damaged.

A damaged record is counted and passed over: reading goes on at the next place where a
record can begin.  A file that simply stops in the middle of a record is *cut off*.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import msgspec
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from foragers.pages.coding import decoded

ANY = WarcRecordType.any_type
RESPONSE = WarcRecordType.response
WANTED = (RESPONSE, WarcRecordType.resource, WarcRecordType.revisit)
GZIP_MEMBER = b"\x1f\x8b\x08"
PLAIN_RECORD = b"WARC/1."
CHUNK = 1 << 20


class Capture(msgspec.Struct, frozen=True):
    """One answer of a server, as it was recorded."""

    url: str
    time: float
    code: int
    content_type: str
    location: str
    body: bytes
    unchanged: bool = False


@dataclass
class WarcReader:
    """The captures of one file, and what was wrong with it."""

    path: Path
    records: int = 0
    position: int = 0
    broken: int = 0
    cut_off: bool = False
    _last_whole: bool = field(init=False, default=True)

    def __iter__(self) -> Iterator[Capture]:
        with self.path.open("rb") as file:
            position = 0
            while position >= 0:
                position = yield from self._read_from(file, position)
        self.cut_off = not self._last_whole
        self.broken += self.cut_off

    def _read_from(self, file: BinaryIO, start: int) -> Generator[Capture, None, int]:
        """Read to the end, or to damage; return where to try again, or -1."""
        file.seek(start)
        self.position = start
        try:
            for record in ArchiveIterator(file, record_types=ANY, auto_decode="none"):
                self.position = record.stream_pos
                self.records += 1
                body = record.reader.read()
                self._last_whole = len(body) >= record.content_length
                if record.record_type in WANTED and self._last_whole:
                    yield from self._capture(record, body)
        except OSError:
            self.broken += 1
            return next_record(file, self.position + 1)
        return -1

    def _capture(self, record: WarcRecord, body: bytes) -> Iterator[Capture]:
        """Give the capture that a record holds, or count it as broken."""
        http = record.http_headers if record.is_http_parsed else None
        url = (record.headers.get("WARC-Target-URI") or "").strip("<>")
        date = record.record_date
        unchanged = record.record_type == WarcRecordType.revisit
        if not url or date is None or (http is None and record.record_type == RESPONSE):
            self.broken += 1
            return
        code, kind, location = 200, record.headers.get("Content-Type") or "", ""
        if http is not None:
            code = http.status_code or 0
            kind, location = http.get("Content-Type") or "", http.get("Location") or ""
            transfer, content = http.get("Transfer-Encoding"), http.get("Content-Encoding")
            if transfer or content:
                body = decoded(body, transfer or "", content or "")
        yield Capture(url, date.timestamp(), code, kind, location, body, unchanged)


def next_record(file: BinaryIO, start: int) -> int:
    """Return the next place at or after `start` where a record may begin, or -1."""
    file.seek(0)
    sign = GZIP_MEMBER if file.read(2) == GZIP_MEMBER[:2] else PLAIN_RECORD
    file.seek(start)
    position, tail = start, b""
    while chunk := file.read(CHUNK):
        window = tail + chunk
        if (found := window.find(sign)) >= 0:
            return position - len(tail) + found
        position += len(chunk)
        tail = window[-len(sign) + 1 :]
    return -1
