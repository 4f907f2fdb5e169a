"""Code of a user's: a strategy, a judge, and an installed package that offers both."""

from __future__ import annotations

from pathlib import Path

MINE = '''
from dataclasses import dataclass, field
from foragers.frontier.frontier import Frontier


@dataclass
class Mine:
    """Fetches in the order of discovery."""

    weight: float = 1.0
    frontier: Frontier = field(default_factory=Frontier)

    def ask(self, n, closed):
        return self.frontier.pop(n, closed)

    def tell(self, visits):
        for visit in visits:
            page = visit.page
            self.frontier.fetched(page)
            for link in visit.links:
                depth = page.choice.depth + 1
                self.frontier.push(link.url, link.host, self.weight, page.final, depth)


def long(page):
    return len(page.text) > 1000
'''


def install(site: Path) -> None:
    """Put a package where `PYTHONPATH` can point to, as pip would install it."""
    about = site / "offering-1.0.dist-info"
    about.mkdir(parents=True)
    (site / "offering.py").write_text(MINE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: offering\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[foragers.strategies]\noffered = offering:Mine\n\n"
        "[foragers.judges]\nlong-read = offering:long\n"
    )
