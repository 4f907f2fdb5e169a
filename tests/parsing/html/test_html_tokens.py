from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from foragers.parsing.html.tokens import TOKEN, attribute_count, closes_itself, raw_end


def cut(page: bytes) -> list[bytes]:
    """Return the tags and comments of a page."""
    return [match[0] for match in TOKEN.finditer(page)]


@pytest.mark.parametrize(
    ("page", "tokens"),
    [
        (b'<a b="x>y">z', [b'<a b="x>y">']),
        (b'<a b=c="d>e">', [b'<a b=c="d>']),
        (b'<a ="b>c">', [b'<a ="b>']),
        (b'<a b=\x0b"c>d">', [b'<a b=\x0b"c>']),
        (b'<a b= "c>d">', [b'<a b= "c>d">']),
        (b'</a b=">">', [b'</a b=">">']),
        (b"<!x </a>b</c>", [b"<!x </a>", b"</c>"]),
        (b"<?x </a>", [b"<?x </a>"]),
        (b"</ x></a>", [b"</ x>", b"</a>"]),
        (b"</></a>", [b"</>", b"</a>"]),
        (b"<!--></a>-->", [b"<!-->", b"</a>"]),
        (b"<!--->x", [b"<!--->"]),
        (b"<!-- <a> --!><b>", [b"<!-- <a> --!>", b"<b>"]),
        (b"<!-- <a>", [b"<!-- <a>"]),
        (b"1 < 2 <b>", [b"<b>"]),
    ],
)
def test_a_page_is_cut_as_a_parser_cuts_it(page: bytes, tokens: list[bytes]) -> None:
    assert cut(page) == tokens


@pytest.mark.parametrize(
    ("attributes", "count"),
    [(b"", 0), (b" a", 1), (b" a=b c", 2), (b" a='b c'd", 2), (b" =a", 1), (b"/a/b", 2)],
)
def test_attributes_are_counted(attributes: bytes, count: int) -> None:
    assert attribute_count(attributes) == count


@pytest.mark.parametrize(
    ("attributes", "closes"),
    [
        (b"/", True),
        (b' a="b"/', True),
        (b" a /", True),
        (b" a=b /", True),
        (b" a=b/", False),
        (b" a= /", False),
        (b" a", False),
    ],
)
def test_a_slash_in_a_value_closes_nothing(attributes: bytes, closes: bool) -> None:
    assert closes_itself(attributes) is closes


def test_raw_text_ends_at_its_own_end_tag() -> None:
    assert raw_end(b"<title>a</titles></title\x0b></TITLE >", b"title", 7) == 26
    assert raw_end(b"<style>a", b"style", 7) == 8


@pytest.mark.parametrize(
    ("script", "rest"),
    [
        (b"a</script>b", b"b"),
        (b"<!--<script></script>a--></script>b", b"b"),
        (b"<!--<script></script>a</script>b", b"b"),
        (b"<!-- a --></script>b", b"b"),
        (b"<!-- a </script>b-->", b"b-->"),
        (b"<!--><script></script>b", b"b"),
        (b"<script></script>b", b"b"),
        (b"<!-- --><script></script>b", b"b"),
        (b"<!--<scripts></SCRIPT >b", b"b"),
    ],
)
def test_a_script_ends_where_the_parser_ends_it(script: bytes, rest: bytes) -> None:
    page = b"<body><script>" + script
    end = raw_end(page, b"script", len(b"<body><script>"))
    assert page[end:].partition(b">")[2] == rest
    tree = LexborHTMLParser(page)
    tree.strip_tags(["script"])
    assert tree.body is not None
    assert tree.body.text() == rest.decode()
