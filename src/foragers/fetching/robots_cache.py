"""What is known of very many hosts, in as much memory as one is willing to give.

What was asked for of late is at hand as it is; the rest is packed, and unpacked when it is
asked for.  What has not been asked for longest is forgotten when there is too much.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Thing = TypeVar("Thing")

AT_HAND, PACKED = 32 << 20, 64 << 20
"""How many bytes may be at hand, and how many packed."""
UNPACKED_SHARE, ENTRY = 10, 1500
"""How much more something takes unpacked: so many times as much, and so many bytes."""
PACKED_ENTRY = 250
"""What keeping something takes besides its packed bytes."""


class PackedCache(Generic[Thing]):
    """Things by name; `pack` makes bytes of one, `unpack` one of bytes.

    `size` tells how large a thing is, in bytes of the text it was made from.
    """

    def __init__(
        self,
        pack: Callable[[Thing], bytes],
        unpack: Callable[[bytes], Thing],
        size: Callable[[Thing], int],
    ) -> None:
        self._pack, self._unpack, self._size = pack, unpack, size
        self._at_hand: OrderedDict[str, Thing] = OrderedDict()
        self._packed: OrderedDict[str, bytes] = OrderedDict()
        self._bytes_at_hand = self._bytes_packed = 0

    def __len__(self) -> int:
        return len(self._packed)

    def get(self, name: str) -> Thing | None:
        """Return something, if it has not been forgotten."""
        if name not in self._packed:
            return None
        self._packed.move_to_end(name)
        found = self._at_hand.get(name)
        if found is None:
            found = self._unpack(self._packed[name])
            self._lay(name, found)
        else:
            self._at_hand.move_to_end(name)
        return found

    def put(self, name: str, thing: Thing) -> None:
        """Keep something, in place of what had its name before."""
        self._remove(name)
        self._packed[name] = packed = self._pack(thing)
        self._bytes_packed += len(packed) + PACKED_ENTRY
        self._lay(name, thing)
        while self._bytes_packed > PACKED and len(self._packed) > 1:
            self._remove(next(iter(self._packed)))

    def _lay(self, name: str, thing: Thing) -> None:
        """Put something where it is at hand."""
        self._at_hand[name] = thing
        self._bytes_at_hand += self._weight(thing)
        while self._bytes_at_hand > AT_HAND and len(self._at_hand) > 1:
            _, other = self._at_hand.popitem(last=False)
            self._bytes_at_hand -= self._weight(other)

    def _remove(self, name: str) -> None:
        packed = self._packed.pop(name, None)
        if packed is not None:
            self._bytes_packed -= len(packed) + PACKED_ENTRY
        thing = self._at_hand.pop(name, None)
        if thing is not None:
            self._bytes_at_hand -= self._weight(thing)

    def _weight(self, thing: Thing) -> int:
        return UNPACKED_SHARE * self._size(thing) + ENTRY
