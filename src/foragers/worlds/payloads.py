"""What was recorded of which address, so that the same need not be written twice."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

from foragers.worlds.exchange import Earlier, Exchange


@dataclass
class Payloads:
    """The responses seen last, at most `most` of them."""

    most: int = 50_000
    _seen: dict[bytes, Earlier] = field(init=False, repr=False, default_factory=dict)

    def earlier(self, this: Exchange) -> Earlier | None:
        """Return the response that an answer repeats, if one is known."""
        if this.not_modified:
            return self._recall(this.url, "")
        return self._recall(this.url, this.content) if this.repeatable else None

    def add(self, url: str, content: str, response: Earlier) -> None:
        """Remember a response: by its content, and as the last whole one of its address."""
        self._keep(key(url, content), response)
        self._keep(key(url, ""), response)

    def _recall(self, url: str, content: str) -> Earlier | None:
        wanted = key(url, content)
        found = self._seen.get(wanted)
        if found:
            self._keep(wanted, found)
            if content:
                # What the server may next call unchanged is this content.
                self._keep(key(url, ""), found)
        return found

    def _keep(self, wanted: bytes, response: Earlier) -> None:
        """Put a response at the end of the queue of those to be forgotten."""
        self._seen.pop(wanted, None)
        self._seen[wanted] = response
        if len(self._seen) > 2 * self.most:
            del self._seen[next(iter(self._seen))]


def key(url: str, content: str) -> bytes:
    """Return a short key for a content of an address."""
    return blake2b(f"{url} {content}".encode("utf-8", "replace"), digest_size=16).digest()
