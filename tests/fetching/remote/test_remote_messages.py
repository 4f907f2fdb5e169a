"""Orders and answers survive the way, and bytes from elsewhere do no harm."""

from __future__ import annotations

import msgspec
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from foragers.core.types import Document, ParsedLink, Purpose, Status
from foragers.errors import DamagedError
from foragers.fetching.extractor import Extracted
from foragers.fetching.remote.messages import (
    Answer,
    Order,
    SentContent,
    Validators,
    pack_answer,
    pack_order,
    unpack_answer,
    unpack_order,
)

TEXT = st.text(max_size=20)
LINKS = st.lists(st.builds(ParsedLink, TEXT, TEXT, TEXT, TEXT, st.integers(0, 99), TEXT))


@settings(max_examples=25)
@given(st.builds(Document, TEXT, st.tuples(TEXT), TEXT, TEXT), LINKS, st.floats(0, 1e9), TEXT)
def test_content_arrives_as_it_was_extracted(
    text: Document, links: list[ParsedLink], born: float, note: str
) -> None:
    sent = Extracted(Status.OK, note, text, tuple(links), 7, 0.0, "tag", "date", noarchive=True)
    answer = Answer("http://a.test/", 1, 0.5, sent.status, sent.reason, "file#1", found=None)
    answer = msgspec.structs.replace(answer, found=SentContent.of(sent, born))
    came = unpack_answer(pack_answer(answer))
    assert came == answer
    assert came.extracted() == msgspec.structs.replace(sent, born=born)


def test_an_order_arrives_as_it_was_given() -> None:
    known = Validators("http://a.test/b", '"tag"', "date", 3, 1.5)
    order = Order("http://a.test/", "http://a.test/b", 1, 2, True, Purpose.REVISIT, known)
    assert unpack_order(pack_order(order)) == order
    assert not Order.to_leave("a.test").url


@given(st.binary(max_size=200))
def test_other_bytes_are_damaged_and_nothing_else(data: bytes) -> None:
    for raw in (data, zstandard.ZstdCompressor().compress(data)):
        with pytest.raises(DamagedError):
            unpack_answer(raw)


def test_links_that_do_not_fit_each_other_are_refused() -> None:
    links = Extracted(Status.OK, "", Document(), (ParsedLink("http://a.test/", "one"),))
    answer = Answer("", 0, 0.0, Status.OK, found=SentContent.of(links, 0.0))
    raw = msgspec.msgpack.decode(msgspec.msgpack.encode(answer))
    raw[9][1] = []
    with pytest.raises(DamagedError):
        unpack_answer(zstandard.ZstdCompressor().compress(msgspec.msgpack.encode(raw)))


def test_an_answer_without_content_is_a_page_without_content() -> None:
    answer = Answer("http://a.test/", 0, 0.0, Status.MISSING, "404")
    assert answer.extracted() == Extracted(Status.MISSING, "404")
