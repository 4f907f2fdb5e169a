"""What a browser is given when it asks: fetched by us, under the rules of the crawl.

The browser has no network of its own.  A script, a module or data that a page asks for is
fetched here with the crawl's own client: the guard sees the resolved address of each
connection, robots.txt of each host is obeyed, each redirect is checked like a request,
requests are made one after another, and there is an end to time, number and size.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field

import msgspec

from foragers.core.types import Choice
from foragers.fetching.job import REDIRECTS, FetchJob
from foragers.fetching.robots_cache import RobotsEntry
from foragers.http.client import Client
from foragers.http.messages import FetchError, Request, Response, payload
from foragers.parsing.robots_txt import MAX_BYTES
from foragers.rendering.messages import RenderOptions
from foragers.urls.parse import host_of, is_address, origin_of

MAX_HOPS, MAX_HOSTS = 5, 20
MAX_PAGE_BYTES = 30 << 20
MAX_SHELF_BYTES = 32 << 20
KEPT_HEADERS = ("accept", "accept-language", "authorization", "content-type", "referer", "origin")
DROPPED = (
    "connection", "content-encoding", "content-length", "keep-alive", "set-cookie", "set-cookie2",
    "transfer-encoding", "upgrade", "alt-svc", "report-to", "nel", "link", "refresh",
    "content-security-policy", "strict-transport-security", "proxy-authenticate", "trailer",
)  # fmt: skip
"""Headers of the connection and not of the content, and those that ask for more requests."""


class Resource(msgspec.Struct, frozen=True):
    """What an address gave, its body without codings."""

    code: int
    headers: dict[str, str]
    body: bytes


@dataclass
class ScriptCache:
    """Scripts that were fetched before, the latest of them up to a size."""

    most: int = MAX_SHELF_BYTES
    _goods: OrderedDict[str, Resource] = field(default_factory=OrderedDict)
    _bytes: int = 0

    def get(self, url: str) -> Resource | None:
        """Return what an address gave, if it is still here."""
        found = self._goods.get(url)
        if found is not None:
            self._goods.move_to_end(url)
        return found

    def put(self, url: str, goods: Resource) -> None:
        """Keep what an address gave, and let go of what was not asked for the longest."""
        asked_not_to = "no-store" in goods.headers.get("cache-control", "").lower()
        if asked_not_to or goods.code != 200 or len(goods.body) > self.most or url in self._goods:
            return
        self._goods[url] = goods
        self._bytes += len(goods.body)
        while self._bytes > self.most:
            _, dropped = self._goods.popitem(last=False)
            self._bytes -= len(dropped.body)


@dataclass
class Supply:
    """Fetches what one page after another asks for."""

    client: Client
    terms: RenderOptions
    shelf: ScriptCache = field(default_factory=ScriptCache)
    hosts: set[str] = field(default_factory=set)
    _permissions: dict[str, RobotsEntry] = field(default_factory=dict)
    _deadline: float = 0.0
    _requests: int = 0
    _bytes: int = 0

    def begin(self, deadline: float) -> None:
        """Count anew, for another page."""
        self._deadline, self._requests, self._bytes = deadline, 0, 0
        self.hosts = set()

    def get(self, url: str, headers: dict[str, str], is_script: bool) -> Resource | None:
        """Return what an address gives, or None if it may not be asked for or does not answer."""
        if is_script and (kept := self.shelf.get(url)):
            return kept
        asked = url
        for _ in range(MAX_HOPS + 1):
            reply = self._ask(asked, headers)
            if reply is None:
                return None
            if reply.code not in REDIRECTS:
                goods = goods_of(reply, self.terms.limits.unpacked)
                if goods and is_script:
                    self.shelf.put(url, goods)
                return goods
            asked = target_of(asked, reply)
        return None

    def _ask(self, url: str, headers: dict[str, str]) -> Response | None:
        """Ask for an address, if the rules allow it and it is not too much."""
        if not url.startswith(("http://", "https://")) or not is_address(url):
            return None
        if host_of(url) not in self.hosts and len(self.hosts) >= MAX_HOSTS:
            return None
        if self.terms.robots and not self._permitted(url):
            return None
        kept = tuple(
            (name, " ".join(value.split()))
            for name, value in headers.items()
            if name.lower() in KEPT_HEADERS or name.lower().startswith("x-")
        )
        reply = self._fetch(Request(url, (*kept, ("Accept-Encoding", "gzip, deflate, br, zstd"))))
        self._bytes += len(reply.body)
        return None if reply.trouble else reply

    def _fetch(self, request: Request) -> Response:
        """Make a request and wait for its answer, no longer than the page has time."""
        left = self._deadline - time.monotonic()
        if left <= 0 or self._requests >= self.terms.requests or self._bytes >= MAX_PAGE_BYTES:
            return Response(request, time.time(), 0.0, trouble=FetchError.BUSY)
        self._requests += 1
        limits = self.terms.limits
        self.client.limits = msgspec.structs.replace(limits, total=min(limits.total, left))
        self.hosts.add(host_of(request.url))
        self.client.start(request)
        while True:
            for reply in self.client.finished(1.0):
                return reply

    def _permitted(self, url: str) -> bool:
        """Say whether robots.txt of a host lets us ask for an address."""
        origin, now = origin_of(url), time.time()
        known = self._permissions.get(origin)
        if known is None or known.until <= now:
            errand = FetchJob(Choice(0, 0), f"{origin}/robots.txt", origin)
            reply = self._fetch(Request(errand.url, enough=MAX_BYTES + 1))
            while (target := errand.target(reply)) and errand.hops < MAX_HOPS:
                if not target.startswith(("http://", "https://")):
                    break
                errand.go_on(target)
                reply = self._fetch(Request(errand.url, enough=MAX_BYTES + 1))
            known = RobotsEntry.of(reply, now)
            if known.robots.reachable or time.monotonic() < self._deadline:
                # What only our own limits kept us from is to be tried again with the next page.
                self._permissions[origin] = known
        return known.refuse(self.terms.agent, url) is None


def goods_of(reply: Response, most: int) -> Resource | None:
    """Return what a reply holds, unless that is too much when it is unpacked."""
    body = payload(reply, most + 1)
    if len(body) > most:
        return None
    headers = {name.lower(): value for name, value in reply.headers if name.lower() not in DROPPED}
    return Resource(reply.code, headers, body)


def target_of(url: str, reply: Response) -> str:
    """Return where a reply redirects to, or nothing."""
    return FetchJob(Choice(0, 0), url).target(reply)
