"""Which addresses may be reached."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.errors import UsageError
from foragers.http.address_guard import AddressException, Guard

PRIVATE = [
    "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255",
    "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
    "192.0.2.1", "198.18.0.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1",
    "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
    "64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "2002:a00:1::1", "2001:db8::1",
    "192.0.0.192", "100.100.100.200", "fd00:ec2::254", "fec0::1", "3fff::1", "::127.0.0.1",
    "64:ff9b:1::7f00:1", "2001:0:7f00:1::", "192.88.99.1", "168.63.129.16", "::ffff:168.63.129.16",
    "64:ff9b::a83f:8110", "2002:a83f:8110::1", "161.26.0.10", "166.9.0.1", "169.254.170.2",
    "fd20:ce::254", "fe80::a9fe:a9fe",
]  # fmt: skip
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "2606:4700:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_public_are_refused(address: str) -> None:
    assert Guard().refuses("innocent.example", 80, address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_reached(address: str) -> None:
    assert not Guard().refuses("innocent.example", 80, address)


def test_an_exception_for_a_host_and_port_is_for_no_other() -> None:
    guard = Guard((AddressException.parse("intranet.example:8080"),))
    assert not guard.refuses("Intranet.Example", 8080, "10.0.0.5")
    assert guard.refuses("intranet.example", 80, "10.0.0.5")
    assert guard.refuses("other.example", 8080, "10.0.0.5")


def test_an_exception_for_a_host_is_for_all_its_ports() -> None:
    guard = Guard((AddressException.parse("localhost"),))
    assert not guard.refuses("localhost", 1234, "127.0.0.1")
    assert guard.refuses("127.0.0.1", 1234, "127.0.0.1")


def test_an_exception_for_a_network_is_for_every_name_that_leads_there() -> None:
    guard = Guard((AddressException.parse("127.0.0.0/8"),))
    assert not guard.refuses("anything.example", 80, "127.9.9.9")
    assert not guard.refuses("anything.example", 80, "::ffff:127.0.0.1")
    assert guard.refuses("anything.example", 80, "10.0.0.1")


@pytest.mark.parametrize(
    "text", ["", ":80", "host:port", "a b", "10.0.0.0/99", "http://host/", "a:0", "a:65536"]
)
def test_exceptions_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--allow-private"):
        AddressException.parse(text)


@given(st.ip_addresses(v=4))
def test_an_address_and_its_ipv6_form_are_judged_alike(address: IPv4Address) -> None:
    assert Guard().refuses("x", 80, str(address)) == Guard().refuses("x", 80, f"::ffff:{address}")
