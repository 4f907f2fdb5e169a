"""Exact and near duplicates: which earlier page has the same or nearly the same content.

The sketch of a page is the sixteen smallest of its phrases, as hashes.  The share of the sixteen
smallest phrases of two pages together that stand in both estimates the share of common phrases
(Broder, *On the resemblance and containment of documents*, 1997).  Only the page's own phrases
count, without its boilerplate: otherwise all pages with a large menu would be near duplicates.

Exact duplicates are found by the digest of their text.  Recent texts are kept with their URL,
older ones without.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.filters.traps.fingerprint import Sample
from foragers.filters.traps.settings import DEFAULT_TRAPS, DuplicateSettings
from foragers.urls.digests import Digests

Sketch = bytes
"""Four bytes per phrase: a tenth of the memory of integers."""


def sketch_of(phrases: Sample, size: int = DEFAULT_TRAPS.duplicates.sketch_size) -> Sketch:
    """Return the smallest phrases of a sorted sample; thinning the sample does not change them."""
    return phrases[:size].tobytes()


def phrases_of(sketch: Sketch) -> list[int]:
    """Return the phrases of a sketch as integers."""
    return memoryview(sketch).cast("I").tolist()


def similarity(
    first: Sketch, second: Sketch, size: int = DEFAULT_TRAPS.duplicates.sketch_size
) -> float:
    """Return the approximate share of phrases that two pages have in common."""
    one, other = set(phrases_of(first)), set(phrases_of(second))
    smallest = sorted(one | other)[:size]
    return sum(phrase in one and phrase in other for phrase in smallest) / max(1, len(smallest))


@dataclass(slots=True)
class SketchedPages:
    """Pages, found by their smallest phrases: 160 bytes per page, and its URL."""

    _keys: Digests = field(default_factory=Digests)
    _rows: array[int] = field(default_factory=lambda: array("i"))
    _sketches: bytearray = field(default_factory=bytearray)
    _ends: array[int] = field(default_factory=lambda: array("i", [0]))
    _urls: bytearray = field(default_factory=bytearray)
    _url_ends: array[int] = field(default_factory=lambda: array("q", [0]))

    def __len__(self) -> int:
        return len(self._keys)

    def get(self, key: int) -> tuple[Sketch, str] | None:
        """Return the last page with a phrase."""
        entry = self._keys.find(key)
        if entry is None:
            return None
        row = self._rows[entry]
        url = self._urls[self._url_ends[row] : self._url_ends[row + 1]]
        sketch = self._sketches[self._ends[row] : self._ends[row + 1]]
        return bytes(sketch), url.decode("utf-8", "surrogatepass")

    def put(self, keys: Iterable[int], sketch: Sketch, url: str) -> None:
        """Remember a page under several phrases."""
        row = len(self._url_ends) - 1
        self._urls += url.encode("utf-8", "surrogatepass")
        self._url_ends.append(len(self._urls))
        self._sketches += sketch
        self._ends.append(len(self._sketches))
        for key in keys:
            entry = self._keys.find(key)
            if entry is None:
                self._keys.add(key)
                self._rows.append(row)
            else:
                self._rows[entry] = row


@dataclass(slots=True)
class NearDuplicates:
    """The sketches of the last 8,000 to 16,000 pages."""

    settings: DuplicateSettings = DEFAULT_TRAPS.duplicates
    young: SketchedPages = field(default_factory=SketchedPages)
    old: SketchedPages = field(default_factory=SketchedPages)

    def find_or_add(self, phrases: Sample, url: str) -> str | None:
        """Return the URL of a near duplicate; remember this page if there is none."""
        settings = self.settings
        if len(phrases) < settings.min_phrases:
            return None
        size = settings.sketch_size
        sketch = sketch_of(phrases, size)
        # Near duplicates share one of their smallest phrases almost surely.
        keys = phrases_of(sketch)[: settings.sketch_keys]
        for key in keys:
            page = self.young.get(key)
            if page is None:
                page = self.old.get(key)
                if page is not None:
                    self._put([key], *page)
            if page is not None and similarity(sketch, page[0], size) >= settings.min_share:
                return page[1]
        self._put(keys, sketch, url)
        return None

    def _put(self, keys: Iterable[int], sketch: Sketch, url: str) -> None:
        """Remember a page, and forget the older half when there are too many."""
        self.young.put(keys, sketch, url)
        if len(self.young) >= self.settings.sketch_entries:
            self.old, self.young = self.young, SketchedPages()


@dataclass(slots=True)
class TextUrls:
    """The URLs of texts, by the digests of the texts: 20 bytes per text, and its URL."""

    digests: Digests = field(default_factory=Digests)
    _ends: array[int] = field(default_factory=lambda: array("q", [0]))
    _urls: bytearray = field(default_factory=bytearray)

    def __len__(self) -> int:
        return len(self.digests)

    def get(self, digest: int) -> str | None:
        """Return the URL where a text was seen."""
        row = self.digests.find(digest)
        if row is None:
            return None
        return self._urls[self._ends[row] : self._ends[row + 1]].decode("utf-8", "surrogatepass")

    def add(self, digest: int, url: str) -> None:
        """Remember the URL of a new text."""
        self.digests.add(digest)
        self._urls += url.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._urls))


@dataclass(slots=True)
class ExactDuplicates:
    """The digests of two million texts in 16 MB, and the URLs of the last 32,768."""

    settings: DuplicateSettings = DEFAULT_TRAPS.duplicates
    recent: TextUrls = field(default_factory=TextUrls)
    older: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))

    def find_or_add(self, digest: int, url: str) -> str | None:
        """Return where a text was seen first ("" if that is forgotten), None if it is new."""
        first_url = self.recent.get(digest)
        if first_url is not None:
            return first_url
        if len(self.older):
            index = int(np.searchsorted(self.older, np.uint64(digest)))
            if index < len(self.older) and int(self.older[index]) == digest:
                return ""
        self.recent.add(digest, url)
        if len(self.recent) >= self.settings.recent_texts:
            self._age()
        return None

    def _age(self) -> None:
        """Forget the URLs of the recent texts, and a tenth of all texts if there are too many.

        The smallest digests are dropped, which is as good as a random choice.
        """
        self.older = np.sort(np.concatenate([self.older, self.recent.digests.column()]))
        most = self.settings.older_texts
        if len(self.older) > most:
            self.older = self.older[len(self.older) - most * 9 // 10 :]
        self.recent = TextUrls()
