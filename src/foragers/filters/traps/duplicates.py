"""Which earlier page a page is nearly the same as.

The sketch of a page is the sixteen smallest of its phrases, taken as numbers.  Of the
sixteen smallest of two pages together, as many stand in both as the pages are alike.
Phrases are those of the page alone, without the frame that it has in common with its
neighbours: otherwise all pages with a large menu would be nearly the same.

Which texts were seen, and where: the last ones with their address, older ones without.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.filters.traps.fingerprint import Sample
from foragers.filters.traps.settings import DEFAULT_TRAPS, TrapSettings
from foragers.urls.digests import Digests

SIZE = 16
MIN_PHRASES = 8
ALIKE = 0.75
"""The share of common phrases from which on two pages are nearly the same."""
_KEYS = 4

Sketch = bytes
"""Four bytes a phrase: a tenth of the memory of numbers."""


def sketch_of(phrases: Sample) -> Sketch:
    """Return the smallest phrases of a sorted sample; thinning the sample does not change them."""
    return phrases[:SIZE].tobytes()


def phrases_of(sketch: Sketch) -> list[int]:
    """Return the phrases of a sketch as numbers."""
    return memoryview(sketch).cast("I").tolist()


def likeness(one: Sketch, other: Sketch) -> float:
    """Return the share of phrases that two pages have in common, about."""
    first, second = set(phrases_of(one)), set(phrases_of(other))
    least = sorted(first | second)[:SIZE]
    return sum(phrase in first and phrase in second for phrase in least) / max(1, len(least))


@dataclass(slots=True)
class SketchedPages:
    """Some pages, found by the smallest of their phrases: 160 bytes a page, and its characters."""

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
        found = self._keys.find(key)
        if found is None:
            return None
        row = self._rows[found]
        url = self._urls[self._url_ends[row] : self._url_ends[row + 1]]
        sketch = self._sketches[self._ends[row] : self._ends[row + 1]]
        return bytes(sketch), url.decode("utf-8", "surrogatepass")

    def put(self, keys: Iterable[int], sketch: Sketch, url: str) -> None:
        """Let a page be found by some phrases."""
        row = len(self._url_ends) - 1
        self._urls += url.encode("utf-8", "surrogatepass")
        self._url_ends.append(len(self._urls))
        self._sketches += sketch
        self._ends.append(len(self._sketches))
        for key in keys:
            found = self._keys.find(key)
            if found is None:
                self._keys.add(key)
                self._rows.append(row)
            else:
                self._rows[found] = row


@dataclass(slots=True)
class Likenesses:
    """The sketches of the last 8,000 to 16,000 pages."""

    limit: int = 32_768
    young: SketchedPages = field(default_factory=SketchedPages)
    old: SketchedPages = field(default_factory=SketchedPages)

    def find_or_add(self, phrases: Sample, url: str) -> str | None:
        """Return a page that is nearly the same; remember this one if there is none."""
        if len(phrases) < MIN_PHRASES:
            return None
        sketch = sketch_of(phrases)
        # Two pages that are alike share one of their smallest phrases almost surely.
        keys = phrases_of(sketch)[:_KEYS]
        for key in keys:
            found = self.young.get(key)
            if found is None:
                found = self.old.get(key)
                if found is not None:
                    self._put([key], *found)
            if found is not None and likeness(sketch, found[0]) >= ALIKE:
                return found[1]
        self._put(keys, sketch, url)
        return None

    def _put(self, keys: Iterable[int], sketch: Sketch, url: str) -> None:
        """Remember a page, and forget the older half when there is too much."""
        self.young.put(keys, sketch, url)
        if len(self.young) >= self.limit:
            self.old, self.young = self.young, SketchedPages()


@dataclass(slots=True)
class Places:
    """The URLs of some texts, by the digests of the texts: 20 bytes and its characters each."""

    digests: Digests = field(default_factory=Digests)
    _ends: array[int] = field(default_factory=lambda: array("q", [0]))
    _urls: bytearray = field(default_factory=bytearray)

    def __len__(self) -> int:
        return len(self.digests)

    def get(self, digest: int) -> str | None:
        """Return where a text was seen."""
        row = self.digests.find(digest)
        if row is None:
            return None
        return self._urls[self._ends[row] : self._ends[row + 1]].decode("utf-8", "surrogatepass")

    def add(self, digest: int, url: str) -> None:
        """Remember where a new text was seen."""
        self.digests.add(digest)
        self._urls += url.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._urls))


@dataclass(slots=True)
class KnownTexts:
    """The digests of two million texts in 16 MB, and the addresses of the last 32,768."""

    settings: TrapSettings = DEFAULT_TRAPS
    recent: Places = field(default_factory=Places)
    older: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))

    def find_or_add(self, digest: int, url: str) -> str | None:
        """Return where a text was seen first ("" if that is forgotten), None if it is new."""
        known = self.recent.get(digest)
        if known is not None:
            return known
        if len(self.older):
            place = int(np.searchsorted(self.older, np.uint64(digest)))
            if place < len(self.older) and int(self.older[place]) == digest:
                return ""
        self.recent.add(digest, url)
        if len(self.recent) >= self.settings.recent_texts:
            self._age()
        return None

    def _age(self) -> None:
        """Forget the addresses of the recent texts, and a tenth of the texts if there are too many.

        The smallest digests go, which is as good as chance.
        """
        self.older = np.sort(np.concatenate([self.older, self.recent.digests.column()]))
        most = self.settings.older_texts
        if len(self.older) > most:
            self.older = self.older[len(self.older) - most * 9 // 10 :]
        self.recent = Places()
