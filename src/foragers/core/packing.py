"""Data that was packed with msgpack and zstd, unpacked within bounds: it may be anybody's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec
import zstandard

from foragers.errors import DamagedError

MOST = 1 << 27
"""How many bytes one piece may unpack to: a page is 20 MB at most."""
Kind = TypeVar("Kind")


def unpacked(packed: bytes, most: int = MOST) -> bytes:
    """Return what was compressed, which must say how much it is and not be too much."""
    try:
        size = zstandard.frame_content_size(packed)
        if not 0 <= size <= most:
            raise DamagedError("a piece of it would unpack to too much")
        return zstandard.ZstdDecompressor().decompress(packed)
    except (zstandard.ZstdError, TypeError, MemoryError) as error:
        raise DamagedError(f"a piece of it cannot be unpacked: {error}") from error


def decoder_of(kind: type[Kind]) -> Callable[[bytes], Kind]:
    """Return what makes objects of a kind of bytes, or says that these are damaged."""
    decode = msgspec.msgpack.Decoder(kind).decode

    def decoded(raw: bytes) -> Kind:
        try:
            return decode(raw)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise DamagedError(f"a piece of it makes no sense: {error}") from error

    return decoded


def unpacker_of(kind: type[Kind]) -> Callable[[bytes], Kind]:
    """Return what makes objects of a kind of packed bytes."""
    decode = decoder_of(kind)
    return lambda packed: decode(unpacked(packed))
