"""The packed overflow of a host's queue (28 bytes per URL), and rescoring of a whole frontier.

New entries go unsorted to a *pile*.  When entries are needed, the best of a pile are sorted into a
*run*; the best of all are then among the first of the runs.  So an entry that is never needed is
never sorted, and one that is needed is sorted a few times at most.

`Rescoring` gives all waiting URLs new promises in a few passes over columns.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, compress, starmap
from math import inf
from struct import Struct
from sys import maxsize
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.compiled import compiled
from foragers.core.pace import MAX_COUNTED
from foragers.core.types import HostId, UrlId

Entry = tuple[float, int, UrlId, UrlId, int]
"""(-promise, order of arrival, URL, parent, depth): tuples compare as a heap should."""
Key = tuple[float, int]
"""The first fields of an entry, which order entries; no two entries share them."""
Records = NDArray[np.void]
Counting = Callable[[Records], NDArray[np.bool_]]
"""Returns which entries still count."""

LIBRARY: Any | None = compiled("foragers.frontier._queue")
"""The sorting of entries compiled, if it is."""
RECORD = np.dtype(
    [("negative", "<f8"), ("order", "<i8"), ("url", "<i4"), ("parent", "<i4"), ("depth", "<i4")]
)
_PACKED = Struct("<dqiii")
NONE: Key = (inf, maxsize)
"""A key after all others, for no entry."""
FEW = 64
"""A tail with at most this many entries is emptied when some of them are needed."""
SPADEFUL, SHARE = 512, 16
"""Entries sorted at a time: this number, or this part of a large pile."""
RUNS, LARGE = 8, 1 << 17
"""This many runs are merged, except runs that are too large to sort again."""


class PackedQueue:
    """The entries of one host that are not in its heap; none comes before the key `best`."""

    __slots__ = ("_bounds", "_first", "_fresh", "_fresh_bound", "_piles", "_runs", "best")

    def __init__(self) -> None:
        self.best = NONE
        self._fresh = bytearray()
        self._fresh_bound = NONE
        self._piles: list[Records] = []
        self._bounds: list[Key] = []
        self._runs: list[Records] = []
        self._first: tuple[NDArray[np.float64], NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        packed = len(self._fresh) // RECORD.itemsize
        return packed + sum(map(len, self._piles)) + sum(map(len, self._runs))

    def add(self, entries: Sequence[Entry]) -> None:
        """Add entries; the first is the best."""
        self._fresh += packed(entries)
        self._bound(entries[0][:2])

    def put(self, records: Records, bound: Key) -> None:
        """Add entries in any order, none of which comes before a key."""
        self._fresh += records.tobytes()
        self._bound(bound)

    def take(self, n: int, counts: Counting, scores: array[float] | None = None) -> list[Entry]:
        """Return the n best entries, best first; all of them, if there are few.

        `scores` are the promises of all URLs, if entries count that have those.
        """
        self._first = None
        if len(self._fresh) <= FEW * RECORD.itemsize and not self._runs and not self._piles:
            return self._take_all()
        last = self._last(n)
        while (self._fresh and self._fresh_bound < last) or any(b < last for b in self._bounds):
            self._dig(last, counts, scores)
            last = self._last(n)
        heads: list[Entry] = []
        alone = len(self._runs) == 1 and last != NONE
        for index, run in enumerate(self._runs):
            here = n if alone else count_until(run[:n], last)
            heads += run[:here].tolist()
            self._runs[index] = shortened(run, here)
        self._runs = [run for run in self._runs if len(run)]
        self.best = min(self._fresh_bound, *self._bounds, *map(first, self._runs), NONE)
        heads.sort()
        return heads

    def _take_all(self) -> list[Entry]:
        entries = sorted(unpacked(self._fresh))
        self._fresh, self._fresh_bound = bytearray(), NONE
        self.best = NONE
        return entries

    def records(self) -> list[Records]:
        """Return all entries, in any order; the tail is not to be used after that."""
        return [*self._runs, *self._piles, np.frombuffer(self._fresh, RECORD)]

    def buffers(self) -> list[NDArray[np.uint8] | bytearray]:
        """Return the bytes of all entries, in any order."""
        return [*(part.view(np.uint8) for part in (*self._runs, *self._piles)), self._fresh]

    @classmethod
    def of(cls, records: bytes, bound: Key) -> PackedQueue:
        """Return a tail with the bytes of entries, none of which comes before a key."""
        tail = cls()
        tail._fresh += records
        tail._bound(bound)
        return tail

    def count_ahead(self, key: Key) -> int:
        """Count the entries that come before a key, including those that no longer count."""
        if self.best >= key:
            return 0
        if self._first is None:
            self._first = self._firsts()
        negatives, orders = self._first
        negative, order = key
        start, end = np.searchsorted(negatives, negative, "left"), len(negatives)
        if start < end and negatives[start] == negative:
            end = int(np.searchsorted(negatives, negative, "right"))
            start += np.searchsorted(orders[start:end], order)
        return int(start)

    def _firsts(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the keys of the first entries, in order."""
        parts = (*self._runs, *self._piles, np.frombuffer(self._fresh, RECORD))
        negatives = np.concatenate([part["negative"] for part in parts])
        orders = np.concatenate([part["order"] for part in parts])
        if len(negatives) > MAX_COUNTED:
            near = negatives <= np.partition(negatives, MAX_COUNTED)[MAX_COUNTED]
            negatives, orders = negatives[near], orders[near]
        ranks = np.lexsort((orders, negatives))[:MAX_COUNTED]
        return negatives[ranks], orders[ranks]

    def _bound(self, key: Key) -> None:
        self._first = None
        self._fresh_bound = min(self._fresh_bound, key)
        self.best = min(self.best, key)

    def _last(self, n: int) -> Key:
        """Return the key of the n-th best entry in the runs, or that of none."""
        heads = [run[:n] for run in self._runs]
        if sum(map(len, heads)) < n:
            return NONE
        firsts = ranked(joined(heads)) if len(heads) > 1 else heads[0]
        return key_of(firsts[n - 1])

    def _dig(self, last: Key, counts: Counting, scores: array[float] | None) -> None:
        """Sort the best of the piles in which there is something better than an entry."""
        if self._fresh and self._fresh_bound < last:
            self._piles.append(np.frombuffer(self._fresh, RECORD))
            self._bounds.append(self._fresh_bound)
            self._fresh, self._fresh_bound = bytearray(), NONE
        wanted = [pile for pile, b in zip(self._piles, self._bounds, strict=True) if b < last]
        left = [(pile, b) for pile, b in zip(self._piles, self._bounds, strict=True) if b >= last]
        run, rest, bound = dug(wanted, counts, scores)
        if len(run):
            self._runs.append(run)
        if len(rest):
            left.append((rest, bound))
        self._piles = [pile for pile, _ in left]
        self._bounds = [bound for _, bound in left]
        self._merge(counts)

    def _merge(self, counts: Counting) -> None:
        """Make one run of many small ones."""
        small = [run for run in self._runs if len(run) < LARGE]
        if len(small) >= RUNS:
            merged = joined(small)
            large = [run for run in self._runs if len(run) >= LARGE]
            merged = merged.compress(counts(merged))
            self._runs = [*large, ranked(merged)] if len(merged) else large


