"""Judges without words: every page is relevant, or every page with a label of a recorded world."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from foragers.core.types import Page, Status, UrlId


@dataclass
class Everything:
    """Judges every page relevant that was fetched without an error."""

    threshold: float = 0.5

    def relevance(self, page: Page) -> float:
        """Return 1 for a page, 0 for a failure."""
        return 1.0 if page.status is Status.OK else 0.0


@dataclass
class LabelJudge:
    """Judges a page by whether its URL, after redirects, is in a set."""

    urls: AbstractSet[UrlId] = field(repr=False)
    threshold: float = 0.5

    def relevance(self, page: Page) -> float:
        """Return 1 for a page with the label, else 0."""
        return 1.0 if page.status is Status.OK and page.final in self.urls else 0.0
