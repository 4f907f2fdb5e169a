"""WebSub: hubs tell a watch that a feed has changed, if they can reach it.

Only with `--websub URL` does anything listen.  The hubs that feeds announce are asked to call this
URL, one request a second at most, and a call becomes a look at the feed (`Watch.hear`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from foragers.http.address_guard import AddressException, Guard
from foragers.http.client import Client
from foragers.http.messages import Limits, Request, failure_reason
from foragers.parsing.hub_links import FeedHub
from foragers.storage.storing import storing
from foragers.watching.callbacks import CallbackAddress, CallbackServer
from foragers.watching.subscriptions import FILE, Subscriptions
from foragers.watching.watch_options import WatchOptions

LIMITS = Limits(total=30.0, body=1 << 16)
ASK_EVERY = 1.0
"""Seconds between two requests to hubs."""


@dataclass
class WebSub:
    """The subscriptions of a running watch, and what asks and hears hubs."""

    folder: Path
    callback: str
    subscriptions: Subscriptions
    server: CallbackServer
    client: Client
    asked: int = 0
    _next: float = 0.0
    _tokens: dict[int, str] = field(default_factory=dict)
    """The subscriptions of the requests under way."""

    @classmethod
    def open(
        cls, address: CallbackAddress, folder: Path, agent: str, allowed: tuple[str, ...]
    ) -> WebSub:
        """Listen for hubs; those on private addresses must be allowed, as in a crawl."""
        guard = Guard(tuple(AddressException.parse(text) for text in allowed))
        subscriptions = Subscriptions.restored(folder)
        server = CallbackServer((address.host, address.port), subscriptions)
        server.start()
        return cls(folder, address.url, subscriptions, server, Client(agent, guard, LIMITS))

    def step(self, hubs: Mapping[str, FeedHub], now: float) -> set[str]:
        """Ask hubs for what feeds announce, and return the feeds that hubs told of."""
        for feed, hub in hubs.items():
            self.subscriptions.offer(feed, hub)
        self._read_answers(now)
        if not 0 <= self._next - now <= ASK_EVERY:  # also after a clock that jumped back
            one = self.subscriptions.due(now)
            if one is not None:
                self._next = now + ASK_EVERY
                self.asked += 1
                self._tokens[self.asked] = one.token
                form = urlencode(one.form(self.callback))
                self.client.start(Request(one.hub, tag=self.asked, form=form))
        if self.subscriptions.is_dirty:
            with storing(self.folder, FILE):
                self.subscriptions.keep(self.folder)
        return self.subscriptions.take_heard()

    def _read_answers(self, now: float) -> None:
        """Note the hubs that did not take a request."""
        for response in self.client.finished(0.0) if self.client.running else ():
            token = self._tokens.pop(response.request.tag)
            if response.error is not None or response.code // 100 != 2:
                self.subscriptions.failed(token, failure_reason(response), now)

    def close(self) -> None:
        """Listen no more.  Leases go on: the same command resumes the watch."""
        self.server.stop()
        self.client.close()


def listening(options: WatchOptions, folder: Path, agent: str) -> WebSub | None:
    """Listen for hubs if a user wants it."""
    if options.websub is None:
        return None
    address = CallbackAddress.of(options.websub, options.websub_listen)
    return WebSub.open(address, folder, agent, options.allow_private)
