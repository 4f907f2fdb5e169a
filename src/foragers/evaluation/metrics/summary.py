"""The summary of a crawl: how much was fetched and found, on which hosts, and what failed.

`metrics.counts` defines downloads, relevant pages, errors, skips and hosts for everything that
shows such numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Status
from foragers.evaluation.metrics.counts import ERRORS, CrawlCounts, downloaded
from foragers.evaluation.metrics.harvest import found
from foragers.http.causes import cause_of
from foragers.storage.ledger.columns import Facts

Flags = NDArray[np.bool_]

LATELY = 100
"""The number of downloads that count as the last ones."""

LISTED = 20
"""The number of hosts and errors listed."""

KEPT = (Status.OK.value, Status.UNCHANGED.value)
"""Statuses of pages that were received and kept; all others are listed by reason."""


class HostTally(msgspec.Struct, frozen=True):
    """The counts of one host."""

    host: str
    downloads: int
    relevant: int
    errors: int

    @property
    def harvest(self) -> float:
        """The share of its downloads that were relevant pages."""
        return self.relevant / self.downloads


class ErrorTally(msgspec.Struct, frozen=True):
    """The number of times that one error occurred at one host."""

    host: str
    status: str
    reason: str
    count: int


class OutcomeCounts(msgspec.Struct, frozen=True):
    """The number of choices that ended in one way, for one cause."""

    status: str
    reason: str
    count: int


class Summary(msgspec.Struct, frozen=True):
    """A crawl in numbers; `began` and `ended` are the times of the first and the last page."""

    downloads: int = 0
    relevant: int = 0
    harvest: float = 0.0
    harvest_lately: float = 0.0
    errors: int = 0
    skipped: int = 0
    hosts: int = 0
    began: float | None = None
    ended: float | None = None
    statuses: dict[str, int] = {}
    outcomes: tuple[OutcomeCounts, ...] = ()
    top_hosts: tuple[HostTally, ...] = ()
    worst_errors: tuple[ErrorTally, ...] = ()

    @property
    def seconds(self) -> float:
        """The time from the first page to the last."""
        return 0.0 if self.began is None or self.ended is None else self.ended - self.began

    @property
    def not_had(self) -> tuple[OutcomeCounts, ...]:
        """The outcomes of choices without a page that is kept, the most frequent first."""
        return tuple(outcome for outcome in self.outcomes if outcome.status not in KEPT)


def summarise(
    facts: Facts, hosts: Sequence[str], reasons: Sequence[str], listed: int = LISTED
) -> Summary:
    """Summarise a crawl, given the host and the reason of each visit."""
    if not len(facts):
        return Summary()
    asked, tally = downloaded(facts), CrawlCounts.of(facts, hosts)
    fresh = np.diff(found(facts), prepend=0)
    harvest = fresh[asked]
    bad = np.isin(facts.statuses, ERRORS)
    statuses = facts.statuses.tolist()
    return Summary(
        downloads=tally.downloads,
        relevant=tally.relevant,
        harvest=share(harvest),
        harvest_lately=share(harvest[-LATELY:]),
        errors=tally.errors,
        skipped=tally.skipped,
        hosts=len(tally.hosts),
        began=float(facts.times.min()),
        ended=float(facts.times.max()),
        statuses=dict(Counter(statuses).most_common()),
        outcomes=outcomes(statuses, reasons)[:listed],
        top_hosts=by_host(hosts, asked, fresh, bad)[:listed],
        worst_errors=worst(statuses, hosts, reasons, bad)[:listed],
    )


def part(facts: Facts, flags: Flags) -> Facts:
    """Return part of the facts."""
    return Facts(*(getattr(facts, field.name)[flags] for field in fields(facts)))


def share(fresh: NDArray[np.int64]) -> float:
    """Return the share of downloads that found a relevant page."""
    return float(fresh.mean()) if len(fresh) else 0.0


def outcomes(statuses: Sequence[str], reasons: Sequence[str]) -> tuple[OutcomeCounts, ...]:
    """Return the outcomes of choices, the most frequent first."""
    # One after the other: many visits have few reasons.
    causes = {reason: cause_of(reason) for reason in set(reasons)}
    counts = Counter((status, causes[why]) for status, why in zip(statuses, reasons, strict=True))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(OutcomeCounts(*what, count) for what, count in ranked)


def by_host(
    hosts: Sequence[str], asked: Flags, fresh: NDArray[np.int64], bad: Flags
) -> tuple[HostTally, ...]:
    """Return the counts of each host, the one with most downloads first."""
    downloads, relevant, errors = (
        Counter(hosts[row] for row in np.flatnonzero(flags).tolist())
        for flags in (asked, fresh, bad)
    )
    ranked = sorted(downloads, key=lambda host: (-downloads[host], -relevant[host], host))
    return tuple(HostTally(host, downloads[host], relevant[host], errors[host]) for host in ranked)


def worst(
    statuses: Sequence[str], hosts: Sequence[str], reasons: Sequence[str], bad: Flags
) -> tuple[ErrorTally, ...]:
    """Return the errors by host and reason, the most frequent first."""
    rows = np.flatnonzero(bad).tolist()
    counts = Counter((hosts[row], statuses[row], reasons[row]) for row in rows)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(ErrorTally(*what, count) for what, count in ranked)
