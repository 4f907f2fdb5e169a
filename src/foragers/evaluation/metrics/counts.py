"""The counts of a crawl, defined once for the panel, the summary, the report and `explain`.

- A *download* is a choice that cost budget: every one that was not skipped.
- What was *skipped* was not requested (robots.txt, scope, traps, hosts to be left alone).
- A *relevant* page counts once per version, when it is first received.
- An *error* is a download that should have brought a page: missing, refused or failed.
- The *hosts* are those that responded at least once, with any status.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Status, Visit
from foragers.storage.ledger.columns import Facts

Flags = NDArray[np.bool_]

ERRORS = (Status.MISSING.value, Status.REFUSED.value, Status.FAILED.value)
SILENT = (Status.SKIPPED.value, Status.FAILED.value)
"""Statuses that do not show that a host responded."""


def downloaded(facts: Facts) -> Flags:
    """Return for each choice whether it was a download."""
    asked: Flags = facts.statuses != Status.SKIPPED.value
    return asked


@dataclass
class CrawlCounts:
    """The counts of a crawl so far; `versions` are those of the relevant pages."""

    downloads: int = 0
    errors: int = 0
    skipped: int = 0
    hosts: set[Hashable] = field(default_factory=set)
    versions: set[int] = field(default_factory=set, repr=False)

    @property
    def relevant(self) -> int:
        """The number of relevant pages found."""
        return len(self.versions)

    @classmethod
    def of(cls, facts: Facts, hosts: Sequence[Hashable]) -> CrawlCounts:
        """Count the visits of a ledger, given their hosts."""
        asked = downloaded(facts)
        answered = np.flatnonzero(~np.isin(facts.statuses, SILENT)).tolist()
        return cls(
            downloads=int(asked.sum()),
            errors=int(np.isin(facts.statuses, ERRORS).sum()),
            skipped=int(len(facts) - asked.sum()),
            hosts={hosts[row] for row in answered},
            versions=set(np.unique(facts.versions[facts.ok & facts.relevant]).tolist()),
        )

    def add(self, visit: Visit) -> bool:
        """Count a visit, and return whether it found a relevant page that was not known."""
        page, status = visit.page, visit.page.status
        if status is Status.SKIPPED:
            self.skipped += 1
            return False
        self.downloads += 1
        self.errors += status in ERRORS
        if status not in SILENT:
            self.hosts.add(page.choice.host)
        before = len(self.versions)
        if visit.relevant and status is Status.OK:
            self.versions.add(page.version)
        return len(self.versions) > before
