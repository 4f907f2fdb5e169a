"""The letters of a crawl's addresses, in a file of its folder that only grows.

A checkpoint knows how much of the file it stands on.  What is behind that was written
after it and is cut off when the crawl is taken up; the ledger brings it back.
"""

from __future__ import annotations

import os
from array import array
from pathlib import Path

from foragers.errors import WriteError

NAME = "addresses"


class LettersFile:
    """Blocks in a file, which is opened when it is first needed."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._ends = array("q", [0])
        self._descriptor = -1

    def append(self, block: bytes) -> None:
        """Keep a block."""
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
        """Go on with the file where it is now; a ValueError if it has lost what was in it."""
        size = file.stat().st_size if file.exists() else 0
        if size < self._ends[-1]:
            raise ValueError(f"{file} is too short")
        self.file = file

    def keep(self) -> None:
        """See to it that what was written is on the disk."""
        if self._descriptor >= 0:
            os.fsync(self._descriptor)

    def close(self) -> None:
        """Let go of the file."""
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
        self.file, self._ends, self._descriptor = Path(NAME), ends, -1
