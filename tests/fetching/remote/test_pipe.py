"""Messages between two processes."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from foragers.fetching.remote.pipe import MessagePipe

LARGE = b"x" * 3_000_000
"""More than a socket holds."""


@pytest.fixture
def ends() -> Iterator[tuple[MessagePipe, MessagePipe]]:
    one, other = socket.socketpair()
    with one, other:
        yield MessagePipe(one), MessagePipe(other)


def test_messages_arrive_whole_and_in_order(ends: tuple[MessagePipe, MessagePipe]) -> None:
    one, other = ends
    one.send(b"first")
    one.send(b"")
    one.send(b"third")
    assert other.wait(5.0)
    assert other.received() == [b"first", b"", b"third"]
    assert not other.wait(0.0)


def test_two_that_write_at_once_do_not_hold_each_other_up(
    ends: tuple[MessagePipe, MessagePipe],
) -> None:
    one, other = ends
    one.send(LARGE)
    other.send(LARGE)
    assert one.is_full
    got: dict[MessagePipe, list[bytes]] = {one: [], other: []}
    while not (got[one] and got[other]):
        for end in ends:
            end.wait(0.1)
            got[end] += end.received()
    assert got == {one: [LARGE], other: [LARGE]}
    assert not one.is_full


def test_what_was_said_before_the_end_is_heard(ends: tuple[MessagePipe, MessagePipe]) -> None:
    one, other = ends
    one.send(b"last words")
    one.close()
    assert other.wait(5.0)
    assert other.received() == [b"last words"]
    assert other.received() == []
    assert other.is_over


def test_who_writes_to_one_that_has_ended_is_told(ends: tuple[MessagePipe, MessagePipe]) -> None:
    one, other = ends
    other.close()
    one.send(LARGE)
    assert one.is_over
    assert not one.is_full
