"""New promises for all that waits in a frontier, at the cost of a few passes over columns."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.tail import RECORD, Counting, Entry, Records, Tail, joined, packed, unpacked
from foragers.types import HostId

Places = NDArray[np.intp]

FEW = 8
"""So few entries of a host take less memory as they are than in a tail, and less time."""


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
        near = np.frombuffer(packed(chain.from_iterable(heaps.values())), RECORD)
        sizes = np.fromiter(map(len, heaps.values()), np.intp, len(heaps))
        parts, start = [], 0
        ends = np.cumsum(sizes).tolist()
        # Entries of hosts without tails, one after the other, need not be taken one by one.
        for place, host in [at for at in enumerate(heaps) if at[1] in tails]:
            records = tails[host].records()
            parts += [near[start : ends[place]], *records]
            sizes[place] += sum(map(len, records))
            start = ends[place]
        parts.append(near[start:])
        hosts = list(compress(heaps, sizes.tolist()))
        if not hosts:
            return cls([], np.empty(0, RECORD), np.empty(0, np.intp))
        entries = joined(parts)
        kept = counts(entries)
        sizes = sizes[sizes > 0]
        left = np.add.reduceat(kept, np.cumsum(sizes) - sizes, dtype=np.intp)
        names = list(compress(hosts, left.tolist()))
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
        """Return heaps with the best entry of each host, or its few, and tails with the others."""
        if not self.hosts:
            return {}, {}
        counts = np.diff(self.starts, append=len(self.entries))
        few = counts <= FEW
        near = self.heads() | np.repeat(few, counts)
        entries = unpacked(self.entries.compress(near).tobytes())
        ends = np.cumsum(np.where(few, counts, 1)).tolist()
        spans = zip(self.hosts, [0, *ends], ends, strict=False)
        heaps = {host: entries[start:end] for host, start, end in spans}
        for place in np.flatnonzero(few & (counts > 1)).tolist():
            heaps[self.hosts[place]].sort()
        return heaps, self._tails(heaps, self.entries.compress(~near), np.where(few, 0, counts - 1))

    def _tails(
        self, heaps: Mapping[HostId, list[Entry]], others: Records, counts: Places
    ) -> dict[HostId, Tail]:
        """Return tails with so many entries of each host, the best of which are in heaps."""
        tails, ends = {}, np.cumsum(counts).tolist()
        for place in np.flatnonzero(counts).tolist():
            host = self.hosts[place]
            tails[host] = tail = Tail()
            tail.put(others[ends[place] - counts.item(place) : ends[place]], heaps[host][0][:2])
        return tails
