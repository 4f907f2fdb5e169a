"""Everything: for a crawl without a topic, every page that was there counts."""

from __future__ import annotations

from dataclasses import dataclass

from foragers.types import Page, Status


@dataclass
class Everything:
    """Judges every page relevant that came back in good order."""

    threshold: float = 0.5

    def relevance(self, page: Page) -> float:
        """Return 1 for a page, 0 for a failure."""
        return 1.0 if page.status is Status.OK else 0.0
