"""The robots.txt files of very many hosts, in bounded memory.

Recently used entries are kept parsed; the others are packed, and parsed again when they are needed.
When there are too many, the least recently used are forgotten.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from dataclasses import dataclass, field

import msgspec

from foragers.fetching.settings import DEFAULT_FETCHING, RobotsSettings
from foragers.http.causes import NO_ROBOTS, ROBOTS
from foragers.http.messages import FetchError, Response, failure_reason, payload, retry_after
from foragers.parsing.robots_txt import MAX_BYTES, Robots, robots_for_status
from foragers.urls.parse import origin_of


class RobotsEntry(msgspec.Struct, frozen=True):
    """A robots.txt, how long it is valid, and why it could not be fetched, if so."""

    robots: Robots
    until: float
    reason: str = ""
    is_final: bool = False
    body: bytes = b""

    @classmethod
    def of(
        cls, response: Response, now: float, settings: RobotsSettings = DEFAULT_FETCHING.robots
    ) -> RobotsEntry:
        """Return the entry for the response to a request for robots.txt."""
        code = None if response.error else response.code
        # One byte more than is parsed shows that there was more.
        body = payload(response, 2 * MAX_BYTES)[: MAX_BYTES + 1]
        robots = robots_for_status(code, body)
        if robots.reachable:
            kept = body if code is not None and 200 <= code <= 299 else b""
            return cls(robots, now + settings.age, body=kept)
        is_final = response.error is FetchError.REFUSED_ADDRESS
        wait = max(settings.retry, min(retry_after(response), settings.age))
        return cls.unavailable(failure_reason(response), now + wait, is_final)

    @classmethod
    def unavailable(cls, reason: str, until: float, is_final: bool = False) -> RobotsEntry:
        """Return the entry of a robots.txt that cannot be fetched, now or at all."""
        return cls(robots_for_status(None), until, f"{NO_ROBOTS}: {reason}", is_final)

    def refuse(self, agent: str, url: str) -> str | None:
        """Return why a URL may not be requested, or None if it may."""
        if self.robots.allowed(agent, url):
            return None
        return self.reason or ROBOTS

    def pack(self) -> bytes:
        """Return the entry in few bytes."""
        body = zlib.compress(self.body, 1) if self.body else b""
        parts = (self.robots.reachable, self.until, self.reason, self.is_final, body)
        return msgspec.msgpack.encode(parts)

    @classmethod
    def unpack(cls, packed: bytes) -> RobotsEntry:
        """Return the entry that was packed."""
        kind = tuple[bool, float, str, bool, bytes]
        reachable, until, reason, is_final, compressed = msgspec.msgpack.decode(packed, type=kind)
        body = zlib.decompress(compressed) if compressed else b""
        robots = robots_for_status(200 if reachable else None, body)
        return cls(robots, until, reason, is_final, body)

    @property
    def is_temporary(self) -> bool:
        """Whether robots.txt could not be fetched, but should be requested again."""
        return bool(self.reason) and not self.is_final


@dataclass(slots=True)
class RobotsCache:
    """The robots.txt of each origin: all of them packed, the recently used ones parsed too."""

    settings: RobotsSettings = DEFAULT_FETCHING.robots
    _parsed: OrderedDict[str, RobotsEntry] = field(default_factory=OrderedDict)
    _packed: OrderedDict[str, bytes] = field(default_factory=OrderedDict)
    _parsed_bytes: int = 0
    _packed_bytes: int = 0

    def __len__(self) -> int:
        return len(self._packed)

    def get(self, url: str, now: float) -> RobotsEntry | None:
        """Return the entry for a URL, or None if it is unknown or has expired."""
        origin = origin_of(url)
        if origin not in self._packed:
            return None
        self._packed.move_to_end(origin)
        entry = self._parsed.get(origin)
        if entry is None:
            entry = RobotsEntry.unpack(self._packed[origin])
            self._keep_parsed(origin, entry)
        else:
            self._parsed.move_to_end(origin)
        return entry if now < entry.until else None

    def put(self, origin: str, entry: RobotsEntry) -> None:
        """Store the entry of an origin in place of an earlier one."""
        self._remove(origin)
        self._packed[origin] = packed = entry.pack()
        self._packed_bytes += self._packed_size(packed)
        self._keep_parsed(origin, entry)
        while self._packed_bytes > self.settings.packed_bytes and len(self._packed) > 1:
            self._remove(next(iter(self._packed)))

    def _keep_parsed(self, origin: str, entry: RobotsEntry) -> None:
        """Keep an entry parsed, and drop the least recently used ones if they are too large."""
        self._parsed[origin] = entry
        self._parsed_bytes += self._parsed_size(entry)
        while self._parsed_bytes > self.settings.parsed_bytes and len(self._parsed) > 1:
            _, dropped = self._parsed.popitem(last=False)
            self._parsed_bytes -= self._parsed_size(dropped)

    def _remove(self, origin: str) -> None:
        packed = self._packed.pop(origin, None)
        if packed is not None:
            self._packed_bytes -= self._packed_size(packed)
        entry = self._parsed.pop(origin, None)
        if entry is not None:
            self._parsed_bytes -= self._parsed_size(entry)

    def _packed_size(self, packed: bytes) -> int:
        return len(packed) + self.settings.packed_entry

    def _parsed_size(self, entry: RobotsEntry) -> int:
        return self.settings.parsed_factor * len(entry.body) + self.settings.parsed_entry
