"""A download under way: its redirects, its tries and its cookies.

Some servers set a cookie, redirect, and give the page only to clients that send the cookie back.
So the cookies of a job are sent on the way to its page, and forgotten there: no visit knows the
cookies of another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from foragers.core.types import Choice
from foragers.fetching.history import CachedPage, Header
from foragers.http.causes import LATER as LATER
from foragers.http.causes import tls_said
from foragers.http.messages import BUSY, FetchError, Response
from foragers.urls.parse import (
    host_of,
    is_address,
    normalise,
    resolve,
    site_of,
    without_credentials,
)

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


REDIRECTS = (301, 302, 303, 307, 308)
MISSING = 404
MAX_TRIES, MAX_TRIES_IN_TIME, MAX_HOPS = 3, 2, 10
MAX_TRIES_BUSY = 5
NOT_REACHED = (FetchError.NO_HOST, FetchError.NO_CONNECTION)
MAX_ROUNDS = 3
"""How often a page is put off before it is given up until the crawl is taken up again."""


class Again(msgspec.Struct, frozen=True):
    """A choice that is to be made again at a time, at most for the so manieth time.

    `aside` are those without an answer, whose host is to be left alone for `pause` seconds.
    """

    until: float
    choice: Choice
    rounds: int = MAX_ROUNDS
    aside: bool = False
    pause: float = 0.0


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


def is_not_reached(reply: Response) -> bool:
    """Say whether a host could not be reached at all: no name, no connection, nothing in time."""
    silent = reply.trouble is FetchError.TIMEOUT and not reply.asked
    return silent or reply.trouble in NOT_REACHED


def reason_of(reply: Response) -> str:
    """Return in words why there is no usable answer."""
    if reply.trouble is None:
        return str(reply.code)
    cause = tls_said(reply.detail) if reply.trouble is FetchError.TLS else reply.trouble.value
    return f"{cause}: {reply.detail}".rstrip(": ")
