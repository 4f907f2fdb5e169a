"""Orders and answers survive the way, and bytes from elsewhere do no harm."""

from __future__ import annotations

import msgspec
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from foragers.core.content import ContentToStore, PackedContent, StoredContent
from foragers.core.links import ParsedLinks
from foragers.core.packing import compressor, unpacked, unpacker, unpacker_of
from foragers.core.types import Choice, Document, ParsedLink, Purpose, Status
from foragers.errors import DamagedError
from foragers.fetching.extractor import Extracted, PageExtractor
from foragers.fetching.job import FetchJob
from foragers.fetching.page_builder import page_of
from foragers.fetching.redirects import RedirectChain
from foragers.fetching.remote.messages import (
    Answer,
    FoundContent,
    Order,
    Validators,
    pack_answer,
    pack_order,
    unpack_answer,
    unpack_order,
)
from foragers.filters.scope import Scope
from foragers.filters.traps import TrapKind, Traps, TrapVerdict
from foragers.urls.table import UrlTable

TEXT = st.text(max_size=20)
LINKS = st.lists(st.builds(ParsedLink, TEXT, TEXT, TEXT, TEXT, st.integers(0, 99), TEXT))


@settings(max_examples=25)
@given(st.builds(Document, TEXT, st.tuples(TEXT), TEXT, TEXT), LINKS, st.floats(0, 1e9), TEXT)
def test_content_arrives_as_it_was_extracted(
    text: Document, links: list[ParsedLink], born: float, note: str
) -> None:
    sent = Extracted(Status.OK, note, text, tuple(links), 7, 0.0, "tag", "date", noarchive=True)
    answer = Answer("http://a.test/", 1, 0.5, sent.status, sent.reason, "file#1", found=None)
    answer = msgspec.structs.replace(answer, found=FoundContent.of(sent, born, compressor()))
    came = unpack_answer(pack_answer(answer))
    assert came == answer
    assert came.extracted() == msgspec.structs.replace(sent, born=born)


def test_content_is_stored_as_if_it_was_packed_here() -> None:
    table, text = UrlTable(), Document("Title", ("One",), "some words")
    links = [ParsedLink("http://a.test/b", "b", "some", "a/b", 0), ParsedLink("http://a.test/c")]
    sent = Extracted(Status.OK, "", text, links, 7, 1.0, "tag", "date")
    came = Answer("", 0, 0.0, Status.OK, found=FoundContent.of(sent, 1.0, compressor())).extracted()
    job = FetchJob(Choice(table.intern("http://a.test/"), 0), RedirectChain("http://a.test/"))
    here, there = (page_of(job, content, table, "", 0.0) for content in (sent, came))
    assert came.packed is not None
    packed = came.packed.numbered(there, compressor())
    assert packed is not None
    assert unpacked(packed) == msgspec.msgpack.encode(ContentToStore.of(here, text))
    assert unpacker_of(StoredContent)(packed).outlinks() == links
    with pytest.raises(DamagedError):
        unpacked(packed[:-1])
    with pytest.raises(DamagedError):
        unpacked(packed, most=len(unpacked(packed)) - 1)


def test_content_whose_urls_the_crawl_spells_otherwise_is_packed_again() -> None:
    table = UrlTable()
    table.intern("http://a.test/%7Eb")
    sent = Extracted(Status.OK, "", Document(), [ParsedLink("http://a.test/~b")])
    came = Answer("", 0, 0.0, Status.OK, found=FoundContent.of(sent, 1.0, compressor())).extracted()
    job = FetchJob(Choice(table.intern("http://a.test/"), 1), RedirectChain("http://a.test/"))
    assert came.packed is not None
    assert came.packed.numbered(page_of(job, came, table, "", 0.0), compressor()) is None