def dug(
    piles: Sequence[Records], counts: Counting, scores: array[float] | None
) -> tuple[Records, Records, Key]:
    """Return the best of the entries that count, sorted; the others; and the first key of these."""
    if LIBRARY is not None and scores is not None:
        parts = [pile.view(np.uint8) for pile in piles]
        quick: tuple[bytes, bytes, float, int] | None = LIBRARY.dug(parts, scores, SPADEFUL, SHARE)
        if quick is not None:
            run, rest, negative, order = quick
            return np.frombuffer(run, RECORD), np.frombuffer(rest, RECORD), (negative, order)
    pile = joined(piles)
    pile = pile.compress(counts(pile))
    chosen = best_of(pile, max(SPADEFUL, len(pile) // SHARE))
    left = pile.compress(~chosen)
    bound = first(left.compress(best_of(left, 1))) if len(left) else NONE
    return ranked(pile.compress(chosen)), left, bound


def packed(entries: Iterable[Entry]) -> bytes:
    """Return entries as the bytes of records."""
    return b"".join(starmap(_PACKED.pack, entries))


def unpacked(records: bytes | bytearray) -> list[Entry]:
    """Return the entries in some bytes; this is several times as fast as numpy."""
    return list(_PACKED.iter_unpack(records))


def joined(parts: Iterable[Records]) -> Records:
    """Return the entries of several lists in one; numpy is slow on records."""
    return np.frombuffer(
        bytearray().join(np.ascontiguousarray(part).data for part in parts), RECORD
    )


def ranked(records: Records) -> Records:
    """Return entries sorted, best first."""
    # Indexing records with square brackets takes forty times as long.
    found: Records = records.take(np.lexsort((records["order"], records["negative"])))
    return found


def best_of(records: Records, n: int) -> NDArray[np.bool_]:
    """Mark the n best of some entries."""
    if n >= len(records):
        return np.ones(len(records), bool)
    negative, order = records["negative"], records["order"]
    last = np.partition(negative, n - 1)[n - 1]
    chosen: NDArray[np.bool_] = negative < last
    ties = np.flatnonzero(negative == last)
    missing = n - int(chosen.sum())
    if missing < len(ties):
        latest = np.partition(order[ties], missing - 1)[missing - 1]
        ties = ties[order[ties] <= latest]
    chosen[ties] = True
    return chosen


def count_until(run: Records, last: Key) -> int:
    """Return how many entries of a run do not come after a key."""
    start, end = (np.searchsorted(run["negative"], last[0], side) for side in ("left", "right"))
    return int(start + np.searchsorted(run["order"][start:end], last[1], "right"))


def key_of(record: np.void) -> Key:
    """Return the key of an entry."""
    return float(record["negative"]), int(record["order"])


def first(run: Records) -> Key:
    """Return the key of the best entry of a run."""
    return key_of(run[0])


def shortened(run: Records, n: int) -> Records:
    """Return a run without its first n entries; the rest does not keep the whole alive."""
    rest = run[n:]
    return rest.copy() if getattr(rest.base, "nbytes", 0) > 2 * rest.nbytes else rest


Places = NDArray[np.intp]

FEW_OF_HOST = 8
"""This many entries of a host take less memory and time in a heap than in a tail."""


class Rescoring(NamedTuple):
    """All valid entries of a frontier, host by host, with the first index of each host."""

    hosts: list[HostId]
    entries: Records
    starts: Places

    @classmethod
    def of(
        cls,
        heaps: Mapping[HostId, list[Entry]],
        tails: Mapping[HostId, PackedQueue],
        counts: Counting,
    ) -> Rescoring:
        """Take the entries out of heaps and tails."""
        near = np.frombuffer(packed(chain.from_iterable(heaps.values())), RECORD)
        sizes = np.fromiter(map(len, heaps.values()), np.intp, len(heaps))
        parts, start = [], 0
        ends = np.cumsum(sizes).tolist()
        # Entries of consecutive hosts without tails are taken together.
        for index, host in [at for at in enumerate(heaps) if at[1] in tails]:
            records = tails[host].records()
            parts += [near[start : ends[index]], *records]
            sizes[index] += sum(map(len, records))
            start = ends[index]
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

    def dealt(self) -> tuple[dict[HostId, list[Entry]], dict[HostId, PackedQueue]]:
        """Return heaps with the best entry of each host, or its few entries, and the tails."""
        if not self.hosts:
            return {}, {}
        counts = np.diff(self.starts, append=len(self.entries))
        few = counts <= FEW_OF_HOST
        near = self.heads() | np.repeat(few, counts)
        entries = unpacked(self.entries.compress(near).tobytes())
        ends = np.cumsum(np.where(few, counts, 1)).tolist()
        spans = zip(self.hosts, [0, *ends], ends, strict=False)
        heaps = {host: entries[start:end] for host, start, end in spans}
        for index in np.flatnonzero(few & (counts > 1)).tolist():
            heaps[self.hosts[index]].sort()
        return heaps, self._tails(heaps, self.entries.compress(~near), np.where(few, 0, counts - 1))

    def _tails(
        self, heaps: Mapping[HostId, list[Entry]], others: Records, counts: Places
    ) -> dict[HostId, PackedQueue]:
        """Return tails with the given number of entries of each host; its best are in heaps."""
        tails, ends = {}, np.cumsum(counts).tolist()
        for index in np.flatnonzero(counts).tolist():
            host = self.hosts[index]
            tails[host] = tail = PackedQueue()
            tail.put(others[ends[index] - counts.item(index) : ends[index]], heaps[host][0][:2])
        return tails
