"""Chunks of a text: none too long, no word lost."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from foragers.parsing.main_text.render import Piece, chunks


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 3)), max_size=30), st.integers(10, 40))
def test_chunks_lose_and_repeat_no_word(sizes: list[tuple[int, int]], most: int) -> None:
    pieces = [
        Piece(" ".join(f"w{number}-{word}" for word in range(size)), level)
        for number, (size, level) in enumerate(sizes)
    ]
    found = chunks(pieces, most)
    assert all(0 < len(chunk.text.split()) <= most for chunk in found)
    words = [word for chunk in found for word in chunk.text.split()]
    assert words == [word for piece in pieces for word in piece.text.split()]


def test_a_heading_goes_with_the_text_below_it() -> None:
    pieces = [Piece("a " * 8), Piece("Title", 1), Piece("b " * 8)]
    first, second = chunks(pieces, 10)
    assert (first.headings, first.text.split()) == ((), ["a"] * 8)
    assert (second.headings, second.text.split()) == (("Title",), ["Title", *["b"] * 8])
