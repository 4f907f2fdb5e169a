"""A strategy and a judge for Foragers."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from foragers import FetchedPage
from foragers.core.types import Choice, HostId, Visit
from foragers.frontier.frontier import Frontier


@dataclass
class FewestLinks:
    """Links of pages with few links first: such pages are rarely menus.

    Fields with a default are parameters: `--strategy "fewest-links(weight=2)"`.
    """

    weight: float = 1.0
    frontier: Frontier = field(default_factory=Frontier)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose at most n pages, none on a closed host."""
        return self.frontier.pop(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Queue the links of each page; the fewer there are, the better they look."""
        for visit in visits:
            page, links = visit.page, visit.links
            self.frontier.fetched(page)
            for link in links:
                promise = 1 / (1 + self.weight * len(links))
                self.frontier.push(link.url, link.host, promise, page.final, page.choice.depth + 1)


def has_code(page: FetchedPage) -> bool:
    """Judge a page relevant if it seems to show code."""
    return any(mark in page.text for mark in ("def ", "import ", "#include", "function("))
