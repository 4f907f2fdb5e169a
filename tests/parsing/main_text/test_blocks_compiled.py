"""The compiled walk divides any page into the same blocks as the one in Python."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from foragers.compiled import compiled
from foragers.parsing.html.sanitise import limited
from foragers.parsing.main_text import blocks as dividing
from foragers.parsing.main_text.blocks import PageBlocks, split
from foragers.storage.warc.reader import WarcReader
from support.hostile_pages import HOSTILE
from support.shared_suites import recording

BUILT = compiled("foragers.parsing.main_text._blocks") is not None
pytestmark = pytest.mark.skipif(not BUILT, reason="the compiled walk was not built")

PIECES = [
    *("<a href=x>", "</a>", "<a>", "<a href>", "<br>", "<br/> <br>", "<hr>", "<b>", "</b>", "<q>"),
    *("<p>", "</p>", "<div class='one twoThree'>", "</div>", "<pre>", "</pre>", "<code class=py>"),
    *("<h1 id=XMLFile>", "</h1>", "<li itemprop=articleBody>", "<ul role=navigation>", "</ul>"),
    *("<x-y class>", "<x-z id=''>", "<span style='display: none'>", "</span>", "<i hidden>"),
    *("<table><td role=main>", "</table>", "<svg>", "<template>", "<nav>", "<main>", "<dialog>"),
    *("<p class='\xc4bC d_eF9G' style=visibility:hidden itemprop>", "<!--c-->", "<listing>"),
    *("\xa0", "\u3000", "\x85", "&#1;", "\u00fc", "word ", "a  b", "\n", " ", "\U0001f600", "&#0;"),
    *("<html lang=q class=r>", "<body id=b>", "<plaintext>", "<base href=//h/p/>", "<frameset>"),
]
SOUP = st.lists(st.sampled_from(PIECES), max_size=40).map("".join).map(str.encode)


def divided(page: bytes, monkeypatch: pytest.MonkeyPatch, quickly: bool) -> PageBlocks:
    with monkeypatch.context() as patch:
        if not quickly:
            patch.setattr(dividing, "_prepared", lambda: None)
        return split(LexborHTMLParser(page))


def compare(page: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = divided(page, monkeypatch, quickly=True)
    assert quick == divided(page, monkeypatch, quickly=False)


def test_the_compiled_walk_is_used() -> None:
    assert dividing._prepared() is not None


@given(SOUP)
@settings(max_examples=400, deadline=None)
def test_any_tags_in_any_order_give_the_same_blocks(page: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        compare(page, patch)


@given(st.text(alphabet="aBcDéZ_-9 ß\u0130", max_size=230))
def test_names_are_divided_into_the_same_words(names: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        compare(f'<p class="{names}">text'.encode(), patch)


@given(st.binary(max_size=60))
def test_bytes_that_are_no_text_give_the_same_blocks(noise: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        compare(b"<div class='" + noise + b"'>" + noise + b"<a href='" + noise, patch)


def test_hostile_pages_give_the_same_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for make in HOSTILE.values():
        compare(limited(make()[: 1 << 19], "", 1 << 20)[0], monkeypatch)


def test_a_page_beyond_the_limits_ends_at_the_same_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dividing, "MAX_BLOCKS", 5)
    compare(b"<p>one" * 20, monkeypatch)
    monkeypatch.setattr(dividing, "MAX_CHARS", 7)
    compare(b"<p>one" * 20, monkeypatch)


def test_deep_pages_give_the_same_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    compare(b"<div class=a>x<b>" * 400 + b"end", monkeypatch)


def test_recorded_pages_whole_and_damaged_give_the_same_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = Random(3)
    for number, record in enumerate(WarcReader(recording("organisations"))):
        if number >= 120:
            break
        page = record.body[: 1 << 17] or b" "
        damaged = bytearray(page)
        for _ in range(len(page) // 200):
            damaged[chance.randrange(len(damaged))] = chance.choice(b"<>/= \"'&ax\xff\x00")
        for one in (page, bytes(damaged)):
            compare(limited(one, "", 1 << 20)[0], monkeypatch)
