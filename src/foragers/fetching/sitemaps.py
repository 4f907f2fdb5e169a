"""Sitemaps and feeds: lists of pages, fetched for their links alone.

A crawl that is told to looks for sitemaps where robots.txt names them, or at the usual
place of the seeds' hosts, and for feeds where pages announce them.  They become links of the
page that brought them to light, marked by their relation, so that the ledger knows of them;
the crawl fetches them on its own account, and their links go to the strategy like all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from foragers.core.types import Choice, ParsedLink, Purpose, Status
from foragers.fetching.extractor import Extracted
from foragers.filters.scope import Scope
from foragers.parsing.sitemap import Listed, Sitemap
from foragers.text.words import url_words
from foragers.urls.parse import resolve

USUAL_PLACE = "/sitemap.xml"
XML = (
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
    "application/xml",
    "text/xml",
)
MAX_NAMED = 100
"""How many sitemaps of one robots.txt are taken."""
MAX_SPOKEN = 300
"""How many letters of an address are taken for words."""


@dataclass(slots=True)
class ListSources:
    """Which lists a crawl looks for, and those that no page has been given yet, by origin."""

    sitemaps: bool = False
    feeds: bool = False
    waiting: dict[str, list[str]] = field(default_factory=dict)

    def takes(self, choice: Choice, content_type: str) -> bool:
        """Say whether the answer to a choice is to be read as a list."""
        return choice.purpose.is_list or ((self.feeds or self.sitemaps) and content_type in XML)

    def from_robots(self, origin: str, named: Sequence[str], is_seed: bool) -> None:
        """Take in the sitemaps that a robots.txt names."""
        if self.sitemaps:
            found = [absolute(name, origin) for name in named[:MAX_NAMED]]
            if not found and is_seed:
                found = [origin + USUAL_PLACE]
            self.waiting[origin] = [url for url in found if url]

    def attached(self, harvest: Extracted, origin: str, scope: Scope) -> Extracted:
        """Return what a page came to with the lists that it brought to light among its links."""
        if harvest.status is Status.SKIPPED:
            return harvest
        links = [ParsedLink(url, rel=Purpose.SITEMAP.value) for url in self.waiting.pop(origin, ())]
        if self.feeds:
            links += [ParsedLink(url, "feed", rel=Purpose.FEED.value) for url in harvest.feeds]
        links = [link for link in links if scope.refuse_host(link.href) is None]
        return replace(harvest, outlinks=(*harvest.outlinks, *links)) if links else harvest


def absolute(name: str, origin: str) -> str:
    """Return the address of a sitemap in full, or nothing if it has none."""
    try:
        url = resolve(name.strip(), origin + "/").partition("#")[0]
    except ValueError:
        return ""
    return url if url.startswith(("http://", "https://")) else ""


def latest_first(listed: Iterable[Listed]) -> list[Listed]:
    """Return what changed last first, and what has no date last."""
    return sorted(listed, key=lambda one: -(one.lastmod or 0.0))


def children_of(sitemap: Sitemap, scope: Scope) -> list[ParsedLink]:
    """Return the sitemaps that an index names, as links."""
    urls = [one.url for one in latest_first(sitemap.children)[:MAX_NAMED]]
    rel = Purpose.SITEMAP.value
    return [ParsedLink(url, rel=rel) for url in urls if not scope.refuse_host(url)]


def pages_of(sitemap: Sitemap) -> list[ParsedLink]:
    """Return the pages of a list as links; their words are those of their addresses."""
    found = latest_first(sitemap.urls)
    return [ParsedLink(one.url, spoken(one.url), position=n) for n, one in enumerate(found)]


def spoken(url: str) -> str:
    """Return the words of an address behind its host, in place of a link's own."""
    return " ".join(url_words(url.partition("://")[2].partition("/")[2][:MAX_SPOKEN]))
