"""The oracle of the optimal strategy: the graph of a world at one moment."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property

import numpy as np

from foragers.core.types import HostId, Ids, UrlId
from foragers.worlds.archive import Archive
from foragers.worlds.replay import MAX_HOPS


class ArchiveOracle:
    """An oracle that reads an archive."""

    def __init__(self, archive: Archive, rewards: AbstractSet[UrlId], at: float | None) -> None:
        self.rewards = rewards
        # Only columns are kept, no texts: an oracle is pickled with its strategy.
        self._hosts = archive.book.host_ids
        self._link_starts = archive.link_starts
        self._targets = archive.targets
        self._shown = shown_versions(archive, at)
        self._finals = final_urls(archive, self._shown)

    def final(self, url: UrlId) -> UrlId:
        """Return where fetching a URL ends, or -1 if there is no page."""
        return self._final_of[url]

    def host(self, url: UrlId) -> HostId:
        """Return the host of a URL."""
        return int(self._hosts[url])

    def successors(self, url: UrlId) -> Sequence[UrlId]:
        """Return the distinct URLs that the page at a final URL links to."""
        version = self._shown[url]
        links = slice(self._link_starts[version], self._link_starts[version + 1])
        return list(dict.fromkeys(self._targets[links].tolist()))

    @cached_property
    def _final_of(self) -> memoryview[int]:
        """The finals, as the type whose elements are read fastest."""
        return self._finals.data

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_final_of"}


def shown_versions(archive: Archive, at: float | None) -> Ids:
    """Return the version of each URL at a time (at the end, if None), or -1."""
    if at is None:
        return archive.latest
    starts = archive.version_starts
    there = np.concatenate(([0], np.cumsum(archive.times <= at)))
    # Versions are sorted by time within each URL, so earlier ones come first.
    count = there[starts[1:]] - there[starts[:-1]]
    return np.where(count > 0, starts[:-1] + count - 1, -1).astype(np.int32)


def final_urls(archive: Archive, shown: Ids) -> Ids:
    """Return for each URL where its redirects end at a page, or -1."""
    if not archive.versions:
        return np.full(len(shown), -1, np.int32)
    finals = np.arange(len(shown), dtype=np.int32)
    for _ in range(MAX_HOPS):
        versions = shown[finals]
        onward = np.where(versions >= 0, archive.redirects[versions], -1)
        finals = np.where(onward >= 0, onward, finals).astype(np.int32)
    versions = shown[finals]
    codes = archive.codes[versions]
    there = (versions >= 0) & (codes >= 200) & (codes < 300) & (archive.redirects[versions] < 0)
    return np.where(there, finals, -1).astype(np.int32)
