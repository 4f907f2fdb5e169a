"""What a page has of its own: without the frame that its neighbours have as well.

The frame of a page is what stood on the last two pages of the same path.  So menus and
footers do not make two products alike, and do not make an empty day look full.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from zlib import crc32

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foragers.filters.traps.bounded import Recent
from foragers.filters.traps.fingerprint import Fingerprint, Sample, thinned

MAX_LINKS = 256


class PageLinks(NamedTuple):
    """The links of a page, and a number for each."""

    urls: list[str]
    numbers: Sample


class EarlierPage(Struct, frozen=True):
    """A page that stood at the same path: the numbers of its phrases and links, in order."""

    url: str
    numbers: Sample
    thinness: int


class Own(Struct, frozen=True):
    """What a page does not share with its last neighbours; `neighbour` is the last of them."""

    phrases: Sample
    thinness: int
    links: Sequence[str]
    numbers: Sample
    neighbour: str | None

    @property
    def words(self) -> int:
        """About how many words the page has of its own."""
        return len(self.phrases) << self.thinness


@dataclass(slots=True)
class Frames:
    """The last two pages of 1,024 to 2,048 paths."""

    paths: Recent[str, tuple[EarlierPage, ...]] = field(default_factory=lambda: Recent(1024))

    def own(self, path: str, url: str, page: Fingerprint, links: PageLinks) -> Own:
        """Return what a page has of its own, and let it frame the next ones."""
        numbers = links.numbers[:MAX_LINKS]
        here = np.concatenate((page.phrases, numbers))
        here.sort()
        earlier = self.paths.get(path) or ()
        self.paths.put(path, (*earlier[-1:], EarlierPage(url, here, page.thinness)))
        if not earlier:
            return Own(page.phrases, page.thinness, links.urls[:MAX_LINKS], numbers, None)
        thinness = max([page.thinness, *(one.thinness for one in earlier)])
        phrases = thinned(page.phrases, thinness)
        # Phrases and links at once: each step costs the same, whatever the number.
        both = np.concatenate((phrases, numbers))
        fresh = contained(both, earlier[0].numbers)
        for one in earlier[1:]:
            fresh |= contained(both, one.numbers)
        np.logical_not(fresh, fresh)
        kept = fresh[len(phrases) :].nonzero()[0]
        own = [links.urls[i] for i in kept.tolist()]
        phrases = phrases[fresh[: len(phrases)]]
        return Own(phrases, thinness, own, numbers[kept], earlier[-1].url)


def links_of(urls: Iterable[str]) -> PageLinks:
    """Return links, each once, with their numbers."""
    once = list(dict.fromkeys(urls))
    try:
        numbers = np.fromiter(map(crc32, map(str.encode, once)), np.uint32, len(once))
    except UnicodeEncodeError:
        numbers = np.fromiter(map(number_of, once), np.uint32, len(once))
    return PageLinks(once, numbers)


def number_of(link: str) -> int:
    """Return a number for a link, the same on every machine."""
    return crc32(link.encode("utf-8", "replace"))


def contained(some: Sample, within: Sample) -> NDArray[np.bool_]:
    """Say which numbers are among others, which are sorted."""
    if not len(within):
        return np.zeros(len(some), np.bool_)
    return np.equal(within.take(within.searchsorted(some), mode="clip"), some)
