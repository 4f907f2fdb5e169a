"""Novelty: pages that appeared recently and were not seen before; and durations such as 24h.

A page is one version of a URL, so a changed page is new again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import isfinite

from foragers.core.protocols import Judge
from foragers.core.types import Page, Status
from foragers.errors import UsageError
from foragers.parsing.language import language_of

_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])\s*")
_WHOLE = re.compile(rf"(?:{_PART.pattern})+")
_PLAIN = re.compile(r"\d+(?:\.\d+)?")


def parse_duration(given: str | float, option: str = "--new-within") -> float:
    """Return the seconds of a duration such as 24h, 1d12h or 3600."""
    text = str(given).strip().lower()
    if _PLAIN.fullmatch(text):
        seconds = float(text)
    elif _WHOLE.fullmatch(text):
        seconds = sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(text))
    else:
        seconds = 0.0
    if not (isfinite(seconds) and seconds > 0):
        raise UsageError(
            f"{option} {given}: not a duration; write for example 90s, 45m, 24h, 7d or 1d12h"
        )
    return seconds


DAY = 24 * 3600.0


@dataclass
class InLanguage:
    """Judges pages in some languages as another judge does, and all others irrelevant."""

    languages: frozenset[str]
    topic: Judge

    @property
    def threshold(self) -> float:
        """The relevance from which on a page counts."""
        return self.topic.threshold

    def relevance(self, page: Page) -> float:
        """Return the relevance of a page in one of the languages, 0 for all others."""
        # The other judge sees all pages, since it learns from them.
        relevance = self.topic.relevance(page)
        if relevance <= 0.0:
            return relevance
        document = page.document
        found = language_of(document.text, document.language).code
        return relevance if found in self.languages or not found else 0.0


@dataclass
class Novelty:
    """Judges a version of a page new if it is at most `within` seconds old and not seen before.

    With a `topic` a new page has the relevance that this judge gives it, and counts from its
    threshold on; an old page has relevance 0.  A version is new once; the second time it has
    relevance 0.
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
        # A version that is too old stays so, and need not be stored.
        if not page.time - page.born <= self.within:
            return False
        self.seen.add(page.version)
        return True
