"""Answers that are put together oddly, or wrongly."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import brotli
import pytest
import zstandard

from support.crawling import crawl, one, serving
from support.hostile_server import Answer, Connection, page, reply

HTML = b"<html><title>whole</title><p>words</html>"
PACKED = gzip.compress(HTML, mtime=0)
CHUNKS = b"%x\r\n%s\r\n" % (len(HTML), HTML)
EXTENDED = CHUNKS.replace(b"\r\n", b";a=b\r\n", 1)
EARLY = b"HTTP/1.1 103 Early Hints\r\nContent-Type: image/png\r\n\r\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n"
LENGTH = b"Content-Length: %d\r\n" % len(HTML)


def then_close(data: bytes) -> Answer:
    def answer(connection: Connection) -> None:
        connection.send(data)
        connection.close()

    return answer


def in_pieces(connection: Connection) -> None:
    connection.trickle(HEAD + LENGTH + b"\r\n" + HTML, 0.0005)


def with_reset(connection: Connection) -> None:
    connection.reset()


WHOLE = {
    "HTTP/1.0": then_close(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + HTML),
    "no length": then_close(HEAD + b"\r\n" + HTML),
    "chunks": CHUNKED + b"\r\n" + CHUNKS + b"0\r\n\r\n",
    "chunks with extensions": CHUNKED + b"\r\n" + EXTENDED + b"0\r\n\r\n",
    "chunks with trailers": CHUNKED + b"\r\n" + CHUNKS + b"0\r\nContent-Type: image/png\r\n\r\n",
    "small chunks": CHUNKED + b"\r\n" + b"".join(b"1\r\n%c\r\n" % c for c in HTML) + b"0\r\n\r\n",
    "chunks and a length": CHUNKED + b"Content-Length: 3\r\n\r\n" + CHUNKS + b"0\r\n\r\n",
    "sizes with zeros": CHUNKED + b"\r\n" + b"0000" + CHUNKS + b"000\r\n\r\n",
    "100 before": b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + LENGTH + b"\r\n" + HTML,
    "103 before": EARLY + HEAD + LENGTH + b"\r\n" + HTML,
    "no reason": HEAD.replace(b" OK", b"") + LENGTH + b"\r\n" + HTML,
    "folded header": HEAD.replace(b"text", b"\r\n text") + LENGTH + b"\r\n" + HTML,
    "line feeds only": (HEAD + LENGTH + b"\r\n").replace(b"\r\n", b"\n") + HTML,
    "no blanks": HEAD.replace(b": ", b":") + LENGTH + b"\r\n" + HTML,
    "header in capitals": HEAD.upper() + LENGTH + b"\r\n" + HTML,
    "more than its length": then_close(HEAD + LENGTH + b"\r\n" + HTML + b"HTTP/1.1 500 no\r\n\r\n"),
    "the length twice": HEAD + LENGTH * 2 + b"\r\n" + HTML,
    "strange headers": HEAD + b"X\xff: \xfe\r\nEmpty:\r\n" + LENGTH + b"\r\n" + HTML,
    "in pieces": in_pieces,
    "the length in a list": HEAD
    + b"Content-Length: %d, %d\r\n\r\n" % (len(HTML), len(HTML))
    + HTML,
    "excess on an open connection": HEAD + LENGTH + b"\r\n" + HTML + b"HTTP/1.1 200 OK\r\n\r\nevil",
    "gzip as transfer coding": then_close(
        HEAD
        + b"Transfer-Encoding: gzip, chunked\r\n\r\n"
        + b"%x\r\n%s\r\n0\r\n\r\n" % (len(PACKED), PACKED)
    ),
    "identity as transfer coding": then_close(HEAD + b"Transfer-Encoding: identity\r\n\r\n" + HTML),
    "chunks in HTTP/1.0": then_close(
        (CHUNKED + b"\r\n" + CHUNKS + b"0\r\n\r\n").replace(b"HTTP/1.1", b"HTTP/1.0")
    ),
    "a long extension": CHUNKED
    + b"\r\n"
    + CHUNKS.replace(b"\r\n", b";" + b"x" * 50_000 + b"\r\n", 1)
    + b"0\r\n\r\n",
    "a blank before the colon": HEAD.replace(b"Type:", b"Type :") + LENGTH + b"\r\n" + HTML,
    "no headers": then_close(b"HTTP/1.1 200 OK\r\n\r\n" + HTML),
    "a long reason": HEAD.replace(b"OK", b"O" * 20_000) + LENGTH + b"\r\n" + HTML,
    "gzip as transfer coding on an open connection": HEAD
    + b"Transfer-Encoding: gzip, chunked\r\n\r\n"
    + b"%x\r\n%s\r\n0\r\n\r\n" % (len(PACKED), PACKED),
    "chunks with a parameter": CHUNKED.replace(b"chunked", b"chunked;q=1")
    + b"\r\n"
    + CHUNKS
    + b"0\r\n\r\n",
    "nothing behind the last chunk": then_close(CHUNKED + b"\r\n" + CHUNKS + b"0\r\n"),
    "another 2xx": HEAD.replace(b"200 OK", b"203 Other") + LENGTH + b"\r\n" + HTML,
}
BROKEN = {
    "closed at once": then_close(b""),
    "reset": with_reset,
    "closed in the head": then_close(HEAD),
    "closed in the body": then_close(HEAD + b"Content-Length: 1000\r\n\r\n" + HTML),
    "chunks without an end": then_close(CHUNKED + b"\r\n" + CHUNKS),
    "bad chunk size": then_close(CHUNKED + b"\r\nxyz\r\n" + HTML),
    "negative chunk size": then_close(CHUNKED + b"\r\n-5\r\n" + HTML),
    "huge chunk size": then_close(CHUNKED + b"\r\nffffffffffffffffff\r\n" + HTML),
    "garbage": then_close(b"\x00\x01\x02 nothing like HTTP\r\n\r\n" + HTML),
    "garbage before": then_close(b"garbage\r\n" + HEAD + LENGTH + b"\r\n" + HTML),
    "no head": then_close(HTML),
    "no number": then_close(b"HTTP/1.1 abc\r\n\r\n" + HTML),
    "a length that is none": then_close(HEAD + b"Content-Length: -3\r\n\r\n" + HTML),
    "a length in hexadecimal": then_close(HEAD + b"Content-Length: 0x29\r\n\r\n" + HTML),
    "a line that is no header": then_close(HEAD + b"nonsense\r\n" + LENGTH + b"\r\n" + HTML),
    "a null byte": then_close(HEAD + b"X: a\0b\r\n" + LENGTH + b"\r\n" + HTML),
    "HTTP/2 without having been asked": then_close(HEAD.replace(b"1.1", b"2") + LENGTH + HTML),
    "blank lines before": then_close(b"\r\n\r\n" + HEAD + LENGTH + b"\r\n" + HTML),
    "two lengths": then_close(HEAD + b"Content-Length: 3\r\n" + LENGTH + b"\r\n" + HTML),
}


@pytest.mark.parametrize("name", WHOLE)
def test_odd_answers_are_understood(name: str, tmp_path: Path) -> None:
    assert one(tmp_path, WHOLE[name]) == ("ok", "", "whole")


@pytest.mark.parametrize("name", BROKEN)
def test_broken_answers_fail_with_a_reason(name: str, tmp_path: Path) -> None:
    status, reason, _ = one(tmp_path, BROKEN[name])
    assert status == "failed"
    assert reason.startswith(("connection lost: ", "broken answer: "))


@pytest.mark.parametrize("code", ["204 No Content", "205 Reset", "304 Not Modified"])
def test_answers_that_may_not_have_a_body_do_not_confuse_the_next(
    code: str, tmp_path: Path
) -> None:
    answer = f"HTTP/1.1 {code}\r\nContent-Length: 0\r\n\r\n".encode()
    with serving({"/it": answer, "/after": page(words="after")}) as server:
        outcome = crawl(tmp_path, server.url("/it"), server.url("/after"))
        assert outcome.status("/it") == ("unchanged" if code.startswith("304") else "ok")
        assert outcome.title("/after") == "after"


@pytest.mark.parametrize("code", ["204 No Content", "304 Not Modified"])
def test_a_body_that_must_not_be_there_is_passed_over(code: str, tmp_path: Path) -> None:
    answer = f"HTTP/1.1 {code}\r\nContent-Length: 12\r\n\r\nHTTP/1.1 666".encode()
    status, _, title = one(tmp_path, then_close(answer))
    assert (status, title) == ("unchanged" if code.startswith("304") else "ok", "")


def test_a_lost_connection_is_tried_again_after_a_pause(tmp_path: Path) -> None:
    def third_time(connection: Connection) -> None:
        if connection.count < 2:
            connection.reset()
        else:
            connection.send(page(words="at last"))

    with serving({"/it": third_time}) as server:
        outcome = crawl(tmp_path, server.url("/it"), backoff=0.1)
        assert outcome.title("/it") == "at last"
        first, second, third = (asked for asked in server.log if asked.path == "/it")
        assert second.start - first.end >= 0.2
        assert third.start - second.end >= 0.4


def raw_deflate(data: bytes) -> bytes:
    packing = zlib.compressobj(wbits=-15)
    return packing.compress(data) + packing.flush()


CODED = {
    "gzip": (gzip.compress(HTML), "gzip"),
    "x-gzip in capitals": (gzip.compress(HTML), "X-GZIP"),
    "gzip in two members": (gzip.compress(HTML[:20]) + gzip.compress(HTML[20:]), "gzip"),
    "deflate": (zlib.compress(HTML), "deflate"),
    "deflate without a header": (raw_deflate(HTML), "deflate"),
    "br": (brotli.compress(HTML), "br"),
    "zstd": (zstandard.compress(HTML), "zstd"),
    "twice": (brotli.compress(gzip.compress(HTML)), "gzip, br"),
    "identity": (HTML, "identity"),
    "not gzip at all": (HTML, "gzip"),
    "not br at all": (HTML, "br"),
    "not zstd at all": (HTML, "zstd"),
    "not deflate at all": (HTML, "deflate"),
    "unheard of": (HTML, "rot13"),
    "gzip with a wrong sum": (gzip.compress(HTML)[:-8] + b"\0" * 8, "gzip"),
    "gzip and rubbish": (gzip.compress(HTML) + b"rubbish", "gzip"),
    "gzip cut off": (gzip.compress(HTML + b"x" * 99)[:-9], "gzip"),
}


@pytest.mark.parametrize("name", CODED)
def test_compressed_pages_are_unpacked(name: str, tmp_path: Path) -> None:
    body, coding = CODED[name]
    assert one(tmp_path, reply(body, content_encoding=coding)) == ("ok", "", "whole")


def test_compressed_pages_in_chunks_are_unpacked(tmp_path: Path) -> None:
    body = gzip.compress(HTML)
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    answer = CHUNKED + b"Content-Encoding: gzip\r\n\r\n" + chunks
    assert one(tmp_path, answer) == ("ok", "", "whole")
