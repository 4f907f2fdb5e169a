"""The URLs of a world, packed: all strings in one block, found by number or by hash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import HostId, Ids, UrlId
from foragers.urls.digests import digest
from foragers.urls.parse import host_of, normalise


@dataclass(slots=True)
class AddressBook:
    """Every URL that a world knows, with a page or not."""

    letters: NDArray[np.uint8]
    starts: NDArray[np.int64]
    host_ids: Ids
    host_names: tuple[str, ...]
    sorted_keys: NDArray[np.uint64]
    sorted_ids: Ids

    def __len__(self) -> int:
        return len(self.host_ids)

    def href(self, url: UrlId) -> str:
        """Return a URL as a string."""
        letters = self.letters[self.starts[url] : self.starts[url + 1]]
        data = letters.tobytes()
        try:
            return data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:  # in a damaged world
            return data.decode("utf-8", "replace")

    def find(self, url: str) -> UrlId | None:
        """Return the number of a URL, if the world knows it."""
        key = normalise(url)
        wanted = np.uint64(digest(key))
        at = int(np.searchsorted(self.sorted_keys, wanted))
        while at < len(self.sorted_keys) and self.sorted_keys[at] == wanted:
            row = int(self.sorted_ids[at])
            if normalise(self.href(row)) == key:
                return row
            at += 1
        return None

    def hrefs(self, urls: Sequence[UrlId]) -> list[str]:
        """Return many URLs as strings."""
        return list(map(self.href, urls))

    def host(self, url: UrlId) -> HostId:
        """Return the host of a URL."""
        return int(self.host_ids[url])

    def host_name(self, host: HostId) -> str:
        """Return the name of a host."""
        return self.host_names[host]

    @classmethod
    def pack(cls, hrefs: Sequence[str]) -> AddressBook:
        """Pack distinct URLs, numbered in the given order."""
        names: dict[str, int] = {}
        host_ids = np.fromiter(
            (names.setdefault(host_of(href), len(names)) for href in hrefs), np.int32, len(hrefs)
        )
        keys = np.fromiter((digest(normalise(href)) for href in hrefs), np.uint64, len(hrefs))
        return cls.of(hrefs, keys, host_ids, tuple(names))

    @classmethod
    def of(
        cls,
        hrefs: Sequence[str],
        keys: NDArray[np.uint64],
        host_ids: Ids,
        host_names: tuple[str, ...],
    ) -> AddressBook:
        """Pack distinct URLs whose digests and hosts are known."""
        encoded = [href.encode("utf-8", "surrogatepass") for href in hrefs]
        starts = np.zeros(len(hrefs) + 1, np.int64)
        np.cumsum([len(letters) for letters in encoded], out=starts[1:])
        order = np.argsort(keys, kind="stable").astype(np.int32)
        letters = np.frombuffer(b"".join(encoded), np.uint8)
        return cls(letters, starts, host_ids, host_names, keys[order], order)
