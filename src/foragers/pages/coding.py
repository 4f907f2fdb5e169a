"""Bodies as servers send them: chunked, compressed, or only said to be.

Recordings often keep the header of a coding that was undone before the body was
written, so each coding is undone only where the bytes agree with it.  What comes out
is bounded: a small body may not grow without end.
"""

from __future__ import annotations

import re
import zlib

import brotli
import zstandard

MAX_BYTES = 64 << 20
"""The longest body that is decoded; what is longer is cut."""

CHUNK_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")


def decoded(body: bytes, transfer: str, content: str, limit: int = MAX_BYTES) -> bytes:
    """Return a body without its transfer and content codings."""
    if "chunked" in transfer.lower():
        body = unchunked(body)
    for coding in reversed([name.strip().lower() for name in content.split(",") if name.strip()]):
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
    try:
        if coding in ("gzip", "x-gzip"):
            return zlib.decompressobj(wbits=31).decompress(body, limit)
        if coding == "deflate":
            return inflated(body, limit)
        if coding == "br":
            return bytes(brotli.Decompressor().process(body, output_buffer_limit=limit)[:limit])
        if coding == "zstd":
            with zstandard.ZstdDecompressor().stream_reader(body) as reader:
                return reader.read(limit)
    except (zlib.error, brotli.error, zstandard.ZstdError):
        pass
    return body


def inflated(body: bytes, limit: int) -> bytes:
    """Undo `deflate`, which servers send with a zlib header or without."""
    try:
        return zlib.decompressobj().decompress(body, limit)
    except zlib.error:
        return zlib.decompressobj(wbits=-15).decompress(body, limit)
