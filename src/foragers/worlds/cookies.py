"""The cookies of one errand: some servers give one and redirect, and give a page to who has it.

They are sent back on the way to that page only, and forgotten there: no visit knows of another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from foragers.urls import host_of, site_of

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
