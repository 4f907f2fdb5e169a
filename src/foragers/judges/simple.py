"""Judges without words: every page is relevant, or every page with a label of a recorded world."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from foragers.core.types import Page, Status, UrlId

_WORD = re.compile(r"[a-z0-9]+")


@dataclass
class Everything:
    """Judges every page relevant that was fetched without an error."""

    threshold: float = 0.5

    def relevance(self, page: Page) -> float:
        """Return 1 for a page, 0 for a failure."""
        return 1.0 if page.status is Status.OK else 0.0


@dataclass
class Documents:
    """Judges documents of some types relevant, such as all PDF files."""

    types: frozenset[str]
    threshold: float = 0.5

    def relevance(self, page: Page) -> float:
        """Return 1 for a document of the types, else 0."""
        return 1.0 if page.status is Status.OK and page.document.kind in self.types else 0.0

    def likeness(self, text: str) -> float:
        """Return 1 for a link text that names one of the types, such as "report (PDF)"."""
        return 0.0 if self.types.isdisjoint(_WORD.findall(text.lower())) else 1.0


@dataclass
class LabelJudge:
    """Judges a page by whether its URL, after redirects, is in a set."""

    urls: AbstractSet[UrlId] = field(repr=False)
    threshold: float = 0.5

    def relevance(self, page: Page) -> float:
        """Return 1 for a page with the label, else 0."""
        return 1.0 if page.status is Status.OK and page.final in self.urls else 0.0
