"""Extracts the features of a page's links: their groups, their words, similarity to the topic.

The same URLs and anchors come up on page after page, so the parts of the last thousand are cached.

Links are grouped by tag path, directory, anchor and shape of the URL.  Most links of a page share
their host, tag path and directory with others, so groups are cached while a page is read.  Names of
groups contain the URLs of hosts and pages, so that a group has the same name in the next crawl.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from foragers.core import exact
from foragers.core.types import NO_PARENT, HostId, Status, Visit
from foragers.judges.topic import NoTopic, Topic
from foragers.strategies.auto.combiner import Column, Floats, rows_by_name
from foragers.strategies.auto.group_rates import ROOT, Rates
from foragers.strategies.auto.pending_links import STORED, LinkFeatures, LinkGroups
from foragers.strategies.auto.word_weights import link_words, numbered
from foragers.text.words import url_words, words
from foragers.urls.shapes import name_shape

MOST_DIRECTORIES = 4
ANCHOR_WORDS, ADDRESS_WORDS = 8, 6
"""Part of the names of groups, by which files of earlier crawls know them; guesses."""
MAX_CACHED = 1024


class Address(NamedTuple):
    """The parts of a URL after its host.

    `kind` is the file extension and whether there is a query, `shape` the pattern of the file
    name; the last words are there by number, and as a text.
    """

    directories: tuple[str, ...]
    kind: str
    shape: str
    words: dict[str, int]
    spelled: str


class Anchor(NamedTuple):
    """The words of an anchor: as the name of a group, and without stop words by number."""

    name: str
    words: dict[str, int]


@lru_cache(maxsize=MAX_CACHED)
def address_of(href: str) -> Address:
    """Return the parts of a URL."""
    start = href.find("/", 8)
    path, _, query = (href[start:] if start > 0 else "/").partition("?")
    *directories, name = path.split("/")[1:]
    prefixes, prefix = [], ""
    for part in directories[:MOST_DIRECTORIES]:
        prefix += f"/{part}"
        prefixes.append(prefix)
    spoken = url_words(f"{path} {query}")[-ADDRESS_WORDS:]
    ending = name.rpartition(".")[2][:5] if "." in name else ""
    asks = "?" if query else ""
    return Address(
        tuple(prefixes),
        f"{ending}{asks}",
        f"{len(directories)}{asks} {name_shape(name)[:40]}",
        numbered(spoken),
        " ".join(spoken),
    )


@lru_cache(maxsize=MAX_CACHED)
def anchor_of(text: str) -> Anchor:
    """Return the first words of an anchor."""
    spoken = words(text)[:ANCHOR_WORDS]
    return Anchor(" ".join(("anchor", *spoken)), numbered(spoken))


@dataclass(slots=True)
class HostGroups:
    """The groups of the links of one page to one host."""

    rates: Rates
    page: str
    host: str
    around: int
    parent_page: int
    _tags: dict[str, int] = field(default_factory=dict)
    _directories: dict[str, int] = field(default_factory=dict)
    _shapes: dict[str, int] = field(default_factory=dict)

    def of(self, path: str, address: Address, anchor: Anchor) -> LinkGroups:
        """Return the groups of a link: by tag path, directory, anchor and shape of its URL."""
        tags = self._tags.get(path)
        if tags is None:
            tags = self._tags[path] = self._of_tags(path)
        innermost = address.directories[-1] if address.directories else ""
        directory = self._directories.get(innermost)
        if directory is None:
            directory = self._directories[innermost] = self._of_directory(address)
        shape = self._shapes.get(address.shape)
        if shape is None:
            shape = self._shapes[address.shape] = self._of_shape(address)
        text = self.rates.group(anchor.name)
        return LinkGroups(tags, directory, text, shape, self.parent_page)

    def _of_tags(self, path: str) -> int:
        on_host = self.rates.group(f"tags {self.host} {path}", self.around)
        return self.rates.group(f"page {self.page} {path}", on_host)

    def _of_directory(self, address: Address) -> int:
        group = self.around
        for prefix in address.directories:
            group = self.rates.group(f"in {self.host}{prefix}", group)
        return group

    def _of_shape(self, address: Address) -> int:
        kind = self.rates.group(f"kind {address.kind}")
        return self.rates.group(f"shape {self.host} {address.shape}", kind)


@dataclass(slots=True)
class PageGroups:
    """The groups of the links of one page."""

    rates: Rates
    page: str
    by_page: bool = True
    _hosts: dict[HostId, HostGroups] = field(default_factory=dict)

    def of(
        self, host: HostId, href: str, path: str, address: Address, anchor: Anchor
    ) -> LinkGroups:
        """Return the groups of a link."""
        here = self._hosts.get(host)
        if here is None:
            name = href.split("/", 3)[2]
            around = self.rates.group(host_group(name))
            parent_page = ROOT
            if self.by_page:
                parent_page = self.rates.group(f"links {self.page}", around)
            here = HostGroups(self.rates, self.page, name, around, parent_page)
            self._hosts[host] = here
        return here.of(path, address, anchor)


def host_group(name: str) -> str:
    """Return the name of the group of all links to a host."""
    return f"host {name}"


KEPT = (Status.OK, Status.UNCHANGED)
NO_ANCHOR = anchor_of("")
"""Used for pages that are not kept: a sitemap has thousands of links, all different."""


def features_of(
    visit: Visit,
    places: list[int],
    lean: float,
    topic: Topic,
    rates: Rates,
    trained: Floats | float = 0.0,
    by_page: bool = True,
) -> LinkFeatures:
    """Return the features of some links of a page.

    `lean` says how much the words of the page are those of relevant pages, `trained` what a trained
    model says of the links; without `by_page` links are not grouped by the page they are on.  A
    page that is not kept (noindex, a copy, a sitemap) has no features as a parent, and its links
    have no anchors.
    """
    page, links = visit.page, visit.page.links
    kept = page.status in KEPT
    urls, hosts, outs = links.targets[places], links.hosts[places].tolist(), links.outlinks
    name = "" if page.final == NO_PARENT else links.addresses.href(page.final)
    belonging = PageGroups(rates, name, by_page)
    groups, words, spelled = [], [], []
    hrefs = links.addresses.hrefs(urls.tolist())
    for place, host, href in zip(places, hosts, hrefs, strict=True):
        address, anchor = address_of(href), anchor_of(outs.anchors[place]) if kept else NO_ANCHOR
        groups.append(belonging.of(host, href, outs.paths[place], address, anchor))
        words.append(link_words(anchor.words, address.words))
        spelled.append(address.spelled)
    in_link: Column = 0.0
    around: Column = 0.0
    if not isinstance(topic, NoTopic):
        like = topic.likeness
        of_anchors = [like(outs.anchors[place]) for place in places]
        in_link = np.array(list(map(max, of_anchors, map(like, spelled))))
        around = np.array([like(outs.around(place)) for place in places])
    stored = {
        "parent": (1.0 if visit.relevant else rates.settings.near_parent * visit.relevance)
        if kept
        else 0.0,
        "topic in link": in_link,
        "topic around": around,
        "words of parent": lean,
        "depth": page.choice.depth + 1,
        "trained model": trained,
        "place on page": exact.log_counts(np.array(places) + 1),
    }
    return LinkFeatures(
        urls,
        np.array(groups, np.int32).T,
        np.array(words, np.int32).T,
        rows_by_name(STORED, stored, len(places)),
    )
