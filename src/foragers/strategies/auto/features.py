"""Extracts the features of a page's links: their groups, their words, similarity to the topic.

All links of a page are taken apart together, column by column: URLs and anchors are cut into words
in one pass each, and each word of the page is numbered once.

Links are grouped by tag path, directory, anchor and shape of the URL.  Most links of a page share
their host, tag path and directory with others, so groups are cached while a page is read.  Names of
groups contain the URLs of hosts and pages, so that a group has the same name in the next crawl.

Hosts first met on a page of another host have a group around them.  Before anything is found every
new host would else seem better than the known ones, of which many links were followed in vain: a
crawl would try each host that a site links to, though none of those before had a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from foragers.compiled import compiled
from foragers.core import exact
from foragers.core.links import AROUND_CHARS, LONG_WORD
from foragers.core.types import NO_PARENT, HostId, Status, Visit
from foragers.judges.topic import NoTopic, Topic, hints_of
from foragers.strategies.auto.combiner import Column, Floats, rows_by_name
from foragers.strategies.auto.group_rates import ROOT, Rates
from foragers.strategies.auto.pending_links import STORED, LinkFeatures
from foragers.strategies.auto.settings import NAMES
from foragers.strategies.auto.word_weights import BUCKETS, LINK_WORDS, STOPS, link_words
from foragers.text.words import url_words, url_words_of_each, words_apart, words_of_each
from foragers.urls.shapes import name_shapes

TRAINED = STORED.index("trained model")
OTHER_HOSTS = "other hosts"
"""The name of the group of all links to hosts that were first met on a page of another host."""


class AddressColumns(NamedTuple):
    """The parts of URLs after their hosts, one element per URL.

    `directories` are the first few of a path in one text, `names` those of files, `asks` whether
    there is a query, `shapes` the patterns of the names, `words` the last words.
    """

    directories: list[str]
    names: list[str]
    asks: list[str]
    shapes: list[str]
    words: list[list[str]]


def addresses_of(hrefs: Sequence[str]) -> AddressColumns:
    """Return the parts of URLs."""
    directories, names, asks, spoken, depths = [], [], [], [], []
    for href in hrefs:
        start = href.find("/", 8)
        path, _, query = (href[start:] if start > 0 else "/").partition("?")
        directory, _, name = path.rpartition("/")
        depth = directory.count("/")
        if depth > NAMES.directories:
            directory = "/".join(directory.split("/")[: NAMES.directories + 1])
        directories.append(directory)
        names.append(name)
        spoken.append(f"{path} {query}")
        asks.append("?" if query else "")
        depths.append(depth)
    shapes = [
        f"{depth}{ask} {shape[: NAMES.shape_chars]}"
        for depth, ask, shape in zip(depths, asks, name_shapes(names), strict=True)
    ]
    words = [found[-NAMES.url_words :] for found in url_words_of_each(spoken)]
    return AddressColumns(directories, names, asks, shapes, words)


def anchor_words(anchors: Sequence[str]) -> list[list[str]]:
    """Return the first words of anchors."""
    return [found[: NAMES.anchor_words] for found in words_of_each(anchors)]


def anchor_group(words: Sequence[str]) -> str:
    """Return the name of the group of all links with an anchor."""
    return " ".join(("anchor", *words))


def prefixes_of(directory: str) -> Iterator[str]:
    """Return a directory and those around it, the outermost first."""
    end = 0
    while end < len(directory):
        next_end = directory.find("/", end + 1)
        end = next_end if next_end > 0 else len(directory)
        yield directory[:end]


@dataclass(slots=True)
class HostGroups:
    """The groups of the links of one page to one host."""

    rates: Rates
    page: str
    host: str
    around: int
    parent_page: int
    tags: dict[str, int] = field(default_factory=dict)
    directories: dict[str, int] = field(default_factory=dict)
    shapes: dict[str, int] = field(default_factory=dict)

    def of_tags(self, path: str) -> int:
        """Return the group of the links with a tag path, which is not known yet."""
        on_host = self.rates.group(f"tags {self.host} {path}", self.around)
        found = self.tags[path] = self.rates.once(f"page {self.page} {path}", on_host)
        return found

    def of_directory(self, directory: str) -> int:
        """Return the group of the links to a directory, which is not known yet."""
        group = self.around
        if directory:
            # Those around a directory were met before it.
            known = self.rates.recent(f"in {self.host}{directory}")
            if known is None:
                for prefix in prefixes_of(directory):
                    group = self.rates.group(f"in {self.host}{prefix}", group)
            else:
                group = known
        self.directories[directory] = group
        return group

    def of_shape(self, shape: str, name: str, asks: str) -> int:
        """Return the group of the links of a shape, which is not known yet."""
        ending = name.rpartition(".")[2][: NAMES.ending_chars] if "." in name else ""
        kind = self.rates.group(f"kind {ending}{asks}")
        found = self.shapes[shape] = self.rates.group(f"shape {self.host} {shape}", kind)
        return found


@dataclass(slots=True)
class PageGroups:
    """The groups of the links of one page."""

    rates: Rates
    page: str
    by_page: bool = True
    _hosts: dict[HostId, HostGroups] = field(default_factory=dict)

    def of(
        self,
        hosts: Sequence[HostId],
        hrefs: Sequence[str],
        paths: Sequence[str],
        anchors: Sequence[str],
        addresses: AddressColumns,
    ) -> Sequence[tuple[int, ...]]:
        """Return the groups of links, in the order of `LinkGroups`."""
        found, known, group = [], self._hosts.get, self.rates.group
        for host, href, path, anchor, directory, name, asks, shape in zip(
            hosts, hrefs, paths, anchors, *addresses[:-1], strict=True
        ):
            here = known(host)
            if here is None:
                here = self._of_host(host, href)
            tags, inside = here.tags.get(path), here.directories.get(directory)
            if tags is None:
                tags = here.of_tags(path)
            if inside is None:
                inside = here.of_directory(directory)
            alike = here.shapes.get(shape)
            if alike is None:
                alike = here.of_shape(shape, name, asks)
            found.append((tags, inside, group(anchor), alike, here.parent_page))
        return found

    def _of_host(self, host: HostId, href: str) -> HostGroups:
        """Return the groups of the links to a host, of which this is the first."""
        name = host_of(href)
        outer = parent_page = ROOT
        if self.by_page and self.page and host_of(self.page) != name:
            outer = self.rates.group(OTHER_HOSTS)
        # A seed's host that another page links to stays what it is.
        around = self.rates.group(host_group(name), outer)
        if self.by_page:
            parent_page = self.rates.once(f"links {self.page}", around)
        here = self._hosts[host] = HostGroups(self.rates, self.page, name, around, parent_page)
        return here


def host_of(href: str) -> str:
    """Return the host of a URL, with its port."""
    return href.split("/", 3)[2]


def host_group(name: str) -> str:
    """Return the name of the group of all links to a host."""
    return f"host {name}"


KEPT = (Status.OK, Status.UNCHANGED)
TOLD = ("parent", "topic in link", "topic around", "words of parent", "depth", "place on page")
"""The stored features that the compiled function writes, in the order in which it is told them."""
NEW_GROUPS = 8 + NAMES.directories
"""At most so many groups of a link are new."""


def url_line(end: str) -> bytes:
    """Return the words of the end of a URL in bytes, with spaces between them."""
    return " ".join(url_words(end)).encode("utf-8", "surrogatepass")


def _prepared() -> Any | None:
    """Return the compiled function that takes links apart, if there is one."""
    library = compiled("foragers.strategies.auto._links")
    names = (NAMES.directories, NAMES.anchor_words, NAMES.url_words, NAMES.shape_chars)
    sizes = (*names, NAMES.ending_chars, BUCKETS, LINK_WORDS, AROUND_CHARS, LONG_WORD)
    rows = tuple(map(STORED.index, TOLD))
    if library is not None and library.prepare(STOPS, words_apart, url_line, sizes, rows):
        return library
    return None


LIBRARY = _prepared()


def _quick_features(
    visit: Visit,
    places: list[int],
    lean: float,
    topic: Topic,
    rates: Rates,
    trained: Floats | float,
    by_page: bool,
) -> LinkFeatures | None:
    """Return the features of some links, all found by the compiled function; None if it cannot."""
    if LIBRARY is None or rates.is_taught:
        return None
    page, links, outs = visit.page, visit.page.links, visit.page.links.outlinks
    name = "" if page.final == NO_PARENT else links.addresses.href(page.final)
    kept, like = page.status in KEPT, None if isinstance(topic, NoTopic) else topic.likeness
    found = LinkFeatures.room(len(places))
    found.urls[:] = links.targets[places]
    found.stored[TRAINED] = trained
    new: tuple[bytes, ...] | None = LIBRARY.described(
        *(name, by_page, kept, places, links.addresses.hrefs(found.urls.tolist())),
        *(outs.paths, outs.anchors, like, hints_of(topic)),
        *(outs, outs.words, outs.starts, outs.ends, outs.arounds, rates.settings.most_groups),
        *(parent_worth(visit, rates), lean, page.choice.depth + 1, links.hosts),
        *(found.groups, found.words, found.stored, exact.LOG_COUNTS),
        *rates.columns(NEW_GROUPS * len(places)),
    )
    if new is None:
        return None
    if new[0]:
        rates.extend(*new)
    return found


def parent_worth(visit: Visit, rates: Rates) -> float:
    """Return what a page is worth as a parent; one that is not kept is worth nothing."""
    if visit.page.status not in KEPT:
        return 0.0
    return 1.0 if visit.relevant else rates.settings.near_parent * visit.relevance


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
    quick = _quick_features(visit, places, lean, topic, rates, trained, by_page)
    if quick is not None:
        return quick
    page, links = visit.page, visit.page.links
    kept = page.status in KEPT
    urls, hosts, outs = links.targets[places], links.hosts[places].tolist(), links.outlinks
    name = "" if page.final == NO_PARENT else links.addresses.href(page.final)
    hrefs = links.addresses.hrefs(urls.tolist())
    addresses = addresses_of(hrefs)
    paths = [outs.paths[place] for place in places]
    # A sitemap has thousands of links, all different.
    anchors = anchor_words([outs.anchors[place] if kept else "" for place in places])
    names = list(map(anchor_group, anchors))
    groups = PageGroups(rates, name, by_page).of(hosts, hrefs, paths, names, addresses)
    words = link_words(anchors, addresses.words)
    in_link: Column = 0.0
    around: Column = 0.0
    if not isinstance(topic, NoTopic):
        like = topic.likeness
        of_anchors = [like(outs.anchors[place]) for place in places]
        of_addresses = [like(" ".join(found)) for found in addresses.words]
        in_link = np.array(list(map(max, of_anchors, of_addresses)))
        around = np.array([like(outs.around(place)) for place in places])
    stored = {
        "parent": parent_worth(visit, rates),
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
        words,
        rows_by_name(STORED, stored, len(places)),
    )
