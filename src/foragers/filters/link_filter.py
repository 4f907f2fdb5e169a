"""Where the links of pages may lead: most stand on many pages, so that the answers are remembered.

An answer is the address as it is to be fetched, without session ids and the like, or nothing
if the scope refuses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from foragers.filters.scope import Scope
from foragers.urls.canonical import canonical

MOST = 32_768
LONGEST = 512
"""Addresses with more letters are not remembered: pages can be made to fill the memory."""


@dataclass(slots=True)
class LinkFilter:
    """The last answers of one scope, up to a number; then it begins anew."""

    most: int = MOST
    _asked: tuple[Scope, bool, bool] | None = None
    _known: dict[str, str] = field(default_factory=dict)

    def many(self, hrefs: Sequence[str], scope: Scope, depth: int, tidy: bool) -> list[str]:
        """Return where links of a depth lead, nothing for those that are refused."""
        # All that an answer depends on besides the address.
        is_deep = scope.max_depth is not None and depth > scope.max_depth
        asked = (scope, is_deep, depth > 0)
        if asked != self._asked:
            self._asked = asked
            self._known.clear()
        answer = self._known.__getitem__
        try:
            return list(map(answer, hrefs))
        except KeyError:
            self._learn(hrefs, scope, depth, tidy)
        found = list(map(answer, hrefs))
        self._forget(hrefs)
        return found

    def _learn(self, hrefs: Sequence[str], scope: Scope, depth: int, tidy: bool) -> None:
        """Find the answers that are not known yet."""
        known = self._known
        for href in hrefs:
            if href not in known:
                address = canonical(href) if tidy else href
                known[href] = address if scope.refuse(address, depth) is None else ""

    def _forget(self, hrefs: Sequence[str]) -> None:
        """Forget what takes too much memory."""
        if len(self._known) > self.most:
            self._known.clear()
        elif max(map(len, hrefs)) > LONGEST:
            for href in hrefs:
                if len(href) > LONGEST:
                    self._known.pop(href, None)
