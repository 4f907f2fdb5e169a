"""The own content of a page: what does not also stand on its neighbours.

Boilerplate is whatever stood on one of the last two pages of the same path.  So menus and
footers do not make two products similar, and do not make an empty day look full.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from zlib import crc32

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foragers.filters.traps.bounded import LIBRARY, RecentDict
from foragers.filters.traps.fingerprint import Fingerprint, Sample, thinned
from foragers.filters.traps.settings import DEFAULT_TRAPS, BoilerplateSettings
from foragers.urls.canonical import canonical


class PageLinks(NamedTuple):
    """The URLs that a page links to, and a hash of each."""

    urls: list[str]
    hashes: Sample


class EarlierPage(Struct, frozen=True):
    """An earlier page of the same path: the hashes of its phrases and links, sorted."""

    url: str
    hashes: Sample
    thinness: int


class OwnContent(Struct, frozen=True):
    """The part of a page that its last neighbours lack; `neighbour` is the last of them."""

    phrases: Sample
    thinness: int
    links: Sequence[str]
    link_hashes: Sample
    neighbour: str | None

    @property
    def words(self) -> int:
        """The approximate number of the page's own words."""
        return len(self.phrases) << self.thinness


@dataclass(slots=True)
class Boilerplate:
    """The last two pages of the most recent paths."""

    settings: BoilerplateSettings = DEFAULT_TRAPS.boilerplate
    paths: RecentDict[str, tuple[EarlierPage, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self.paths = RecentDict(self.settings.paths)

    def own(self, path: str, url: str, page: Fingerprint, links: PageLinks) -> OwnContent:
        """Return the own content of a page, and remember the page for the next ones."""
        most = self.settings.max_links
        link_hashes = links.hashes[:most]
        earlier = self.paths.get(path) or ()
        here = EarlierPage(url, merged(page.phrases, link_hashes), page.thinness)
        self.paths.put(path, (*earlier[-1:], here))
        if not earlier:
            return OwnContent(page.phrases, page.thinness, links.urls[:most], link_hashes, None)
        thinness = max([page.thinness, *(before.thinness for before in earlier)])
        phrases = thinned(page.phrases, thinness)
        own_phrases, indexes, own_links = without(phrases, link_hashes, earlier)
        urls = [links.urls[i] for i in indexes]
        return OwnContent(own_phrases, thinness, urls, own_links, earlier[-1].url)


def merged(phrases: Sample, links: Sample) -> Sample:
    """Return the hashes of phrases and links together, sorted."""
    if LIBRARY is not None:
        return np.frombuffer(LIBRARY.merged(phrases, links), np.uint32)
    both = np.concatenate((phrases, links))
    both.sort()
    return both


def without(
    phrases: Sample, links: Sample, earlier: Sequence[EarlierPage]
) -> tuple[Sample, list[int], Sample]:
    """Return phrases, indexes of links and links that stand on none of one or two other pages."""
    first, last = earlier[0].hashes, earlier[-1].hashes
    if LIBRARY is not None:
        own: tuple[bytes, list[int], bytes] = LIBRARY.own(phrases, links, first, last)
        return np.frombuffer(own[0], np.uint32), own[1], np.frombuffer(own[2], np.uint32)
    new_phrases = ~(contained(phrases, first) | contained(phrases, last))
    new_links = ~(contained(links, first) | contained(links, last))
    return phrases[new_phrases], new_links.nonzero()[0].tolist(), links[new_links]


def links_of(urls: Sequence[str]) -> PageLinks:
    """Return the canonical forms of links, each once, with their hashes."""
    if LIBRARY is not None:
        quick: tuple[list[str], bytes] | None = LIBRARY.links(list(urls), canonical)
        if quick is not None:
            return PageLinks(quick[0], np.frombuffer(quick[1], np.uint32))
    once = list(dict.fromkeys(map(canonical, urls)))
    try:
        hashes = np.fromiter(map(crc32, map(str.encode, once)), np.uint32, len(once))
    except UnicodeEncodeError:
        hashes = np.fromiter(map(crc_of, once), np.uint32, len(once))
    return PageLinks(once, hashes)


def crc_of(text: str) -> int:
    """Return a hash of a text that is the same on every machine."""
    return crc32(text.encode("utf-8", "replace"))


def contained(hashes: Sample, within: Sample) -> NDArray[np.bool_]:
    """Return which hashes are among others, which are sorted."""
    if LIBRARY is not None:
        found = np.empty(len(hashes), np.bool_)
        if LIBRARY.contained(hashes, within, found):
            return found
    if not len(within):
        return np.zeros(len(hashes), np.bool_)
    return np.equal(within.take(within.searchsorted(hashes), mode="clip"), hashes)
