"""What pages say, in which letters, and what is no page at all."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import pytest

from foragers.cli.main import main
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.urls.table import UrlTable
from support.crawling import crawl, one, serving
from support.hostile_server import page, reply

WORD = "größer — “тест” 日本"
LATIN = "größer, süßer, höher, länger: Äpfel, Öl, Übermut und weiß"
RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю"


def titled(text: str, meta: str = "") -> str:
    return f"<html><head>{meta}<title>{text}</title></head><body><p>{text} " + f"{text} " * 20


LETTERS = {
    "by header": (titled(WORD).encode(), "text/html; charset=utf-8", WORD),
    "by header in quotes": (
        titled(LATIN).encode("latin-1"),
        'text/html; charset="ISO-8859-1"',
        LATIN,
    ),
    "by header, cyrillic": (titled(RUSSIAN).encode("koi8-r"), "text/html;charset=koi8-r", RUSSIAN),
    "by mark": (b"\xef\xbb\xbf" + titled(WORD).encode(), "text/html; charset=latin-1", WORD),
    "by mark, 16 bits": (titled(WORD).encode("utf-16"), "text/html", WORD),
    "by header, 16 bits": (titled(WORD).encode("utf-16-le"), "text/html; charset=utf-16le", WORD),
    "by meta": (titled(LATIN, "<meta charset=latin1>").encode("latin-1"), "text/html", LATIN),
    "by old meta": (
        titled(
            RUSSIAN, '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">'
        ).encode("cp1251"),
        "text/html",
        RUSSIAN,
    ),
    "by look": (titled(WORD).encode(), "text/html", WORD),
    "by guess": (titled(RUSSIAN).encode("cp1251"), "text/html", RUSSIAN),
    "by meta, japanese": (
        titled("日本語", "<meta charset=shift_jis>").encode("shift_jis"),
        "text/html",
        "日本語",
    ),
    "unknown name": (titled(WORD).encode(), "text/html; charset=nonsense", WORD),
    "no type": (titled(WORD).encode(), None, WORD),
    "xhtml": (titled(WORD).encode(), "application/xhtml+xml", WORD),
    "type twice": (titled(WORD).encode(), "text/html, text/html", WORD),
    "no such type": (titled(WORD).encode(), "html", WORD),
    "any type": (titled(WORD).encode(), "*/*", WORD),
    "no charset after all": (titled(WORD).encode(), "text/html; charset=", WORD),
    "two charsets": (
        titled(LATIN).encode("latin-1"),
        "text/html; charset=latin1; charset=utf-8",
        LATIN,
    ),
    "by declaration": (
        ('<?xml version="1.0" encoding="iso-8859-1"?>' + titled(LATIN)).encode("latin-1"),
        "text/html",
        LATIN,
    ),
    "by late meta": (
        titled(LATIN, f"<!--{'x' * 2000}--><meta charset=latin1>").encode("latin-1"),
        "text/html",
        LATIN,
    ),
    "type in capitals": (titled(WORD).encode(), "TEXT/HTML; CHARSET=UTF-8", WORD),
}


@pytest.mark.parametrize("name", LETTERS)
def test_letters_are_read(name: str, tmp_path: Path) -> None:
    body, kind, title = LETTERS[name]
    assert one(tmp_path, reply(body, kind=kind)) == ("ok", "", title)


@pytest.mark.parametrize("kind", ["image/png", "application/pdf", "video/mp4", "application/zip"])
def test_other_types_are_unwanted_even_if_empty(kind: str, tmp_path: Path) -> None:
    assert one(tmp_path / "a", reply(b"x", kind=kind))[:2] == ("unwanted", f"content type {kind}")
    assert one(tmp_path / "b", reply(b"", kind=kind))[:2] == ("unwanted", f"content type {kind}")


@pytest.mark.parametrize(
    "body",
    [b"\x89PNG\r\n\x1a\n" + bytes(99), b"%PDF-1.7\n%\xe2", b"PK\x03\x04" + bytes(99), bytes(999)],
    ids=["picture", "PDF", "archive", "zeros"],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["text/html", "text/plain", None])
def test_files_that_are_said_to_be_pages_are_unwanted(
    body: bytes, kind: str, tmp_path: Path
) -> None:
    status, reason, _ = one(tmp_path, reply(body, kind=kind))
    assert status == "unwanted"
    assert "binary data" in reason


def test_plain_text_is_read_and_markup_in_it_is_not(tmp_path: Path) -> None:
    with serving({"/it": reply(b"words <a href=/x>", kind="text/plain")}) as server:
        outcome = crawl(tmp_path, server.url("/it"))
        assert outcome.status("/it") == "ok"
        assert server.paths == ["/robots.txt", "/it"]


@pytest.mark.parametrize(
    "body", [b"", b" \n", b"\0", b"<", b"<!--", b"<a href=", b"<html", b"\xff\xfe", b"&#xFFFFFFFF;"]
)
def test_pages_of_nearly_nothing_are_pages(body: bytes, tmp_path: Path) -> None:
    status, reason, _ = one(tmp_path, reply(body))
    assert status == "ok" or (body == b"\0" and "binary" in reason)


def test_links_that_are_no_addresses_do_not_end_the_crawl(tmp_path: Path) -> None:
    odd = ["http://", "http://.../", "http://a:b/", "http://[::1", "//", "javascript:x", "\x00"]
    odd += ["http://%00/", "http://a..b:99999/", "?", "#", "data:text/html,x", "http:///x"]
    odd += ["mailto:a", "http://xn--/", "ht!tp://x/", "/%", "/%zz"]
    odd += ["http://exa mple/", "", " ", "/ok"]
    with serving({"/": page(*odd), "/ok": page(words="fine")}) as server:
        outcome = crawl(tmp_path, server.url("/"), within="host")
        assert outcome.title("/ok") == "fine"
    with serving({"/": page(*odd, words="again")}) as server:
        assert crawl(tmp_path / "any", server.url("/")).status(server.url("/")) == "ok"


def test_status_codes_are_told_apart(tmp_path: Path) -> None:
    codes = {"501": "failed", "505": "failed", "599": "failed", "999": "failed"}
    codes |= dict.fromkeys(("401", "403", "451"), "refused")
    codes |= dict.fromkeys(("404", "410", "418"), "missing")
    site = {f"/{code}": reply(b"<p>no", f"{code} No") for code in codes}
    with serving(site) as server:
        outcome = crawl(tmp_path, server.url("/"))
        assert {code: outcome.status(f"/{code}") for code in codes} == codes
        assert all(outcome.reason(f"/{code}") == code for code in codes)


def test_what_a_page_asks_of_robots_is_done(tmp_path: Path) -> None:
    meta = '<meta name="{}" content="{}"><title>t</title><a href="/{}">x</a>'
    site = {
        "/nofollow": reply(meta.format("robots", "nofollow", "a")),
        "/noindex": reply(meta.format("ROBOTS", "NOINDEX", "b")),
        "/none": reply(meta.format("robots", "none", "c")),
        "/header": reply(meta.format("x", "x", "e"), x_robots_tag="noindex, nofollow"),
        "/other": reply(meta.format("x", "x", "f"), x_robots_tag="otherbot: noindex, nofollow"),
    }
    with serving(site) as server:
        outcome = crawl(tmp_path, *(server.url(path) for path in site))
        assert {path: outcome.status(path) for path in site} == {
            "/nofollow": "ok",
            "/noindex": "unwanted",
            "/none": "unwanted",
            "/header": "unwanted",
            "/other": "ok",
        }
        assert {"/a", "/c", "/e"}.isdisjoint(server.paths)
        assert {"/b", "/f"} <= set(server.paths)


def test_the_words_of_a_page_that_asks_not_to_be_kept_are_not_in_the_ledger(tmp_path: Path) -> None:
    secret = reply("<meta name=robots content=noindex><title>secret</title><p>words")
    with serving({"/it": secret}) as server:
        crawl(tmp_path, server.url("/it"))
    with sqlite3.connect(tmp_path / "ledger.sqlite") as ledger:
        assert ledger.execute("SELECT title FROM visits").fetchall() == [("",)]
    ledger.close()


LINKED = {
    "a refresh": ('<meta http-equiv="Refresh" content="5; URL=\'/a\'">', ["/a"]),
    "a base": ('<base href="/sub/"><a href=a>x</a>', ["/sub/a"]),
    "a base that is none": ('<base href="javascript:1"><a href=a>x</a>', ["/a"]),
    "frames": ("<frameset><frame src=/a></frameset>", ["/a"]),
    "an inner frame and an area": (
        "<iframe src=/a></iframe><map><area href=/b></map>",
        ["/a", "/b"],
    ),
    "no script": ("<noscript><a href=/a>x</a></noscript>", ["/a"]),
    "a comment": ("<!-- <a href=/a>x</a> -->", []),
    "a script": ('<script>var x = "<a href=/a>x</a>"</script>', []),
    "entities": ('<a href="/a?b=1&amp;c=2">x</a>', ["/a?b=1&c=2"]),
    "line breaks": ('<a href=" \n/a\nb ">x</a>', ["/ab"]),
    "no quotes, no end": ("<a href=/a>x<a href='/b'>y", ["/a", "/b"]),
    "other letters": ('<a href="/ü?q=ö">x</a>', ["/%C3%BC?q=%C3%B6"]),
    "dots": ('<a href="../../../a">x</a><a href="./x/../b">y</a>', ["/a", "/b"]),
    "the next one": ("<link rel=next href=/a>", ["/a"]),
    "data": ('<a href="data:text/html,x">x</a>', []),
}


@pytest.mark.parametrize("name", LINKED)
def test_links_are_found_where_they_are(name: str, tmp_path: Path) -> None:
    markup, paths = LINKED[name]
    site = {"/it": reply(f"<html>{markup}".encode()), "*": page(words="x")}
    with serving(site) as server:
        crawl(tmp_path, server.url("/it"), max_depth=1)
        assert server.paths == ["/robots.txt", "/it", *paths]


def test_where_a_refresh_header_leads_is_a_link(tmp_path: Path) -> None:
    site = {"/it": reply(b"<p>wait", refresh="3; url=/a"), "/a": page(), "/b": page()}
    site["/odd"] = reply(b"<p>wait", refresh="; url=http://[")
    with serving(site) as server:
        crawl(tmp_path, server.url("/it"), server.url("/odd"), max_depth=1)
        assert sorted(server.paths) == ["/a", "/it", "/odd", "/robots.txt"]


@pytest.mark.parametrize(
    ("meta", "header", "kept"),
    [
        ('<meta name="robots" content="NOARCHIVE">', "", False),
        ('<meta name="foragers" content="noarchive">', "", False),
        ('<meta name="googlebot" content="noarchive">', "", True),
        ("", "noarchive", False),
        ("", "foragers: noarchive", False),
        ("", "otherbot: noarchive", True),
        ('<meta name="robots" content="nosnippet, max-snippet:0">', "nosnippet", True),
        ("<p>about noarchive</p>", "", True),
    ],
)
def test_no_copy_is_kept_of_a_page_that_asks_for_none(
    meta: str, header: str, kept: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    headers = {"x_robots_tag": header} if header else {}
    text = f"{meta}<title>a title</title><h1>heading</h1>" + '<p>secret words <a href="/a">on</a>'
    with serving({"/it": reply(text, **headers), "/a": page()}) as server:
        outcome = crawl(tmp_path, server.url("/it"), warc=True, strategy="shark-search")
    assert (outcome.status("/it"), outcome.title("/it")) == ("ok", "a title")
    assert outcome.status("/a") == "ok", "its links are followed"
    archived = b"".join(
        gzip.decompress(file.read_bytes()) for file in (tmp_path / "warc").glob("*.warc.gz")
    )
    assert (b"secret words" in archived) is kept
    assert main(["export", str(tmp_path), "--format", "jsonl"]) == 0
    exported = capsys.readouterr().out
    assert ("secret words" in exported) is kept
    assert ("heading" in exported) is kept
    assert main(["explain", str(tmp_path), server.url("/a")]) == 0
    assert "“on”" in capsys.readouterr().out
    ledger = SqliteLedger(tmp_path / "ledger.sqlite", UrlTable())
    visits = [visit for visit in ledger.read() if visit.page.document.title == "a title"]
    ledger.close()
    assert ("secret" in visits[0].page.document.text) is kept
    assert ("secret" in visits[0].links[0].around) is kept
    assert visits[0].links[0].anchor == "on"
