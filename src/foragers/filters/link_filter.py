"""Which links of pages may be followed, with a cache: most links stand on many pages.

The answer for a link is the URL to fetch, without session ids and tracking parameters, or ""
if the scope refuses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from foragers.filters.scope import Scope
from foragers.filters.settings import DEFAULT_FILTERS, FilterSettings
from foragers.urls.canonical import canonical


@dataclass(slots=True)
class LinkFilter:
    """The cached answers for one scope; a full cache is cleared."""

    settings: FilterSettings = DEFAULT_FILTERS
    _valid_for: tuple[Scope, bool, bool] | None = None
    _answers: dict[str, str] = field(default_factory=dict)

    def many(self, hrefs: Sequence[str], scope: Scope, depth: int, tidy: bool) -> list[str]:
        """Return the URLs to fetch for links of a depth, "" for those that are refused."""
        # All that an answer depends on besides the URL.
        is_deep = scope.max_depth is not None and depth > scope.max_depth
        valid_for = (scope, is_deep, depth > 0)
        if valid_for != self._valid_for:
            self._valid_for = valid_for
            self._answers.clear()
        answer = self._answers.__getitem__
        try:
            return list(map(answer, hrefs))
        except KeyError:
            self._add(hrefs, scope, depth, tidy)
        urls = list(map(answer, hrefs))
        self._forget(hrefs)
        return urls

    def _add(self, hrefs: Sequence[str], scope: Scope, depth: int, tidy: bool) -> None:
        """Compute the answers that are not cached yet."""
        answers = self._answers
        for href in hrefs:
            if href not in answers:
                url = canonical(href) if tidy else href
                answers[href] = url if scope.refuse(url, depth) is None else ""

    def _forget(self, hrefs: Sequence[str]) -> None:
        """Keep the cache within its bounds."""
        longest = self.settings.max_chars
        if len(self._answers) > self.settings.links:
            self._answers.clear()
        elif max(map(len, hrefs)) > longest:
            for href in hrefs:
                if len(href) > longest:
                    self._answers.pop(href, None)
