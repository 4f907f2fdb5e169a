"""URLs and hosts as small integers, for tens of millions of them.

A URL is identified by the digest of its key; its string is compressed, in memory or in a file.
Recently used URLs are kept uncompressed, since pages of a site link to the same pages.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import HostId, Ids, UrlId
from foragers.urls.digests import Digests, digest
from foragers.urls.parse import absolute, normalise
from foragers.urls.strings import BLOCK, CompressedStrings, MemoryStore, StringStore

RECENT = 1 << 14
"""Size of each of the two generations of recently used URLs kept uncompressed."""

State = tuple[Digests, CompressedStrings, NDArray[np.int32], bytearray, list[str]]


class UrlTable:
    """URLs and hosts as small integers, in the order in which they were first seen.

    Two URLs with the same key are one; the table shows the spelling seen first. Strings go to a
    store; in memory they take 20 bytes per URL, everything else 20 more.
    """

    __slots__ = (
        "_digests",
        "_earlier",
        "_earlier_hrefs",
        "_host_ids",
        "_host_names",
        "_hosts",
        "_odd",
        "_recent",
        "_recent_hrefs",
        "_strings",
    )

    def __init__(self, store: StringStore | None = None) -> None:
        self._digests = Digests()
        self._strings = CompressedStrings(store or MemoryStore())
        self._hosts = array("i")
        # URLs whose shown spelling differs from their key.
        self._odd = bytearray()
        self._host_ids: dict[str, HostId] = {}
        self._host_names: list[str] = []
        self._forget()

    def _forget(self) -> None:
        """Clear the caches."""
        self._recent: dict[str, UrlId] = {}
        self._earlier: dict[str, UrlId] = {}
        self._recent_hrefs: dict[UrlId, str] = {}
        self._earlier_hrefs: dict[UrlId, str] = {}

    def __len__(self) -> int:
        return len(self._digests)

    @property
    def hosts(self) -> int:
        """The number of known hosts."""
        return len(self._host_names)

    @property
    def store(self) -> StringStore:
        """The store of the strings."""
        return self._strings.store

    def intern(self, url: str) -> UrlId:
        """Return the number of a URL, which is assigned if it is new."""
        number = self._recent.get(url)
        return self._recall(url) if number is None else number

    def intern_many(self, urls: Sequence[str]) -> tuple[Ids, Ids]:
        """Return the numbers of many URLs and of their hosts."""
        ids = self.numbers(urls)
        return ids, np.frombuffer(self._hosts, np.int32)[ids] if len(ids) else ids.copy()

    def numbers(self, urls: Sequence[str]) -> Ids:
        """Return the numbers of many URLs."""
        recent = self._recent.get
        recall = self._recall
        numbers = [number if (number := recent(url)) is not None else recall(url) for url in urls]
        return np.array(numbers, np.int32)

    def _recall(self, url: str) -> UrlId:
        """Return the number of a URL that is not among the recent ones."""
        number = self._earlier.get(url)
        if number is None:
            mark = digest(url)
            number = self._digests.find(mark)
            if number is None:
                number = self._add(url, mark)
            elif not self._odd[number]:
                self._recent_hrefs[number] = url
        elif number in self._earlier_hrefs:
            self._recent_hrefs[number] = self._earlier_hrefs[number]
        self._recent[url] = number
        if len(self._recent) >= RECENT:
            self._earlier, self._recent = self._recent, {}
            self._earlier_hrefs, self._recent_hrefs = self._recent_hrefs, {}
        return number

    def _add(self, url: str, mark: int) -> UrlId:
        """Assign a number to a URL with a digest, unless it is a new spelling of a known one."""
        key = href = normalise(url)
        if key != url:
            mark = digest(key)
            existing = self._digests.find(mark)
            if existing is not None:
                return existing
        if not key.startswith(("http://", "https://")):
            raise ValueError(f"not a URL that can be fetched: {url!r}")
        if key != url:
            href = absolute(url).partition("#")[0]
        self._hosts.append(self.host_id(key.split("/", 3)[2]))
        self._odd.append(href != key)
        self._strings.append(href)
        number = self._digests.add(mark)
        self._recent_hrefs[number] = href
        return number

    def find(self, url: str) -> UrlId | None:
        """Return the number of a URL if it has one."""
        number = self._recent.get(url)
        if number is None:
            number = self._digests.find(digest(url))
        if number is not None:
            return number
        try:
            return self._digests.find(digest(normalise(url)))
        except ValueError:
            return None

    def href(self, url: UrlId) -> str:
        """Return the URL of a number, as first seen, without a fragment."""
        href_cached = self._recent_hrefs.get(url) or self._earlier_hrefs.get(url)
        return self._strings[url] if href_cached is None else href_cached

    def hrefs(self, urls: Sequence[UrlId]) -> list[str]:
        """Return the URLs of many numbers."""
        near, far = self._recent_hrefs.get, self.href
        return [near(url) or far(url) for url in urls]

    def columns(self) -> tuple[NDArray[np.uint64], Ids, tuple[str, ...]]:
        """Return the digest of the key and the host of each URL, and the names of the hosts."""
        hosts = np.array(self._hosts, np.int32)
        return self._digests.column().copy(), hosts, tuple(self._host_names)

    def host(self, url: UrlId) -> HostId:
        """Return the host of a URL."""
        return self._hosts[url]

    def host_name(self, host: HostId) -> str:
        """Return the name of a host."""
        return self._host_names[host]

    def host_id(self, name: str) -> HostId:
        """Return the number of a host, which is assigned if it is new."""
        number = self._host_ids.get(name)
        if number is None:
            number = self._host_ids[name] = len(self._host_names)
            self._host_names.append(name)
        return number

    def is_sound(self) -> bool:
        """Return whether the store has the strings that belong to the digests."""
        last = len(self) // BLOCK * BLOCK - 1
        try:
            return last < 0 or self._digests.find(digest(normalise(self._strings[last]))) == last
        except Exception:  # any error of reading other bytes
            return False

    def __getstate__(self) -> State:
        """Leave out what can be computed again."""
        hosts = np.frombuffer(self._hosts, np.int32) if self._hosts else np.empty(0, np.int32)
        return self._digests, self._strings, hosts, self._odd, self._host_names

    def __setstate__(self, state: State) -> None:
        self._digests, self._strings, hosts, self._odd, self._host_names = state
        self._hosts = array("i", hosts.tobytes())
        self._host_ids = {name: number for number, name in enumerate(self._host_names)}
        self._forget()
