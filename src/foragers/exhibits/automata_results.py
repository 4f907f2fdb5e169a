"""What all crawls of `automata` came to, sorted by what they are to show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from foragers.exhibits.automata_crawls import MARKS, Outcome, Trace
from foragers.exhibits.automata_paper import CRAWLERS
from foragers.exhibits.automata_webs import Ground
from foragers.types import UrlId

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Results:
    """Crawls to compare, crawls to calibrate by, and crawls that follow each other.

    `relevant` says how many pages there are to find on each web and topic.
    `main` has for each topic and crawler its first crawls; `by_control` and `by_rate`
    those of the first topic; `in_turn` crawls, by learning rate, that learn from those
    before, `apart` such as do not.
    """

    grounds: Sequence[Ground]
    relevant: Mapping[Ground, int]
    main: Mapping[tuple[Ground, str], Sequence[Trace]]
    by_control: Mapping[float, Sequence[Outcome]]
    by_rate: Mapping[float, Sequence[Outcome]]
    in_turn: Mapping[float, Sequence[Outcome]]
    apart: Sequence[Outcome]

    @cached_property
    def topics(self) -> list[str]:
        """The topics, in order."""
        return list(dict.fromkeys(ground.topic for ground in self.grounds))

    @cached_property
    def crawlers(self) -> list[str]:
        """The crawlers, the paper's first."""
        return list(dict.fromkeys(crawler for _, crawler in self.main))

    def of(self, topic: str | None = None) -> list[Ground]:
        """Return the webs on which there is a topic, or all."""
        return [ground for ground in self.grounds if topic in (None, ground.topic)]

    def curve(self, ground: Ground, crawler: str) -> Floats:
        """Return the mean precision of a crawler at each mark."""
        traces = self.main[ground, crawler]
        rows = np.array([[trace.precision(mark) for mark in range(MARKS)] for trace in traces])
        curve: Floats = rows.mean(axis=0)
        return curve

    def curves(self, crawler: str, topic: str | None = None) -> Floats:
        """Return the precision of a crawler at each mark, a row a web and topic."""
        return np.array([self.curve(ground, crawler) for ground in self.of(topic)])

    def precisions(self, crawler: str, mark: int = MARKS - 1) -> list[float]:
        """Return the precision of a crawler at its end, or another mark, for each web and topic."""
        return [float(value) for value in self.curves(crawler)[:, mark]]

    def highest(self, mark: int = MARKS - 1) -> float:
        """Return the mean precision of someone who finds nothing but relevant pages."""
        share = (mark + 1) / MARKS
        most = [min(1.0, self.relevant[one] / max(share * one.budget, 1)) for one in self.grounds]
        return float(np.mean(most))

    def recall(self, ground: Ground, crawler: str) -> float:
        """Return the share of the pooled relevant pages that a crawler found (21).

        Pooled is, run by run, what the paper's crawlers found; one that leaves nothing to chance
        has a single run, which stands beside every run of the others.
        """
        runs = max(len(self.main[ground, name]) for name in CRAWLERS)
        shares = []
        for run in range(runs):
            pooled = frozenset().union(*(self.found(ground, name, run) for name in CRAWLERS))
            own = self.found(ground, crawler, run) & pooled
            shares.append(len(own) / max(len(pooled), 1))
        return float(np.mean(shares))

    def found(self, ground: Ground, crawler: str, run: int) -> frozenset[UrlId]:
        """Return the relevant pages that a run of a crawler found."""
        traces = self.main[ground, crawler]
        return traces[min(run, len(traces) - 1)].found

    def recalls(self, crawler: str, topic: str | None = None) -> list[float]:
        """Return the recall of a crawler for each web and topic."""
        return [self.recall(ground, crawler) for ground in self.of(topic)]

    def seconds(self, crawler: str, topic: str | None = None) -> list[float]:
        """Return the CPU seconds of a crawler for each web and topic."""
        return [
            float(np.mean([trace.seconds[-1] for trace in self.main[ground, crawler]]))
            for ground in self.of(topic)
        ]

    def marks(self) -> list[int]:
        """Return the downloads at which crawls are looked at, as they are on the first web."""
        budget = self.grounds[0].budget
        return [round(budget * (mark + 1) / MARKS) for mark in range(MARKS)]


def last_precisions(
    outcomes: Sequence[Outcome], crawl: int = 0, mark: int = MARKS - 1
) -> list[float]:
    """Return the precision at the end, or another mark, of the first, or another, crawl."""
    return [outcome.traces[crawl].precision(mark) for outcome in outcomes]
