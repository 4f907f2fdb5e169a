"""Learning on the job: for want of a model, from the first pages of the crawl itself.

What the judge calls relevant is wanted, and what links to it is a step away.  That is all a
crawler can know without a recorded web: of pages whose links were not followed it
cannot tell how far they are, and takes them for far.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from foragers.core.types import Ids, Status, UrlId, Visit
from foragers.strategies.layered.layers import Layers, layers_of, links_between
from foragers.text.bag_of_words import BagStore

MOMENTS = (5, 40)
"""It is learned anew when so many wanted pages were seen,"""
FEWEST, MOST = 40, 600
"""but not before so many pages, and of no more than so many."""


@dataclass(frozen=True)
class LearnedPage:
    """A page that was learned from."""

    url: UrlId
    parent: UrlId
    wanted: bool
    targets: Ids


@dataclass
class Apprentice:
    """Keeps the first pages of a crawl, and says when to learn from them."""

    pages: list[LearnedPage] = field(default_factory=list, repr=False)
    texts: BagStore = field(default_factory=BagStore, repr=False)
    wanted: int = 0
    _numbers: dict[UrlId, int] = field(default_factory=dict, repr=False)
    _next: int = 0

    def see(self, visit: Visit, text: Mapping[str, int]) -> bool:
        """Keep a page with its words; say whether it is time to learn."""
        page = visit.page
        if page.status is not Status.OK or len(self.pages) >= MOST:
            return False
        if page.final in self._numbers:
            return False
        # A page is linked to by the address it was asked for or by the one it ended at.
        self._numbers[page.choice.url] = self._numbers[page.final] = len(self.pages)
        targets = np.unique(page.links.targets)
        self.pages.append(LearnedPage(page.final, page.choice.parent, visit.relevant, targets))
        self.texts.add(text)
        self.wanted += visit.relevant
        return self._is_time()

    def _is_time(self) -> bool:
        due = self._next < len(MOMENTS) and self.wanted >= MOMENTS[self._next]
        last_chance = len(self.pages) == MOST and self._next == 0 and self.wanted > 0
        if not last_chance and (not due or len(self.pages) < FEWEST):
            return False
        self._next = sum(self.wanted >= moment for moment in MOMENTS)
        return True

    @property
    def is_done(self) -> bool:
        """Whether nothing more will be learned."""
        return len(self.pages) >= MOST or self._next >= len(MOMENTS)

    def layers(self, count: int) -> Layers:
        """Return the pages seen, in so many layers."""
        known = self._numbers.get
        links = [
            (source, end)
            for source, page in enumerate(self.pages)
            for target in page.targets.tolist()
            if (end := known(target)) is not None and end != source
        ]
        pairs = np.array(links, np.int64).reshape(-1, 2)
        wanted = np.array([page.wanted for page in self.pages], np.bool_)
        found = layers_of(pairs[:, 0], pairs[:, 1], wanted, count)
        return Layers(self.texts, found, links_between(found, pairs[:, 0], pairs[:, 1], count))
