"""Redirects of a download, and the cookies set on the way.

Some servers set a cookie, redirect, and serve the page only to clients that send the cookie back.
So the cookies of a download are sent until its page is reached, and then dropped: no visit knows
the cookies of another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from http import HTTPStatus

from foragers.fetching.settings import DEFAULT_FETCHING, RedirectSettings
from foragers.http.messages import Response
from foragers.urls.parse import host_of, is_address, resolve, site_of, without_credentials

REDIRECTS = (
    HTTPStatus.MOVED_PERMANENTLY,
    HTTPStatus.FOUND,
    HTTPStatus.SEE_OTHER,
    HTTPStatus.TEMPORARY_REDIRECT,
    HTTPStatus.PERMANENT_REDIRECT,
)


@dataclass(slots=True)
class Cookies:
    """Cookie values by domain (a host, or a dot and a domain) and name."""

    settings: RedirectSettings = DEFAULT_FETCHING.redirects
    values: dict[tuple[str, str], str] = field(default_factory=dict)

    def store(self, url: str, lines: Iterable[str]) -> None:
        """Store the cookies of Set-Cookie headers in the response of a URL."""
        host = host_without_port(url)
        for line in lines:
            pair, _, attributes = line.partition(";")
            name, equals, value = (part.strip() for part in pair.partition("="))
            if not (equals and name and is_sendable(pair, self.settings.max_header_chars)):
                continue
            key = domain_of(attributes, host), name
            if key in self.values or len(self.values) < self.settings.max_cookies:
                self.values[key] = value

    def header(self, url: str) -> str:
        """Return the Cookie header for a URL, or ""."""
        if not self.values:
            return ""
        host = host_without_port(url)
        return "; ".join(
            f"{name}={value}"
            for (domain, name), value in self.values.items()
            if host == domain or (domain.startswith(".") and f".{host}".endswith(domain))
        )


def host_without_port(url: str) -> str:
    """Return the host of a URL without its port: cookies are shared between ports."""
    name, colon, port = host_of(url).rpartition(":")
    return name if colon and port.isdigit() else host_of(url)


def domain_of(attributes: str, host: str) -> str:
    """Return the domain of a cookie: a host, or a dot and a domain."""
    for attribute in attributes.split(";"):
        name, _, value = attribute.partition("=")
        domain = value.strip().lstrip(".").lower()
        if name.strip().lower() == "domain" and f".{host}".endswith(f".{domain}"):
            # Not for all of .org, nor for half of an IP address.
            return f".{domain}" if domain and site_of(host) == site_of(domain) else host
    return host


def is_sendable(value: str, most: int) -> bool:
    """Return whether a header that a server sent can be sent back unchanged."""
    return 0 < len(value) <= most and value.isascii() and value.isprintable()


@dataclass(slots=True)
class RedirectChain:
    """Where a URL has led so far, with the cookies set on the way.

    `visited` are the earlier URLs, each with the cookies sent to it; `sent` are those of `url`.
    """

    url: str
    settings: RedirectSettings = DEFAULT_FETCHING.redirects
    hops: int = 0
    cookies: Cookies = field(init=False)
    visited: tuple[tuple[str, str], ...] = ()
    sent: str = ""

    def __post_init__(self) -> None:
        self.cookies = Cookies(self.settings)

    def next_url(self, response: Response) -> str:
        """Return the target of a redirect, or "", and store the cookies that it sets."""
        location = response.header("Location")
        if response.error or response.code not in REDIRECTS or not location:
            return ""
        self.cookies.store(self.url, response.all("Set-Cookie"))
        try:
            target = resolve(location, self.url).partition("#")[0]
        except ValueError:
            return ""
        if not target.startswith("http"):
            return target
        return without_credentials(target) if is_address(target) else ""

    def problem(self, response: Response, target: str) -> str:
        """Return why a redirect to a target cannot be followed, or ""."""
        if not target:
            return f"{response.code} to nowhere"
        # With other cookies the same URL may be another page.
        here = (self.url, self.sent)
        if (target, self.cookies.header(target)) in (*self.visited, here):
            return "redirects in a circle"
        most = self.settings.max_hops
        return f"more than {most} redirects" if self.hops >= most else ""

    def follow(self, target: str) -> None:
        """Go on to the target of a redirect."""
        self.visited += ((self.url, self.sent),)
        self.sent = self.cookies.header(target)
        self.url, self.hops = target, self.hops + 1
