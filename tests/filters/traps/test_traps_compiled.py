"""The compiled functions of the trap detector give the same results as those in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.filters.traps import boilerplate, bounded, fingerprint
from foragers.filters.traps.boilerplate import EarlierPage, contained, merged, without
from foragers.filters.traps.bounded import SeenKeys
from foragers.filters.traps.fingerprint import hashes_of
from foragers.filters.traps.settings import SeenContentSettings
from foragers.text.words import words_apart
from foragers.urls.canonical import canonical

pytestmark = pytest.mark.skipif(
    fingerprint.LIBRARY is None, reason="the compiled module was not built"
)
T = TypeVar("T")
TOLD = ("may", "monday", "août", "12", "2024", "3rd", "12345", "a1b2c3d4e5f60718", "x" * 30)
MORE = ("deadbeefdeadbeef", "0123456789abcdefghijklmn", "abc12def", "über", "東京都", "9", "é1")
WORD = st.sampled_from(TOLD + MORE) | st.text("abcdef0123456789éß京", min_size=1, max_size=28)


def both(compute: Callable[[], T]) -> tuple[T, T]:
    """Return a result with and without the compiled module."""
    quick = compute()
    with pytest.MonkeyPatch.context() as patched:
        for module in (boilerplate, bounded, fingerprint):
            patched.setattr(module, "LIBRARY", None)
        return quick, compute()


@given(st.lists(WORD, max_size=40).map(" ".join))
def test_words_have_the_same_hashes(text: str) -> None:
    quick, slow = both(lambda: hashes_of(words_apart(text)).tolist())
    assert quick == slow


def test_there_is_a_name_a_number_and_an_id_among_the_words() -> None:
    found = hashes_of(b" may green 12 a1b2c3d4e5f60718 ").tolist()
    assert [hash_of % 2 for hash_of in found] == [1, 0, 1, 0]
    assert found[3] == 0


@given(st.lists(WORD, max_size=60), st.lists(WORD, max_size=4))
def test_pages_have_the_same_fingerprint(text: list[str], path: list[str]) -> None:
    url = f"http://a.test/{'/'.join(path)}"

    def found() -> tuple[int, int, int, list[int], int]:
        page = fingerprint.fingerprint(" ".join(text), url, [f"{url}/123456"])
        return page.digest, page.bag, page.words, page.phrases.tolist(), page.thinness

    quick, slow = both(found)
    assert quick == slow


@given(st.lists(st.text("a/0123456789٣?é", max_size=30), max_size=4))
def test_urls_have_the_same_numbers(urls: list[str]) -> None:
    quick, slow = both(lambda: fingerprint._numbers(tuple(urls), 5))
    assert quick == slow


@given(
    st.lists(st.integers(0, 60), max_size=40),
    st.lists(st.integers(0, 60), max_size=40),
)
def test_the_same_hashes_are_among_others(hashes: list[int], within: list[int]) -> None:
    some, others = np.array(hashes, np.uint32), np.array(sorted(within), np.uint32)
    quick, slow = both(lambda: contained(some, others).tolist())
    assert quick == slow == [number in within for number in hashes]


def test_the_same_keys_count_as_seen() -> None:
    def seen() -> list[list[bool]]:
        rng, known = np.random.default_rng(5), SeenKeys()
        answers = []
        for _ in range(60):
            keys = rng.integers(0, 1 << 63, 400, np.uint64) >> np.uint64(int(rng.integers(0, 50)))
            answers.append(known.has(keys).tolist())
            known.add(keys[:200])
        return answers

    quick, slow = both(seen)
    assert quick == slow
    assert any(map(any, quick))


HASHES = st.lists(st.integers(0, 40) | st.integers(0, (1 << 32) - 1), max_size=30)


@given(HASHES, HASHES, HASHES, HASHES, st.booleans())
def test_the_same_content_is_a_pages_own(
    phrases: list[int], links: list[int], first: list[int], second: list[int], is_second: bool
) -> None:
    some, others = np.array(sorted(set(phrases)), np.uint32), np.array(links, np.uint32)
    pages = [
        EarlierPage("", np.array(sorted(page), np.uint32), 0)
        for page in (first, second)[: 1 + is_second]
    ]
    known = {*first, *(second if is_second else ())}

    def found() -> tuple[list[int], list[int], list[int], list[int]]:
        own, indexes, own_links = without(some, others, pages)
        return own.tolist(), indexes, own_links.tolist(), merged(some, others).tolist()

    quick, slow = both(found)
    assert quick == slow
    assert quick[0] == [number for number in some.tolist() if number not in known]
    assert quick[1] == [i for i, link in enumerate(links) if link not in known]
    assert quick[2] == [link for link in links if link not in known]
    assert quick[3] == sorted(some.tolist() + links)


@given(st.lists(st.tuples(HASHES, HASHES, HASHES, st.integers(0, 3)), max_size=6))
def test_the_same_hashes_of_a_path_are_new(
    pages: list[tuple[list[int], list[int], list[int], int]],
) -> None:
    def found() -> list[tuple[bytes, int]]:
        seen = SeenKeys(SeenContentSettings(log_sizes=(7, 9), filters=2))
        answers = []
        for *parts, path in pages:
            phrases, own, links = (np.array(part, np.uint32) for part in parts)
            answers.append((seen.unseen(phrases, own, links, path), len(seen.filters)))
        return answers

    quick, slow = both(found)
    assert quick == slow
    for (new, _), (phrases, own, links, _) in zip(quick[:1], pages, strict=False):
        assert new == b"\1" * (len(phrases) + len(own) + len(links))


def test_a_hash_is_new_once_at_each_path_and_once_at_any() -> None:
    def found() -> list[bytes]:
        seen, one, none = SeenKeys(), np.array([7], np.uint32), np.array([], np.uint32)
        at = [(one, none, none, 1), (one, none, none, 1), (none, one, none, 2), (none, one, one, 2)]
        return [seen.unseen(*parts) for parts in at]

    quick, slow = both(found)
    assert quick == slow == [b"\1", b"\0", b"\1", b"\0\1"]


def test_a_filter_of_another_size_than_it_says_is_left_to_python() -> None:
    assert fingerprint.LIBRARY is not None
    some, bits = np.array([1], np.uint32), np.zeros(9, np.uint8)
    assert fingerprint.LIBRARY.unseen(some, some, some, 1, 2, ((bits, 10),)) is None
    for wrong in ((bits,), (bits, "x"), 3):
        with pytest.raises(TypeError):
            fingerprint.LIBRARY.unseen(some, some, some, 1, 2, (wrong,))


URL_LETTERS = "abc/(?;=&é東%sid0123utm_jsessionid"


@given(st.lists(st.text(URL_LETTERS, max_size=30).map("http://a.test/".__add__), max_size=20))
def test_links_have_the_same_canonical_forms_and_hashes(urls: list[str]) -> None:
    quick = boilerplate.links_of(urls)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(boilerplate, "LIBRARY", None)
        slow = boilerplate.links_of(urls)
    assert (quick.urls, quick.hashes.tolist()) == (slow.urls, slow.hashes.tolist())
    assert quick.hashes.tolist() == [crc32(url.encode()) for url in quick.urls]


def test_a_link_that_no_utf_8_can_spell_is_left_to_the_function_in_python() -> None:
    assert fingerprint.LIBRARY is not None
    assert fingerprint.LIBRARY.links(["http://a.test/\ud800"], canonical) is None
    assert boilerplate.links_of(["http://a.test/\ud800"]).urls == ["http://a.test/\ud800"]
