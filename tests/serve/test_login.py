"""Wrong passwords cost time, for the client that sends them and no other."""

from __future__ import annotations

import pytest

from foragers.serve.login import LoginSettings, LoginTries, client_of


def test_the_pause_doubles_and_the_right_password_ends_it() -> None:
    now = [100.0]
    tries = LoginTries(LoginSettings(free=2, pause=10, longest=35), lambda: now[0])
    waits = []
    for _ in range(6):
        tries.note_wrong("10.0.0.1")
        waits.append(tries.wait("10.0.0.1"))
    assert waits == [0, 0, 10, 20, 35, 35]
    assert tries.wait("10.0.0.2") == 0
    now[0] += 34
    assert tries.wait("10.0.0.1") == pytest.approx(1)
    tries.note_right("10.0.0.1")
    assert tries.wait("10.0.0.1") == 0


def test_thousands_of_wrong_passwords_wait_no_longer_than_the_longest() -> None:
    tries = LoginTries(LoginSettings(free=2, pause=10, longest=35), lambda: 0.0)
    for _ in range(2000):
        tries.note_wrong("10.0.0.1")
    assert tries.wait("10.0.0.1") == 35


def test_many_clients_do_not_fill_the_memory() -> None:
    tries = LoginTries(LoginSettings(free=0, clients=3), lambda: 0.0)
    for number in range(10):
        tries.note_wrong(f"10.0.0.{number}")
    assert [tries.wait(f"10.0.0.{number}") > 0 for number in range(10)] == [False] * 7 + [True] * 3


def test_addresses_of_one_network_are_one_client() -> None:
    assert client_of("2001:db8::1") == client_of("2001:db8::ffff")
    assert client_of("2001:db8::1") != client_of("2001:db8:0:1::1")
    assert client_of("::ffff:10.0.0.1") == client_of("10.0.0.1")
    assert client_of("unknown") == "unknown"
