"""Bodies as servers send them: chunked, compressed, or only declared so.

Recordings often keep the header of a coding that was undone before the body was written, so each
coding is undone only if the bytes agree with it.  The result is bounded: a small body may not grow
without limit.  If a body breaks off or is corrupt in the middle, the part before that is kept.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Generator, Iterator

import brotli
import zstandard
from isal import isal_zlib
from isal.igzip_lib import IsalError

MAX_BYTES = 64 << 20
"""The longest decoded body; a longer one is cut."""
MAX_CODINGS = 5
"""The largest number of codings that are undone; no honest server has more than two."""

CHUNK_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
_PIECE = 1 << 20
GZIP, _ZSTD = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"
_SUM, _MAX_MEMBERS = 8, 64
_MAX_WINDOW = 8 << 20  # the limit of RFC 9659 on the web


def decoded(body: bytes, transfer: str, content: str, limit: int = MAX_BYTES) -> bytes:
    """Return a body without its transfer and content codings."""
    if "chunked" in transfer.lower():
        body = unchunked(body)
    names = [name.strip().lower() for name in f"{content},{transfer}".split(",")]
    codings = [name for name in names if name in CODINGS]
    for coding in codings[: -MAX_CODINGS - 1 : -1]:
        body = uncompressed(body, coding, limit)
    return body


def unchunked(body: bytes) -> bytes:
    """Join the chunks of a body; return it unchanged if it is not chunked."""
    spans = list(chunks_of(body))
    return b"".join(body[start:end] for start, end in spans) if spans else body


def is_whole(body: bytes | bytearray) -> bool:
    """Return whether the last chunk of a body was received."""
    return any(start == end for start, end in chunks_of(body))


def chunks_of(body: bytes | bytearray) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each chunk of a body, up to the last, which is empty."""
    position = 0
    while size := CHUNK_SIZE.match(body, position):
        start, end = size.end(), size.end() + int(size[1], 16)
        yield start, end
        if start == end or end >= len(body):
            return
        position = end + (2 if body[end : end + 2] == b"\r\n" else 1)


def uncompressed(body: bytes, coding: str, limit: int = MAX_BYTES) -> bytes:
    """Undo one compression; return the body unchanged if it is not compressed.

    The first bytes decide which compression it is, and only if they do not, the header.
    """
    if coding not in CODINGS:
        return body
    coding = coding_of(body, coding)
    if coding in ("gzip", "x-gzip"):
        whole = gunzipped_at_once(body, limit)
        if whole is not None:
            return whole
    return unpacked(body, CODINGS[coding], limit)


def gunzipped_at_once(body: bytes, limit: int) -> bytes | None:
    """Return a gzip file of one complete member, as nearly all are; None for any other."""
    member = isal_zlib.decompressobj(wbits=31)
    try:
        whole = member.decompress(body, limit)
    except IsalError:  # type: ignore[misc]  # its type is declared as an instance
        return None
    return whole if member.eof and not member.unused_data else None


def coding_of(body: bytes, declared: str) -> str:
    """Return the compression of a body: by its first bytes, or else as declared."""
    if body.startswith(GZIP):
        return "gzip"
    if body.startswith(_ZSTD):
        return "zstd"
    # Brotli may begin with any bytes.
    is_zlib = body.startswith(b"\x78") and declared != "br" and not int.from_bytes(body[:2]) % 31
    return "deflate" if is_zlib else declared


def unpacked(body: bytes, unpack: Callable[[bytes], Iterator[bytes]], limit: int) -> bytes:
    """Return the decompressed body, up to a limit; the body unchanged if that fails at once."""
    parts: list[bytes] = []
    size = 0
    try:
        for part in unpack(body):
            parts.append(part[: limit - size])
            size += len(part)
            if size >= limit:
                break
    except (zlib.error, brotli.error, zstandard.ZstdError):
        if not size:
            return body
    return b"".join(parts)


def gunzipped(body: bytes) -> Iterator[bytes]:
    """Yield the pieces of a gzip file, which may have several members."""
    for _ in range(_MAX_MEMBERS):
        member = zlib.decompressobj(wbits=31)
        rest = yield from inflated(member, body)
        body = member.unused_data + rest
        if not body.startswith(GZIP):
            return


def undeflated(body: bytes) -> Iterator[bytes]:
    """Yield the pieces of `deflate`, which servers send with a zlib header or without."""
    try:
        zlib.decompressobj().decompress(body[:64], 64)
    except zlib.error:
        return inflated(zlib.decompressobj(wbits=-15), body)
    return inflated(zlib.decompressobj(), body)


def inflated(unpacking: zlib._Decompress, body: bytes) -> Generator[bytes, None, bytes]:
    """Yield a decompressed body, piece by piece; its checksum is the last piece.

    Return the bytes after the end of the compressed data.
    """
    while body and not unpacking.eof:
        size = min(_PIECE, max(len(body) - _SUM, 1))
        yield unpacking.decompress(body[:size], _PIECE)
        body = unpacking.unconsumed_tail + body[size:]
    yield unpacking.flush()
    return body


def unbrotlied(body: bytes) -> Iterator[bytes]:
    """Yield the pieces of a body in brotli."""
    unpacking = brotli.Decompressor()
    piece = unpacking.process(body, output_buffer_limit=_PIECE)
    while piece:
        yield bytes(piece)
        piece = b""
        if not unpacking.is_finished():
            piece = unpacking.process(b"", output_buffer_limit=_PIECE)


def unzstandardised(body: bytes) -> Iterator[bytes]:
    """Yield the pieces of a body in zstd."""
    unpacking = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW)
    with unpacking.stream_reader(body, read_across_frames=True) as reader:
        while piece := reader.read(_PIECE):
            yield piece


CODINGS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": gunzipped,
    "x-gzip": gunzipped,
    "deflate": undeflated,
    "br": unbrotlied,
    "zstd": unzstandardised,
}
