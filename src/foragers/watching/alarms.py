"""The silence alarm: a site that refuses, fails, changes its layout or stops publishing.

Each trouble is reported once, and again only after the site had recovered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf

from foragers.core.display import duration
from foragers.core.types import Status, Visit

FEWEST, LONGEST = 3, 1800.0
"""Requests in a row without a page, over at least so many seconds, until a site is in trouble."""
LAYOUT_SHARE, USUAL_LINKS = 0.2, 10
"""A page with fewer links than this share of its usual number, at least ten, has a new layout."""
SILENT_TIMES, SILENT_LEAST = 6.0, 86_400.0
"""A site is silent after so many times its longest pause, and at least a day."""
ASLEEP = 43_200.0
"""Seconds without any request after which the watch was not awake: then no site was silent."""
FEWEST_NEW = 5
"""New pages before it is known how often a site publishes."""
SMOOTHING = 0.3
MENU_PAGES = 10
"""Pages of a site by which its menu is told: the links that at least half of them have."""


class Trouble(StrEnum):
    """What can be wrong with a site."""

    REFUSES = "refuses"
    FAILS = "fails"
    LAYOUT = "layout"
    SILENT = "silent"


@dataclass
class SiteHealth:
    """How one site has responded."""

    bad: int = 0
    bad_since: float = 0.0
    refused: int = 0
    reason: str = ""
    links: dict[int, float] = field(default_factory=dict)
    broken: set[int] = field(default_factory=set)
    shared: Counter[int] = field(default_factory=Counter)
    read: set[int] = field(default_factory=set)
    menu: frozenset[int] = frozenset()
    last_new: float = 0.0
    longest: float = 0.0
    new: int = 0
    troubles: set[Trouble] = field(default_factory=set)


@dataclass
class Alarms:
    """Watches the health of sites, by their hosts.

    `awake_since` is when the watch began, or went on after it had slept or been stopped for hours.
    """

    sites: dict[str, SiteHealth] = field(default_factory=dict)
    awake_since: float = -inf
    requested: float = -inf

    def troubles(self) -> dict[str, list[Trouble]]:
        """Return what is wrong now, by site."""
        return {name: sorted(one.troubles) for name, one in self.sites.items() if one.troubles}

    def restore(self, troubles: dict[str, list[Trouble]]) -> None:
        """Take up what was wrong before: it was reported."""
        for name, known in troubles.items():
            self.sites.setdefault(name, SiteHealth()).troubles |= set(known)

    def wake(self, now: float) -> None:
        """Take note of a request."""
        if not 0 <= now - self.requested <= ASLEEP:
            self.awake_since = now
        self.requested = now

    def see(self, site: str, visit: Visit) -> Iterator[tuple[Trouble, str]]:
        """Learn from a visit, and give what is wrong since now."""
        health = self.sites.setdefault(site, SiteHealth())
        page = visit.page
        self.wake(page.time)
        if page.status in (Status.REFUSED, Status.FAILED) or self._is_barred(visit):
            health.bad_since = page.time if not health.bad else health.bad_since
            health.bad += 1
            health.refused += page.status is Status.REFUSED
            health.reason = page.reason
            lasting = page.time - health.bad_since
            if health.bad >= FEWEST and lasting >= LONGEST:
                kind = Trouble.REFUSES if 2 * health.refused >= health.bad else Trouble.FAILS
                if self._raise(health, kind):
                    said = f"{site} {kind.value}: {health.bad} requests in {duration(lasting)}"
                    yield kind, f"{said} brought no page ({health.reason})"
        elif page.status in (Status.OK, Status.UNCHANGED):
            health.bad = health.refused = 0
            health.troubles -= {Trouble.REFUSES, Trouble.FAILS}
            if page.status is Status.OK:
                self._learn_menu(health, visit)
            if page.choice.depth <= 1 and page.status is Status.OK:
                yield from self._layout(site, health, visit)

    def _is_barred(self, visit: Visit) -> bool:
        """Return whether a seed may not be requested any more."""
        page = visit.page
        return page.status is Status.SKIPPED and page.choice.depth == 0 and page.retry_at is None

    def _learn_menu(self, health: SiteHealth, visit: Visit) -> None:
        """Learn which links all pages of a site have: a page that has only these has no content."""
        page = visit.page
        if page.choice.depth == 0 or len(health.read) >= MENU_PAGES or page.final in health.read:
            return
        health.read.add(page.final)
        health.shared.update(set(page.links.targets.tolist()))
        if len(health.read) == MENU_PAGES:
            often = (link for link, pages in health.shared.items() if 2 * pages >= MENU_PAGES)
            health.menu = frozenset(often)
            health.shared.clear()
            health.links.clear()  # they counted the menu

    def _layout(self, site: str, health: SiteHealth, visit: Visit) -> Iterator[tuple[Trouble, str]]:
        page = visit.page
        count = len(set(page.links.targets.tolist()) - health.menu)
        usual = health.links.get(page.choice.url)
        if usual is not None and usual >= USUAL_LINKS and count < LAYOUT_SHARE * usual:
            health.broken.add(page.choice.url)
            if self._raise(health, Trouble.LAYOUT):
                told = f"{page.href} has {count} links of its own instead of about {usual:.0f}"
                yield Trouble.LAYOUT, f"{site} may have a new layout: {told}"
            return
        health.broken.discard(page.choice.url)
        if usual is not None and usual >= USUAL_LINKS and not health.broken:
            health.troubles.discard(Trouble.LAYOUT)
        if usual is not None or len(health.links) < 1000:
            before = count if usual is None else usual
            health.links[page.choice.url] = (1 - SMOOTHING) * before + SMOOTHING * count

    def published(self, site: str, found: float) -> None:
        """Note a new page."""
        health = self.sites.setdefault(site, SiteHealth())
        if health.new:
            health.longest = max(health.longest, found - health.last_new)
        health.new += 1
        health.last_new = max(health.last_new, found)
        health.troubles.discard(Trouble.SILENT)

    def silent(self, now: float) -> Iterator[tuple[str, Trouble, str]]:
        """Give the sites that have published nothing for long, as far as they were watched."""
        if -inf < self.requested < now - ASLEEP:
            return
        for site, health in self.sites.items():
            if health.troubles & {Trouble.REFUSES, Trouble.FAILS}:
                continue  # that is why
            quiet = now - max(health.last_new, self.awake_since)
            limit = max(SILENT_LEAST, SILENT_TIMES * health.longest)
            if health.new >= FEWEST_NEW and quiet > limit and self._raise(health, Trouble.SILENT):
                usual = duration(health.longest)
                told = f"no new page for {duration(quiet)}, at most {usual} before"
                yield site, Trouble.SILENT, f"{site} is silent: {told}"

    def _raise(self, health: SiteHealth, kind: Trouble) -> bool:
        """Note a trouble, and return whether it is a new one."""
        is_new = kind not in health.troubles
        health.troubles.add(kind)
        return is_new
