"""Time and size: what a hostile server can cost."""

from __future__ import annotations

import gzip
import socket
import time
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import brotli
import pytest
import zstandard
from warcio.archiveiterator import ArchiveIterator

from foragers.http.causes import LATER
from support.core_speed import unit
from support.crawling import BRIEF, LIMITS, crawl, one, serving
from support.hostile_server import Answer, Connection, page, reply
from support.waiting import until

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
ZEROS = b"<p>" + bytes([32]) * 30_000_000


def no_answer(connection: Connection) -> None:
    connection.hang()


def header_trickle(connection: Connection) -> None:
    connection.trickle(HEAD + b"X: y\r\n" * 1000, 0.02)


def header_line_trickle(connection: Connection) -> None:
    connection.trickle(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 1000, 0.02)


def body_that_stops(connection: Connection) -> None:
    connection.send(HEAD + b"Content-Length: 1000\r\n\r\n<p>some")
    connection.hang()


def body_trickle(connection: Connection) -> None:
    connection.send(HEAD + b"\r\n")
    connection.trickle(b"x" * 10_000, 0.02)


@pytest.mark.parametrize(
    ("answer", "reason", "tries"),
    [
        (no_answer, "timeout: no whole answer after 2 s", 2),
        (header_trickle, "timeout: no whole answer after 2 s", 1),
        (header_line_trickle, "timeout: no whole answer after 2 s", 1),
        (body_that_stops, "timeout: nothing more for 2 s", 1),
        (body_trickle, "timeout: not done after 4 s", 1),
    ],
)
def test_slow_answers_are_given_up_in_time(
    answer: Answer, reason: str, tries: int, tmp_path: Path
) -> None:
    with serving({"/it": answer}) as server:
        begun = time.monotonic()
        outcome = crawl(tmp_path, server.url("/it"), limits=BRIEF)
        assert (outcome.status("/it"), outcome.reason("/it")) == ("failed", reason + LATER)
        assert len(outcome.urls) == 2, "and once more after a while"
        # On a busy machine the server may read a request only after it was given up.
        until(lambda: server.paths.count("/it") >= 2 * tries)
        assert server.paths.count("/it") == 2 * tries
        assert time.monotonic() - begun < 120


def test_a_server_that_does_not_accept_is_given_up_in_time(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        name = listener.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for filling in waiting:
            filling.setblocking(False)
            filling.connect_ex(name)
        begun = time.monotonic()
        outcome = crawl(tmp_path, f"http://127.0.0.1:{name[1]}/", limits=BRIEF)
        assert outcome.status("/") == "skipped"
        assert "timeout" in outcome.reason("/")
        assert time.monotonic() - begun < 120
        for filling in waiting:
            filling.close()


def endless(connection: Connection) -> None:
    connection.send(HEAD + b"\r\n")
    while not connection.closing.is_set():
        connection.send(b"<p>more</p>" * 10_000)


def endless_chunks(connection: Connection) -> None:
    connection.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    while not connection.closing.is_set():
        connection.send(b"2710\r\n" + b"x" * 10_000 + b"\r\n")


def endless_headers(connection: Connection) -> None:
    connection.send(HEAD)
    while not connection.closing.is_set():
        connection.send(b"X-Header: something\r\n" * 1000)


def endless_header_line(connection: Connection) -> None:
    connection.send(HEAD + b"X-Header: ")
    while not connection.closing.is_set():
        connection.send(b"x" * 10_000)


def endless_preliminaries(connection: Connection) -> None:
    while not connection.closing.is_set():
        connection.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)


def many_headers(connection: Connection) -> None:
    connection.send(HEAD + b"".join(b"X-%d: y\r\n" % n for n in range(100_000)) + b"\r\n")
    connection.close()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (endless, "too large: more than 300,000 bytes"),
        (endless_chunks, "too large: more than 300,000 bytes"),
        (reply(b"x" * 400_000), "too large: more than 300,000 bytes"),
        (HEAD + b"Content-Length: 99999999999\r\n\r\nx", "too large: more than 300,000 bytes"),
        (endless_headers, "headers too large"),
        (endless_header_line, "headers too large"),
        (endless_preliminaries, "headers too large"),
        (many_headers, "headers too large"),
    ],
)
def test_answers_without_end_are_cut_off(answer: Answer, reason: str, tmp_path: Path) -> None:
    status, found, _ = one(tmp_path, answer)
    assert status == "failed"
    assert found.startswith(reason)


