"""What became of the pages of one kind, and whether more of them are worth a download.

A kind (a shape, a folder, a host, a line of descent) whose pages brought nothing new
for a while is throttled, not closed: every second, then every fourth, eighth … of its
addresses is let through, so that an endless trap costs the logarithm of what it
offers; and a page that brings something new loosens the throttle again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from foragers.filters.traps.bounded import Recent
from foragers.urls.shapes import Shape

WINDOW = 32
"""How many of the last pages are looked at; twice as many where a fifth of all were new."""
PROVEN_SHARE = 0.2
ENOUGH = 16
"""From how many pages on a kind is judged."""
ENOUGH_EXACT = 10
"""The same where the last eight were exact copies."""
FIRST_ON_HOST = 8
"""How many pages of a host are judged by what became of other hosts of its domain."""
ENOUGH_ON_HOST = 64
ENOUGH_IN_DOMAIN = 32
"""The same for a whole host or domain, which is dull with at most one new page in as many."""
DULL_SHARE = 0.1
"""A kind with no more than this share of new pages is dull (half of it for a proven kind, and
one page is always too few)."""
ENOUGH_NEAR = 128
"""From how many pages on a kind is judged that a seed links to: it is dull with at most one new
page in the last 64."""
MAX_LEVEL = 24
_MASK = (1 << 2 * WINDOW) - 1
_LAST = (1 << WINDOW) - 1
_RUN = 8
_STRAY = "~"
_HOST, _DOMAIN = "/***", " and its hosts"


class PatternOutcome(IntEnum):
    """What a page brought: nothing, links only, or words."""

    DULL = 0
    LEADS = 1
    NEW = 2


@dataclass(slots=True)
class PatternRecord:
    """The record of one kind: newest page in the lowest bit, 1 where it brought something new.

    `worth` is the same for new words alone, without pages that only lead on to others.
    """

    history: int = 0
    worth: int = 0
    pages: int = 0
    fresh: int = 0
    exact: int = 0
    level: int = 0
    waiting: int = 0
    credit: int = 0
    wide: int = 0

    @property
    def young(self) -> bool:
        """Whether too little is known to judge."""
        if self.wide:
            return self.pages < self.wide
        return self.pages < (ENOUGH_EXACT if self.exact >= _RUN else ENOUGH)

    @property
    def dull(self) -> bool:
        """Whether hardly any of the last pages brought something new."""
        return not self.young and self._hardly_any(self.history)

    @property
    def worthy(self) -> bool:
        """Whether links to pages of this kind are worth something in themselves."""
        return not self.young and not self._hardly_any(self.worth)

    def _hardly_any(self, pages: int) -> bool:
        if self.wide:
            return (pages & (1 << self.wide) - 1).bit_count() <= 1
        if self.pages > 2 * WINDOW and self.fresh >= PROVEN_SHARE * self.pages:
            # A version of a manual may repeat the last one for a whole chapter.
            return pages.bit_count() <= DULL_SHARE * WINDOW
        few = max(1, int(DULL_SHARE * min(self.pages, WINDOW)))
        return (pages & _LAST).bit_count() <= few

    def admit(self) -> bool:
        """Say whether an address may pass; while throttled, one in 2**level may."""
        if not self.dull:
            return True
        self.waiting += 1
        if self.waiting < 1 << self.level:
            return False
        self.waiting = 0
        return True

    def record(self, new: bool, exact: bool, worth: bool = False) -> None:
        """Take in what became of a page."""
        self.worth = (self.worth << 1 | worth) & _MASK
        self.pages += 1
        self.fresh += new
        self.history = (self.history << 1 | new) & _MASK
        self.exact = self.exact + 1 if exact else 0
        if new:
            # A trap brings something new by accident only, a sound kind again and again.
            self.level //= 4
        elif self.dull:
            self.level = min(self.level + 1, MAX_LEVEL)


@dataclass(slots=True)
class PatternRecords:
    """The records of all kinds, at most 65,536 of them.

    A shape is judged by its own pages if there are enough of them, otherwise by what
    became of other young shapes at the same path, in the same folder, on the same
    host, in the same domain: a thousand combinations of filters are a thousand shapes,
    and none of them may cost sixteen downloads.  Stray addresses, first seen on a dull
    page, are judged apart, so that sound ones do not suffer for them.
    """

    kinds: Recent[str, PatternRecord] = field(default_factory=lambda: Recent(32_768))

    def of(self, kind: str) -> PatternRecord:
        """Return the record of a kind, an empty one if it has none."""
        found = self.kinds.get(kind)
        if found is None:
            found = PatternRecord(wide=_wide(kind))
            self.kinds.put(kind, found)
        return found

    def refusing(self, shape: Shape, stray: bool) -> str | None:
        """Return the narrowest kind of which enough is known, if it refuses."""
        known = None
        for kind in levels(shape, stray):
            if kind.endswith(_DOMAIN) and known is not None and known.pages >= FIRST_ON_HOST:
                return None
            known = self.kinds.get(kind)
            if known is not None and not known.young:
                return None if known.admit() or self._vouches(shape, known, kind) else kind
        return None

    def refusing_near(self, shape: Shape, stray: bool) -> str | None:
        """Return the kind that refuses a link of a seed: one of which very many pages were dull."""
        for kind in levels(shape, stray)[:-1]:
            known = self.kinds.get(kind)
            if known is not None and known.pages >= ENOUGH_NEAR:
                return None if known.history.bit_count() > 1 or known.admit() else kind
        return None

    def _vouches(self, shape: Shape, stray: PatternRecord, kind: str) -> bool:
        """Say whether a host that proved its worth stands up for a stray address.

        Sound pages may be first seen on dull ones, and all that is behind them is lost with
        them.  A host does so once for every other of its pages that brought something new.
        """
        if kind != f"{_STRAY}{shape.host}{_HOST}":
            return False
        host = self.kinds.get(kind[1:])
        if host is None or host.young or 2 * host.fresh < host.pages:
            return False
        stray.credit += 1
        return 2 * stray.credit <= host.fresh

    def record(self, shape: Shape, stray: bool, outcome: PatternOutcome, exact: bool) -> None:
        """Take in what became of a page, up to the first kind of which enough was known."""
        for kind in levels(shape, stray):
            known = self.of(kind)
            young = known.young
            known.record(outcome is not PatternOutcome.DULL, exact, outcome is PatternOutcome.NEW)
            if not young or (kind.endswith(_HOST) and known.pages > FIRST_ON_HOST):
                return

    def promises(self, shape: Shape, credit: int) -> bool:
        """Say whether links to a shape count as something new: some on trust, then on merit.

        Merit is words.  Shapes that only lead on to each other could go on for ever.
        """
        known = self.of(shape.full)
        if known.young:
            stray = self.kinds.get(f"{_STRAY}{shape.full}")
            if stray is not None and not stray.young:
                return stray.worthy
            known.credit += 1
            return known.credit <= credit
        return known.worthy


def levels(shape: Shape, stray: bool) -> tuple[str, ...]:
    """Return the names of the kinds that a shape belongs to, narrow to wide, no two the same."""
    mark = _STRAY if stray else ""
    return (
        f"{mark}{shape.full}",
        f"{mark}{shape.path}?*",
        f"{mark}{shape.family}/**",
        f"{mark}{shape.host}{_HOST}",
        f"{mark}{shape.site}{_DOMAIN}",
    )


def _wide(kind: str) -> int:
    """Return from how many pages on a whole host or domain is judged, 0 for anything less."""
    if kind.endswith(_HOST):
        return ENOUGH_ON_HOST
    return ENOUGH_IN_DOMAIN if kind.endswith(_DOMAIN) else 0
