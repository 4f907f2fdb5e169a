"""Pages behind hidden links, and how many of them a site may show.

Some sites hide links from readers that lead robots to random text, each page new and each with
more links.  Such text cannot be distinguished from other text, but the way to it can: a page is
*behind* a hidden link if its URL was first seen in one, or on a page behind one, and has not
been seen since in a visible link of another page.

Honest sites hide links too, in menus that open with a click.  The pages behind those link to
each other again and again.  Only if nearly all links behind hidden ones are new to the
crawl, page after page, they are taken to be endless, and limited to a share of the site.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from foragers.filters.traps.bounded import DigestMap, RecentDict, RecentIntegers
from foragers.filters.traps.settings import DEFAULT_TRAPS, HiddenLinkSettings


@dataclass(slots=True)
class HiddenLinkRecord:
    """The counts of one site; the counts of its links decay with every page."""

    pages: int = 0
    behind: int = 0
    new: float = 0.0
    known: float = 0.0
    endless: bool = False

    def record(self, new: int, known: int, settings: HiddenLinkSettings) -> None:
        """Count a page behind a hidden link, with its new and its known links."""
        self.behind += 1
        self.new = settings.decay * self.new + new
        # A page without new links is an end as well.
        self.known = settings.decay * self.known + (known if new else known + 1)
        limit = settings.ending if self.endless else settings.endless
        self.endless = self.behind >= settings.min_pages and self.new >= limit * (
            self.new + self.known
        )


@dataclass(slots=True)
class HiddenLinks:
    """How many steps recent URLs are behind hidden links, and which URLs were `shown` openly."""

    settings: HiddenLinkSettings = DEFAULT_TRAPS.hidden
    steps: RecentDict[str, int] = field(init=False)
    shown: RecentIntegers = field(init=False)
    sites: RecentDict[str, HiddenLinkRecord] = field(init=False)
    _lately: set[str] = field(default_factory=set, repr=False)
    _since: DigestMap | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.steps = RecentDict(self.settings.urls)
        self.shown = RecentIntegers(self.settings.urls)
        self.sites = RecentDict(self.settings.sites)

    def refuses(self, url: str, site: str) -> bool:
        """Return whether a URL exceeds the share of pages behind hidden links."""
        if not self.steps:
            return False
        step = self.steps.get(url)
        record = self.sites.get(site) if step is not None else None
        if record is None or not record.endless:
            return False
        settings = self.settings
        allowed = settings.min_allowed_targets if step == 1 else settings.min_allowed
        return record.behind >= max(allowed, settings.share * record.pages)

    def record(self, url: str, site: str, links: Sequence[str], hidden: Container[str]) -> None:
        """Record a page: its links, and which of them are hidden."""
        record = self.sites.get(site)
        if record is None:
            record = HiddenLinkRecord()
            self.sites.put(site, record)
        record.pages += 1
        step = self.steps.get(url) if self.steps else None
        if step is None:
            self._show([link for link in links if link not in hidden] if hidden else links)
            new = self._unknown([link for link in links if link in hidden]) if hidden else []
        else:
            new = self._unknown(links)
            known = len(links) - len(self.steps.missing(links))
            record.record(len(new), known, self.settings)
        for link in new:
            self.steps.put(link, 1 if step is None else step + 1)

    def _show(self, links: Sequence[str]) -> None:
        """Record that links were shown openly; menus show the same ones on page after page."""
        shown, lately = self.shown, self._lately
        if len(lately) > self.settings.lately:
            lately.clear()
        self.steps.drop_all(links)
        for link in links:
            if shown.young is not self._since:
                # Those before are among the older half now.
                self._since = shown.young
                lately.clear()
            if link not in lately:
                shown.put(link, 1)
                lately.add(link)

    def _unknown(self, links: Sequence[str]) -> list[str]:
        """Return the links that no page has shown, and that are not known to be behind others.

        This must be exact: a single page of a maze that passed for known would let all others in.
        """
        shown = self.shown
        # Those of the last pages are in its younger half for certain.
        lately = self._lately if shown.young is self._since else ()
        return [
            link
            for link in self.steps.missing(links)
            if link not in lately and shown.get(link) is None
        ]