def test_an_error_page_is_stored_without_the_links_that_were_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Traps, "learn", lambda *_: TrapVerdict(TrapKind.SOFT_404, None))
    extractor = PageExtractor("agent", Scope(("http://a.test/",)), Traps())
    sent = Extracted(Status.OK, "", Document(text="not found"), [ParsedLink("http://a.test/b")])
    came = Answer("", 0, 0.0, Status.OK, found=FoundContent.of(sent, 1.0, compressor())).extracted()
    settled = extractor.settled(came, "http://a.test/x", "http://a.test/x", 3, again=False)
    assert settled.status is Status.MISSING
    assert not settled.links
    assert settled.packed is None


@pytest.mark.parametrize(
    ("words", "depth", "status"),
    [(5, 1, Status.OK), (5, 3, Status.UNWANTED), (500, 1, Status.UNWANTED)],
)
def test_a_copy_near_the_seeds_is_kept_if_it_has_few_words(
    monkeypatch: pytest.MonkeyPatch, words: int, depth: int, status: Status
) -> None:
    monkeypatch.setattr(Traps, "learn", lambda *_: TrapVerdict(TrapKind.EXACT, "http://a.test/b"))
    extractor = PageExtractor("agent", Scope(("http://a.test/",)), Traps())
    links = [ParsedLink("http://a.test/c")]
    found = Extracted(Status.OK, "", Document(text="word " * words), links, 7)
    settled = extractor.settled(found, "http://a.test/x", "http://a.test/x", depth, again=False)
    assert settled.status is status
    assert settled.version == (7 if status is Status.OK else -1)
    assert list(settled.links) == links


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
    links = ParsedLinks.of([ParsedLink("http://a.test/", "one")])
    links.anchors = []
    links.rels = ["", ""]
    packed = PackedContent.of(Document(), links, "", "", compressor())
    answer = Answer("", 0, 0.0, Status.OK, found=FoundContent(packed, 1, 0.0, False))
    came = unpack_answer(pack_answer(answer)).extracted()
    assert came.status is Status.FAILED
    assert "columns of links" in came.reason
    assert not came.links


WHOLE = ParsedLinks.of([ParsedLink("http://a.test/", "robot"), ParsedLink("http://a.test/b")])


@pytest.mark.parametrize(
    "wrong",
    [
        {"anchors": []}, {"positions": []}, {"paths": []}, {"rels": []}, {"names": []},
        {"paths": [-1, -1], "names": []}, {"starts": [0, 0], "ends": [1, 1 << 63]},
    ],
)  # fmt: skip
def test_a_strategy_is_not_told_of_links_that_make_no_sense(wrong: dict[str, object]) -> None:
    columns = msgspec.structs.replace(WHOLE.columns(), **wrong)
    fields = (Document(), (), "", "", (), (), WHOLE.hrefs, columns)
    start = bytes([0x90 + len(ContentToStore.__struct_fields__)])
    frame = compressor()(start + b"".join(map(msgspec.msgpack.encode, fields)))
    answer = Answer("", 0, 0.0, Status.OK, found=FoundContent(PackedContent(frame), 1, 0.0, False))
    came = unpack_answer(pack_answer(answer)).extracted(unpacker())
    assert came.status is Status.FAILED
    assert "columns of links" in came.reason


@pytest.mark.parametrize(
    ("version", "born"),
    [(-2, 0.0), (1 << 63, 0.0), (1, float("nan")), (1, float("inf")), (1, -1e300)],
)
def test_numbers_that_no_ledger_can_keep_are_refused(version: int, born: float) -> None:
    packed = PackedContent.of(Document(), WHOLE, "", "", compressor())
    answer = Answer("", 0, 0.0, Status.OK, found=FoundContent(packed, version, born, False))
    with pytest.raises(DamagedError):
        unpack_answer(pack_answer(answer))


def test_an_answer_without_content_is_a_page_without_content() -> None:
    answer = Answer("http://a.test/", 0, 0.0, Status.MISSING, "404")
    assert answer.extracted() == Extracted(Status.MISSING, "404")
