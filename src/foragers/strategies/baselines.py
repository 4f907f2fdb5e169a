"""Breadth-first, random and best-first: the baselines every other strategy must beat.

Breadth-first visits pages in the order they were found, random in any order.
Best-first visits the link that looks most like the topic, judged by its anchor text
and by the page it stands on.  None of them learns.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from foragers.core.types import Choice, HostId, Visit
from foragers.frontier.frontier import Frontier
from foragers.judges.topic import Topic


@dataclass(slots=True)
class BreadthFirst:
    """Follows links in the order in which it finds them."""

    needs_link_context: ClassVar[bool] = False

    frontier: Frontier = field(default_factory=Frontier)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose the n pages on open hosts that were found first."""
        return self.frontier.pop(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Queue each new link behind those known already."""
        for visit in visits:
            page = visit.page
            self.frontier.fetched(page)
            depth = page.choice.depth + 1
            self.frontier.extend(page.links, 1 / (1 + depth), page.final, depth)


@dataclass(slots=True)
class Random:
    """Picks a known page at random."""

    needs_link_context: ClassVar[bool] = False

    rng: np.random.Generator
    frontier: Frontier = field(default_factory=Frontier)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose n random pages on open hosts."""
        return self.frontier.pop(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Give each new link a random promise."""
        for visit in visits:
            page = visit.page
            self.frontier.fetched(page)
            urls, hosts = page.links.targets.tolist(), page.links.hosts.tolist()
            draws = self.rng.random(len(urls)).tolist()
            for url, host, drawn in zip(urls, hosts, draws, strict=True):
                # A page with many links to it must not be drawn again.
                if url not in self.frontier:
                    self.frontier.push(url, host, drawn, page.final, page.choice.depth + 1)


@dataclass(slots=True)
class BestFirst:
    """Follows the links whose text, and whose page, resemble the topic most.

    A link's promise is `inherit` parts the relevance of its page, since good pages link to
    good pages, and for the rest the similarity of its anchor text to the topic.
    """

    needs_link_context: ClassVar[bool] = False

    topic: Topic
    inherit: float = 0.5
    frontier: Frontier = field(default_factory=Frontier)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose the n most promising pages on open hosts."""
        return self.frontier.pop(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Queue each link by its promise."""
        for visit in visits:
            page = visit.page
            self.frontier.fetched(page)
            inherited = self.inherit * visit.relevance
            depth, links, push = page.choice.depth + 1, page.links, self.frontier.push
            urls, hosts, anchors = links.targets.tolist(), links.hosts.tolist(), links.anchors
            # Most links lead to pages that were fetched before: their texts are not needed.
            for i in self.frontier.wanted(links):
                promise = inherited + (1 - self.inherit) * self.topic.likeness(anchors[i])
                push(urls[i], hosts[i], promise, page.final, depth)
