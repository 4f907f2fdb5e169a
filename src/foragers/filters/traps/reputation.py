"""What became of the pages of a URL pattern, and whether more of them are worth a download.

A pattern is a shape, a directory, a host, a domain or a chain of pages.  One whose pages brought
nothing new for a while is *exhausted*.  It is throttled, not closed: every second, then every
fourth, eighth … of its URLs is admitted, so that an endless trap costs the logarithm of what it
offers.  A page that brings something new relaxes the throttle again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from foragers.filters.traps.bounded import RecentDict
from foragers.filters.traps.settings import DEFAULT_TRAPS, ReputationSettings
from foragers.urls.shapes import Shape

_FROM_EXHAUSTED = "~"
_HOST, _DOMAIN = "/***", " and its hosts"


class PatternOutcome(IntEnum):
    """What a page brought: nothing, only links worth following, or new words."""

    NOTHING = 0
    LINKS = 1
    WORDS = 2


@dataclass(slots=True)
class PatternRecord:
    """The record of one pattern.

    `history` has the newest page in the lowest bit, 1 if it brought something new; `worded` is
    the same for new words alone.  `throttled` counts URLs refused since the last admitted one,
    `credit` whatever the pattern was granted on trust, and `least` is the number of pages before
    a whole host or domain is judged.
    """

    settings: ReputationSettings = DEFAULT_TRAPS.reputation
    history: int = 0
    worded: int = 0
    pages: int = 0
    new: int = 0
    exact: int = 0
    level: int = 0
    throttled: int = 0
    credit: int = 0
    least: int = 0

    @property
    def too_few(self) -> bool:
        """Whether there are too few pages to judge."""
        if self.least:
            return self.pages < self.least
        settings = self.settings
        copied = self.exact >= settings.exact_run
        return self.pages < (settings.min_exact if copied else settings.min_pages)

    @property
    def exhausted(self) -> bool:
        """Whether hardly any of the last pages brought something new."""
        return not self.too_few and self._hardly_any(self.history)

    @property
    def productive(self) -> bool:
        """Whether links to pages of this pattern are worth something in themselves."""
        return not self.too_few and not self._hardly_any(self.worded)

    def _hardly_any(self, history: int) -> bool:
        if self.least:
            return (history & (1 << self.least) - 1).bit_count() <= 1
        settings = self.settings
        window, share = settings.window, settings.exhausted_share
        if self.pages > 2 * window and self.new >= settings.proven_share * self.pages:
            # A version of a manual may repeat the last one for a whole chapter.
            return history.bit_count() <= share * window
        few = max(1, int(share * min(self.pages, window)))
        return (history & (1 << window) - 1).bit_count() <= few

    def admit(self) -> bool:
        """Admit a URL; while throttled, only every 2**level-th."""
        if not self.exhausted:
            return True
        self.throttled += 1
        if self.throttled < 1 << self.level:
            return False
        self.throttled = 0
        return True

    def record(self, new: bool, exact: bool, worded: bool = False) -> None:
        """Record a page's outcome."""
        mask = (1 << 2 * self.settings.window) - 1
        self.worded = (self.worded << 1 | worded) & mask
        self.pages += 1
        self.new += new
        self.history = (self.history << 1 | new) & mask
        self.exact = self.exact + 1 if exact else 0
        if new:
            # A trap brings something new by accident only, other patterns again and again.
            self.level //= 4
        elif self.exhausted:
            self.level = min(self.level + 1, self.settings.max_level)


