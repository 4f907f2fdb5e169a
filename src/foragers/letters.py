"""The letters of very many addresses: in blocks, compressed, read back a block at a time."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

import zstandard

from foragers.types import UrlId

BLOCK = 128
"""How many addresses make a block: neighbours are alike, and few are read to find one."""
OPEN_BLOCKS = 64
"""How many blocks that were read are kept at hand."""


class Store(Protocol):
    """Keeps blocks of bytes, numbered in the order in which they came."""

    def append(self, block: bytes) -> None:
        """Keep a block."""
        ...

    def read(self, number: int) -> bytes:
        """Return a block."""
        ...


class MemoryStore:
    """Blocks in one piece of memory."""

    __slots__ = ("_bytes", "_ends")

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._ends = array("q", [0])

    def append(self, block: bytes) -> None:
        """Keep a block."""
        self._bytes += block
        self._ends.append(len(self._bytes))

    def read(self, number: int) -> bytes:
        """Return a block."""
        return bytes(self._bytes[self._ends[number] : self._ends[number + 1]])


class Letters(Sequence[str]):
    """A list of addresses that grows at its end."""

    __slots__ = ("_at_hand", "_last", "_length", "store")

    def __init__(self, store: Store) -> None:
        self.store = store
        self._length = 0
        self._last: list[str] = []
        self._at_hand: OrderedDict[int, list[str]] = OrderedDict()

    def __len__(self) -> int:
        return self._length

    def append(self, address: str) -> None:
        """Add an address; one can have no line break in it."""
        self._last.append(address)
        self._length += 1
        if len(self._last) == BLOCK:
            block = "\n".join(self._last).encode()
            # A checksum, since the store may be a file that something else has written to.
            self.store.append(zstandard.ZstdCompressor(3, write_checksum=True).compress(block))
            self._last = []

    def __getitem__(self, url: UrlId) -> str:  # type: ignore[override]
        """Return the address with a number."""
        number, place = divmod(url, BLOCK)
        if number == self._length // BLOCK:
            return self._last[place]
        block = self._at_hand.get(number)
        if block is None:
            block = self._at_hand[number] = self._read(number)
            if len(self._at_hand) > OPEN_BLOCKS:
                self._at_hand.popitem(last=False)
        else:
            self._at_hand.move_to_end(number)
        return block[place]

    def _read(self, number: int) -> list[str]:
        block = self.store.read(number)
        return zstandard.ZstdDecompressor().decompress(block).decode().split("\n")

    def __getstate__(self) -> tuple[Store, int, list[str]]:
        return self.store, self._length, self._last

    def __setstate__(self, state: tuple[Store, int, list[str]]) -> None:
        self.store, self._length, self._last = state
        self._at_hand = OrderedDict()
