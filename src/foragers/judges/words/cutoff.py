"""From evidence to relevance: how a page compares with the best pages so far.

Evidence has no scale of its own: what a good page comes to depends on the topic and on the web.
So a page passes if its evidence reaches a share of that of the best pages,

    cut = 0.504 · (max(0.7, mean evidence of the best pages) / 1.2)^(7/8)
    q = evidence / cut,    relevance = q² / (q² + 3),    which is 1/4 at the cut

The power is below 1 for the sake of long lists of words.  The best pages have nearly all of ten
synonyms, and a page that speaks much of two or three of them is relevant as well.

The best pages are a twentieth of those that have passed, from five to 500; at first they are five
that are imagined, with evidence 1.2.  So it does not matter whether a crawl sees few or many pages
that are not wanted.  After a hundred pages the cut is lowered if less than 0.5 % of all pages so
far would pass.  The curve is calibrated: of the pages with a relevance of 1/4, about one in four
has the label that was meant, on the mean over the webs of `python -m benchmarks judging`.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field
from math import sqrt

STEPS = 1000
"""Cuts are taken from so many, so that the pages which pass can be counted."""


@dataclass(frozen=True)
class CutoffSettings:
    """The numbers of the threshold: `python -m benchmarks judging` measures them."""

    share: float = 0.42  # of the best pages' evidence; of .4 to .65
    least_best: float = 0.7  # best pages count as no worse; .45 to .9 do as well
    first_best: float = 1.2  # evidence of the pages imagined at first; of .5 to 2
    best_share: float = 0.05  # of the pages that passed are the best ones; of .05 to .4
    fewest_best: int = 5  # from the trial that the formula comes from
    most_best: int = 500  # to limit the work; guess
    threshold: float = 0.25  # relevance at the cut; fitted to five of six webs: .19 to .25
    fewest_pages: int = 100  # before which nothing is said about how many pass; guess
    fewest_passing: float = 0.005  # of all pages; costs no F1 where labels are as rare
    least_evidence: float = 0.1  # below which nothing passes, however rare; guess

    @property
    def first_cut(self) -> float:
        """The cut with which a crawl begins."""
        return self.share * self.first_best


DEFAULT_CUTOFF = CutoffSettings()


@dataclass
class Cutoff:
    """Learns how good pages get, and how many pass."""

    settings: CutoffSettings = DEFAULT_CUTOFF
    pages: int = 0
    passed: int = 0
    best: list[float] = field(default_factory=list)
    bins: list[int] = field(default_factory=lambda: [0] * (STEPS + 1), repr=False)
    step: int = STEPS // 2
    _above: tuple[int, int] | None = field(default=None, repr=False)
    _low: tuple[int, int] | None = field(default=None, repr=False)
    _mean: float | None = field(default=None, repr=False)

    def add(self, evidence: float) -> bool:
        """Take the evidence of one more page into account, and say whether it passes."""
        given = self.settings
        self.pages += 1
        self.best = self.best or [given.first_best] * given.fewest_best
        # Only a page that is good itself makes the best ones more.
        most = self._number_of_best() if evidence >= self.cut else len(self.best)
        if len(self.best) < most or evidence > self.best[0]:
            self._mean = None
            insort(self.best, evidence)
            if len(self.best) > most:
                del self.best[0]
        place = int(self._place(evidence))
        self.bins[place] += 1
        if self._above is not None and place >= self._above[0]:
            self._above = self._above[0], self._above[1] + 1
        if self._low is not None and place >= self._low[0]:
            self._low = self._low[0], self._low[1] + 1
        self.step = self._step()
        passes = evidence >= self.cut
        self.passed += passes
        return passes

    @property
    def cut(self) -> float:
        """The evidence from which a page passes."""
        return self.settings.first_cut * self.step / (STEPS - self.step)

    def relevance(self, evidence: float) -> float:
        """Return evidence as a number from 0 to 1."""
        threshold = self.settings.threshold
        share = evidence / self.cut
        odds = share * share * threshold / (1 - threshold)
        return odds / (1 + odds)

    def passing(self, threshold: float) -> int:
        """Return how many of the pages so far would reach a relevance now, a few more or less."""
        if threshold == self.settings.threshold:
            return sum(self.bins[self.step :])
        usual = self.settings.threshold
        share = sqrt(threshold * (1 - usual) / (usual * max(1 - threshold, 1 / STEPS)))
        return sum(self.bins[_up(self._place(self.cut * share)) :])

    def _number_of_best(self) -> int:
        given = self.settings
        return min(given.most_best, max(given.fewest_best, int(given.best_share * self.passed)))

    def _place(self, evidence: float) -> float:
        """Return where evidence lies between none and infinitely much, in steps."""
        return STEPS * evidence / (evidence + self.settings.first_cut)

    def _step(self) -> int:
        """Return the cut as a number of steps."""
        given = self.settings
        if self._mean is None:
            self._mean = sum(self.best) / len(self.best)
        best = max(given.least_best, self._mean) / given.first_best
        root = sqrt(best)
        fourth = sqrt(root)
        # The power 7/8, alike on all processors; of 1/2 to 1.
        cut = given.first_cut * root * fourth * sqrt(fourth)
        step = min(_up(self._place(cut)), STEPS - 1)
        if self.pages < given.fewest_pages:
            return step
        if self._passing_from(step) >= given.fewest_passing * self.pages:
            return step
        return self._lowered(step, given.fewest_passing * self.pages)

    def _lowered(self, step: int, fewest: float) -> int:
        """Return the first lower step from which enough pages pass, or the lowest.

        It is mostly next to the one that was found for the last page.
        """
        lowest = min(step, _up(self._place(self.settings.least_evidence)))
        here, passing = self._low or (step, self._passing_from(step))
        while here < lowest or (here < step and passing - self.bins[here] >= fewest):
            passing -= self.bins[here]
            here += 1
        while here > lowest and (passing < fewest or here > step):
            here -= 1
            passing += self.bins[here]
        self._low = here, passing
        return here

    def _passing_from(self, step: int) -> int:
        """Return how many pages reach a step, which is mostly that of the last page."""
        before = self._above
        if before is None:
            above = sum(self.bins[step:])
        elif step >= before[0]:
            above = before[1] - sum(self.bins[before[0] : step])
        else:
            above = before[1] + sum(self.bins[step : before[0]])
        self._above = step, above
        return above


def _up(place: float) -> int:
    """Return the first whole number that is no lower."""
    return int(place) if place == int(place) else int(place) + 1
