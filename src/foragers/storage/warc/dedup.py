"""Which responses were recorded, so that equal ones are not written twice.

A crawl that never revisits a page needs none of this, so it must be small: 70 bytes per response,
in columns.  URLs and contents are identified by 64-bit digests; a response counts as known only if
both are the same.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import NamedTuple

from foragers.storage.warc.exchange import EarlierResponse, Exchange
from foragers.urls.digests import Digests, digest

WIDTH = 37
"""The length of a payload digest as we write it; others are stored beside the column."""


class RecordedPayload(NamedTuple):
    """A recorded response: the digest of its content, and the record to refer to."""

    content: int
    response: EarlierResponse


@dataclass(slots=True)
class Generation:
    """Responses by key, one row in each column."""

    _keys: Digests = field(default_factory=Digests)
    _contents: array[int] = field(default_factory=lambda: array("Q"))
    _moments: array[int] = field(default_factory=lambda: array("q"))
    _payloads: bytearray = field(default_factory=bytearray)
    _odd: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._keys)

    def get(self, key: int) -> RecordedPayload | None:
        """Return the response of a key."""
        row = self._keys.find(key)
        if row is None:
            return None
        payload = self._odd.get(row)
        if payload is None:
            payload = self._payloads[WIDTH * row : WIDTH * (row + 1)].decode()
        return RecordedPayload(self._contents[row], EarlierResponse(self._moments[row], payload))

    def put(self, key: int, payload_of: RecordedPayload) -> None:
        """Set the response of a key."""
        row = self._keys.find(key)
        if row is None:
            row = self._keys.add(key)
            self._contents.append(0)
            self._moments.append(0)
            self._payloads += bytes(WIDTH)
        self._contents[row], self._moments[row] = payload_of.content, payload_of.response.moment
        payload = payload_of.response.payload
        if len(payload) == WIDTH and payload.isascii():
            self._payloads[WIDTH * row : WIDTH * (row + 1)] = payload.encode()
            self._odd.pop(row, None)
        else:
            self._odd[row] = payload


@dataclass
class Payloads:
    """The `most` to 2 · `most` most recent responses."""

    most: int = 25_000
    _young: Generation = field(init=False, repr=False, default_factory=Generation)
    _old: Generation = field(init=False, repr=False, default_factory=Generation)

    def earlier(self, this: Exchange) -> EarlierResponse | None:
        """Return the earlier response that a response repeats, if one is known."""
        if this.not_modified:
            recorded = self._recall(digest(this.url))
            return recorded and recorded.response
        return self._same(this.url, this.content) if this.repeatable else None

    def add(self, url: str, content: str, response: EarlierResponse) -> None:
        """Add a response as the last one of its URL."""
        self._put(digest(url), RecordedPayload(digest(content), response))

    def _same(self, url: str, content: str) -> EarlierResponse | None:
        """Return the response of a URL with a content."""
        here, wanted = digest(url), digest(content)
        last = self._recall(here)
        if last is None or last.content == wanted:
            return last and last.response
        before = self._recall(key(here, wanted))
        if before is None:
            return None
        # The server may next call this content unchanged.
        self._put(here, before)
        return before.response

    def _recall(self, key: int) -> RecordedPayload | None:
        """Return the response of a key, which counts as a use."""
        recorded = self._young.get(key)
        if recorded is None:
            recorded = self._old.get(key)
            if recorded is not None:
                self._keep(key, recorded)
        return recorded

    def _put(self, here: int, recorded: RecordedPayload) -> None:
        """Set the last response of a URL, and keep the one before it by its content."""
        last = self._recall(here)
        if last is not None and last.content != recorded.content:
            self._keep(key(here, last.content), last)
        self._keep(here, recorded)

    def _keep(self, key: int, recorded: RecordedPayload) -> None:
        """Set the response of a key, and forget the older half when there are too many."""
        self._young.put(key, recorded)
        if len(self._young) >= self.most:
            self._old, self._young = self._young, Generation()


def key(here: int, content: int) -> int:
    """Return the key of an earlier content of a URL."""
    return digest(f"{here} {content}")
