from __future__ import annotations

import pytest
import webencodings
from hypothesis import given
from hypothesis import strategies as st

from foragers.parsing.dates import read_date
from foragers.parsing.encoding import declared, to_utf8
from foragers.parsing.html.head import parse_refresh
from foragers.parsing.robots_meta import Directives
from support.shared_suites import suite


def test_every_refresh_of_the_standards_tests_is_read_right() -> None:
    passed, cases, bad = suite("html").run_refresh(parse_refresh)
    assert passed == cases == 73, bad


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2024-01-05", 1704412800),
        ("2024-01-05T10:00:00Z", 1704448800),
        ("2024-01-05T10:00:00.123+02:00", 1704441600),
        ("2024-01-05 10:00", 1704448800),
        ("20240105", 1704412800),
        ("2024/01/05", 1704412800),
        ("2024-01", 1704067200),
        ("Fri, 05 Jan 2024 10:00:00 GMT", 1704448800),
        ("5 January 2024", 1704412800),
        ("January 5, 2024", 1704412800),
        ("2024-13-45", None),
        ("1899-01-01", None),
        ("0001-01-01T00:00:00", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_are_read_in_the_spellings_of_the_web(text: str, seconds: float | None) -> None:
    assert read_date(text) == seconds


@given(st.text(max_size=40))
def test_no_date_raises(text: str) -> None:
    seconds = read_date(text)
    assert seconds is None or 600_000_000 < seconds < 4_200_000_000


def test_a_byte_order_mark_outranks_the_header() -> None:
    assert to_utf8("\ufeffé".encode("utf-16le"), "text/html; charset=latin1") == "é".encode()
    assert to_utf8(b"\xef\xbb\xbf\xc3\xa9", "text/html; charset=latin1") == "é".encode()


def test_the_header_outranks_the_page() -> None:
    body = b"<meta charset=utf-8>\xe9"
    assert to_utf8(body, "text/html; charset=ISO-8859-1").endswith("é".encode())


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"<meta charset=windows-1251>", "windows-1251"),
        (b"<META CharSet='latin1'/>", "windows-1252"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=sjis">', "shift_jis"),
        (b"<meta content='text/html;charset=gb2312' http-equiv=content-type>", "gbk"),
        (b"<meta name=x content='text/html;charset=gb2312'>", ""),
        (b"<!-- <meta charset=big5> --><meta charset=koi8-r>", "koi8-r"),
        (b"<a title='<meta charset=big5>'><meta charset=koi8-r>", "koi8-r"),
        (b"<script src=x><meta charset=koi8-r>", "koi8-r"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<meta charset=nonsense><meta charset=koi8-r>", "koi8-r"),
        (b"<metacharset=koi8-r>", ""),
        (b"x" * 1024 + b"<meta charset=koi8-r>", ""),
        (b"<!-- <meta charset=koi8-r>", ""),
    ],
)
def test_a_page_declares_its_encoding(head: bytes, name: str) -> None:
    assert declared(head) == name


def test_undeclared_bytes_are_utf8_if_they_can_be() -> None:
    assert to_utf8("<p>žluťoučký</p>".encode()) == "<p>žluťoučký</p>".encode()


def test_undeclared_bytes_of_another_encoding_are_recognised() -> None:
    text = "Это страница на русском языке, и в ней не сказано, в какой она кодировке. " * 4
    assert to_utf8(text.encode("cp1251")).decode() == text


def test_a_few_undeclared_bytes_are_western() -> None:
    assert to_utf8(b"<p>It\x92s \xa9 1997</p>") == "<p>It’s © 1997</p>".encode()


@given(st.binary(max_size=200), st.sampled_from(["", "x; charset=", "x; charset=euc-jp", "utf-16"]))
def test_whatever_comes_utf8_goes(body: bytes, content_type: str) -> None:
    to_utf8(body, content_type).decode()


@pytest.mark.parametrize("label", sorted(set(webencodings.LABELS.values())))
def test_every_encoding_of_the_standard_is_decoded(label: str) -> None:
    to_utf8(bytes(range(256)) * 2, f"text/html; charset={label}")


@pytest.mark.parametrize("label", ["gbk", "gb2312", "x-gbk", "gb18030"])
def test_chinese_pages_may_have_characters_of_the_larger_set(label: str) -> None:
    """The standard's gbk is gb18030, which has characters of four bytes; Python's is not."""
    text = "漢字 𠀀 ḿ €"
    assert to_utf8(text.encode("gb18030"), f"text/html; charset={label}") == text.encode()


def test_what_the_server_says_outranks_what_the_page_says() -> None:
    body = b"<meta charset=windows-1252><p>" + "привет".encode("windows-1251")
    assert "привет".encode() in to_utf8(body, "text/html; charset=windows-1251")


def test_a_page_is_kept_until_it_says_it_is_unavailable() -> None:
    asks = Directives.parse(["unavailable_after: 2020-01-02"], "foragers")
    moment = 1_577_923_200.0  # 2020-01-02 in UTC
    assert not asks.not_to_be_kept(moment - 1)
    assert asks.not_to_be_kept(moment + 1)
    assert Directives.parse(["noindex"], "foragers").not_to_be_kept(0.0)
    assert not Directives.parse(["nofollow"], "foragers").not_to_be_kept(0.0)
