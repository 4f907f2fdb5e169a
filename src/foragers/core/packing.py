"""Data packed with msgpack and zstd; it is unpacked within bounds, since it may be hostile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec
import zstandard

from foragers.errors import DamagedError

MOST = 1 << 27
"""The largest unpacked size of one piece in bytes; a page has at most 20 MB."""
Kind = TypeVar("Kind")
Compress = Callable[[bytes], bytes]
Unpack = Callable[[bytes], bytes]


def compressor() -> Compress:
    """Return what compresses data to one frame each, for one thread; a new one takes its time."""
    return zstandard.ZstdCompressor(level=1).compress


def unpacker() -> Unpack:
    """Return what does the same as `unpacked`, for one thread; a new one takes its time."""
    decompressor = zstandard.ZstdDecompressor()
    return lambda packed: unpacked(packed, decompressor=decompressor)


def unpacked(
    packed: bytes, most: int = MOST, decompressor: zstandard.ZstdDecompressor | None = None
) -> bytes:
    """Return decompressed data: frames that declare their size and are together not too large."""
    parts: list[bytes] = []
    decompressor = decompressor or zstandard.ZstdDecompressor()
    try:
        while packed or not parts:
            size = zstandard.frame_content_size(packed)
            if not 0 <= size <= most:
                raise DamagedError("a piece of it would unpack to too much")
            frame, most = decompressor.decompressobj(), most - size
            parts.append(frame.decompress(packed))
            if not frame.eof:
                raise DamagedError("a piece of it was cut off")
            packed = frame.unused_data
    except (zstandard.ZstdError, TypeError, MemoryError) as error:
        raise DamagedError(f"a piece of it cannot be unpacked: {error}") from error
    return parts[0] if len(parts) == 1 else b"".join(parts)


def decoder_of(kind: type[Kind]) -> Callable[[bytes], Kind]:
    """Return a function that decodes bytes to a type; damaged ones raise a DamagedError."""
    decode = msgspec.msgpack.Decoder(kind).decode

    def decoded(raw: bytes) -> Kind:
        try:
            return decode(raw)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise DamagedError(f"a piece of it makes no sense: {error}") from error

    return decoded


def unpacker_of(kind: type[Kind]) -> Callable[[bytes], Kind]:
    """Return a function that unpacks and decodes bytes to a type."""
    decode = decoder_of(kind)
    return lambda packed: decode(unpacked(packed))
