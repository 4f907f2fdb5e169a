"""The links of watched sites: which are known, and which of them lead to new pages.

A link that is new on a page seen before leads to a new page.  On a page that is itself new it may,
and on a page seen for the first time it is as old as that page, as far as is known.  Such a link
proves to be new if it then turns up on a page that was looked at before it was met.  The same holds
for links of boxes that show old pages too (`boxes`), if the pages of the site give no dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple
from urllib.parse import unquote
from zlib import crc32

import numpy as np
from msgspec.structs import replace

from foragers.core.types import LISTS, NO_PARENT, HostId, Page, UrlId
from foragers.frontier.columns import Marks
from foragers.judges.topic import Topic
from foragers.strategies.watch.articles import is_folder, of_url
from foragers.strategies.watch.boxes import HEADLINE, Boxes, Met, box_of
from foragers.strategies.watch.settings import DEFAULT_WATCH
from foragers.strategies.watch.sites import Site, Waiting
from foragers.text.words import url_words
from foragers.urls.parse import host_of, site_of
from foragers.urls.shapes import path_shape

WORDS = re.compile(r"[\W_]+")


class LinkOrigin(NamedTuple):
    """The page on which links are new: its place, -1 for a new page, and its last and first look.

    Links may be there since the last look before this one.  `through` is the place of the page that
    they were found through: for those of a new page, the one that led there.  `pushed` says that it
    was looked at because a hub told of it.
    """

    place: int
    since: float = -inf
    first: float = inf
    through: int = -1
    pushed: bool = False


@dataclass(slots=True)
class LinkBook:
    """All links that a watch has met, and the sites of their hosts."""

    news: list[Waiting] = field(default_factory=list)
    """Links of the last tell that may lead to new articles."""
    ahead: dict[UrlId, float] = field(default_factory=dict)
    """What pages were credited with for links that wait."""

    met: Met = field(default_factory=Met)
    boxes: Boxes = field(default_factory=Boxes)
    fetched: Marks = field(default_factory=Marks)
    fresh: dict[UrlId, Waiting] = field(default_factory=dict)
    lists: dict[UrlId, str] = field(default_factory=dict)
    young: dict[UrlId, float] = field(default_factory=dict)
    """When links that wait unseen were first met, for a day: they may prove to be new."""
    folders: dict[int, float] = field(default_factory=dict)
    """The folders of all URLs, with the time until which links of new pages into them are new."""
    of_host: dict[HostId, int] = field(default_factory=dict)
    of_domain: dict[str, int] = field(default_factory=dict)

    def push(self, site: Site, link: Waiting) -> None:
        """Let a new link wait."""
        is_page = link.parent != NO_PARENT and link.url not in self.lists
        chance = site.outcomes.chance_of_page(link.shape, link.host)
        if is_page and chance < DEFAULT_WATCH.least_chance:
            site.push_unseen(link.shape, link)
            site.outcomes.waive(link.shape)
        elif site.push_fresh(link):
            self.fresh[link.url] = link
            if link.title:
                self.news.append(link)

    def take_host(self, site: Site, host: HostId, href: str) -> None:
        """Let a host belong to the site of its domain, or of the page that links to it."""
        if host not in self.of_host:
            domain = site_of(host_of(href))
            self.of_host[host] = self.of_domain.get(domain, site.number)

    def take(
        self, site: Site, page: Page, origin: LinkOrigin | None, topic: Topic, now: float
    ) -> None:
        """Queue the unknown links of a page, which are new on it if it has an origin."""
        if not len(page.links):
            return
        is_list, near = page.choice.purpose.is_list, DEFAULT_WATCH.near_share
        folders: dict[int, float] = {}
        young = -inf if origin is None else page.time + DEFAULT_WATCH.day
        for link, href, rel in self._unknown(site, page, origin, topic, now):
            if rel in LISTS:
                self._take_list(site, link, rel)
                continue
            folder = crc32(href.rpartition("/")[0].encode("utf-8", "replace"))
            is_new_folder = self.folders.get(folder, inf) > page.time
            folders[folder] = young
            if origin is not None and (is_new_on(site, origin, link) or is_new_folder):
                self.push(site, link)
            elif origin is not None and site.outcomes.chance_near >= near:
                self.push(site, replace(link, sure=False, likeness=link.likeness - 1.0))
            elif site.push_unseen(link.shape, link) and not is_list:
                self.young[link.url] = page.time
        if len(self.folders) < DEFAULT_WATCH.most_folders:
            self.folders = folders | self.folders

    def _compare(self, site: Site, page: Page, origin: LinkOrigin) -> None:
        """Learn which boxes of a page seen before show links because they are new."""
        if page.choice.purpose.is_list:
            site.outcomes.shown[box_of(page.links.addresses.href(page.final), "")] = (1.0, 1.0)
        for box, is_news in self.boxes.came(origin.place, page, origin.since, self.met):
            site.outcomes.came(box, is_news)
        if origin.place in self.boxes.shown:
            self.boxes.keep(origin.place, page)

    def _unknown(
        self, site: Site, page: Page, origin: LinkOrigin | None, topic: Topic, now: float
    ) -> Iterator[tuple[Waiting, str, str]]:
        """Give the unknown links of a page, each once, with URL and relation."""
        links = page.links
        fresh = np.flatnonzero(self.met.of(links.targets) == 0)
        self.met.add(links.targets[fresh], now)
        outs = links.outlinks
        seen: set[int] = set()
        hrefs = links.addresses.hrefs(links.targets[fresh].tolist())
        for i, href in zip(fresh.tolist(), hrefs, strict=True):
            url, host = int(links.targets[i]), int(links.hosts[i])
            if url not in seen:
                seen.add(url)
                self.take_host(site, host, href)
                anchor, rel = outs.anchors[i], outs.rels[i]
                link = waiting(page, url, host, href, anchor, origin, topic, now, outs.paths[i])
                yield link, href, rel

    def _take_list(self, site: Site, link: Waiting, rel: str) -> None:
        """Queue a feed or a sitemap."""
        if site.lists + site.awaited < DEFAULT_WATCH.most_lists:
            site.awaited += 1
            self.lists[link.url] = rel
            self.push(site, Waiting(link.url, link.host, link.parent, link.depth, likeness=1.5))

    def promote(self, site: Site, page: Page, origin: LinkOrigin, topic: Topic, now: float) -> None:
        """Queue the links as new that were first met elsewhere, after this page was first seen."""
        self._compare(site, page, origin)
        self._grow_up(now)
        if not self.young:
            return
        links = page.links
        unseen = links.targets[self.fetched.missing(links.targets)].tolist()
        young = {url for url in unseen if self.young.get(url, -inf) > origin.first}
        for i, url in enumerate(links.targets.tolist()):
            if url in young:
                young.discard(url)
                href, anchor = links.addresses.href(url), links.outlinks.anchors[i]
                host, path = int(links.hosts[i]), links.outlinks.paths[i]
                link = waiting(page, url, host, href, anchor, origin, topic, now, path)
                if is_new_on(site, origin, link):
                    del self.young[url]
                    self.push(site, link)

    def _grow_up(self, now: float) -> None:
        """Forget when links were met, after a day."""
        while self.young:
            url, met = next(iter(self.young.items()))
            if met >= now - DEFAULT_WATCH.day:
                return
            del self.young[url]


def is_new_on(site: Site, origin: LinkOrigin, link: Waiting) -> bool:
    """Return whether a link of a page leads to a new page: it was not there, in a good box."""
    is_known = site.outcomes.has_dates or site.outcomes.is_believed(link.box)
    return origin.place >= 0 and is_known


def waiting(
    page: Page, url: UrlId, host: HostId, href: str, anchor: str,
    origin: LinkOrigin | None, topic: Topic, now: float, path: str = "",
) -> Waiting:  # fmt: skip
    """Return a link of a page that waits."""
    headline = page.choice.purpose.is_list or anchor.count(" ") >= HEADLINE
    is_new = headline and origin is not None and origin.place >= 0
    url_says = of_url(href, DEFAULT_WATCH.article) if is_new else -inf
    return Waiting(
        url,
        host,
        page.final,
        page.choice.depth + 1,
        -1 if origin is None else origin.place,
        -inf if origin is None else origin.since,
        now,
        likeness=topic.likeness(anchor),
        shape=path_shape(href),
        folder=is_folder(href),
        through=-1 if origin is None else max(origin.place, origin.through),
        headline=headline,
        pushed=origin is not None and origin.pushed,
        box=box_of(page.links.addresses.href(page.final), path) if origin is not None else 0,
        title=title_of(page, anchor, href) if url_says >= 0 else "",
    )


def title_of(page: Page, anchor: str, href: str) -> str:
    """Return the text of a link; without one, or if it only repeats the URL, the URL's words."""
    words = page.choice.purpose.is_list and set(anchor.split()) <= set(url_words(href))
    return (anchor if anchor and not words else title_in(href))[: DEFAULT_WATCH.longest_title]


def title_in(href: str) -> str:
    """Return the words of the last part of a URL."""
    leaf = href.partition("?")[0].rstrip("/").rpartition("/")[2]
    return WORDS.sub(" ", unquote(leaf.rpartition(".")[0] or leaf)).strip() or href
