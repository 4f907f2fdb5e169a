"""WARC records in a file: each a gzip member of its own, or plain.

A body that is already compressed is stored, and only the lines before it are compressed:
compressing it again would cost as much as parsing it, for nothing.

Records are written by hand, byte for byte the same each time, since a record is a few lines of text
around a block: fastwarc, which we read with, deprecates the streams its writer compresses with, and
warcio would be a second library for the same format.
"""

from __future__ import annotations

import re
import struct
import zlib
from base64 import b32encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from io import SEEK_END
from typing import BinaryIO

from isal import isal_zlib

LEVEL = 2
"""A third of the time of zlib's fastest level, for less space; most pages come compressed."""

SMALL_WINDOW = 12
"""Enough for a few lines, which are compressed apart from a body that is compressed already."""

GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
MAX_STORED = 0xFFFF
END = b"\r\n\r\n"
CHUNK = 1 << 18
MOST = 1 << 28
"""The largest unpacked size of a record in bytes; ours have at most 10 MB."""
LENGTH = re.compile(rb"(?im)^content-length:[ \t]*(\d{1,18})(?!\d)")


def member(lines: bytes, body: bytes, compress: bool, dense: bool = False) -> bytes:
    """Return a record as it stands in a file; a `dense` body is stored uncompressed."""
    if not compress:
        return b"".join((lines, body, END))
    if not dense:
        return isal_zlib.compress(b"".join((lines, body, END)), LEVEL, 31)
    press = isal_zlib.compressobj(LEVEL, isal_zlib.DEFLATED, -SMALL_WINDOW)
    check = isal_zlib.crc32(END, isal_zlib.crc32(body, isal_zlib.crc32(lines)))
    size = len(lines) + len(body) + len(END)
    return b"".join(
        (
            GZIP_HEAD,
            press.compress(lines),
            # Ends on a byte boundary, so that stored blocks can follow.
            press.flush(isal_zlib.Z_SYNC_FLUSH),
            *stored(body + END),
            struct.pack("<II", check, size & 0xFFFFFFFF),
        )
    )


def stored(data: bytes) -> Iterator[bytes]:
    """Yield data as the last, uncompressed blocks of a deflate stream."""
    for start in range(0, len(data), MAX_STORED):
        block = data[start : start + MAX_STORED]
        last = start + MAX_STORED >= len(data)
        yield struct.pack("<BHH", last, len(block), len(block) ^ 0xFFFF)
        yield block


def record_at(file: BinaryIO, start: int) -> tuple[bytes, int] | None:
    """Return the record at a position, and its end; None if it is incomplete."""
    file.seek(start)
    sign = file.read(len(GZIP_HEAD))
    file.seek(start)
    if sign.startswith(GZIP_HEAD[:3]):
        unpacked = inflated(file)
        return unpacked if unpacked and is_whole(unpacked[0]) else None
    return plain(file, start) if sign.startswith(b"WARC/") else None


def records_from(file: BinaryIO, start: int) -> Iterator[tuple[int, bytes, int]]:
    """Yield position, record and end of all complete records from a position on."""
    while complete := record_at(file, start):
        record, end = complete
        yield start, record, end
        start = end


def inflated(file: BinaryIO) -> tuple[bytes, int] | None:
    """Return the content of the gzip member that begins here, and its end."""
    inflate = zlib.decompressobj(wbits=31)
    parts: list[bytes] = []
    room = MOST
    try:
        while not inflate.eof:
            if not (chunk := file.read(CHUNK)):
                return None
            parts.append(inflate.decompress(chunk, room + 1))
            room -= len(parts[-1])
            if room < 0:
                return None
    except zlib.error:
        return None
    return b"".join(parts), file.tell() - len(inflate.unused_data)


def plain(file: BinaryIO, start: int) -> tuple[bytes, int] | None:
    """Return the uncompressed record that begins here, and its end."""
    head = file.read(CHUNK)
    length = LENGTH.search(head, 0, head.find(END) + 2)
    if length is None:
        return None
    size = head.find(END) + 2 * len(END) + int(length[1])
    if start + size > file.seek(0, SEEK_END):
        return None
    file.seek(start)
    record = file.read(size)
    return (record, start + size) if is_whole(record) else None


def is_whole(record: bytes) -> bool:
    """Return whether a record has the length that it declares, and a valid end."""
    head = record.find(END)
    length = LENGTH.search(record, 0, head + 2) if head >= 0 else None
    return (
        length is not None
        and len(record) == head + 2 * len(END) + int(length[1])
        and record.endswith(END)
    )


MICROSECONDS = 1_000_000
"""Microseconds per second."""

RECORD_LEVEL = 6
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def date(moment: int) -> str:
    """Return a time in microseconds as a WARC date, with a fraction only if there is one."""
    exact = EPOCH + timedelta(microseconds=moment)
    return exact.replace(tzinfo=None).isoformat() + "Z"


def digest(data: bytes) -> str:
    """Return a digest in the format of WARC files."""
    return f"sha1:{b32encode(sha1(data, usedforsecurity=False).digest()).decode()}"


def record(headers: dict[str, str], block: bytes, compress: bool) -> bytes:
    """Return a record as it stands in a file, compressed on its own or plain."""
    lines = [f"{name}: {value}" for name, value in headers.items()]
    head = "\r\n".join(["WARC/1.1", *lines, f"Content-Length: {len(block)}", "", ""])
    whole = head.encode("utf-8", "replace") + block + b"\r\n\r\n"
    if not compress:
        return whole
    compressor = zlib.compressobj(RECORD_LEVEL, zlib.DEFLATED, 31)
    return compressor.compress(whole) + compressor.flush()
