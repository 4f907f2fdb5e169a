"""The robots.txt of very many hosts, in a bounded amount of memory.

Recently used entries are kept parsed; the others are packed, and parsed again when they are needed.
When there are too many, those not used for longest are forgotten.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import msgspec

from foragers.fetching.job import FetchJob, reason_of
from foragers.http.causes import NO_ROBOTS, ROBOTS
from foragers.http.messages import FetchError, Response, payload, retry_after
from foragers.parsing.robots_txt import MAX_BYTES, Robots, robots_for_status
from foragers.urls.parse import origin_of

Thing = TypeVar("Thing")

AT_HAND, PACKED = 32 << 20, 64 << 20
"""How many bytes may be at hand, and how many packed."""
UNPACKED_SHARE, ENTRY = 10, 1500
"""How much more something takes unpacked: so many times as much, and so many bytes."""
ROBOTS_AGE, ROBOTS_RETRY = 24 * 3600.0, 1800.0
"""Seconds after which a robots.txt is fetched again: one that was read, and one that failed."""
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


class RobotsEntry(msgspec.Struct, frozen=True):
    """What is known of a robots.txt, until when, and why it could not be had if so."""

    robots: Robots
    until: float
    reason: str = ""
    is_final: bool = False
    body: bytes = b""

    @classmethod
    def of(cls, reply: Response, now: float) -> RobotsEntry:
        """Return what a reply to a request for robots.txt means."""
        code = None if reply.trouble else reply.code
        # One byte more than is read tells that there was more.
        body = payload(reply, 2 * MAX_BYTES)[: MAX_BYTES + 1]
        robots = robots_for_status(code, body)
        if robots.reachable:
            said = body if code is not None and 200 <= code <= 299 else b""
            return cls(robots, now + ROBOTS_AGE, body=said)
        is_final = reply.trouble is FetchError.REFUSED_ADDRESS
        wait = max(ROBOTS_RETRY, min(retry_after(reply), ROBOTS_AGE))
        return cls.denied(reason_of(reply), now + wait, is_final)

    @classmethod
    def denied(cls, reason: str, until: float, is_final: bool = False) -> RobotsEntry:
        """Return what it means that robots.txt cannot be had, now or at all."""
        said = f"{NO_ROBOTS}: {reason}"
        return cls(robots_for_status(None), until, said, is_final)

    def refuse(self, agent: str, url: str) -> str | None:
        """Return why an address may not be asked for, or None if it may."""
        if self.robots.allowed(agent, url):
            return None
        return self.reason or ROBOTS

    def pack(self) -> bytes:
        """Return the permission in few bytes."""
        said = zlib.compress(self.body, 1) if self.body else b""
        parts = (self.robots.reachable, self.until, self.reason, self.is_final, said)
        return msgspec.msgpack.encode(parts)

    @classmethod
    def unpack(cls, packed: bytes) -> RobotsEntry:
        """Return the permission that was packed."""
        kind = tuple[bool, float, str, bool, bytes]
        reachable, until, reason, is_final, said = msgspec.msgpack.decode(packed, type=kind)
        body = zlib.decompress(said) if said else b""
        robots = robots_for_status(200 if reachable else None, body)
        return cls(robots, until, reason, is_final, body)

    @property
    def size(self) -> int:
        """How many bytes the robots.txt had."""
        return len(self.body)

    @property
    def is_for_now(self) -> bool:
        """Whether the host is to be asked again what it wants."""
        return bool(self.reason) and not self.is_final


@dataclass(slots=True)
class RobotsCache:
    """What is known of all robots.txt, and who waits for one that is on its way."""

    known: PackedCache[RobotsEntry] = field(
        default_factory=lambda: PackedCache(
            RobotsEntry.pack, RobotsEntry.unpack, lambda one: one.size
        )
    )
    waiting: dict[str, list[FetchJob]] = field(default_factory=dict)

    def of(self, url: str, now: float) -> RobotsEntry | None:
        """Return what is known for an address, if it is still good."""
        found = self.known.get(origin_of(url))
        return found if found is not None and now < found.until else None

    def wait(self, errand: FetchJob) -> FetchJob | None:
        """Let an errand wait for robots.txt; return who is to fetch that, if none is gone yet."""
        origin = origin_of(errand.url)
        waiting = self.waiting.setdefault(origin, [])
        waiting.append(errand)
        robots = FetchJob(errand.choice, f"{origin}/robots.txt", origin)
        return robots if len(waiting) == 1 else None

    def recall(self, origin: str) -> list[FetchJob]:
        """Wait no more for a robots.txt; return those who did."""
        return self.waiting.pop(origin, [])

    def learn(self, origin: str, permission: RobotsEntry) -> list[FetchJob]:
        """Take in what was found out; return those who waited for it."""
        self.known.put(origin, permission)
        return self.waiting.pop(origin, [])
