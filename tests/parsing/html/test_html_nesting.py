"""The elements that are counted as open, beside those that a parser has open."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from foragers.compiled import compiled
from foragers.parsing.html.nesting import (
    MAX_WORK,
    Nesting,
    OpenElementsInPython,
    nesting,
    nesting_in_python,
)
from foragers.parsing.html.tokens import TOKEN

NAMES = (
    b"div p span b a i table tr td th tbody caption colgroup col li ul ol dd dt dl h1 h2 form"
    b" button select option optgroup svg g path foreignObject desc math mi annotation-xml template"
    b" frameset object marquee nobr font section pre noscript ruby rt title style script textarea"
    b" xmp x image keygen hr br input body html"
).split()
INSIDE = (b"", b"", b"", b"/", b" a=b/", b" a= /", b' a="b"/', b' a=b"', b' x="</div>"', b' ="')
OTHERS = (b"<!--", b"-->", b"<!x ", b"<?y ", b"<![CDATA[", b"]]>", b'">', b"'", b"</ ", b"x")
STARTS = [b"<%b%b>" % (name, inside) for name in NAMES for inside in INSIDE]
ENDS = [b"</%b%b>" % (name, inside) for name in NAMES for inside in (b"", b" ", b' a="', b"/")]
PIECE = st.sampled_from(STARTS) | st.sampled_from(ENDS) | st.sampled_from(OTHERS)
PIECES = st.lists(PIECE, max_size=10).map(b"".join)
TIMES = 60


def depth(page: bytes) -> int:
    """Return how deep the tree of a page is."""
    deepest, waiting = 0, [(LexborHTMLParser(page).root, 1)]
    while waiting:
        node, level = waiting.pop()
        deepest = max(deepest, level)
        child = node.child if node is not None else None
        while child is not None:
            waiting.append((child, level + 1))
            child = child.next
    return deepest


@given(PIECES, PIECES)
@example(b"", b"<span><div></span></div>")
@example(b"", b"<b a><nobr>")
@example(b"", b"<noscript><dd><p></col>")
@example(b'<svg><annotation-xml x="</div>">', b'<keygen ="><svg/>')
@example(b"", b"<div><svg><title><!-- </title></svg></div> -->")
@example(b"<svg></p>", b"<x/>")
def test_a_parser_has_not_many_more_open_than_are_counted(before: bytes, again: bytes) -> None:
    page = before + again * TIMES
    # It adds at most two elements for each: a row and its group around a cell.
    assert depth(page) <= 3 * nesting(page).most_open + TIMES // 2


@given(st.lists(PIECE, max_size=40).map(b"".join) | st.binary(max_size=60))
def test_compiled_and_in_python_the_same_is_counted(page: bytes) -> None:
    library = compiled("foragers.parsing.html._nesting")
    if library is None:
        pytest.skip("the compiled count was not built")
    assert library.nesting(page) == nesting_in_python(page)
    quick, slow = library.OpenElements(), OpenElementsInPython()
    for match in TOKEN.finditer(page):
        name, attributes, end, _, _ = match.groups()
        if name is not None:
            quick.start(name.lower(), attributes)
            slow.start(name.lower(), attributes)
        elif end is not None:
            assert quick.end(end.lower()) == slow.end(end.lower())
        assert state(quick) == state(slow)


def state(elements: Any) -> tuple[object, ...]:
    """Return what there is to know of open elements."""
    return len(elements), elements.doubts, elements.is_sure, elements.last_name


def test_tags_attributes_and_open_elements_are_counted() -> None:
    # div: 1 open; p: 2; the next p closes the first: 2; img is never open: 2.
    assert nesting(b"<div><p>a<p>b<img src=x></div>") == Nesting(
        weight=5 + len(" src=x") // 2, work=1 + 2 + 2 + 2, most_open=2, most_attributes=3
    )


@pytest.mark.parametrize(
    ("page", "most_open"),
    [
        (b"<ul><li>a<li>b<li>c</ul>" * 9, 2),
        (b"<table><tr><td>a<td>b<tr><td>c</table>" * 9, 3),
        (b"<dl><dt>a<dd>b<dt>c</dl>" * 9, 2),
        (b"<svg><title>a</title><path d='x'/><g><path/></g></svg>" * 9, 2),
        (b"<select><option>a<option>b</option></select>" * 9, 2),
        (b"<p><b>a</b><p>b" * 9, 2),
        (b"<script>'<div>'</script><style></div></style>" * 9, 0),
        (b"<h1>a</h1><h2>b</h2>" * 9, 1),
    ],
)
def test_ordinary_pages_are_not_deep(page: bytes, most_open: int) -> None:
    assert nesting(page).most_open == most_open


@pytest.mark.parametrize(
    "again",
    [
        b"<span><div></span></div>",
        b"<p><div>",
        b"<form><div></form>",
        b"<div><table></div></table>",
        b"<div><!x </div>",
        b'<div></x a="></div>">',
        b"<div><script><!--<script></script></div>--></script>",
        b"<svg><g><![CDATA[</g>]]>",
        b"<td><div></td>",
        b"<keygen><span></keygen>",
    ],
)
def test_elements_that_stay_open_are_counted(again: bytes) -> None:
    assert nesting(again * TIMES).most_open >= TIMES


def test_a_page_is_bounded_by_the_sum_of_its_open_elements() -> None:
    deep = b"<div>" * 10_000
    assert nesting(deep).work == sum(range(1, 9_999 + 1)) + 10_000 > MAX_WORK
    assert not nesting(deep).is_bounded
    assert nesting(b"<div>" * 9_000).is_bounded
    assert nesting(b"<div></div>" * 100_000).is_bounded
