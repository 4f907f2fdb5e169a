"""What a followed link was worth in the long run: its page, and what was found through it.

    worth = max(what it is worth itself, HUB·(1 − exp(−found)))

`found` counts the relevant pages that were reached from the page, those two or three links
away for a half and a quarter of one, and others for what they are worth.  It becomes known as
they come in, and is passed back to all that learned from the link.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import exp
from typing import NamedTuple

from foragers.strategies.auto_rates import Lineage
from foragers.strategies.auto_words import Spoken
from foragers.types import UrlId

HUB = 0.7
"""What a page is worth through which very many relevant ones were found."""
FARTHER = 0.5
"""What a relevant page counts for one that is a link farther away."""
MOST_LINKS_BACK = 3
MOST_REMEMBERED = 50_000
"""Of how many pages it is remembered how they were found; the oldest are forgotten first."""


class Followed(NamedTuple):
    """A link that was followed: whom it taught, what its page is worth, and what was found."""

    parent: UrlId
    groups: Lineage
    words: Spoken
    place: int
    itself: float
    found: float = 0.0

    @property
    def worth(self) -> float:
        """What it was worth, as far as is known."""
        return max(self.itself, HUB * (1 - exp(-self.found)))


class Raised(NamedTuple):
    """A link that turned out to be worth more than was known."""

    link: Followed
    more: float


@dataclass
class Credit:
    """The links that were followed, by the pages they led to."""

    _links: dict[UrlId, Followed] = field(default_factory=dict, repr=False)

    def add(self, page: UrlId, link: Followed) -> None:
        """Remember by which link a page was found."""
        self._links[page] = link
        if len(self._links) > MOST_REMEMBERED:
            del self._links[next(iter(self._links))]

    def pass_back(self, parent: UrlId, worth: float) -> Iterator[Raised]:
        """Credit the pages that led to one of worth, and say whose links are worth more now."""
        share = worth
        for _ in range(MOST_LINKS_BACK):
            link = self._links.get(parent)
            if link is None:
                return
            raised = self._links[parent] = link._replace(found=link.found + share)
            if raised.worth > link.worth:
                yield Raised(raised, raised.worth - link.worth)
            share *= FARTHER
            parent = link.parent
