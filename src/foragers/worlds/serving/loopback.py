"""The hosts of a world on this machine: one loopback address each, one port for all.

Host 0 is at 127.0.0.1, host 1 at 127.0.0.2, and so on through 127.0.0.0/8, all of which Linux
answers on.  So each host has what a crawler depends on: an address of its own for politeness, its
own robots.txt, and links that begin with a slash.
"""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address

from foragers.core.types import HostId
from foragers.errors import UsageError
from foragers.urls.parse import host_of, resolve
from foragers.worlds.addresses import AddressBook
from foragers.worlds.labels import find

FIRST = int(IPv4Address("127.0.0.1"))
LAST = int(IPv4Address("127.255.255.254"))
SCHEMES = ("http://", "https://")
_ORIGIN = re.compile(r"https?://[^/?#]+")


class Loopback:
    """The local origins of a world's hosts."""

    def __init__(self, book: AddressBook, port: int) -> None:
        self.book = book
        self.port = port
        self._hosts = {name: host for host, name in enumerate(book.host_names)}
        # Called for every request and every link.
        self.local_origin = lru_cache(maxsize=65536)(self._local_origin)
        self.local = lru_cache(maxsize=65536)(self._local)

    def origin(self, host: HostId) -> str:
        """Return the local origin of a host."""
        return f"http://{ip(host)}:{self.port}"

    def address(self, url: str) -> str:
        """Return the local address of a URL of the world."""
        href = resolve(url)
        host = self._hosts.get(host_of(href))
        if host is None:
            raise UsageError(f"{url} is on no host of this world")
        return _ORIGIN.sub(self.origin(host), href, count=1)

    def _local_origin(self, authority: str) -> str | None:
        """Return the local origin for a scheme and authority in a page, if there is one."""
        try:
            host = self._hosts.get(host_of(authority))
        except ValueError:
            return None
        return None if host is None else self.origin(host)

    def named(self, name: str) -> HostId | None:
        """Return the host that a Host header names, with or without the port of the server."""
        name = name.strip().lower()
        for spelling in (name, name.removesuffix(f":{self.port}"), name.removesuffix(":80")):
            host = self._hosts.get(spelling.rstrip("."))
            if host is not None:
                return host
        return None

    def _local(self, name: str) -> HostId | None:
        """Return the host whose local address a Host header gives."""
        name_or_ip, _, port = name.strip().partition(":")
        if port and port != str(self.port):
            return None
        try:
            host = 0 if name_or_ip.lower() == "localhost" else int(IPv4Address(name_or_ip)) - FIRST
        except AddressValueError:
            return None
        return host if 0 <= host < len(self.book.host_names) else None

    def urls(self, host: HostId, target: str) -> list[int]:
        """Return the URLs that a path on a host may mean: of http, of https, or both."""
        name = self.book.host_name(host)
        numbers = (find(self.book, f"{scheme}{name}{target}") for scheme in SCHEMES)
        # The default port of one scheme makes another host under the other scheme.
        return [url for url in numbers if url is not None and self.book.host(url) == host]


def ip(host: HostId) -> str:
    """Return the loopback address of a host."""
    if FIRST + host > LAST:
        raise UsageError(f"a world with more than {LAST - FIRST + 1:,} hosts cannot be served")
    return str(IPv4Address(FIRST + host))
