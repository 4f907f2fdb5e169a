"""In which encoding a page is written."""

from __future__ import annotations

import pytest
import webencodings
from hypothesis import given
from hypothesis import strategies as st

from foragers.parsing.encoding import declared, to_utf8


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
