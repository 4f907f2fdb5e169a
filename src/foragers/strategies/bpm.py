"""BPM: the hidden Markov model's opinion of a page, averaged with how like wanted pages it reads.

Batsakis, Petrakis and Milios (2009), "Improving the performance of focused web crawlers": the
HMM gives all pages of a cluster on like paths the same priority; the likeness to the
centroid of the wanted pages tells them apart.

    promise = ½ α'(T0) + ½ · ½ (cos(page, centroid) + cos(anchor, centroid))

Where we had to guess, since we had no copy of that paper: that anchor text enters the second term
at all, and with the same weight as the page; that cosines are those of tf·idf vectors, not
of LSI ones; and all that `hmm` names.  Links that were queued before it had learned are
valued anew without their anchors.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from foragers.models import Model
from foragers.strategies.hmm_model import Hidden
from foragers.strategies.layers import Layers
from foragers.strategies.page_by_page import Reader, State, Text
from foragers.strategies.path_crawler import PathCrawler
from foragers.types import Page

MOST_REMEMBERED = 20_000
"""Of how many anchors the likeness is remembered: menus say the same on every page."""


@dataclass
class CentroidReader:
    """Follows the path to a page, and compares the page with the wanted ones."""

    hidden: Hidden

    def read(self, text: Text, before: State | None) -> tuple[float, State | None]:
        """Return half the chance of a wanted page and a quarter of the likeness."""
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
        """Learn the hidden Markov model and the centroid, and forget what anchors were worth."""
        self._anchors.clear()
        return super().fit(layers)

    def reader(self, model: Model) -> Reader:
        """Return someone who follows paths and compares pages."""
        return CentroidReader(Hidden.of(model))

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

    def _likeness(self, hidden: Hidden, anchor: str) -> float:
        known = self._anchors.get(anchor)
        if known is None:
            known = hidden.likeness_of(anchor)
            if len(self._anchors) >= MOST_REMEMBERED:
                self._anchors.clear()
            self._anchors[anchor] = known
        return known
