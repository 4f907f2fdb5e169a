"""A download in progress: its redirects, its tries, and what was received last time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import msgspec

from foragers.core.types import Choice
from foragers.fetching.history import CachedPage, Header
from foragers.fetching.redirects import RedirectChain
from foragers.fetching.settings import DEFAULT_FETCHING, RetrySettings
from foragers.http.messages import BUSY, NOT_FOUND, FetchError, Response
from foragers.urls.parse import normalise


class Retry(msgspec.Struct, frozen=True):
    """A choice to be requested again at a time, unless it was deferred `most` times before.

    It is `unanswered` if the world has not returned a page for it; then its host is to be left
    alone for `pause` seconds.
    """

    at: float
    choice: Choice
    most: int = DEFAULT_FETCHING.retries.deferrals
    unanswered: bool = False
    pause: float = 0.0


class ResponseRecorder(Protocol):
    """Archives responses."""

    def record(self, response: Response) -> str:
        """Archive a response and return its place."""
        ...

    def convert(self, response: Response, html: bytes, moment: int) -> None:
        """Archive the rendered page of a response, made at a time in milliseconds."""
        ...


@dataclass(slots=True)
class FetchJob:
    """The download of a choice; with an `origin`, the download of the robots.txt there.

    `max_bytes` limits a list of pages, `cached` is what was received last time, `keys` are the host
    and IP address that the request occupies, and `number` is that of the choice.
    """

    choice: Choice
    chain: RedirectChain
    origin: str = ""
    tries: int = 0
    keys: tuple[str, ...] = ()
    max_bytes: int = 0
    cached: CachedPage | None = None
    number: int = 0

    @property
    def url(self) -> str:
        """The URL to request next."""
        return self.chain.url

    @property
    def hops(self) -> int:
        """The number of redirects so far."""
        return self.chain.hops

    @property
    def headers(self) -> tuple[Header, ...]:
        """The request headers of this job, besides the usual ones."""
        cookie = self.chain.cookies.header(self.url)
        return (*self.conditions, ("Cookie", cookie)) if cookie else self.conditions

    @property
    def conditions(self) -> tuple[Header, ...]:
        """The headers that request a known page only if it has changed."""
        if self.cached is None:
            return ()
        return self.cached.conditions(self.url, self.chain.settings.max_header_chars)

    def follow(self, target: str) -> None:
        """Go on to the target of a redirect."""
        self.chain.follow(target)
        self.tries = 0

    def normalise_slashes(self, code: int) -> bool:
        """Go on to the normalised form of a URL that is missing with repeated slashes.

        Both forms are one URL for the crawl, so no other job will request the other one.
        """
        if code != NOT_FOUND or self.hops:
            return False
        path = self.url.partition("://")[2].partition("?")[0]
        if "//" not in path:
            return False
        self.follow(normalise(self.url))
        return True

    def tries_left(self, response: Response, settings: RetrySettings) -> int:
        """Return how often a request with this response may be repeated.

        Without its robots.txt a whole site is closed, so the settings of pages do not concern it.
        """
        settings = DEFAULT_FETCHING.retries if self.origin else settings
        if response.error is FetchError.TIMEOUT:
            # A server that has begun to respond and does not end will not do better.
            return 0 if response.head else settings.tries_after_timeout - 1 - self.tries
        is_busy = not (response.error or self.origin) and response.code in BUSY
        return (settings.tries_if_busy if is_busy else settings.tries) - 1 - self.tries
