"""Which texts were seen, and where: the last ones with their address, older ones without."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.digests import Digests

MAX_RECENT = 32_768
MAX_OLDER = 2_000_000


@dataclass(slots=True)
class Places:
    """The URLs of some texts, by the digests of the texts: 20 bytes and its characters each."""

    digests: Digests = field(default_factory=Digests)
    _ends: array[int] = field(default_factory=lambda: array("q", [0]))
    _urls: bytearray = field(default_factory=bytearray)

    def __len__(self) -> int:
        return len(self.digests)

    def get(self, digest: int) -> str | None:
        """Return where a text was seen."""
        row = self.digests.find(digest)
        if row is None:
            return None
        return self._urls[self._ends[row] : self._ends[row + 1]].decode("utf-8", "surrogatepass")

    def add(self, digest: int, url: str) -> None:
        """Remember where a new text was seen."""
        self.digests.add(digest)
        self._urls += url.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._urls))


@dataclass(slots=True)
class Texts:
    """The digests of two million texts in 16 MB, and the addresses of the last 32,768."""

    recent: Places = field(default_factory=Places)
    older: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))

    def find_or_add(self, digest: int, url: str) -> str | None:
        """Return where a text was seen first ("" if that is forgotten), None if it is new."""
        known = self.recent.get(digest)
        if known is not None:
            return known
        if len(self.older):
            place = int(np.searchsorted(self.older, np.uint64(digest)))
            if place < len(self.older) and int(self.older[place]) == digest:
                return ""
        self.recent.add(digest, url)
        if len(self.recent) >= MAX_RECENT:
            self._age()
        return None

    def _age(self) -> None:
        """Forget the addresses of the recent texts, and a tenth of the texts if there are too many.

        The smallest digests go, which is as good as chance.
        """
        self.older = np.sort(np.concatenate([self.older, self.recent.digests.column()]))
        if len(self.older) > MAX_OLDER:
            self.older = self.older[len(self.older) - MAX_OLDER * 9 // 10 :]
        self.recent = Places()
