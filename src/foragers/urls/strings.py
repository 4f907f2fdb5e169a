"""The strings of very many URLs, compressed in blocks, in memory or in a file that only grows.

A checkpoint knows the length of the file at its time.  Strings after that are cut off when the
crawl is resumed; the ledger has them.
"""

from __future__ import annotations

import os
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import zstandard

from foragers.core.types import UrlId
from foragers.errors import WriteError

BLOCK = 128
"""The number of URLs in a block: neighbours are similar, and few are decompressed to find one."""
OPEN_BLOCKS = 64
"""The number of decompressed blocks that are cached."""


class StringStore(Protocol):
    """Stores blocks of bytes, numbered in the order in which they were added."""

    def append(self, block: bytes) -> None:
        """Add a block."""
        ...

    def read(self, number: int) -> bytes:
        """Return a block."""
        ...


class MemoryStore:
    """Blocks in memory."""

    __slots__ = ("_bytes", "_ends")

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._ends = array("q", [0])

    def append(self, block: bytes) -> None:
        """Add a block."""
        self._bytes += block
        self._ends.append(len(self._bytes))

    def read(self, number: int) -> bytes:
        """Return a block."""
        return bytes(self._bytes[self._ends[number] : self._ends[number + 1]])


class CompressedStrings(Sequence[str]):
    """A list of URLs that only grows."""

    __slots__ = ("_at_hand", "_last", "_length", "store")

    def __init__(self, store: StringStore) -> None:
        self.store = store
        self._length = 0
        self._last: list[str] = []
        self._at_hand: OrderedDict[int, list[str]] = OrderedDict()

    def __len__(self) -> int:
        return self._length

    def append(self, address: str) -> None:
        """Add a URL, which has no line break."""
        self._last.append(address)
        self._length += 1
        if len(self._last) == BLOCK:
            block = "\n".join(self._last).encode()
            # With a checksum, since another program may have written to the file.
            self.store.append(zstandard.ZstdCompressor(3, write_checksum=True).compress(block))
            self._last = []

    def __getitem__(self, url: UrlId) -> str:  # type: ignore[override]
        """Return the URL with a number."""
        number, index = divmod(url, BLOCK)
        if number == self._length // BLOCK:
            return self._last[index]
        block = self._at_hand.get(number)
        if block is None:
            block = self._at_hand[number] = self._read(number)
            if len(self._at_hand) > OPEN_BLOCKS:
                self._at_hand.popitem(last=False)
        else:
            self._at_hand.move_to_end(number)
        return block[index]

    def _read(self, number: int) -> list[str]:
        block = self.store.read(number)
        return zstandard.ZstdDecompressor().decompress(block).decode().split("\n")

    def __getstate__(self) -> tuple[StringStore, int, list[str]]:
        return self.store, self._length, self._last

    def __setstate__(self, state: tuple[StringStore, int, list[str]]) -> None:
        self.store, self._length, self._last = state
        self._at_hand = OrderedDict()


STRINGS_FILE = "addresses"


class StringsFile:
    """Blocks in a file, which is opened when it is first needed."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._ends = array("q", [0])
        self._descriptor = -1

    def append(self, block: bytes) -> None:
        """Add a block."""
        end = self._ends[-1]
        try:
            written = os.pwrite(self._open(), block, end)
        except OSError as error:
            raise self._trouble(error.strerror) from error
        if written < len(block):
            raise self._trouble("the disk is full")
        self._ends.append(end + len(block))

    def read(self, number: int) -> bytes:
        """Return a block."""
        start, end = self._ends[number], self._ends[number + 1]
        return os.pread(self._open(), end - start, start)

    def move(self, file: Path) -> None:
        """Continue with the file at another path; raise a ValueError if it has become shorter."""
        size = file.stat().st_size if file.exists() else 0
        if size < self._ends[-1]:
            raise ValueError(f"{file} is too short")
        self.file = file

    def keep(self) -> None:
        """Make sure that the file is on disk."""
        if self._descriptor >= 0:
            os.fsync(self._descriptor)

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _open(self) -> int:
        if self._descriptor < 0:
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            self._descriptor = os.open(self.file, flags, 0o644)
            os.ftruncate(self._descriptor, self._ends[-1])
        return self._descriptor

    def _trouble(self, what: str | None) -> WriteError:
        return WriteError(self.file, what)

    def __getstate__(self) -> array[int]:
        return self._ends

    def __setstate__(self, ends: array[int]) -> None:
        self.file, self._ends, self._descriptor = Path(STRINGS_FILE), ends, -1
