"""What was recorded of which address, so that the same need not be written twice.

A crawl that never comes back to a page needs none of this, so it must take little: 70 bytes a
response, in columns.  Addresses and contents are known by digests of 64 bits; a response counts as
known only if both are the same.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import NamedTuple

from foragers.storage.warc.exchange import EarlierResponse, Exchange
from foragers.urls.digests import Digests, digest

WIDTH = 37
"""The length of a payload digest as we write it; others are kept beside the column."""


class RecordedPayload(NamedTuple):
    """A response as it is remembered: the digest of its content, and what to refer to."""

    content: int
    response: EarlierResponse


@dataclass(slots=True)
class Generation:
    """Some responses, each under a key: a row of each column."""

    _keys: Digests = field(default_factory=Digests)
    _contents: array[int] = field(default_factory=lambda: array("Q"))
    _moments: array[int] = field(default_factory=lambda: array("q"))
    _payloads: bytearray = field(default_factory=bytearray)
    _odd: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._keys)

    def get(self, key: int) -> RecordedPayload | None:
        """Return what is remembered under a key."""
        row = self._keys.find(key)
        if row is None:
            return None
        payload = self._odd.get(row)
        if payload is None:
            payload = self._payloads[WIDTH * row : WIDTH * (row + 1)].decode()
        return RecordedPayload(self._contents[row], EarlierResponse(self._moments[row], payload))

    def put(self, key: int, known: RecordedPayload) -> None:
        """Remember a response under a key, in place of what was there."""
        row = self._keys.find(key)
        if row is None:
            row = self._keys.add(key)
            self._contents.append(0)
            self._moments.append(0)
            self._payloads += bytes(WIDTH)
        self._contents[row], self._moments[row] = known.content, known.response.moment
        payload = known.response.payload
        if len(payload) == WIDTH and payload.isascii():
            self._payloads[WIDTH * row : WIDTH * (row + 1)] = payload.encode()
            self._odd.pop(row, None)
        else:
            self._odd[row] = payload


@dataclass
class Payloads:
    """The `most` to 2 · `most` responses that were seen last."""

    most: int = 25_000
    _young: Generation = field(init=False, repr=False, default_factory=Generation)
    _old: Generation = field(init=False, repr=False, default_factory=Generation)

    def earlier(self, this: Exchange) -> EarlierResponse | None:
        """Return the response that an answer repeats, if one is known."""
        if this.not_modified:
            known = self._recall(digest(this.url))
            return known and known.response
        return self._same(this.url, this.content) if this.repeatable else None

    def add(self, url: str, content: str, response: EarlierResponse) -> None:
        """Remember a response as the last one of its address."""
        self._put(digest(url), RecordedPayload(digest(content), response))

    def _same(self, url: str, content: str) -> EarlierResponse | None:
        """Return the response of an address that had a content."""
        here, wanted = digest(url), digest(content)
        last = self._recall(here)
        if last is None or last.content == wanted:
            return last and last.response
        before = self._recall(key(here, wanted))
        if before is None:
            return None
        # What the server may next call unchanged is this content.
        self._put(here, before)
        return before.response

    def _recall(self, key: int) -> RecordedPayload | None:
        """Return what is remembered under a key, and remember it for longer."""
        known = self._young.get(key)
        if known is None:
            known = self._old.get(key)
            if known is not None:
                self._keep(key, known)
        return known

    def _put(self, here: int, known: RecordedPayload) -> None:
        """Remember the last response of an address, and the one before it by its content."""
        last = self._recall(here)
        if last is not None and last.content != known.content:
            self._keep(key(here, last.content), last)
        self._keep(here, known)

    def _keep(self, key: int, known: RecordedPayload) -> None:
        """Remember, and forget the older half when there is too much."""
        self._young.put(key, known)
        if len(self._young) >= self.most:
            self._old, self._young = self._young, Generation()


def key(here: int, content: int) -> int:
    """Return the key of a content that an address had before its last one."""
    return digest(f"{here} {content}")
