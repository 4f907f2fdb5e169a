"""Two strategies with a hidden Markov model of the path to relevant pages: HMM and BPM.

**hmm.**  LJM in the paper `automata`: Liu, Janssen and Milios (2006), "Using HMM to learn user
browsing patterns for focused web crawling".  The promise of a page's links is the probability that
the page behind them is relevant (α' of T0, see `hmm_model`); if that is about equal, that it
is one step away (T1), and so on.

Where we had to guess, since we had no copy of that paper: the number of states (n = 4), of
clusters and of LSI dimensions; ε, which defines "about equal" (we count in steps of ε, so
that values on two sides of a step differ however near they are); smoothing by ½; α at the start
(uniform); that a page linked to twice keeps the better promise; and that a page belongs to the
cluster with the nearest centre, where the paper puts relevant pages into cluster 0
by definition.  The paper learns from a user's browsing; we learn from recorded worlds
(`foragers train --kind hmm`) or, without a model, from the first pages of the crawl.

**bpm.**  Batsakis, Petrakis and Milios (2009), "Improving the performance of focused web
crawlers": the HMM gives all pages of a cluster on similar paths the same priority; the similarity
to the centroid of the relevant pages distinguishes them.

    promise = ½ α'(T0) + ½ · ½ (cos(page, centroid) + cos(anchor, centroid))

Where we had to guess, since we had no copy of that paper: that anchor text enters the second term
at all, and with the same weight as the page; that cosines are those of tf·idf vectors, not
of LSI vectors; and everything named for `hmm`.  Links that were queued before the first lesson
are rescored without their anchors.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from foragers.core.models import Model
from foragers.core.types import Page
from foragers.errors import UsageError
from foragers.strategies.layered.hmm_model import Floats, HmmModel
from foragers.strategies.layered.layers import Layers
from foragers.strategies.layered.page_scorer import PageReader, PathCrawler, State, Text


@dataclass
class PathReader:
    """Follows the path to a page through the layers."""

    hidden: HmmModel
    epsilon: float

    def read(self, text: Text, before: State | None) -> tuple[float, State | None]:
        """Return the rank of a page's links, and where they lead."""
        cluster = self.hidden.cluster(*self.hidden.vector(text))
        alpha = self.hidden.forward(cluster, None if before is None else before.astype(float))
        ahead = self.hidden.ahead(alpha)
        return ranked(ahead, self.epsilon), ahead.astype(np.float32)


def ranked(ahead: Floats, epsilon: float) -> float:
    """Return a number that sorts links by their probability of T0, if about equal by T1, …."""
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
        """Raise a UsageError for invalid parameters."""
        super().check()
        least = self.settings.finest
        if not least <= self.epsilon <= 1:
            raise UsageError(f"hmm: epsilon={self.epsilon:g}: must be between {least:g} and 1")

    def reader(self, model: Model) -> PageReader:
        """Return a reader that follows paths."""
        return PathReader(HmmModel.of(model), self.epsilon)


@dataclass
class CentroidReader:
    """Follows the path to a page, and compares the page with the wanted ones."""

    hidden: HmmModel

    def read(self, text: Text, before: State | None) -> tuple[float, State | None]:
        """Return half the probability of a relevant page and a quarter of the similarity."""
        numbers, weights = self.hidden.vector(text)
        cluster = self.hidden.cluster(numbers, weights)
        alpha = self.hidden.forward(cluster, None if before is None else before.astype(float))
        ahead = self.hidden.ahead(alpha)
        promise = float(ahead[0]) / 2 + self.hidden.likeness(numbers, weights) / 4
        return promise, ahead.astype(np.float32)


@dataclass
class Bpm(PathCrawler):
    """Like hmm, and also compares pages and anchor texts with relevant pages."""

    _anchors: dict[str, float] = field(default_factory=dict, init=False, repr=False)

    def fit(self, layers: Layers) -> Model:
        """Learn the hidden Markov model and the centroid, and clear the cache of anchors."""
        self._anchors.clear()
        return super().fit(layers)

    def reader(self, model: Model) -> PageReader:
        """Return a reader that follows paths and compares pages."""
        return CentroidReader(HmmModel.of(model))

    def queue(self, page: Page, promise: float) -> None:
        """Queue the links of a page, each by its anchor as well."""
        if not isinstance(self._reader, CentroidReader):
            super().queue(page, promise)
            return
        depth, hidden = page.choice.depth + 1, self._reader.hidden
        wants, push = self.frontier.wants, self.frontier.push
        urls, hosts = page.links.targets.tolist(), page.links.hosts.tolist()
        for url, host, anchor in zip(urls, hosts, page.links.anchors, strict=True):
            if wants(url):
                own = self._likeness(hidden, anchor) / 4
                push(url, host, promise + own, page.final, depth)

    def _likeness(self, hidden: HmmModel, anchor: str) -> float:
        likeness = self._anchors.get(anchor)
        if likeness is None:
            likeness = hidden.likeness_of(anchor)
            if len(self._anchors) >= self.settings.cached_anchors:
                self._anchors.clear()
            self._anchors[anchor] = likeness
        return likeness
