"""Pages behind hidden links, and how many of them a site may show.

Some sites hide links from readers that lead robots to text made up at random, each page new
and each leading on.  Such text cannot be told from any other, but the way to it can: a page is
*behind* a hidden link if its URL was first seen in one, or on a page behind one, and has not
been seen since in an open link of another page.

Honest sites hide links too, in menus that open with a click.  The pages behind those link to
each other again and again.  Only where nearly all links behind hidden ones are new to the
crawl, page after page, are they taken to go on for ever, and held to a share of the site.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from foragers.filters.traps.bounded import Recent, RecentNumbers

SHARE = 0.1
"""The share of a site's pages that may lie behind hidden links, if those go on for ever."""
FEW = 64
"""So many may in any case."""
FEW_DOORS = 256
"""The same for pages that a hidden link itself leads to: a large menu has as many."""
ENOUGH = 32
"""From how many pages behind hidden links on a site is judged."""
ENDLESS, ENDING = 0.8, 0.5
"""The share of new links from which on pages seem to go on for ever, and below which they end."""
_MEMORY = 1 - 1 / 64


@dataclass(slots=True)
class HiddenLinkRecord:
    """What is known of one site; what its links were like is soon forgotten."""

    pages: int = 0
    behind: int = 0
    new: float = 0.0
    known: float = 0.0
    endless: bool = False

    def record(self, new: int, known: int) -> None:
        """Take in a page behind a hidden link: how many of its links were new, how many not."""
        self.behind += 1
        self.new = _MEMORY * self.new + new
        # A page that leads nowhere is an end as well.
        self.known = _MEMORY * self.known + (known if new else known + 1)
        limit = ENDING if self.endless else ENDLESS
        self.endless = self.behind >= ENOUGH and self.new >= limit * (self.new + self.known)


@dataclass(slots=True)
class HiddenLinks:
    """How many steps URLs are behind hidden links, of 65,536 to 131,072 URLs and 8,192 sites.

    The last 65,536 to 131,072 URLs that were `shown` in an open link are known as well.
    """

    steps: Recent[str, int] = field(default_factory=lambda: Recent(65_536))
    shown: RecentNumbers = field(default_factory=lambda: RecentNumbers(65_536))
    sites: Recent[str, HiddenLinkRecord] = field(default_factory=lambda: Recent(4096))

    def refuses(self, url: str, site: str) -> bool:
        """Say whether a URL is one too many behind hidden links."""
        if not self.steps:
            return False
        step = self.steps.get(url)
        known = self.sites.get(site) if step is not None else None
        if known is None or not known.endless:
            return False
        return known.behind >= max(FEW_DOORS if step == 1 else FEW, SHARE * known.pages)

    def record(self, url: str, site: str, links: Sequence[str], hid: Container[str]) -> None:
        """Take in a page: its links, and which of them it hides."""
        known = self.sites.get(site)
        if known is None:
            known = HiddenLinkRecord()
            self.sites.put(site, known)
        known.pages += 1
        step = self.steps.get(url) if self.steps else None
        if step is None:
            shown = [link for link in links if link not in hid]
            for link in shown:
                self.shown.put(link, 1)
                self.steps.drop(link)
            found = self._unknown([link for link in links if link in hid])
        else:
            found = self._unknown(links)
            known.record(len(found), sum(self.steps.get(link) is not None for link in links))
        for link in found:
            self.steps.put(link, 1 if step is None else step + 1)

    def _unknown(self, links: Sequence[str]) -> list[str]:
        """Return the links that no page showed, and that are not known to be behind others.

        This must be exact: a single page of a maze that passed for known would let all others in.
        """
        steps, shown = self.steps.get, self.shown.get
        return [link for link in links if steps(link) is None and shown(link) is None]
