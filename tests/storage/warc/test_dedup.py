"""What was recorded before, in few bytes."""

from __future__ import annotations

import tracemalloc

from foragers.storage.warc.dedup import WIDTH, Payloads
from foragers.storage.warc.exchange import EarlierResponse

URL = "http://a.test/"


def digest_of(number: int) -> str:
    return f"sha1:{number:032d}"


def test_a_content_that_comes_back_is_known_and_is_the_last_again() -> None:
    payloads = Payloads()
    first, second = EarlierResponse(1, digest_of(1)), EarlierResponse(2, digest_of(2))
    payloads.add(URL, "one", first)
    payloads.add(URL, "two", second)
    assert payloads._same(URL, "two") == second
    assert payloads._same(URL, "one") == first
    assert payloads._same(URL, "three") is None
    assert payloads._same("http://b.test/", "one") is None
    assert payloads._same(URL, "two") == second


def test_digests_of_any_length_come_back_as_they_were() -> None:
    payloads, odd = Payloads(), ["sha256:" + "f" * 64, "é" * WIDTH, ""]
    for number, payload in enumerate([*odd, digest_of(7)]):
        payloads.add(f"{URL}{number}", "one", EarlierResponse(number, payload))
        assert payloads._same(f"{URL}{number}", "one") == EarlierResponse(number, payload)
    payloads.add(f"{URL}0", "two", EarlierResponse(9, digest_of(9)))
    assert payloads._same(f"{URL}0", "one") == EarlierResponse(0, odd[0])


def test_what_is_asked_for_is_known_for_longer() -> None:
    payloads = Payloads(10)
    for number in range(100):
        payloads.add(f"{URL}{number}", "one", EarlierResponse(number, digest_of(number)))
        assert payloads._same(f"{URL}0", "one") is not None
    known = [n for n in range(100) if payloads._same(f"{URL}{n}", "one")]
    assert known[0] == 0
    assert 10 <= len(known) <= 21
    assert known[1:] == list(range(known[1], 100))


def test_a_response_takes_few_bytes() -> None:
    tracemalloc.start()
    payloads = Payloads()
    for number in range(5000):
        payloads.add(f"{URL}{number}", str(number), EarlierResponse(number, digest_of(number)))
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held / 5000 < 100  # as objects it would take 500
