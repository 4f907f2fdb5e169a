"""Addresses and hosts as small integers, for tens of millions of them.

An address is known by a digest of its key; its letters are compressed, in memory or in a
file.  What was met of late is kept as it is, since pages of a site link to the same pages.
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
"""So many addresses that were met of late are kept at hand, and as many before them."""

State = tuple[Digests, CompressedStrings, NDArray[np.int32], bytearray, list[str]]


class UrlTable:
    """Addresses and hosts as small integers, in the order they were first seen.

    Two addresses with the same key are one; the table shows the spelling seen first.
    Letters go to a store; in memory they take 20 bytes an address, all else 20 more.
    """

    __slots__ = (
        "_digests",
        "_earlier",
        "_earlier_hrefs",
        "_host_ids",
        "_host_names",
        "_hosts",
        "_letters",
        "_odd",
        "_recent",
        "_recent_hrefs",
    )

    def __init__(self, store: StringStore | None = None) -> None:
        self._digests = Digests()
        self._letters = CompressedStrings(store or MemoryStore())
        self._hosts = array("i")
        # Which addresses are shown otherwise than by their keys.
        self._odd = bytearray()
        self._host_ids: dict[str, HostId] = {}
        self._host_names: list[str] = []
        self._forget()

    def _forget(self) -> None:
        """Have nothing at hand."""
        self._recent: dict[str, UrlId] = {}
        self._earlier: dict[str, UrlId] = {}
        self._recent_hrefs: dict[UrlId, str] = {}
        self._earlier_hrefs: dict[UrlId, str] = {}

    def __len__(self) -> int:
        return len(self._digests)

    @property
    def hosts(self) -> int:
        """How many hosts are known."""
        return len(self._host_names)

    @property
    def store(self) -> StringStore:
        """Where the letters are."""
        return self._letters.store

    def intern(self, url: str) -> UrlId:
        """Return the number of an address, giving it one if it is new."""
        known = self._recent.get(url)
        return self._recall(url) if known is None else known

    def intern_many(self, urls: Sequence[str]) -> tuple[Ids, Ids]:
        """Return the numbers of many addresses and of their hosts."""
        known = self._recent.get
        recall = self._recall
        found = [number if (number := known(url)) is not None else recall(url) for url in urls]
        ids = np.array(found, np.int32)
        return ids, np.frombuffer(self._hosts, np.int32)[ids] if found else ids.copy()

    def _recall(self, url: str) -> UrlId:
        """Return the number of an address that is not among the most recent."""
        number = self._earlier.get(url)
        if number is None:
            number = self._digests.find(digest(url))
            if number is None:
                number = self._add(url)
            elif not self._odd[number]:
                self._recent_hrefs[number] = url
        elif number in self._earlier_hrefs:
            self._recent_hrefs[number] = self._earlier_hrefs[number]
        self._recent[url] = number
        if len(self._recent) >= RECENT:
            self._earlier, self._recent = self._recent, {}
            self._earlier_hrefs, self._recent_hrefs = self._recent_hrefs, {}
        return number

    def _add(self, url: str) -> UrlId:
        """Give an address a number, unless it is a new spelling of an old one."""
        key = normalise(url)
        known = None if key == url else self._digests.find(digest(key))
        if known is not None:
            return known
        if not key.startswith(("http://", "https://")):
            raise ValueError(f"not an address that can be fetched: {url!r}")
        href = key if key == url else absolute(url).partition("#")[0]
        self._hosts.append(self.host_id(key.split("/", 3)[2]))
        self._odd.append(href != key)
        self._letters.append(href)
        number = self._digests.add(digest(key))
        self._recent_hrefs[number] = href
        return number

    def find(self, url: str) -> UrlId | None:
        """Return the number of an address if it has one."""
        known = self._recent.get(url)
        if known is None:
            known = self._digests.find(digest(url))
        if known is not None:
            return known
        try:
            return self._digests.find(digest(normalise(url)))
        except ValueError:
            return None

    def href(self, url: UrlId) -> str:
        """Return the address of a number, as it was first seen, without a fragment."""
        found = self._recent_hrefs.get(url) or self._earlier_hrefs.get(url)
        return self._letters[url] if found is None else found

    def hrefs(self, urls: Sequence[UrlId]) -> list[str]:
        """Return the addresses of many numbers."""
        near, far = self._recent_hrefs.get, self.href
        return [near(url) or far(url) for url in urls]

    def host(self, url: UrlId) -> HostId:
        """Return the host of an address."""
        return self._hosts[url]

    def host_name(self, host: HostId) -> str:
        """Return the name of a host."""
        return self._host_names[host]

    def host_id(self, name: str) -> HostId:
        """Return the number of a host, giving it one if it is new."""
        known = self._host_ids.get(name)
        if known is None:
            known = self._host_ids[name] = len(self._host_names)
            self._host_names.append(name)
        return known

    def is_sound(self) -> bool:
        """Say whether the store has the letters that belong to the digests, as far as it goes."""
        last = len(self) // BLOCK * BLOCK - 1
        try:
            return last < 0 or self._digests.find(digest(normalise(self._letters[last]))) == last
        except Exception:  # whatever comes of reading other bytes
            return False

    def __getstate__(self) -> State:
        """Leave out what can be made again."""
        hosts = np.frombuffer(self._hosts, np.int32) if self._hosts else np.empty(0, np.int32)
        return self._digests, self._letters, hosts, self._odd, self._host_names

    def __setstate__(self, state: State) -> None:
        self._digests, self._letters, hosts, self._odd, self._host_names = state
        self._hosts = array("i", hosts.tobytes())
        self._host_ids = {name: number for number, name in enumerate(self._host_names)}
        self._forget()
