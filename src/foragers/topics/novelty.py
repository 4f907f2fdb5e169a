"""Novelty: news is what appeared lately and was not seen before.

A page is one content version of a URL, so that a changed page is a new page and may
count again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from foragers.protocols import Judge
from foragers.types import Page, Status

DAY = 24 * 3600.0


@dataclass
class Novelty:
    """Judges a version of a page new if it is at most `within` seconds old and not seen before.

    With a `topic` a new page has the relevance that this judge gives it, and counts from
    its threshold on; an old one has none.  A version is new once: asked a second time
    the answer is 0.
    """

    within: float = DAY
    topic: Judge | None = None
    seen: set[int] = field(default_factory=set, repr=False)

    @property
    def threshold(self) -> float:
        """The relevance from which on a new page counts."""
        return 0.5 if self.topic is None else self.topic.threshold

    def relevance(self, page: Page) -> float:
        """Return 1, or the relevance to the topic, for a new page, and 0 for all others."""
        if not self._is_new(page):
            return 0.0
        return 1.0 if self.topic is None else self.topic.relevance(page)

    def _is_new(self, page: Page) -> bool:
        if page.status is not Status.OK or page.version < 0 or page.version in self.seen:
            return False
        # What is too old stays too old: it need not be remembered.
        if not page.time - page.born <= self.within:
            return False
        self.seen.add(page.version)
        return True