def deflated(data: bytes) -> bytes:
    raw = zlib.compressobj(9, wbits=-15)
    return raw.compress(data) + raw.flush()


BOMBS: dict[str, Callable[[], bytes]] = {
    "gzip": lambda: gzip.compress(ZEROS),
    "deflate": lambda: zlib.compress(ZEROS),
    "br": lambda: brotli.compress(ZEROS, quality=5),
    "zstd": lambda: zstandard.compress(ZEROS),
    "gzip, gzip": lambda: gzip.compress(gzip.compress(ZEROS)),
}


@pytest.mark.parametrize("coding", BOMBS)
def test_bombs_do_not_go_off(coding: str, tmp_path: Path) -> None:
    bomb = reply(BOMBS[coding](), content_encoding=coding)
    assert len(bomb) < LIMITS.body
    tracemalloc.start()
    try:
        status, reason, _ = one(tmp_path, bomb)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (status, reason) == ("failed", "too large: more than 1,000,000 bytes unpacked")
    assert peak < 12_000_000


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_page_that_is_too_large_when_unpacked_keeps_its_first_part(
    coding: str, tmp_path: Path
) -> None:
    whole = b"<title>Long</title><a href=/near>near</a>" + b"<p>words and words" * 100_000
    body = gzip.compress(whole) if coding == "gzip" else zlib.compress(whole)
    site = {"/it": reply(body, content_encoding=coding), "/near": page()}
    with serving(site) as server:
        outcome = crawl(tmp_path, server.url("/it"), warc=True)
    assert (outcome.status("/it"), outcome.title("/it")) == ("ok", "Long")
    assert outcome.reason("/it") == "cut: the first 100,000 of more than 1,000,000 bytes unpacked"
    assert outcome.status("/near") == "ok"
    found = {}
    for path in (tmp_path / "warc").glob("*.warc.gz"):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type == "response":
                    url = record.rec_headers.get_header("WARC-Target-URI")
                    found[url] = record.content_stream().read()
    assert found[server.url("/it")] == whole, "the archive has all of it"


def test_what_is_not_wanted_is_not_read_to_its_end(tmp_path: Path) -> None:
    sent = []

    def film(connection: Connection) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n")
        while not connection.closing.is_set():
            connection.send(b"\0" * 65_536)
            sent.append(65_536)

    assert one(tmp_path, film)[:2] == ("unwanted", "content type video/mp4")
    assert sum(sent) < 10_000_000


def test_cookies_are_neither_kept_nor_sent(tmp_path: Path) -> None:
    cookies = b"".join(b"Set-Cookie: c%d=%s\r\n" % (n, b"x" * 400) for n in range(200))
    bomb = HEAD + cookies + b"Content-Length: 5\r\n\r\n<p>a "
    with serving({"/bomb": bomb, "/after": reply(b"<p>b")}) as server:
        outcome = crawl(tmp_path, server.url("/bomb"), server.url("/after"))
        assert outcome.status("/after") == outcome.status("/bomb") == "ok"
        assert not any("cookie" in asked.headers for asked in server.log)


def test_pages_that_are_hard_to_parse_cost_little_time(tmp_path: Path) -> None:
    site = {
        "/deep": reply(b"<div>" * 50_000),
        "/wide": reply(b"<p " + b"".join(b"a%d=1 " % n for n in range(30_000)) + b">"),
        "/links": reply(b"".join(b'<a href="/x%d">x</a>' % n for n in range(10_000))),
    }
    with serving(site) as server:
        begun, plain = time.process_time(), unit()
        outcome = crawl(tmp_path, *(server.url(path) for path in site), max_depth=0)
        assert [outcome.status(path) for path in site] == ["ok"] * 3
        assert time.process_time() - begun < 20_000 * plain
