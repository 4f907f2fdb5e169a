"""A ledger in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from foragers.core.types import Visit
from foragers.storage.ledger.columns import Facts


@dataclass(slots=True)
class MemoryLedger:
    """Visits in a list."""

    visits: list[Visit] = field(default_factory=list)

    def append(self, visits: Sequence[Visit]) -> None:
        """Add visits."""
        self.visits.extend(visits)

    def read(self, start: int = 0) -> Iterator[Visit]:
        """Return the visits from a position on."""
        return islice(self.visits, start, None)

    def facts(self) -> Facts:
        """Return all visits as columns."""
        return Facts.of(self.visits)

    def __len__(self) -> int:
        return len(self.visits)
