"""A choice on its way through the live web, and what robots.txt says about where it goes."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from foragers.causes import LATER as LATER
from foragers.causes import NO_ROBOTS, ROBOTS, tls_said
from foragers.fetch.reply import Reply, Trouble
from foragers.fetch.retrying import retry_after
from foragers.pages.robots import MAX_BYTES, Robots, robots_for_status
from foragers.types import Choice
from foragers.urls import host_of, normalise, resolve
from foragers.worlds.cookies import Cookies
from foragers.worlds.harvesting import payload
from foragers.worlds.shelf import Shelf
from foragers.worlds.visited import Header, Known

ROBOTS_AGE, ROBOTS_RETRY = 24 * 3600.0, 1800.0
REDIRECTS = (301, 302, 303, 307, 308)
MISSING = 404
TRY_AGAIN = (408, 425, 429, 500, 502, 503, 504)
TRY_AGAIN_AFTER = (Trouble.TIMEOUT, Trouble.NO_CONNECTION, Trouble.LOST)
BUSY, BUSY_TROUBLE = (429, 503), (Trouble.TIMEOUT, Trouble.NO_CONNECTION)
MAX_TRIES, MAX_TRIES_IN_TIME, MAX_HOPS = 3, 2, 10
MAX_TRIES_BUSY = 5
NOT_REACHED = (Trouble.NO_HOST, Trouble.NO_CONNECTION)


class Archivist(Protocol):
    """Someone who keeps what was received."""

    def record(self, reply: Reply) -> str:
        """Keep a reply and return where it is."""
        ...

    def convert(self, reply: Reply, html: bytes, moment: int) -> None:
        """Keep what a page became when its scripts had run, at a time in milliseconds."""
        ...


@dataclass(slots=True)
class Errand:
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
    known: Known | None = None
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

    def target(self, reply: Reply) -> str:
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

    def astray(self, reply: Reply, target: str) -> str:
        """Return what is wrong with where a reply redirects to, or nothing."""
        if not target:
            return f"{reply.code} to nowhere"
        # With other cookies the same address may be another page.
        if (target, self.cookies.header(target)) in (*self.been, (self.url, self.sent)):
            return "redirects in a circle"
        return f"more than {MAX_HOPS} redirects" if self.hops >= MAX_HOPS else ""

    def tries_left(self, reply: Reply) -> int:
        """Return how often a request that failed so may be made again."""
        if reply.trouble is Trouble.TIMEOUT:
            # A server that has begun to answer and does not end has nothing better to give.
            return 0 if reply.head else MAX_TRIES_IN_TIME - 1 - self.tries
        patient = not (reply.trouble or self.origin) and reply.code in BUSY
        return (MAX_TRIES_BUSY if patient else MAX_TRIES) - 1 - self.tries


def has_failed(reply: Reply) -> bool:
    """Say whether a server could not answer now, and perhaps can later."""
    return reply.trouble in TRY_AGAIN_AFTER or (not reply.trouble and reply.code in TRY_AGAIN)


def is_not_reached(reply: Reply) -> bool:
    """Say whether a host could not be reached at all: no name, no connection, nothing in time."""
    silent = reply.trouble is Trouble.TIMEOUT and not reply.asked
    return silent or reply.trouble in NOT_REACHED


def is_busy(reply: Reply) -> bool:
    """Say whether it was the server, and not the page alone, that could not answer now."""
    if reply.trouble:
        # One that has begun to answer is there, and has trouble with this page.
        return reply.trouble in BUSY_TROUBLE and not reply.head
    return reply.code in BUSY


def reason_of(reply: Reply) -> str:
    """Return in words why there is no usable answer."""
    if reply.trouble is None:
        return str(reply.code)
    cause = tls_said(reply.detail) if reply.trouble is Trouble.TLS else reply.trouble.value
    return f"{cause}: {reply.detail}".rstrip(": ")


class Permission(msgspec.Struct, frozen=True):
    """What is known of a robots.txt, until when, and why it could not be had if so."""

    robots: Robots
    until: float
    reason: str = ""
    is_final: bool = False
    body: bytes = b""

    @classmethod
    def of(cls, reply: Reply, now: float) -> Permission:
        """Return what a reply to a request for robots.txt means."""
        code = None if reply.trouble else reply.code
        # One byte more than is read tells that there was more.
        body = payload(reply, 2 * MAX_BYTES)[: MAX_BYTES + 1]
        robots = robots_for_status(code, body)
        if robots.reachable:
            said = body if code is not None and 200 <= code <= 299 else b""
            return cls(robots, now + ROBOTS_AGE, body=said)
        is_final = reply.trouble is Trouble.REFUSED_ADDRESS
        wait = max(ROBOTS_RETRY, min(retry_after(reply), ROBOTS_AGE))
        return cls.denied(reason_of(reply), now + wait, is_final)

    @classmethod
    def denied(cls, reason: str, until: float, is_final: bool = False) -> Permission:
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
    def unpack(cls, packed: bytes) -> Permission:
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
class Permissions:
    """What is known of all robots.txt, and who waits for one that is on its way."""

    known: Shelf[Permission] = field(
        default_factory=lambda: Shelf(Permission.pack, Permission.unpack, lambda one: one.size)
    )
    waiting: dict[str, list[Errand]] = field(default_factory=dict)

    def of(self, url: str, now: float) -> Permission | None:
        """Return what is known for an address, if it is still good."""
        found = self.known.get(origin_of(url))
        return found if found is not None and now < found.until else None

    def wait(self, errand: Errand) -> Errand | None:
        """Let an errand wait for robots.txt; return who is to fetch that, if none is gone yet."""
        origin = origin_of(errand.url)
        waiting = self.waiting.setdefault(origin, [])
        waiting.append(errand)
        robots = Errand(errand.choice, f"{origin}/robots.txt", origin)
        return robots if len(waiting) == 1 else None

    def recall(self, origin: str) -> list[Errand]:
        """Wait no more for a robots.txt; return those who did."""
        return self.waiting.pop(origin, [])

    def learn(self, origin: str, permission: Permission) -> list[Errand]:
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