@dataclass(slots=True)
class PatternRecords:
    """The records of the most recently used patterns.

    A shape is judged by its own pages if there are enough of them, otherwise by those of other
    shapes with few pages at the same path, in the same directory, on the same host, in the same
    domain: a thousand combinations of filters are a thousand shapes, and none of them may cost
    sixteen downloads.  URLs first seen on a page of an exhausted pattern are judged separately,
    so that other URLs do not suffer for them.
    """

    settings: ReputationSettings = DEFAULT_TRAPS.reputation
    patterns: RecentDict[str, PatternRecord] = field(init=False)

    def __post_init__(self) -> None:
        self.patterns = RecentDict(self.settings.patterns)

    def of(self, pattern: str) -> PatternRecord:
        """Return the record of a pattern, an empty one if it has none."""
        record = self.patterns.get(pattern)
        if record is None:
            record = PatternRecord(self.settings, least=self._least(pattern))
            self.patterns.put(pattern, record)
        return record

    def refusing(self, shape: Shape, from_exhausted: bool) -> str | None:
        """Return the narrowest pattern with enough pages, if it refuses a URL."""
        record = None
        for pattern in levels(shape, from_exhausted):
            if (
                pattern.endswith(_DOMAIN)
                and record is not None
                and record.pages >= self.settings.first_on_host
            ):
                return None
            record = self.patterns.get(pattern)
            if record is not None and not record.too_few:
                admitted = record.admit() or self._vouches(shape, record, pattern)
                return None if admitted else pattern
        return None

    def refusing_near(self, shape: Shape, from_exhausted: bool) -> str | None:
        """Return the pattern that refuses a link of a seed, after very many pages without news."""
        for pattern in levels(shape, from_exhausted)[:-1]:
            record = self.patterns.get(pattern)
            if record is not None and record.pages >= self.settings.min_near_seed:
                return None if record.history.bit_count() > 1 or record.admit() else pattern
        return None

    def _vouches(self, shape: Shape, record: PatternRecord, pattern: str) -> bool:
        """Return whether a productive host vouches for a URL first seen on an exhausted page.

        Good pages may be first seen on such pages, and all pages behind them would be lost.
        A host vouches once for every other of its pages that brought something new.
        """
        if pattern != f"{_FROM_EXHAUSTED}{shape.host}{_HOST}":
            return False
        host = self.patterns.get(pattern[1:])
        if host is None or host.too_few or 2 * host.new < host.pages:
            return False
        record.credit += 1
        return 2 * record.credit <= host.new

    def record(
        self, shape: Shape, from_exhausted: bool, outcome: PatternOutcome, exact: bool
    ) -> None:
        """Record a page's outcome, up to the first pattern that had enough pages."""
        new, worded = outcome is not PatternOutcome.NOTHING, outcome is PatternOutcome.WORDS
        for pattern in levels(shape, from_exhausted):
            record = self.of(pattern)
            too_few = record.too_few
            record.record(new, exact, worded)
            well_known = pattern.endswith(_HOST) and record.pages > self.settings.first_on_host
            if not too_few or well_known:
                return

    def promises(self, shape: Shape, trust: int) -> bool:
        """Return whether links to a shape count as news: at first on trust, then on merit.

        Merit is words.  Shapes that only link to each other could go on without end.
        """
        record = self.of(shape.full)
        if record.too_few:
            apart = self.patterns.get(f"{_FROM_EXHAUSTED}{shape.full}")
            if apart is not None and not apart.too_few:
                return apart.productive
            record.credit += 1
            return record.credit <= trust
        return record.productive

    def _least(self, pattern: str) -> int:
        """Return the pages before a whole host or domain is judged, 0 for other patterns."""
        if pattern.endswith(_HOST):
            return self.settings.min_on_host
        return self.settings.min_in_domain if pattern.endswith(_DOMAIN) else 0


def levels(shape: Shape, from_exhausted: bool) -> tuple[str, ...]:
    """Return the patterns that a shape belongs to, narrow to wide, no two the same."""
    mark = _FROM_EXHAUSTED if from_exhausted else ""
    return (
        f"{mark}{shape.full}",
        f"{mark}{shape.path}?*",
        f"{mark}{shape.family}/**",
        f"{mark}{shape.host}{_HOST}",
        f"{mark}{shape.site}{_DOMAIN}",
    )
