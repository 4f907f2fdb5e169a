"""HMM: how far a page is from what is wanted, told from the path that led to it.

LJM in `automata`: Liu, Janssen and Milios (2006), "Using HMM to learn user browsing patterns for
focused web crawling".  A page's links are worth the chance that the page behind them is wanted
(α' of T0, see `hmm_model`); where that is about equal, that it is one step away (T1), and so on.

Where we had to guess, since we had no copy of that paper: the number of states (n = 4), of
clusters and of LSI directions; ε, which says what is about equal (we count in steps of ε, so
that two sides of a step differ however near they are); smoothing by ½; α at the start
(uniform); that a page linked to twice keeps the better promise; and that clusters are counted as
a crawl sees them, by the nearest centre, where the paper puts wanted pages into cluster 0
by definition.  The paper learns from a user's browsing; we learn from recorded worlds
(`foragers train --kind hmm`) or, without a model, from the first pages of the crawl.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foragers.errors import UsageError
from foragers.models import Model
from foragers.strategies.hmm_model import Floats, Hidden
from foragers.strategies.page_by_page import Reader, State, Text
from foragers.strategies.path_crawler import PathCrawler

FINEST = 1e-3
"""The smallest ε: finer differences are lost among the digits of a promise."""


@dataclass
class PathReader:
    """Follows the path to a page through the layers."""

    hidden: Hidden
    epsilon: float

    def read(self, text: Text, before: State | None) -> tuple[float, State | None]:
        """Return the rank of a page's links, and where they lead."""
        cluster = self.hidden.cluster(*self.hidden.vector(text))
        alpha = self.hidden.forward(cluster, None if before is None else before.astype(float))
        ahead = self.hidden.ahead(alpha)
        return ranked(ahead, self.epsilon), ahead.astype(np.float32)


def ranked(ahead: Floats, epsilon: float) -> float:
    """Return a number by which links sort as their chances do: by T0, if about equal by T1, …."""
    # Digits of a number between 0 and 1, of which the first counts most.
    base = int(1 / epsilon) + 2
    rank, digit = 0.0, 1.0
    for chance in ahead[:-1].tolist():
        digit /= base
        rank += digit * int(chance / epsilon)
    return rank


@dataclass
class Hmm(PathCrawler):
    """Estimates with a hidden Markov model how near to relevant pages each path has come."""

    epsilon: float = 0.1

    def check(self) -> None:
        """Refuse what makes no sense."""
        super().check()
        if not FINEST <= self.epsilon <= 1:
            raise UsageError(f"hmm: epsilon={self.epsilon:g}: must be between {FINEST:g} and 1")

    def reader(self, model: Model) -> Reader:
        """Return someone who follows paths."""
        return PathReader(Hidden.of(model), self.epsilon)
