"""What stands for a page in any crawl: 64 bits of its normalised address."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.strategies.pool import Column
from foragers.types import NOWHERE, Addresses, Ids, UrlId
from foragers.urls import normalise
from foragers.worlds.addresses import key_hash

Keys = NDArray[np.uint64]


@dataclass(slots=True)
class AddressKeys:
    """The keys of URLs, each worked out once: pages of a site link to the same ones."""

    _known: Column[np.uint64] = field(default_factory=lambda: Column(np.uint64(0)), repr=False)

    def of(self, urls: Ids, addresses: Addresses) -> Keys:
        """Return the keys of some URLs."""
        known = self._known.reach(int(urls.max(initial=0)))
        for url in urls[known[urls] == 0].tolist():
            known[url] = key_of(url, addresses)
        return known[urls]


def key_of(url: UrlId, addresses: Addresses) -> int:
    """Return 64 bits that stand for an address in any crawl; 0 for the page that is nowhere."""
    if url == NOWHERE:
        return 0
    href = addresses.href(url)
    try:
        return key_hash(normalise(href))
    except ValueError:
        return key_hash(href)
