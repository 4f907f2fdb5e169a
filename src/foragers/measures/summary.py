"""What a crawl came to: how much was fetched and found, where, and what went wrong.

*Downloads*, *relevant* and the harvest they make are those of `measures.harvest`: a
relevant page counts once, when it is first fetched.  An *error* is a download that
brought no page, new or unchanged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.ledger.facts import Facts
from foragers.measures.harvest import found
from foragers.types import Status

LATELY = 100
"""How many downloads are the last ones."""

LISTED = 20
"""How many hosts and errors are named."""

SOUND = (Status.OK.value, Status.UNCHANGED.value)


class HostTally(msgspec.Struct, frozen=True):
    """How much came from one host."""

    host: str
    downloads: int
    relevant: int
    errors: int

    @property
    def harvest(self) -> float:
        """The share of its downloads that were relevant pages."""
        return self.relevant / self.downloads


class ErrorTally(msgspec.Struct, frozen=True):
    """How often one thing went wrong at one host."""

    host: str
    status: str
    reason: str
    count: int


class Summary(msgspec.Struct, frozen=True):
    """A crawl in numbers; `began` and `ended` are the times of the first and the last answer."""

    downloads: int = 0
    relevant: int = 0
    harvest: float = 0.0
    harvest_lately: float = 0.0
    errors: int = 0
    hosts: int = 0
    began: float | None = None
    ended: float | None = None
    statuses: dict[str, int] = {}
    top_hosts: tuple[HostTally, ...] = ()
    worst_errors: tuple[ErrorTally, ...] = ()

    @property
    def seconds(self) -> float:
        """The time from the first answer to the last."""
        return 0.0 if self.began is None or self.ended is None else self.ended - self.began


def summarise(
    facts: Facts, hosts: Sequence[str], reasons: Sequence[str], listed: int = LISTED
) -> Summary:
    """Sum up a crawl, given the host that was asked and the reason that was noted each time."""
    downloads = len(facts)
    if not downloads:
        return Summary()
    counts = found(facts)
    fresh = np.diff(counts, prepend=0)
    bad = ~np.isin(facts.statuses, SOUND)
    return Summary(
        downloads=downloads,
        relevant=int(counts[-1]),
        harvest=float(fresh.mean()),
        harvest_lately=float(fresh[-LATELY:].mean()),
        errors=int(bad.sum()),
        hosts=len(set(hosts)),
        began=float(facts.times.min()),
        ended=float(facts.times.max()),
        statuses=dict(Counter(facts.statuses.tolist()).most_common()),
        top_hosts=by_host(hosts, fresh, bad)[:listed],
        worst_errors=worst(facts.statuses, hosts, reasons, bad)[:listed],
    )


def by_host(
    hosts: Sequence[str], fresh: NDArray[np.int64], bad: NDArray[np.bool_]
) -> tuple[HostTally, ...]:
    """Return what each host gave, the one asked most often first."""
    downloads: Counter[str] = Counter(hosts)
    relevant: Counter[str] = Counter(hosts[place] for place in np.flatnonzero(fresh).tolist())
    errors: Counter[str] = Counter(hosts[place] for place in np.flatnonzero(bad).tolist())
    ranked = sorted(downloads, key=lambda host: (-downloads[host], -relevant[host], host))
    return tuple(
        HostTally(host, downloads[host], relevant[host], errors[host]) for host in ranked
    )


def worst(
    statuses: NDArray[np.str_],
    hosts: Sequence[str],
    reasons: Sequence[str],
    bad: NDArray[np.bool_],
) -> tuple[ErrorTally, ...]:
    """Return what went wrong by host and reason, the most frequent first."""
    places = np.flatnonzero(bad).tolist()
    counts = Counter((hosts[place], str(statuses[place]), reasons[place]) for place in places)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(ErrorTally(*what, count) for what, count in ranked)
