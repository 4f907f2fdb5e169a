"""What a crawl had come to before it was taken up again."""

from __future__ import annotations

import msgspec
import numpy as np

from foragers.ledger.facts import Facts
from foragers.types import HostId, Status
from foragers.worlds.visited import Hosts

ERRORS = (Status.MISSING.value, Status.REFUSED.value, Status.FAILED.value)


class Tally(msgspec.Struct, frozen=True):
    """How much was fetched and found, from where, and what went wrong."""

    downloads: int = 0
    relevant: int = 0
    errors: int = 0
    skipped: int = 0
    hosts: frozenset[HostId] = frozenset()

    @classmethod
    def of(cls, facts: Facts, table: Hosts) -> Tally:
        """Count what a ledger tells."""
        asked = facts.statuses != Status.SKIPPED.value
        return cls(
            downloads=int(asked.sum()),
            relevant=len(np.unique(facts.versions[facts.ok & facts.relevant])),
            errors=int(np.isin(facts.statuses, ERRORS).sum()),
            skipped=int(len(facts) - asked.sum()),
            hosts=frozenset(table.host(url) for url in np.unique(facts.urls[asked]).tolist()),
        )
