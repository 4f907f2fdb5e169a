"""Which texts were seen, and where: the last ones with their address, older ones without."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

MAX_RECENT = 32_768
MAX_OLDER = 2_000_000


@dataclass(slots=True)
class Texts:
    """The digests of two million texts in 16 MB, and the addresses of the last 32,768."""

    recent: dict[int, str] = field(default_factory=dict)
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
        self.recent[digest] = url
        if len(self.recent) >= MAX_RECENT:
            self._age()
        return None

    def _age(self) -> None:
        """Forget the addresses of the recent texts, and a tenth of the texts if there are too many.

        The smallest digests go, which is as good as chance.
        """
        fresh = np.fromiter(self.recent, np.uint64, len(self.recent))
        self.older = np.sort(np.concatenate([self.older, fresh]))
        if len(self.older) > MAX_OLDER:
            self.older = self.older[len(self.older) - MAX_OLDER * 9 // 10 :]
        self.recent = {}
