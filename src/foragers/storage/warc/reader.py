"""Reading WARC files, complete or damaged.

A damaged record is counted and skipped: reading continues at the next position where a record can
begin.  A file that ends in the middle of a record is *cut off*.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from io import SEEK_END
from pathlib import Path
from typing import BinaryIO

import msgspec
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from foragers.parsing.content_coding import decoded

ANY = WarcRecordType.any_type
RESPONSE = WarcRecordType.response
WANTED = (RESPONSE, WarcRecordType.resource, WarcRecordType.revisit)
GZIP_MEMBER = b"\x1f\x8b\x08"
PLAIN_RECORD = b"WARC/1."
CHUNK = 1 << 20
MAX_HEADER = 256 << 10
OTHER_SCHEMES = ("dns:", "whois:", "ftp:", "metadata:", "urn:", "warcinfo:")
"""Schemes of records that crawlers write besides pages, which are no damage."""


class Capture(msgspec.Struct, frozen=True):
    """A recorded response of a server.

    A `revisit` has no body: its content is that of an earlier capture with the same `payload`
    digest.
    """

    url: str
    time: float
    code: int
    content_type: str
    location: str
    body: bytes
    revisit: bool = False
    payload: str = ""


@dataclass
class WarcReader:
    """The captures of one file, and its damages."""

    path: Path
    records: int = 0
    position: int = 0
    cut_off: bool = False
    _damaged: set[int] = field(init=False, default_factory=set)

    def __iter__(self) -> Iterator[Capture]:
        with self.path.open("rb") as file:
            position = 0
            while position >= 0:
                position = yield from self._read_from(file, position)
            self.cut_off = self.records > 0 and is_cut_off(file, self.position)
        if self.cut_off:
            self._damaged.add(self.position)

    @property
    def broken(self) -> int:
        """The number of damaged positions in the file."""
        return len(self._damaged)

    def _read_from(self, file: BinaryIO, start: int) -> Generator[Capture, None, int]:
        """Read to the end, or to a damage; return where to try again, or -1."""
        file.seek(start)
        self.position = start
        try:
            for record in ArchiveIterator(
                file, record_types=ANY, auto_decode="none", max_header_len=MAX_HEADER
            ):
                self.position = record.stream_pos
                self.records += 1
                body = record.reader.read()
                if len(body) < record.content_length:
                    self._damaged.add(self.position)
                elif record.record_type in WANTED:
                    capture = self._capture(record, body)
                    if capture is not None:
                        yield capture
        except OSError:
            self._damaged.add(self.position)
            return next_record(file, self.position + 1)
        return -1

    def _capture(self, record: WarcRecord, body: bytes) -> Capture | None:
        """Return the capture of a record, or count it as broken."""
        http = record.http_headers if record.is_http_parsed else None
        url = (record.headers.get("WARC-Target-URI") or "").strip("<>")
        date = record.record_date
        revisit = record.record_type == WarcRecordType.revisit
        payload = record.headers.get("WARC-Payload-Digest") or ""
        if url.startswith(OTHER_SCHEMES):
            return None
        if not url or date is None or (http is None and record.record_type == RESPONSE):
            self._damaged.add(self.position)
            return None
        code, kind, location = 200, record.headers.get("Content-Type") or "", ""
        if http is not None:
            code = http.status_code or 0
            kind, location = http.get("Content-Type") or "", http.get("Location") or ""
            transfer, content = http.get("Transfer-Encoding"), http.get("Content-Encoding")
            if transfer or content:
                body = decoded(body, transfer or "", content or "")
        return Capture(url, date.timestamp(), code, kind, location, body, revisit, payload)


def sign_of(file: BinaryIO) -> bytes:
    """Return the bytes with which the records of a file begin."""
    file.seek(0)
    head = file.read(CHUNK)
    # A damaged start says nothing; but compressed data does not contain the sign of plain records.
    plain = not head.startswith(GZIP_MEMBER[:2]) and PLAIN_RECORD in head
    return PLAIN_RECORD if plain else GZIP_MEMBER


def next_record(file: BinaryIO, start: int) -> int:
    """Return the next position from `start` on where a record may begin, or -1."""
    sign = sign_of(file)
    file.seek(start)
    position, tail = start, b""
    while chunk := file.read(CHUNK):
        window = tail + chunk
        if (index := window.find(sign)) >= 0:
            return position - len(tail) + index
        position += len(chunk)
        tail = window[-len(sign) + 1 :]
    return -1


def is_cut_off(file: BinaryIO, last: int) -> bool:
    """Return whether a file ends within the record that begins at `last`, or at its start."""
    sign = sign_of(file)
    if sign == GZIP_MEMBER:
        # A file that was compressed as a whole is one member with many records.
        file.seek(last)
        last = last if file.read(len(sign)) == sign else 0
    file.seek(last)
    rest = after_member(file) if sign == GZIP_MEMBER else after_record(file)
    if rest is None:
        return True
    rest = rest.lstrip(b"\r\n\0")
    return bool(rest) and (rest.startswith(sign) or sign.startswith(rest))


def after_member(file: BinaryIO) -> bytes | None:
    """Return the start of what follows a gzip member, or None if it does not end."""
    inflate = zlib.decompressobj(wbits=31)
    try:
        while not inflate.eof:
            if not (chunk := inflate.unconsumed_tail or file.read(CHUNK)):
                return None
            inflate.decompress(chunk, CHUNK)
    except zlib.error:
        return b""
    return inflate.unused_data or file.read(CHUNK)


def after_record(file: BinaryIO) -> bytes | None:
    """Return the start of what follows a plain record, or None if it does not end."""
    start, head = file.tell(), file.read(CHUNK)
    end = re.search(rb"\r?\n\r?\n", head)
    if end is None:
        return None
    length = re.search(rb"(?im)^content-length:[ \t]*(\d+)", head[: end.end()])
    if length is None:
        return b""
    whole = start + end.end() + int(length[1])
    if whole > file.seek(0, SEEK_END):
        return None
    file.seek(whole)
    return file.read(CHUNK)
