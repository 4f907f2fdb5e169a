"""Subscriptions at hubs (WebSub): what was asked for, what hubs confirmed, and what they may say.

A hub reaches each subscription at an address of its own that nobody can guess, and signs what it
delivers with a secret.  Of a delivery only its coming is used: the feed is looked at, within the
limits of its site, so that nothing that a delivery contains is believed.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe
from threading import Lock

import msgspec

from foragers.core.files import read, write
from foragers.parsing.hub_links import FeedHub

FILE = "websub.json"
LEASE = 864_000
"""Seconds for which deliveries are asked for: ten days, as the hubs in use grant."""
SHORTEST, LONGEST = 60.0, 2_592_000.0
"""Seconds of a lease that is believed, at least and at most."""
RENEWED = 0.8
"""Share of a lease after which it is renewed."""
UNCONFIRMED, FIRST_RETRY, LONGEST_RETRY, MOST_DOUBLINGS = 3600.0, 600.0, 86_400.0, 8
"""Seconds until a hub that did not confirm, or failed, is asked again."""
MOST = 5000
"""Subscriptions of one watch."""
DIGESTS = ("sha1", "sha256", "sha384", "sha512")
MAX_CHALLENGE = 4096


class Subscription(msgspec.Struct):
    """What a hub was asked for; `until` is the end of the lease it confirmed, 0 before that."""

    feed: str
    hub: str
    topic: str
    token: str
    secret: str
    until: float = 0.0
    next_at: float = 0.0
    tries: int = 0
    asked: bool = False
    calls: int = 0

    def form(self, callback: str) -> dict[str, str]:
        """Return the request for this subscription."""
        return {
            "hub.mode": "subscribe",
            "hub.topic": self.topic,
            "hub.callback": f"{callback}/{self.token}",
            "hub.lease_seconds": str(LEASE),
            "hub.secret": self.secret,
        }


@dataclass
class Subscriptions:
    """All subscriptions of a watch, by their tokens; several threads may call it."""

    known: dict[str, Subscription] = field(default_factory=dict)
    heard: set[str] = field(default_factory=set)
    said: list[str] = field(default_factory=list)
    is_dirty: bool = False
    _lock: Lock = field(default_factory=Lock)
    _of_feed: dict[str, str] = field(default_factory=dict)

    @classmethod
    def restored(cls, folder: Path) -> Subscriptions:
        """Return the subscriptions of a watch that is resumed; a file that is damaged is left."""
        try:
            kept = msgspec.json.decode(read(folder / FILE), type=list[Subscription])
        except (OSError, ValueError):
            kept = []
        known = {one.token: one for one in kept[:MOST]}
        return cls(known, _of_feed={one.feed: one.token for one in known.values()})

    def keep(self, folder: Path) -> None:
        """Write the subscriptions; secrets are for the user alone."""
        with self._lock:
            self.is_dirty = False
            data = msgspec.json.encode(list(self.known.values()))
        file = folder / FILE
        file.touch(mode=0o600, exist_ok=True)
        write(file, data)

    def offer(self, feed: str, found: FeedHub) -> None:
        """Note the hub that a feed announces."""
        with self._lock:
            before = self.known.get(self._of_feed.get(feed, ""))
            if before is not None and (before.hub, before.topic) == found:
                return
            if before is not None:
                del self.known[before.token]
            elif len(self.known) >= MOST:
                return
            one = Subscription(feed, *found, token_urlsafe(24), token_urlsafe(32))
            self.known[one.token], self._of_feed[feed] = one, one.token
            self.is_dirty = True

    def due(self, now: float) -> Subscription | None:
        """Return a subscription whose hub is to be asked now; then it has been."""
        with self._lock:
            one = next((one for one in self.known.values() if one.next_at <= now), None)
            if one is not None:
                one.asked, one.next_at, self.is_dirty = True, now + UNCONFIRMED, True
            return one

    def failed(self, token: str, reason: str, now: float) -> None:
        """Note that a hub did not take a request."""
        with self._lock:
            one = self.known.get(token)
            if one is None:
                return
            wait = FIRST_RETRY * 2.0 ** min(one.tries, MOST_DOUBLINGS)
            one.asked, one.next_at = False, now + min(wait, LONGEST_RETRY)
            one.tries, self.is_dirty = one.tries + 1, True
            if one.tries == 1:
                self.said.append(f"the hub {one.hub} does not take {one.feed}: {reason}")

    def answer(self, token: str, query: Mapping[str, str], now: float) -> str | None:
        """Return the answer to a hub that asks whether it was asked; None if it was not."""
        with self._lock:
            one = self.known.get(token)
            if one is None or query.get("hub.topic") != one.topic or not one.asked:
                return None
            if query.get("hub.mode") == "denied":
                one.asked, one.until, one.next_at = False, 0.0, now + LONGEST_RETRY
                self.is_dirty = True
                self.said.append(f"the hub {one.hub} denies {one.feed}")
                return ""
            challenge = query.get("hub.challenge", "")
            if query.get("hub.mode") != "subscribe" or not 0 < len(challenge) <= MAX_CHALLENGE:
                return None
            if not one.until:
                self.said.append(f"the hub {one.hub} tells of changes of {one.feed}")
            lease = lease_of(query.get("hub.lease_seconds", ""))
            one.until, one.next_at = now + lease, now + RENEWED * lease
            one.asked, one.tries, self.is_dirty = False, 0, True
            return challenge

    def signer(self, token: str, signature: str, now: float) -> hmac.HMAC | None:
        """Return what a delivery is signed with; None if nothing is expected any more."""
        with self._lock:
            one = self.known.get(token)
            if one is None or one.until <= now:
                return None
            digest = signature.partition("=")[0].strip().lower()
            return hmac.new(one.secret.encode(), digestmod=digest if digest in DIGESTS else "sha1")

    def deliver(self, token: str, signature: str, signed: hmac.HMAC) -> None:
        """Take a delivery that was read to its end; one with a wrong signature is ignored."""
        given = signature.partition("=")[2].strip().lower()
        right = hmac.compare_digest(given.encode(), signed.hexdigest().encode())
        with self._lock:
            one = self.known.get(token)
            if right and one is not None:
                one.calls, self.is_dirty = one.calls + 1, True
                self.heard.add(one.feed)

    def take_heard(self) -> set[str]:
        """Return the feeds that hubs told of, once."""
        with self._lock:
            heard, self.heard = self.heard, set()
            return heard

    def take_said(self) -> list[str]:
        """Return the lines for users, once."""
        with self._lock:
            said, self.said = self.said, []
            return said

    def counts(self, now: float) -> tuple[int, int]:
        """Return how many hubs confirmed, and how often they called."""
        with self._lock:
            every = self.known.values()
            return sum(one.until > now for one in every), sum(one.calls for one in every)


def lease_of(text: str) -> float:
    """Return the seconds of a lease."""
    seconds = float(text[:12]) if text.isascii() and text.isdecimal() else float(LEASE)
    return min(max(seconds, SHORTEST), LONGEST)
