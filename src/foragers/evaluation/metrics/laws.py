"""Laws: formulas from the counts of a crawl to the number of relevant pages left to find.

A *line* adds up the logarithms of counts, each with a weight.  The lines were fitted by quantile
regression on crawls of recorded webs (docs/stopping.md): half of the time the truth was below the
middle one, and one time in twenty below the lowest or above the highest.  So an interval says how
such crawls have turned out, not how they would if pages were balls in an urn.

An interval is of little use for stopping: it is wide while much is unknown, and a crawl that checks
it again and again stops at the first error.  So *enough* has a formula of its own.
"""

from __future__ import annotations

import msgspec

from foragers.core.exact import exp_of, expm1_of, log1p_of, log_of

LARGEST = 40.0
"""Larger logarithms are cut off: no web is that large."""
EARLIEST = 100
"""The least number of downloads before a crawl may stop, unless nothing waits."""
MOST_LEFT_OUT = 0.1
"""If failures and trap rules left out a larger share of the pages received, no total is estimated:
many relevant pages may be among them."""


class RecallCounts(msgspec.Struct, frozen=True):
    """Pages found, URLs that wait, and two counts of the pages left to find.

    Of the URLs that wait, `silent` are on hosts that have given no page; they are not included in
    other counts.  `rate` is the recent yield of relevant pages per URL, and `to_come` the number of
    pages of any kind that wait, by their recent yield.  After `mostly_by` of the downloads, most of
    the relevant pages (`sightings.MOSTLY`) had been found.
    """

    found: int
    waiting: int
    by_yield: float
    by_capture: float
    by_agents: float | None = None
    pages: int = 0
    trapped: int = 0
    failed: int = 0
    barred: int = 0
    silent: int = 0
    rate: float = 0.0
    to_come: float = 0.0
    downloads: int = 0
    mostly_by: int = 0

    @property
    def is_cut_short(self) -> bool:
        """Whether too much was left out for an estimate."""
        return self.trapped + self.failed > MOST_LEFT_OUT * self.pages


class LeftLine(msgspec.Struct, frozen=True):
    """Weights for the logarithms of the pages found and of the pages left by yield."""

    base: float
    found: float
    by_yield: float

    def left(self, counts: RecallCounts) -> float:
        """Return the number of relevant pages left to find, by this line."""
        expected = (
            self.base
            + self.found * log1p_of(counts.found)
            + self.by_yield * log1p_of(counts.by_yield)
        )
        return max(0.0, expm1_of(min(expected, LARGEST)))


class Enough(msgspec.Struct, frozen=True):
    """The largest number of relevant pages left when a crawl may stop.

    With F pages found, most of them after M of N downloads, Y left by yield, P pages received and Q
    pages of any kind to come:

        left / F = e^base (Y / F)^by_yield (Q / P)^to_come (M / N)^early

    If relevant pages were as frequent among the pages to come as among those received, `left / F`
    would be Q / P; a crawler that takes the best first leaves fewer, and the fewer the longer ago
    it found most of them.
    """

    base: float
    by_yield: float
    to_come: float
    early: float = 0.0

    def left(self, counts: RecallCounts) -> float:
        """Return the number left; infinity early, or while nothing was found."""
        if counts.downloads < EARLIEST or not counts.found or not counts.pages:
            return exp_of(LARGEST)
        if counts.by_yield <= 0 or counts.to_come <= 0:
            return 0.0
        value = (
            self.base
            + self.by_yield * log_of(counts.by_yield / counts.found)
            + self.to_come * log_of(counts.to_come / counts.pages)
            + self.early * log_of(max(1, counts.mostly_by) / counts.downloads)
        )
        return counts.found * exp_of(min(value, LARGEST))


class Law(msgspec.Struct, frozen=True):
    """Relevant pages left: both ends of an interval, the estimate, and the limit for stopping."""

    low: LeftLine
    middle: LeftLine
    high: LeftLine
    enough: Enough

    def left(self, counts: RecallCounts) -> tuple[float, float, float]:
        """Return the lower end, the estimate and the upper end; lines may cross, these do not.

        The estimate is at most the number by `enough`, so that of a crawl that stops agrees with
        the reason for the stop.
        """
        middle = min(self.middle.left(counts), self.enough.left(counts))
        low, high = self.low.left(counts), self.high.left(counts)
        return min(low, middle), middle, max(high, middle)
