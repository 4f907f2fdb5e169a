"""The versions of pages that change: what each showed, and from when on.

A page that gathers links shows the newest of them first.  Rotating pages show a limited number, and
older ones are dropped; the others keep all.  Changes become visible when the page is next rebuilt,
so several may come at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import exp, log_of
from foragers.worlds.generated.build import START, Numbers, Timeline, Weave
from foragers.worlds.generated.news_links import Events
from foragers.worlds.generated.news_pages import HOUR, Newsroom
from foragers.worlds.generated.text.style import Role

MADE_UP = (900, 1800, 3600, 3600, 3600, 3600)
"""The seconds between two rebuilds of a page of each kind."""

SHOWN = (60, 40, 40, 0, 1_000_000, 1_000_000)
"""The number of newest links that a page of each kind shows."""

OPENING = -int(HOUR)
"""When the permanent pages show news from before the start."""


@dataclass(slots=True)
class Items:
    """The links that pages gather, sorted by page and newest first."""

    starts: Numbers
    targets: Numbers
    keys: Numbers

    @classmethod
    def of(cls, room: Newsroom, links: Events) -> Items:
        """Sort links by page and by the time when the page shows them; repeated ones count once."""
        shown = visible(room, links)
        order = np.lexsort((shown, links.targets, links.sources))
        pairs = links.sources[order] * room.pages + links.targets[order]
        order = order[np.flatnonzero(np.diff(pairs, prepend=-1))]
        order = order[np.lexsort((-shown[order], links.sources[order]))]
        sources = links.sources[order]
        starts = np.searchsorted(sources, np.arange(room.pages + 1))
        return cls(starts, links.targets[order], key(sources, shown[order]))


@dataclass(slots=True)
class GeneratedVersions:
    """The versions of all pages, sorted by page and time, with the number of their revision."""

    urls: Numbers
    times: Numbers
    revisions: Numbers

    def timeline(self, pages: int) -> Timeline:
        """Return the versions as the world has them."""
        starts = np.searchsorted(self.urls, np.arange(pages + 1))
        return Timeline(starts, START + self.times.astype(np.float64), self.revisions)


def key(pages: Numbers, times: Numbers) -> Numbers:
    """Return a number that sorts by page and then by time."""
    return (pages << 32) + times + (1 << 31)


def visible(room: Newsroom, links: Events) -> Numbers:
    """Return when each link is shown: when its page is next rebuilt, or is born."""
    kinds, born = room.kinds[links.sources], room.born[links.sources]
    apart = np.array(MADE_UP)[kinds]
    times = np.ceil(links.times / apart).astype(np.int64) * apart
    times = np.where(links.times <= born, born, np.maximum(times, born))
    return np.where(links.sources < room.first_article, np.maximum(times, OPENING), times)


def versions(room: Newsroom, items: Items, random: np.random.Generator) -> GeneratedVersions:
    """Return every time at which a page was born, changed its links or was corrected."""
    chosen = room.parameters
    pages = np.arange(room.pages)
    changed = np.unique(items.keys)
    link_pages, link_times = changed >> 32, (changed & 0xFFFFFFFF) - (1 << 31)
    still = np.where(link_pages < room.first_article, chosen.links_only, 0.8)
    rewritten = random.random(len(changed)) >= still
    articles = np.arange(room.first_article, room.pages)
    counts = random.geometric(0.7, len(articles)) * (
        random.random(len(articles)) < chosen.corrected
    )
    corrected = np.repeat(articles, counts)
    waits = exp(log_of(2 * HOUR) + random.standard_normal(len(corrected)))
    later = waits.astype(np.int64) + 60
    corrections = room.born[corrected] + later
    kept = corrections < room.end
    urls = np.concatenate((pages, link_pages, corrected[kept]))
    times = np.concatenate((room.born, link_times, corrections[kept]))
    words = np.concatenate((np.zeros(room.pages, bool), rewritten, np.ones(kept.sum(), bool)))
    return merged(urls, times, words)


def merged(urls: Numbers, times: Numbers, words: NDArray[np.bool_]) -> GeneratedVersions:
    """Sort times by page and time, merge equal ones, and count revisions."""
    order = np.lexsort((times, urls))
    urls, times, words = urls[order], times[order], words[order]
    firsts = np.flatnonzero(np.diff(key(urls, times), prepend=-1))
    revised = np.logical_or.reduceat(words, firsts)
    urls, times = urls[firsts], times[firsts]
    # The first version of a page is its revision 0, whatever else happened at its birth.
    born = np.diff(urls, prepend=-1) != 0
    total = np.cumsum(revised & ~born)
    return GeneratedVersions(urls, times, total - total[born][np.cumsum(born) - 1])


@dataclass(slots=True)
class Fixed:
    """Links that all versions of a page have, sorted by page."""

    starts: Numbers
    targets: Numbers

    def counts(self) -> Numbers:
        """Return how many links each page has."""
        return np.diff(self.starts)

    @classmethod
    def of(cls, sources: Numbers, targets: Numbers, pages: int) -> Fixed:
        """Sort links by page."""
        order = np.argsort(sources, kind="stable")
        return cls(np.searchsorted(sources[order], np.arange(pages + 1)), targets[order])


def lay_out(
    room: Newsroom, items: Items, navigation: Fixed, footer: Fixed, editions: GeneratedVersions
) -> Weave:
    """Return the links of every version: navigation, new links, lasting links, and the footer."""
    urls = editions.urls
    newest, count, lasting = shown_items(room, items, editions)
    in_text = len(navigation.targets)
    in_footer = in_text + len(items.targets)
    last = in_text + items.starts[urls + 1]
    starts = (
        navigation.starts[urls],
        last - count,
        last - lasting,
        in_footer + footer.starts[urls],
    )
    counts = np.column_stack(
        (navigation.counts()[urls], newest, lasting, footer.counts()[urls]),
    )
    pool = np.concatenate((navigation.targets, items.targets, footer.targets)).astype(np.int32)
    roles = np.full(len(pool), Role.NAVIGATION, np.uint8)
    roles[in_text:in_footer] = item_roles(room, items)
    roles[in_footer:] = Role.FOOTER
    chosen = ranges(np.column_stack(starts).reshape(-1), counts.reshape(-1))
    link_starts = np.concatenate(([0], np.cumsum(counts.sum(axis=1))))
    return Weave(link_starts, pool[chosen], roles[chosen])


def shown_items(
    room: Newsroom, items: Items, editions: GeneratedVersions
) -> tuple[Numbers, Numbers, Numbers]:
    """Return for each version the numbers of new links shown, of all so far, and of lasting."""
    urls = editions.urls
    rising, before = np.sort(items.keys), items.starts[urls]
    count = np.searchsorted(rising, key(urls, editions.times), side="right") - before
    # The links of a desk's front page at the opening are its archive, which it keeps.
    opening = np.searchsorted(rising, key(urls, np.full(len(urls), OPENING)), "right") - before
    archive = (urls >= room.first_front) & (urls < room.first_article)
    lasting = np.where(archive, np.minimum(opening, count), 0)
    most = np.array(SHOWN)[room.kinds[urls]]
    return np.minimum(count - lasting, most), count, lasting


def item_roles(room: Newsroom, items: Items) -> NDArray[np.uint8]:
    """Return the roles of links: in the text of an article, and in the lists of other pages."""
    counts = np.diff(items.starts)
    listing = np.arange(room.pages) < room.first_article
    return np.repeat(np.where(listing, Role.LISTING, Role.CONTENT).astype(np.uint8), counts)


def ranges(starts: Numbers, counts: Numbers) -> Numbers:
    """Return start, start + 1, ... for each start, a given number of each, one after the other."""
    ends = np.cumsum(counts)
    every = np.arange(ends[-1] if len(ends) else 0)
    return np.asarray(every + np.repeat(starts - (ends - counts), counts))
