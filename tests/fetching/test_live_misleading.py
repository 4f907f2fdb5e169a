"""Answers that are not what their headers say: codings, letters, and kinds of things."""

from __future__ import annotations

import gzip
import random
import sqlite3
import zlib
from pathlib import Path

import brotli
import pytest
import zstandard

from support.crawling import crawl, one, serving
from support.hostile_server import page, reply

HTML = b"<html><title>whole</title><p>words</html>"
RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю"
JAPANESE = "日本の首都は東京である。政治と経済と文化の中心地として多くの人々が集まる。"
GERMAN = "größer, süßer, höher"
PACKED = gzip.compress(HTML, mtime=0)

CODINGS = {
    "gzip twice, told once": ("gzip", gzip.compress(PACKED, mtime=0)),
    "gzip, not told": ("", PACKED),
    "gzip, told to be brotli": ("br", PACKED),
    "gzip, told to be deflate": ("deflate", PACKED),
    "zlib, told to be gzip": ("gzip", zlib.compress(HTML)),
    "zstd, told to be gzip": ("gzip", zstandard.compress(HTML)),
    "brotli, told to be brotli": ("br", brotli.compress(HTML)),
}


@pytest.mark.parametrize("name", CODINGS)
def test_compression_is_known_by_its_bytes(name: str, tmp_path: Path) -> None:
    told, body = CODINGS[name]
    assert one(tmp_path, reply(body, content_encoding=told)) == ("ok", "", "whole")


def titled(text: str, meta: str = "") -> str:
    return f"<html><head>{meta}<title>{text}</title></head><body><p>{text} {text}"


LETTERS = {
    "16 bits, not told": (titled("plain").encode("utf-16-le"), "text/html", "plain"),
    "16 bits the other way, not told": (titled("plain").encode("utf-16-be"), "text/html", "plain"),
    "32 bits": (titled(RUSSIAN).encode("utf-32"), "text/html", RUSSIAN),
    "told to be UTF-8": (
        titled(RUSSIAN).encode("cp1251"),
        "text/html; charset=utf-8",
        RUSSIAN,
    ),
    "few letters told to be UTF-8": (
        titled(GERMAN, "<meta charset=utf-8>").encode("latin-1"),
        "text/html",
        GERMAN,
    ),
    "one wrong letter in UTF-8": (
        titled(GERMAN).encode().replace(b"<p>", b"<p>\xff"),
        "text/html; charset=utf-8",
        GERMAN,
    ),
    "japanese, not told": (titled(JAPANESE).encode("cp932"), "text/html", JAPANESE),
    "japanese by escapes, not told": (
        titled(JAPANESE).encode("iso-2022-jp"),
        "text/html",
        JAPANESE,
    ),
}


@pytest.mark.parametrize("name", LETTERS)
def test_letters_are_read_though_nothing_true_is_said_of_them(name: str, tmp_path: Path) -> None:
    body, kind, title = LETTERS[name]
    assert one(tmp_path, reply(body, kind=kind)) == ("ok", "", title)


XHTML = """<?xml version="1.0"?><!-- a page --><!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="s"/><title>whole</title></head>
<body><p>words</p><a href="/child">child</a></body></html>"""


@pytest.mark.parametrize("kind", ["application/xml", "text/xml", "application/xhtml+xml"])
def test_pages_in_xml_are_pages(kind: str, tmp_path: Path) -> None:
    with serving({"/it": reply(XHTML, kind=kind), "/child": page(words="a child")}) as server:
        outcome = crawl(tmp_path, server.url("/it"))
        assert (outcome.status("/it"), outcome.title("/it")) == ("ok", "whole")
        assert outcome.title("/child") == "a child"


def test_other_xml_is_no_page(tmp_path: Path) -> None:
    data = reply('<?xml version="1.0"?><data><html>no</html></data>', kind="text/xml")
    assert one(tmp_path, data) == ("unwanted", "content type text/xml", "")


@pytest.mark.parametrize("kind", ["text/html", None])
def test_noise_is_no_page(kind: str | None, tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(3000)
    status, reason, _ = one(tmp_path, reply(b"x" + noise, kind=kind))
    assert (status, reason.partition(" ")[0]) == ("unwanted", "binary")


def test_a_null_byte_or_two_make_no_noise(tmp_path: Path) -> None:
    assert one(tmp_path, reply(b"<title>who\0le</title>\0<p>a")) == ("ok", "", "who\ufffdle")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("unavailable_after: 25 Jun 2010 15:00:00 GMT", ("unwanted", "noindex", "")),
        ("unavailable_after: 25 Jun 2190 15:00:00 GMT", ("ok", "", "secret")),
    ],
)
def test_pages_are_kept_until_the_day_that_they_name(
    asked: str, found: tuple[str, str, str], tmp_path: Path
) -> None:
    body = "<title>secret</title><p>secret words"
    assert one(tmp_path, reply(body, x_robots_tag=asked)) == found


def test_the_words_of_a_copy_that_asks_not_to_be_kept_are_not_in_the_ledger(tmp_path: Path) -> None:
    words = "<title>here</title><p>these words stand on two pages, and are to be kept of one"
    with serving({"/a": reply(words), "/b": reply(words, x_robots_tag="noindex")}) as server:
        outcome = crawl(tmp_path, server.url("/a"), server.url("/b"), traps=True)
        assert outcome.status("/b") == "unwanted"
    with sqlite3.connect(tmp_path / "ledger.sqlite") as ledger:
        rows = ledger.execute("SELECT title FROM visits ORDER BY number").fetchall()
    ledger.close()
    assert rows == [("here",), ("",)]
