"""What is taken of an answer, piece by piece."""

from __future__ import annotations

from foragers.http.messages import FetchError, Limits, Request
from foragers.http.transfer import HttpTransfer

HEAD = (b"HTTP/1.1 200 OK\r\n", b"Content-Type: text/plain\r\n", b"\r\n")
DEFAULT = Limits()


def transfer(max_bytes: int = 0, limits: Limits = DEFAULT) -> HttpTransfer:
    found = HttpTransfer(
        Request("http://a.test/", max_bytes=max_bytes), limits, lambda kind: True,
        lambda: 100.0, 0.0, 100.0,
    )  # fmt: skip
    for line in HEAD:
        assert found.take_header(line) == len(line)
    return found


def test_of_a_list_no_more_is_taken_than_is_enough() -> None:
    found = transfer(max_bytes=10)
    assert found.take_body(b"123456") == 6
    assert found.take_body(b"789abcdef") == -1
    assert bytes(found.body) == b"123456789a"
    assert found.cut
    assert found.error is None


def test_what_is_just_enough_is_not_cut() -> None:
    found = transfer(max_bytes=10)
    assert found.take_body(b"0123456789") == 10
    assert not found.cut


def test_a_body_as_large_as_the_limit_is_taken_and_a_larger_one_refused() -> None:
    assert transfer(limits=Limits(body=10)).take_body(b"0123456789") == 10
    found = transfer(limits=Limits(body=10))
    assert found.take_body(b"0123456789a") == -1
    assert found.error is FetchError.TOO_LARGE


def test_each_part_of_an_answer_has_its_own_time() -> None:
    found = transfer(limits=Limits(connect=1, head=2, idle=3, total=50))
    found.received = 110.0
    assert found.late(112.9) == ""
    assert found.late(113.1) == "nothing more for 3 s"
    assert found.late(150.1) == "not done after 50 s"
    found.head_done, found.sent = False, 120.0
    assert found.late(121.9) == ""
    assert found.late(122.1) == "no whole answer after 2 s"
    found.sent = 0.0
    assert found.late(100.9) == ""
    assert found.late(101.1) == "no connection after 1 s"
