"""Bodies that were chunked or compressed, or are only said to be."""

from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from foragers.parsing.content_coding import decoded, unchunked, uncompressed
from support.core_speed import seconds

BODY = b"<p>some words, and some more words</p>" * 20
CODED = {
    "gzip": gzip.compress(BODY),
    "x-gzip": gzip.compress(BODY),
    "deflate": zlib.compress(BODY),
    "br": brotli.compress(BODY),
    "zstd": zstandard.compress(BODY),
}


def chunked(body: bytes, size: int) -> bytes:
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x;x=y\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@pytest.mark.parametrize("coding", CODED)
def test_a_compressed_body_comes_out_whole(coding: str) -> None:
    assert decoded(CODED[coding], "", coding) == BODY


def test_deflate_without_a_zlib_header_is_understood() -> None:
    compressor = zlib.compressobj(wbits=-15)
    assert uncompressed(compressor.compress(BODY) + compressor.flush(), "deflate") == BODY


def test_codings_are_undone_last_first() -> None:
    twice = brotli.compress(gzip.compress(BODY))
    assert decoded(chunked(twice, 50), "chunked", "gzip, br") == BODY


@pytest.mark.parametrize("coding", [*CODED, "unheard-of", "identity"])
def test_a_body_that_is_only_said_to_be_compressed_stays_as_it_is(coding: str) -> None:
    assert decoded(BODY, "", coding) == BODY


def test_a_body_that_is_only_said_to_be_chunked_stays_as_it_is() -> None:
    assert decoded(BODY, "chunked", "") == BODY


def test_a_chunked_body_that_is_cut_off_keeps_what_is_there() -> None:
    assert unchunked(chunked(BODY, 100)[:250]).startswith(BODY[:150])


@given(st.binary(max_size=2000), st.integers(1, 200))
def test_chunks_join_to_what_was_cut(body: bytes, size: int) -> None:
    if body:
        assert unchunked(chunked(body, size)) == body


@given(st.binary(max_size=300), st.sampled_from(sorted(CODED)))
def test_no_bytes_raise(body: bytes, coding: str) -> None:
    decoded(body, "chunked", coding)


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_a_bomb_is_cut_at_the_limit(coding: str) -> None:
    zeros = bytes(64 << 20)
    bomb = {"gzip": gzip.compress, "br": lambda b: brotli.compress(b, quality=1)}.get(
        coding, zstandard.compress
    )(zeros)
    assert len(uncompressed(bomb, coding, limit=1 << 20)) == 1 << 20
    all_of_it = seconds(lambda: uncompressed(bomb, coding, limit=len(zeros)), times=2)
    assert seconds(lambda: uncompressed(bomb, coding, limit=1 << 20)) < all_of_it / 3


def test_all_members_of_a_gzip_body_are_read() -> None:
    body = gzip.compress(b"one ") + gzip.compress(b"two ") + gzip.compress(b"three")
    assert decoded(body, "", "gzip") == b"one two three"


def test_chunks_may_end_in_bare_line_feeds() -> None:
    assert unchunked(b"3\nabc\n2\nde\n0\n\n") == b"abcde"
    assert unchunked(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n") == b"abcde"
