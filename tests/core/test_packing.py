"""Packed data is unpacked within bounds, by whoever unpacks much as by whoever unpacks once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from foragers.core.packing import compressor, unpacked, unpacker
from foragers.errors import DamagedError

GOOD = st.lists(st.binary(max_size=50), min_size=1, max_size=3).map(
    lambda parts: b"".join(map(compressor(), parts))
)
CUT_OFF = GOOD.map(lambda packed: packed[:-1])
NO_SIZE = st.binary(max_size=50).map(
    lambda data: zstandard.ZstdCompressor(write_content_size=False).compress(data)
)


def outcome(unpack: Callable[[bytes], bytes], packed: bytes) -> bytes | str:
    """Return what is unpacked, or what is said to be wrong."""
    try:
        return unpack(packed)
    except DamagedError as error:
        return str(error)


@given(st.lists(st.one_of(GOOD, CUT_OFF, NO_SIZE, st.binary(max_size=30)), max_size=6))
def test_what_was_damaged_before_does_not_matter(pieces: list[bytes]) -> None:
    unpack = unpacker()
    for packed in pieces:
        assert outcome(unpack, packed) == outcome(unpacked, packed)


@given(st.lists(st.binary(max_size=50), min_size=1, max_size=3))
def test_frames_are_joined(parts: list[bytes]) -> None:
    assert unpacker()(b"".join(map(compressor(), parts))) == b"".join(parts)


def test_a_frame_that_says_nothing_of_its_size_or_too_much_is_damaged() -> None:
    huge = zstandard.ZstdCompressor().compress(bytes(1 << 28))
    for packed in (zstandard.ZstdCompressor(write_content_size=False).compress(b"some"), huge):
        with pytest.raises(DamagedError):
            unpacker()(packed)
