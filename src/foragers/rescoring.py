"""New promises for all that waits in a frontier, at the cost of a few passes over columns."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.tail import RECORD, Counting, Entry, Records, Tail, joined
from foragers.types import HostId

Places = NDArray[np.intp]


class Gathered(NamedTuple):
    """All entries of a frontier that count, host by host, and where those of each host begin."""

    hosts: list[HostId]
    entries: Records
    starts: Places

    @classmethod
    def of(
        cls, heaps: Mapping[HostId, list[Entry]], tails: Mapping[HostId, Tail], counts: Counting
    ) -> Gathered:
        """Take the entries out of heaps and tails."""
        near = np.array(list(chain.from_iterable(heaps.values())), RECORD)
        parts, hosts, sizes, start = [], [], [], 0
        for host, heap in heaps.items():
            end = start + len(heap)
            here = [near[start:end], *(tails[host].records() if host in tails else ())]
            if size := sum(map(len, here)):
                parts += here
                hosts.append(host)
                sizes.append(size)
            start = end
        if not hosts:
            return cls([], near, np.empty(0, np.intp))
        entries = joined(parts)
        kept = counts(entries)
        starts = np.cumsum([0, *sizes[:-1]])
        left = np.add.reduceat(kept, starts, dtype=np.intp)
        names = [host for host, count in zip(hosts, left.tolist(), strict=True) if count]
        left = left[left > 0]
        return cls(names, entries.compress(kept), np.cumsum(left) - left)

    def heads(self) -> NDArray[np.bool_]:
        """Mark the best entry of every host."""
        negative, order = self.entries["negative"], self.entries["order"]
        counts = np.diff(self.starts, append=len(self.entries))
        best = negative == np.repeat(np.minimum.reduceat(negative, self.starts), counts)
        orders = np.where(best, order, np.iinfo(np.int64).max)
        earliest = np.repeat(np.minimum.reduceat(orders, self.starts), counts)
        return np.asarray(orders == earliest)

    def dealt(self) -> tuple[dict[HostId, list[Entry]], dict[HostId, Tail]]:
        """Return heaps with the best entry of each host, and tails with the others."""
        if not self.hosts:
            return {}, {}
        heads = self.heads()
        best: list[Entry] = self.entries.compress(heads).tolist()
        heaps = {host: [entry] for host, entry in zip(self.hosts, best, strict=True)}
        others = self.entries.compress(~heads)
        # Each host has lost one entry before each later host's begin.
        starts = (self.starts - np.arange(len(self.starts))).tolist()
        ends = [*starts[1:], len(others)]
        tails = {}
        for host, entry, start, end in zip(self.hosts, best, starts, ends, strict=True):
            if start < end:
                tails[host] = tail = Tail()
                tail.put(others[start:end], entry[:2])
        return heaps, tails
