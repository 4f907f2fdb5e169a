"""The resources of rendered pages, fetched under the rules of the crawl.

The browser has no network of its own.  A script, a module or data that a page requests is
fetched here with the crawl's HTTP client: the guard checks the resolved address of each
connection, robots.txt of each host is obeyed, each redirect is checked like a request,
requests are sent one after another, and their time, number and size are limited.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field
from http import HTTPStatus

import msgspec

from foragers.fetching.redirects import REDIRECTS, RedirectChain
from foragers.fetching.robots_cache import RobotsCache, RobotsEntry
from foragers.http.client import Client
from foragers.http.messages import FetchError, Request, Response, payload
from foragers.parsing.robots_txt import MAX_BYTES
from foragers.rendering.messages import RenderOptions
from foragers.urls.parse import host_of, is_address, origin_of

KEPT_HEADERS = ("accept", "accept-language", "authorization", "content-type", "referer", "origin")
DROPPED = (
    "connection", "content-encoding", "content-length", "keep-alive", "set-cookie", "set-cookie2",
    "transfer-encoding", "upgrade", "alt-svc", "report-to", "nel", "link", "refresh",
    "content-security-policy", "strict-transport-security", "proxy-authenticate", "trailer",
)  # fmt: skip
"""Headers of the connection and not of the content, and those that cause more requests."""


class Resource(msgspec.Struct, frozen=True):
    """The response for a URL, its body without codings."""

    code: int
    headers: dict[str, str]
    body: bytes


@dataclass
class ScriptCache:
    """The most recently used scripts, up to a size in bytes."""

    most: int
    _scripts: OrderedDict[str, Resource] = field(default_factory=OrderedDict)
    _bytes: int = 0

    def get(self, url: str) -> Resource | None:
        """Return the script of a URL, if it is cached."""
        script = self._scripts.get(url)
        if script is not None:
            self._scripts.move_to_end(url)
        return script

    def put(self, url: str, script: Resource) -> None:
        """Cache a script, and drop the least recently used ones if they are too large."""
        no_store = "no-store" in script.headers.get("cache-control", "").lower()
        too_large = len(script.body) > self.most
        if no_store or script.code != HTTPStatus.OK or too_large or url in self._scripts:
            return
        self._scripts[url] = script
        self._bytes += len(script.body)
        while self._bytes > self.most:
            _, dropped = self._scripts.popitem(last=False)
            self._bytes -= len(dropped.body)


@dataclass
class ResourceLoader:
    """Fetches the resources of one page after another."""

    client: Client
    options: RenderOptions
    scripts: ScriptCache = field(init=False)
    hosts: set[str] = field(default_factory=set)
    _robots: RobotsCache = field(default_factory=RobotsCache)
    _deadline: float = 0.0
    _requests: int = 0
    _bytes: int = 0

    def __post_init__(self) -> None:
        self.scripts = ScriptCache(self.options.script_bytes)

    def begin(self, deadline: float) -> None:
        """Reset the counts for another page."""
        self._deadline, self._requests, self._bytes = deadline, 0, 0
        self.hosts = set()

    def get(self, url: str, headers: dict[str, str], is_script: bool) -> Resource | None:
        """Return the resource of a URL, or None if it may not be requested or cannot be fetched."""
        if is_script and (cached := self.scripts.get(url)):
            return cached
        chain = RedirectChain(url)
        for _ in range(self.options.hops + 1):
            response = self._request(chain.url, headers)
            if response is None:
                return None
            if response.code not in REDIRECTS:
                resource = resource_of(response, self.options.limits.unpacked)
                if resource and is_script:
                    self.scripts.put(url, resource)
                return resource
            chain.follow(chain.next_url(response))
        return None

    def _request(self, url: str, headers: dict[str, str]) -> Response | None:
        """Request a URL, if rules and limits allow it."""
        if not url.startswith(("http://", "https://")) or not is_address(url):
            return None
        if host_of(url) not in self.hosts and len(self.hosts) >= self.options.hosts:
            return None
        if self.options.robots and not self._permitted(url):
            return None
        kept = tuple(
            (name, " ".join(value.split()))
            for name, value in headers.items()
            if name.lower() in KEPT_HEADERS or name.lower().startswith("x-")
        )
        response = self._fetch(
            Request(url, (*kept, ("Accept-Encoding", "gzip, deflate, br, zstd")))
        )
        self._bytes += len(response.body)
        return None if response.error else response

    def _fetch(self, request: Request) -> Response:
        """Send a request and wait for the response, at most until the deadline of the page."""
        left = self._deadline - time.monotonic()
        too_many = self._requests >= self.options.requests
        if left <= 0 or too_many or self._bytes >= self.options.page_bytes:
            return Response(request, time.time(), 0.0, error=FetchError.BUSY)
        self._requests += 1
        limits = self.options.limits
        self.client.limits = msgspec.structs.replace(limits, total=min(limits.total, left))
        self.hosts.add(host_of(request.url))
        self.client.start(request)
        while True:
            for response in self.client.finished(1.0):
                return response

    def _permitted(self, url: str) -> bool:
        """Return whether robots.txt allows a URL, which may have to be fetched first."""
        origin, now = origin_of(url), time.time()
        entry = self._robots.get(url, now)
        if entry is None:
            chain = RedirectChain(f"{origin}/robots.txt")
            response = self._fetch(Request(chain.url, max_bytes=MAX_BYTES + 1))
            most = chain.settings.max_robots_hops
            while (target := chain.next_url(response)) and chain.hops < most:
                if not target.startswith(("http://", "https://")):
                    break
                chain.follow(target)
                response = self._fetch(Request(chain.url, max_bytes=MAX_BYTES + 1))
            entry = RobotsEntry.of(response, now)
            if entry.robots.reachable or time.monotonic() < self._deadline:
                # If only our own limits prevented it, the next page requests it again.
                self._robots.put(origin, entry)
        return entry.refuse(self.options.agent, url) is None


def resource_of(response: Response, most: int) -> Resource | None:
    """Return the resource of a response, unless it is too large when unpacked."""
    body = payload(response, most + 1)
    if len(body) > most:
        return None
    headers = {
        name.lower(): value for name, value in response.headers if name.lower() not in DROPPED
    }
    return Resource(response.code, headers, body)
