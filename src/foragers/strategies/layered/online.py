"""Learning without a model: from the first pages of the crawl itself.

Relevant pages are layer 0, and pages that link to them layer 1.  A crawler without a recorded web
knows no more: pages whose links were not followed count as far from relevant ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from foragers.core.types import Ids, Status, UrlId, Visit
from foragers.strategies.layered.layers import Layers, layers_of, links_between
from foragers.strategies.layered.settings import DEFAULT_LAYERED, LayeredSettings
from foragers.text.bag_of_words import BagStore


@dataclass(frozen=True)
class LearnedPage:
    """A page to learn from."""

    url: UrlId
    parent: UrlId
    wanted: bool
    targets: Ids


@dataclass
class OnlineLearner:
    """Keeps the first pages of a crawl, and decides when to learn from them."""

    settings: LayeredSettings = DEFAULT_LAYERED
    pages: list[LearnedPage] = field(default_factory=list, repr=False)
    texts: BagStore = field(default_factory=BagStore, repr=False)
    wanted: int = 0
    _numbers: dict[UrlId, int] = field(default_factory=dict, repr=False)
    _next: int = 0

    def see(self, visit: Visit, text: Mapping[str, int]) -> bool:
        """Add a page with its words; return whether it is time to learn."""
        page = visit.page
        if page.status is not Status.OK or len(self.pages) >= self.settings.max_pages:
            return False
        if page.final in self._numbers:
            return False
        # Links may have the URL before or after redirects.
        self._numbers[page.choice.url] = self._numbers[page.final] = len(self.pages)
        targets = np.unique(page.links.targets)
        self.pages.append(LearnedPage(page.final, page.choice.parent, visit.relevant, targets))
        self.texts.add(text)
        self.wanted += visit.relevant
        return self._is_time()

    def _is_time(self) -> bool:
        settings, pages = self.settings, len(self.pages)
        lessons = settings.lessons
        due = self._next < len(lessons) and self.wanted >= lessons[self._next]
        last_chance = pages == settings.max_pages and self._next == 0 and self.wanted > 0
        if not last_chance and (not due or pages < settings.min_pages):
            return False
        self._next = sum(self.wanted >= lesson for lesson in lessons)
        return True

    @property
    def is_done(self) -> bool:
        """Whether nothing more will be learned."""
        settings = self.settings
        return len(self.pages) >= settings.max_pages or self._next >= len(settings.lessons)

    def layers(self, count: int) -> Layers:
        """Return the pages seen, in `count` layers."""
        number_of = self._numbers.get
        links = [
            (source, end)
            for source, page in enumerate(self.pages)
            for target in page.targets.tolist()
            if (end := number_of(target)) is not None and end != source
        ]
        pairs = np.array(links, np.int64).reshape(-1, 2)
        wanted = np.array([page.wanted for page in self.pages], np.bool_)
        of_page = layers_of(pairs[:, 0], pairs[:, 1], wanted, count)
        links_by_layer = links_between(of_page, pairs[:, 0], pairs[:, 1], count)
        return Layers(self.texts, of_page, links_by_layer)
