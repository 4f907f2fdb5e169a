"""Writing WARC records, byte for byte the same each time.

Written by hand, since a record is a few lines of text around a block: fastwarc, which we
read with, deprecates the streams its writer compresses with, and warcio would be a second
library for the same format.
"""

from __future__ import annotations

import zlib
from base64 import b32encode
from datetime import UTC, datetime, timedelta
from hashlib import sha1

MICROSECONDS = 1_000_000
"""How many there are in a second."""

LEVEL = 6
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def date(moment: int) -> str:
    """Return a moment in microseconds as a WARC date, with a fraction only where there is one."""
    exact = EPOCH + timedelta(microseconds=moment)
    return exact.replace(tzinfo=None).isoformat() + "Z"


def digest(data: bytes) -> str:
    """Return a digest as WARC files write it."""
    return f"sha1:{b32encode(sha1(data, usedforsecurity=False).digest()).decode()}"


def record(headers: dict[str, str], block: bytes, compress: bool) -> bytes:
    """Return a record as it stands in a file, compressed on its own or not at all."""
    lines = [f"{name}: {value}" for name, value in headers.items()]
    head = "\r\n".join(["WARC/1.1", *lines, f"Content-Length: {len(block)}", "", ""])
    whole = head.encode("utf-8", "replace") + block + b"\r\n\r\n"
    if not compress:
        return whole
    compressor = zlib.compressobj(LEVEL, zlib.DEFLATED, 31)
    return compressor.compress(whole) + compressor.flush()
