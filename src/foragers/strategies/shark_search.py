"""Shark-search: a link inherits from the pages that led to it, and is scored by its words.

Hersovici and others (1998), with their names for the weights:

    promise       = gamma * inherited + (1 - gamma) * neighbourhood
    inherited     = delta * relevance(page), or, if the page is not relevant at all,
                    delta * the inherited value of the page
    neighbourhood = beta * likeness(anchor) + (1 - beta) * context
    context       = 1 if the anchor matches, else likeness(text around the link)
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from foragers.core.types import Choice, HostId, Link, UrlId, Visit
from foragers.frontier.frontier import Frontier
from foragers.judges.topic import Topic


@dataclass(slots=True)
class SharkSearch:
    """Like best-first, but loses interest along paths without relevant pages."""

    topic: Topic
    beta: float = 0.8
    gamma: float = 0.5
    delta: float = 0.5
    frontier: Frontier = field(default_factory=Frontier)
    _passed_on: dict[UrlId, float] = field(default_factory=dict, repr=False)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose the n most promising pages on open hosts."""
        return self.frontier.pop(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Queue each link by its promise."""
        for visit in visits:
            page = visit.page
            self.frontier.fetched(page)
            inherited = self.pass_on(visit)
            for link in page.links:
                promise = self.gamma * inherited + (1 - self.gamma) * self.neighbourhood(link)
                self.frontier.push(link.url, link.host, promise, page.final, page.choice.depth + 1)

    def pass_on(self, visit: Visit) -> float:
        """Return the inherited value of a page's links, and remember it for their children."""
        page = visit.page
        source = visit.relevance or self._passed_on.get(page.choice.parent, 0.0)
        self._passed_on[page.final] = inherited = self.delta * source
        return inherited

    def neighbourhood(self, link: Link) -> float:
        """Return the score of the words of a link."""
        anchor = self.topic.likeness(link.anchor)
        context = 1.0 if anchor > 0 else self.topic.likeness(link.around)
        return self.beta * anchor + (1 - self.beta) * context
