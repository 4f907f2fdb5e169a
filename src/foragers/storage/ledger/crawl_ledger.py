"""What a live crawl needs of its ledger, beyond adding and reading visits.

`foragers.testing.check_crawl_ledger` checks a ledger against it.
"""

from __future__ import annotations

from typing import Protocol

from foragers.core.population import Census
from foragers.core.protocols import Ledger
from foragers.core.types import Choice, UrlId, Visit
from foragers.storage.ledger.columns import Facts


class CrawlLedger(Ledger, Protocol):
    """A ledger from which a crawl is resumed, reported and summarised."""

    def commit(self) -> None:
        """Write everything appended so far to where it survives a crash."""
        ...

    def close(self) -> None:
        """Commit, and release files and connections."""
        ...

    def facts(self) -> Facts:
        """Return all visits as columns."""
        ...

    def reasons(self) -> list[str]:
        """Return the reason of each visit, in order."""
        ...

    def downloads(self) -> int:
        """Return the number of downloads: visits that were not skipped."""
        ...

    def href(self, url: UrlId) -> str:
        """Return the URL that a visit mentions by its number."""
        ...

    def last(self, final: UrlId, before: int | None = None) -> Visit | None:
        """Return the last visit, `before` another, at which a page was received."""
        ...

    def choice(self, number: int) -> Choice:
        """Return the choice of a visit; visits are numbered from 1."""
        ...

    def deferred(self) -> list[Choice]:
        """Return the choices that were deferred at their last visit, in the order of the visits."""
        ...

    def lists(self) -> list[UrlId]:
        """Return the URLs of sitemaps and feeds, each once."""
        ...

    def keep_census(self, census: Census) -> None:
        """Store the records of a population beside the visits."""
        ...
