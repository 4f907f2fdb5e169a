"""Sitemaps and feeds: lists of pages, fetched only for their links.

A crawl reads the sitemaps that robots.txt names (unless `--no-named-sitemaps` is given) and, with
`--feeds`, the feeds that pages announce.  With `--sitemaps` it looks for a sitemap at the usual
path of a seed's host, too.  Lists become links
of the page through which they were found, marked by their relation, so that the ledger has them.
The crawl requests them itself, and their links go to the strategy like all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from foragers.core.display import iso
from foragers.core.types import Choice, ParsedLink, Purpose, Status, UrlId
from foragers.fetching.extractor import Extracted
from foragers.fetching.settings import DEFAULT_FETCHING, ListSettings
from foragers.filters.scope import Scope
from foragers.parsing.hub_links import FeedHub, hub_of
from foragers.parsing.sitemap import Listed, Sitemap
from foragers.text.words import url_words
from foragers.urls.parse import resolve

USUAL_PATH = "/sitemap.xml"
XML = (
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
    "application/xml",
    "text/xml",
)


@dataclass(slots=True)
class ListSources:
    """Which lists a crawl looks for, and the sitemaps of origins that no page links to yet."""

    sitemaps: bool = False
    feeds: bool = False
    named: bool = False
    dated: bool = False
    """Whether the titles of entries, and modification dates in place of the words around links, are
    kept."""
    settings: ListSettings = DEFAULT_FETCHING.lists
    waiting: dict[str, list[str]] = field(default_factory=dict)
    hubs: dict[UrlId, FeedHub] | None = None
    """The hubs that feeds announce, by the numbers of the feeds; None if nobody asks for them."""

    def takes(self, choice: Choice, content_type: str) -> bool:
        """Return whether the response to a choice is to be read as a list."""
        return choice.purpose.is_list or ((self.feeds or self.sitemaps) and content_type in XML)

    def from_robots(self, origin: str, named: Sequence[str], is_seed: bool) -> None:
        """Add the sitemaps that a robots.txt names, or the usual one of a seed's host."""
        if self.sitemaps or self.named:
            urls = [absolute(name, origin) for name in named[: self.settings.max_sitemaps]]
            if not urls and is_seed and self.sitemaps:
                urls = [origin + USUAL_PATH]
            self.waiting[origin] = [url for url in urls if url]

    def attached(self, extracted: Extracted, origin: str, scope: Scope) -> Extracted:
        """Return the content of a page with the lists found through it among its links."""
        if extracted.status is Status.SKIPPED:
            return extracted
        links = [ParsedLink(url, rel=Purpose.SITEMAP.value) for url in self.waiting.pop(origin, ())]
        if self.feeds:
            links += [ParsedLink(url, "feed", rel=Purpose.FEED.value) for url in extracted.feeds]
        links = [link for link in links if scope.refuse_host(link.href) is None]
        return replace(extracted, links=(*extracted.links, *links)) if links else extracted

    def note_hub(self, choice: Choice, body: bytes, url: str, headers: Sequence[str]) -> None:
        """Note the hub that a feed announces."""
        if self.hubs is not None and (hub := hub_of(body, url, headers)) is not None:
            self.hubs[choice.url] = hub

    def children_of(self, sitemap: Sitemap, scope: Scope) -> list[ParsedLink]:
        """Return the sitemaps that an index names, as links."""
        newest = latest_first(sitemap.children)[: self.settings.max_sitemaps]
        rel = Purpose.SITEMAP.value
        return [
            ParsedLink(child.url, rel=rel) for child in newest if not scope.refuse_host(child.url)
        ]

    def pages_of(self, sitemap: Sitemap) -> list[ParsedLink]:
        """Return the pages of a list as links; the words of their URLs stand in for link texts."""
        return [
            ParsedLink(page.url, self._text_of(page), self._date_of(page), position=n)
            for n, page in enumerate(latest_first(sitemap.urls))
        ]

    def _text_of(self, page: Listed) -> str:
        """Return the title of an entry, if it is wanted and said, or else the words of its URL."""
        most = self.settings.max_url_chars
        return page.title[:most] if self.dated and page.title else words_in(page.url, most)

    def _date_of(self, page: Listed) -> str:
        """Return when a page was modified, if that is wanted and said."""
        return (iso(page.lastmod) or "") if self.dated else ""


def absolute(name: str, origin: str) -> str:
    """Return the absolute URL of a sitemap, or "" if it has none."""
    try:
        url = resolve(name.strip(), origin + "/").partition("#")[0]
    except ValueError:
        return ""
    return url if url.startswith(("http://", "https://")) else ""


def latest_first(listed: Iterable[Listed]) -> list[Listed]:
    """Return entries, the last modified first, and those without a date last."""
    return sorted(listed, key=lambda entry: -(entry.lastmod or 0.0))


def words_in(url: str, max_chars: int) -> str:
    """Return the words of the path and query of a URL."""
    return " ".join(url_words(url.partition("://")[2].partition("/")[2][:max_chars]))
