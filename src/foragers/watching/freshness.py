"""How fresh the pages were that a watch looks at, by the definitions of the papers.

The stored copy of a page is fresh until the page changes, and then out of date until the next look;
its age is the time since that change.  `freshness` is the share of the time for which pages were
fresh, and `age` the mean over the time.  A page that does not say when it changed did so at any
moment since the look before, all being as likely: half of the time it was fresh, and the mean of
its age is a sixth of the time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from foragers.core.types import Status, UrlId, Visit
from foragers.strategies.watch.outcomes import gives_date

MOST_PAGES = 100_000
"""Pages whose last looks are remembered."""


@dataclass
class Freshness:
    """Sums over the times between two looks of one run: of time, fresh time, and age."""

    time: float = 0.0
    fresh: float = 0.0
    aged: float = 0.0

    def add(self, since: float, visit: Visit) -> None:
        """Count the time between a look and the one before, at `since`."""
        page = visit.page
        span = max(0.0, page.time - since)
        self.time += span
        if page.status is Status.UNCHANGED:
            self.fresh += span
        elif gives_date(page) and page.born > since:
            self.fresh += page.born - since
            self.aged += (page.time - page.born) ** 2 / 2
        else:
            self.fresh += span / 2
            self.aged += span * span / 6

    @property
    def freshness(self) -> float | None:
        """The share of the time for which pages were fresh."""
        return self.fresh / self.time if self.time else None

    @property
    def age(self) -> float | None:
        """The mean age in seconds."""
        return self.aged / self.time if self.time else None


@dataclass
class SiteFreshness:
    """The last looks at pages, and what they tell of each site and of all."""

    whole: Freshness = field(default_factory=Freshness)
    sites: dict[str, Freshness] = field(default_factory=dict)
    last: dict[UrlId, float] = field(default_factory=dict)

    def see(self, site: str, visit: Visit) -> None:
        """Count a look."""
        page = visit.page
        if page.status not in (Status.OK, Status.UNCHANGED):
            return
        since = self.last.pop(page.choice.url, None)
        self.last[page.choice.url] = page.time
        if len(self.last) > MOST_PAGES:
            del self.last[next(iter(self.last))]
        if since is not None:
            for one in (self.whole, self.sites.setdefault(site, Freshness())):
                one.add(since, visit)
