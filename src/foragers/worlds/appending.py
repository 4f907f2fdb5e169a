"""A file that only grows, by whole pieces."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Appended:
    """A file to which pieces are appended, each of them whole or not at all."""

    path: Path
    size: int = field(init=False)
    _descriptor: int = field(init=False)

    def __post_init__(self) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._descriptor = os.open(self.path, flags, 0o644)
        self.size = os.fstat(self._descriptor).st_size

    def append(self, piece: bytes) -> None:
        """Hand a piece to the operating system; what was written of it is cut off if that fails."""
        start = self.size
        rest = memoryview(piece)
        try:
            # A disk that fills up takes part of a piece first, and refuses the next part.
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except BaseException:
            self.cut(start)
            raise
        self.size = start + len(piece)

    def cut(self, size: int) -> None:
        """Cut the file off."""
        os.ftruncate(self._descriptor, size)
        self.size = size

    def sync(self) -> None:
        """Have the file on the disk itself."""
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._descriptor)
