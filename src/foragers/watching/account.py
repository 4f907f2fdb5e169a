"""What was promised, and whether it was kept.

The delay of a new page is known exactly if the page gives its date.  Otherwise it lies between zero
and the time since the last look at which the link was not there.  A page counts as seen in time if
its largest delay is at most an hour, and as late if its least delay is longer, or if a sweep found
it and it does not give a date within the hour.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from foragers.judges.novelty import DAY
from foragers.watching.events import Event, EventKind, delays, settled

HOUR = 3600.0


class Account(msgspec.Struct, frozen=True):
    """New pages found, how many of them surely within the hour, and their delays in seconds.

    `kept_low` counts a page whose delay is not known as late, `kept_high` as in time.
    """

    pages: int = 0
    in_time: int = 0
    late: int = 0
    unsure: int = 0
    missed: int = 0
    median: float | None = None
    p90: float | None = None

    @property
    def kept_low(self) -> float:
        """The share surely seen within the hour."""
        return self.in_time / self.pages if self.pages else 0.0

    @property
    def kept_high(self) -> float:
        """The share that may have been seen within the hour."""
        return (self.in_time + self.unsure) / self.pages if self.pages else 0.0

    def __str__(self) -> str:
        """Say it in words."""
        if not self.pages:
            return "no new page yet"
        low, high = self.kept_low, self.kept_high
        share = f"{low:.0%}" if high - low < 0.005 else f"{low:.0%} to {high:.0%}"
        pages = "1 new page was" if self.pages == 1 else f"{self.pages:,} new pages were"
        late = f"; {self.missed:,} later, by looking at old pages again" if self.missed else ""
        return f"{share} of {pages} seen within 1 h{late}"


def account_of(events: Iterable[Event], since: float = 0.0) -> Account:
    """Return the account of the new pages found since a time."""
    whole = settled(events)
    new = [one for one in whole if one.event is EventKind.NEW and one.found >= since]
    spans = list(delays(new))
    early = [high <= HOUR for _, high in spans]
    missed = [
        one.late and not (is_early and one.published is not None)
        for one, is_early in zip(new, early, strict=True)
    ]
    in_time = [is_early and not swept for is_early, swept in zip(early, missed, strict=True)]
    late = [low > HOUR or swept for (low, _), swept in zip(spans, missed, strict=True)]
    known = [(low + high) / 2 for low, high in spans if np.isfinite(high)]
    return Account(
        len(new),
        sum(in_time),
        sum(late),
        len(new) - sum(in_time) - sum(late),
        sum(missed),
        float(np.median(known)) if known else None,
        float(np.percentile(known, 90)) if known else None,
    )


def today(events: Iterable[Event], now: float) -> list[Event]:
    """Return the events of the last 24 hours."""
    return [one for one in events if one.found >= now - DAY]
