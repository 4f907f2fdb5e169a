"""Which IP addresses a crawl may reach: the public internet, and those that the user allows.

A web page can link to any address.  Private networks, the machine itself and the metadata
services of clouds are refused, in whatever spelling: the resolved address of each connection
is checked when it is opened.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from foragers.errors import UsageError

Address = IPv4Address | IPv6Address
RESERVED = (
    "192.0.0.0/24",
    "192.88.99.0/24",
    "2001::/32",
    "64:ff9b:1::/48",
    "fec0::/10",
    "3fff::/20",
)
"""Reserved networks that not all versions of Python know as such."""
OF_CLOUDS = ("168.63.129.16/32", "161.26.0.0/16", "166.8.0.0/14")
"""Addresses that look public but are internal to a cloud: Azure's wire server, IBM's service
network.  The metadata services of other clouds have private addresses."""
NOT_PUBLIC = tuple(ip_network(text) for text in (*RESERVED, *OF_CLOUDS))
NAT64 = IPv6Network("64:ff9b::/96")
SIX_TO_FOUR = IPv6Network("2002::/16")


@dataclass(frozen=True)
class AddressException:
    """An exception to the guard: a host, a host and port, or a network."""

    host: str = ""
    port: int | None = None
    network: IPv4Network | IPv6Network | None = None

    @classmethod
    def parse(cls, text: str) -> AddressException:
        """Read HOST, HOST:PORT, an address or a network such as 10.0.0.0/8."""
        bare = text.strip().lower()
        try:
            return cls(network=ip_network(bare.strip("[]")))
        except ValueError:
            pass
        host, colon, port = bare.rpartition(":")
        if not colon:
            host, port = bare, ""
        number = int(port) if port.isdecimal() and port.isascii() else 0
        if not host or (colon and not 0 < number < 65536) or "/" in host or " " in host:
            raise UsageError(
                f"--allow-private {text}: write HOST, HOST:PORT or a network such as 10.0.0.0/8"
            )
        return cls(host=host.strip("[]"), port=number or None)

    def covers(self, host: str, port: int, address: Address) -> bool:
        """Return whether this exception allows a connection."""
        if self.network is not None:
            return address in self.network
        return host == self.host and self.port in (None, port)


@dataclass(frozen=True)
class Guard:
    """Refuses connections to addresses that are not public and not allowed."""

    allowed: tuple[AddressException, ...] = ()

    def refuses(self, host: str, port: int, address: str) -> bool:
        """Return whether a connection to a host, resolved to an address, must not be made."""
        resolved = plain(ip_address(address.partition("%")[0]))
        if is_public(resolved):
            return False
        name = host.lower().strip("[]").rstrip(".")
        return not any(exception.covers(name, port, resolved) for exception in self.allowed)


def plain(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 address embeds, otherwise the address."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address in SIX_TO_FOUR and address.sixtofour is not None:
        return address.sixtofour
    return address


def is_public(address: Address) -> bool:
    """Return whether an address belongs to the public internet."""
    if any(address in network for network in NOT_PUBLIC):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved
