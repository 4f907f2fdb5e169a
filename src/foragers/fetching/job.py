"""The cookies of one errand: some servers give one and redirect, and give a page to who has it.

They are sent back on the way to that page only, and forgotten there: no visit knows of another.

A choice on its way through the live web, and what robots.txt says about where it goes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from foragers.core.types import Choice
from foragers.fetching.extractor import payload
from foragers.fetching.history import CachedPage, Header
from foragers.fetching.robots_cache import PackedCache
from foragers.http.causes import LATER as LATER
from foragers.http.causes import NO_ROBOTS, ROBOTS, tls_said
from foragers.http.messages import FetchError, Response, retry_after
from foragers.parsing.robots_txt import MAX_BYTES, Robots, robots_for_status
from foragers.urls.parse import host_of, normalise, resolve, site_of

MAX_COOKIES, MAX_LETTERS = 20, 1024
"""How many cookies are kept on the way, and how long each may be."""


@dataclass(slots=True)
class Cookies:
    """Values by the host, or by the domain with a dot before it, and by their names."""

    values: dict[tuple[str, str], str] = field(default_factory=dict)

    def take(self, url: str, lines: Iterable[str]) -> None:
        """Take in what the Set-Cookie headers of an answer say."""
        host = name_of(url)
        for line in lines:
            pair, _, attributes = line.partition(";")
            name, equals, value = (part.strip() for part in pair.partition("="))
            if not (equals and name and is_sendable(pair)):
                continue
            key = domain_of(attributes, host), name
            if key in self.values or len(self.values) < MAX_COOKIES:
                self.values[key] = value

    def header(self, url: str) -> str:
        """Return what is to be sent along to an address, or nothing."""
        if not self.values:
            return ""
        host = name_of(url)
        return "; ".join(
            f"{name}={value}"
            for (domain, name), value in self.values.items()
            if host == domain or (domain.startswith(".") and f".{host}".endswith(domain))
        )


def name_of(url: str) -> str:
    """Return the host of an address without its port: cookies do not tell ports apart."""
    name, colon, port = host_of(url).rpartition(":")
    return name if colon and port.isdigit() else host_of(url)


def domain_of(attributes: str, host: str) -> str:
    """Return for whom a cookie is meant: a host, or with a dot before it a domain."""
    for attribute in attributes.split(";"):
        name, _, value = attribute.partition("=")
        domain = value.strip().lstrip(".").lower()
        if name.strip().lower() == "domain" and f".{host}".endswith(f".{domain}"):
            # Not for all of .org, nor for half of an address.
            return f".{domain}" if domain and site_of(host) == site_of(domain) else host
    return host


def is_sendable(text: str) -> bool:
    """Say whether a cookie can be sent back as it is."""
    return len(text) <= MAX_LETTERS and text.isascii() and text.isprintable()


ROBOTS_AGE, ROBOTS_RETRY = 24 * 3600.0, 1800.0
REDIRECTS = (301, 302, 303, 307, 308)
MISSING = 404
TRY_AGAIN = (408, 425, 429, 500, 502, 503, 504)
TRY_AGAIN_AFTER = (FetchError.TIMEOUT, FetchError.NO_CONNECTION, FetchError.LOST)
BUSY, BUSY_TROUBLE = (429, 503), (FetchError.TIMEOUT, FetchError.NO_CONNECTION)
MAX_TRIES, MAX_TRIES_IN_TIME, MAX_HOPS = 3, 2, 10
MAX_TRIES_BUSY = 5
NOT_REACHED = (FetchError.NO_HOST, FetchError.NO_CONNECTION)


class ResponseRecorder(Protocol):
    """Someone who keeps what was received."""

    def record(self, reply: Response) -> str:
        """Keep a reply and return where it is."""
        ...

    def convert(self, reply: Response, html: bytes, moment: int) -> None:
        """Keep what a page became when its scripts had run, at a time in milliseconds."""
        ...


@dataclass(slots=True)
class FetchJob:
    """A choice on its way; with an `origin`, a visit to the robots.txt there.

    `enough` is how much is read of a list of pages, `known` what came back last time,
    `been` where it was already, with which cookies, and `sent` are those of now.
    """

    choice: Choice
    url: str
    origin: str = ""
    hops: int = 0
    tries: int = 0
    keys: tuple[str, ...] = ()
    been: tuple[tuple[str, str], ...] = ()
    cookies: Cookies = field(default_factory=Cookies)
    sent: str = ""
    enough: int = 0
    known: CachedPage | None = None
    number: int = 0

    @property
    def headers(self) -> tuple[Header, ...]:
        """The headers that are sent for this errand besides the usual ones."""
        cookie = self.cookies.header(self.url)
        return (*self.conditions, ("Cookie", cookie)) if cookie else self.conditions

    @property
    def conditions(self) -> tuple[Header, ...]:
        """The headers that ask for a known page only if it has changed."""
        return self.known.conditions(self.url) if self.known is not None else ()

    def go_on(self, target: str) -> None:
        """Turn to where a redirect leads."""
        self.been += ((self.url, self.sent),)
        self.sent = self.cookies.header(target)
        self.url, self.hops, self.tries = target, self.hops + 1, 0

    def respelled(self, code: int) -> bool:
        """Turn to the plain spelling of an address that is not found with slashes too many.

        For us the two are one address, so that nobody else will ask for the other.
        """
        path = self.url.partition("://")[2].partition("?")[0]
        if code != MISSING or self.hops or "//" not in path:
            return False
        self.go_on(normalise(self.url))
        return True

    def target(self, reply: Response) -> str:
        """Return where a reply redirects to, or nothing; the cookies it gives are taken along."""
        location = reply.header("Location")
        if reply.trouble or reply.code not in REDIRECTS or not location:
            return ""
        self.cookies.take(self.url, reply.all("Set-Cookie"))
        try:
            target = resolve(location, self.url).partition("#")[0]
        except ValueError:
            return ""
        if not target.startswith("http"):
            return target
        return without_credentials(target) if is_address(target) else ""

    def astray(self, reply: Response, target: str) -> str:
        """Return what is wrong with where a reply redirects to, or nothing."""
        if not target:
            return f"{reply.code} to nowhere"
        # With other cookies the same address may be another page.
        if (target, self.cookies.header(target)) in (*self.been, (self.url, self.sent)):
            return "redirects in a circle"
        return f"more than {MAX_HOPS} redirects" if self.hops >= MAX_HOPS else ""

    def tries_left(self, reply: Response) -> int:
        """Return how often a request that failed so may be made again."""
        if reply.trouble is FetchError.TIMEOUT:
            # A server that has begun to answer and does not end has nothing better to give.
            return 0 if reply.head else MAX_TRIES_IN_TIME - 1 - self.tries
        patient = not (reply.trouble or self.origin) and reply.code in BUSY
        return (MAX_TRIES_BUSY if patient else MAX_TRIES) - 1 - self.tries


def has_failed(reply: Response) -> bool:
    """Say whether a server could not answer now, and perhaps can later."""
    return reply.trouble in TRY_AGAIN_AFTER or (not reply.trouble and reply.code in TRY_AGAIN)


def is_not_reached(reply: Response) -> bool:
    """Say whether a host could not be reached at all: no name, no connection, nothing in time."""
    silent = reply.trouble is FetchError.TIMEOUT and not reply.asked
    return silent or reply.trouble in NOT_REACHED


def is_busy(reply: Response) -> bool:
    """Say whether it was the server, and not the page alone, that could not answer now."""
    if reply.trouble:
        # One that has begun to answer is there, and has trouble with this page.
        return reply.trouble in BUSY_TROUBLE and not reply.head
    return reply.code in BUSY


def reason_of(reply: Response) -> str:
    """Return in words why there is no usable answer."""
    if reply.trouble is None:
        return str(reply.code)
    cause = tls_said(reply.detail) if reply.trouble is FetchError.TLS else reply.trouble.value
    return f"{cause}: {reply.detail}".rstrip(": ")


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


def origin_of(url: str) -> str:
    """Return scheme, host and port of an address."""
    return "/".join(url.split("/", 3)[:3])


def without_credentials(url: str) -> str:
    """Return an address without the name and password that may stand before its host."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return scheme + mark + host.rpartition("@")[2] + slash + path


def is_address(url: str) -> bool:
    """Say whether an address has a host that can be asked."""
    try:
        return bool(host_of(url))
    except (ValueError, IndexError):
        return False
