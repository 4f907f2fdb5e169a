"""Bodies as servers send them: chunked, compressed, or only said to be.

Recordings often keep the header of a coding that was undone before the body was
written, so each coding is undone only where the bytes agree with it.  What comes out
is bounded: a small body may not grow without end.  Where a body breaks off or goes wrong
in the middle, what came before that is kept.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator

import brotli
import zstandard

MAX_BYTES = 64 << 20
"""The longest body that is decoded; what is longer is cut."""
MAX_CODINGS = 5
"""How many codings are undone; no honest server has more than two."""

CHUNK_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
_PIECE = 1 << 20
_GZIP, _SUM, _MAX_MEMBERS = b"\x1f\x8b", 8, 64
_MAX_WINDOW = 8 << 20  # what RFC 9659 allows on the web


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
    """Join the chunks of a body; return it as it is if it is not in chunks."""
    parts: list[bytes] = []
    position = 0
    while size := CHUNK_SIZE.match(body, position):
        length = int(size[1], 16)
        parts.append(body[size.end() : size.end() + length])
        position = size.end() + length
        if length == 0 or position >= len(body):
            return b"".join(parts)
        position += 2 if body[position : position + 2] == b"\r\n" else 1
    return b"".join(parts) if parts else body


def uncompressed(body: bytes, coding: str, limit: int = MAX_BYTES) -> bytes:
    """Undo one compression; return the body as it is if it was not compressed that way."""
    unpack = CODINGS.get(coding)
    if unpack is None:
        return body
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
        yield from inflated(member, body)
        body = member.unused_data
        if not body.startswith(_GZIP):
            return


def undeflated(body: bytes) -> Iterator[bytes]:
    """Yield the pieces of `deflate`, which servers send with a zlib header or without."""
    try:
        zlib.decompressobj().decompress(body[:64], 64)
    except zlib.error:
        return inflated(zlib.decompressobj(wbits=-15), body)
    return inflated(zlib.decompressobj(), body)


def inflated(unpacking: zlib._Decompress, body: bytes) -> Iterator[bytes]:
    """Yield what comes of a body, piece by piece; its checksum is the last piece."""
    while body and not unpacking.eof:
        size = min(_PIECE, max(len(body) - _SUM, 1))
        yield unpacking.decompress(body[:size], _PIECE)
        body = unpacking.unconsumed_tail + body[size:]
    yield unpacking.flush()


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
