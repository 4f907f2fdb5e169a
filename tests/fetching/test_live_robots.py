"""robots.txt as servers really answer when they are asked for it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from foragers.http.messages import Limits
from support.crawling import BRIEF, LIMITS, crawl, serving
from support.hostile_server import Answer, Connection, HostileServer, page, redirect, reply

RULES = b"User-agent: *\nDisallow: /no\nAllow: /no/but\n"


def text(body: bytes, **headers: str) -> bytes:
    return reply(body, kind="text/plain", **headers)


def fetched(
    folder: Path, robots: Answer, *paths: str, limits: Limits = LIMITS
) -> tuple[list[str], list[str]]:
    """Crawl with a robots.txt; return which paths were asked for and the reasons of the others."""
    site = {path: page(words=path) for path in paths}
    with serving({**site, "/robots.txt": robots}) as server:
        outcome = crawl(folder, *(server.url(path) for path in paths), limits=limits)
        reasons = [outcome.reason(path) for path in paths if outcome.status(path) == "skipped"]
        return [path for path in server.paths if path in paths], reasons


def hang(connection: Connection) -> None:
    connection.hang()


def reset(connection: Connection) -> None:
    connection.reset()


@pytest.mark.parametrize("status", ["400 Bad", "401 No", "403 No", "404 Not Found", "410 Gone"])
def test_without_rules_all_is_allowed(status: str, tmp_path: Path) -> None:
    assert fetched(tmp_path, reply(RULES, status), "/no/x") == (["/no/x"], [])


@pytest.mark.parametrize(
    ("robots", "reason"),
    [
        (reply(b"", "500 Error"), "robots.txt could not be fetched: 500"),
        (reply(b"", "503 Busy"), "robots.txt could not be fetched: 503"),
        (reply(b"", "429 Slow"), "robots.txt could not be fetched: 429"),
        (hang, "robots.txt could not be fetched: timeout"),
        (reset, "robots.txt could not be fetched: connection lost"),
        (b"nothing like HTTP", "robots.txt could not be fetched: "),
        (redirect("/robots.txt"), "robots.txt could not be fetched: 302"),
        (redirect("javascript:x"), "robots.txt could not be fetched: 302"),
        (redirect("file:///etc/passwd"), "robots.txt could not be fetched: 302"),
    ],
)
def test_rules_that_cannot_be_had_forbid_all(robots: Answer, reason: str, tmp_path: Path) -> None:
    asked, reasons = fetched(tmp_path, robots, "/a", "/b", limits=BRIEF)
    assert asked == []
    assert len(reasons) == 2
    assert all(found.startswith(reason) for found in reasons)


def test_rules_that_cannot_be_had_at_first_are_asked_for_again(tmp_path: Path) -> None:
    def second_time(connection: Connection) -> None:
        connection.send(text(RULES) if connection.count else reply(b"", "503 Busy"))

    assert fetched(tmp_path, second_time, "/a", "/no") == (["/a"], ["robots.txt"])


@pytest.mark.parametrize("hops", [1, 5])
def test_rules_are_followed_to_where_they_moved(hops: int, tmp_path: Path) -> None:
    site = {f"/r{n}": redirect(f"/r{n + 1}") for n in range(1, hops)}
    site |= {
        "/robots.txt": redirect("/r1"),
        f"/r{hops}": text(RULES),
        "/yes": page(),
        "/no": page(),
    }
    with serving(site) as server:
        crawl(tmp_path, server.url("/yes"), server.url("/no"))
        assert "/yes" in server.paths
        assert "/no" not in server.paths


def test_rules_are_not_followed_further_than_five_hops(tmp_path: Path) -> None:
    site = {f"/r{n}": redirect(f"/r{n + 1}") for n in range(1, 20)}
    with serving({**site, "/robots.txt": redirect("/r1"), "/a": page()}) as server:
        crawl(tmp_path, server.url("/a"))
        assert "/r5" in server.paths
        assert "/r6" not in server.paths


def test_rules_that_moved_to_another_host_are_rules_for_this_one(tmp_path: Path) -> None:
    with HostileServer({"/robots.txt": text(RULES)}, address="127.0.0.2") as other:
        asked, _ = fetched(tmp_path, redirect(other.url("/robots.txt")), "/yes", "/no")
        assert asked == ["/yes"]


@pytest.mark.parametrize(
    "robots",
    [
        text(RULES),
        reply(RULES, kind="application/octet-stream"),
        reply(RULES, kind="image/png"),
        reply(RULES, kind=None),
        text(gzip.compress(RULES), content_encoding="gzip"),
        text(b"\xef\xbb\xbf" + RULES),
        text(RULES.replace(b"\n", b"\r\n")),
        text(RULES + b"# more\n" * 100_000),
        text(b"\x00\xff<html>\n" + RULES),
    ],
    ids=["plain", "octets", "picture", "no type", "gzip", "mark", "CRLF", "long", "rubbish"],
)
def test_rules_are_obeyed_however_they_are_served(robots: bytes, tmp_path: Path) -> None:
    asked, reasons = fetched(tmp_path, robots, "/yes", "/no/x", "/no/but/this")
    assert asked == ["/yes", "/no/but/this"]
    assert reasons == ["robots.txt"]


def test_rules_without_end_are_read_as_far_as_they_count(tmp_path: Path) -> None:
    def endless(connection: Connection) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + RULES)
        while not connection.closing.is_set():
            connection.send(b"# and so on\n" * 1000)

    assert fetched(tmp_path, endless, "/yes", "/no") == (["/yes"], ["robots.txt"])


def test_a_page_that_is_served_as_rules_forbids_nothing(tmp_path: Path) -> None:
    html = reply(b"<!DOCTYPE html><html><body><p>Not found. User-agent *</p></body></html>")
    assert fetched(tmp_path, html, "/a")[0] == ["/a"]


def test_rules_for_us_by_name_come_before_those_for_all(tmp_path: Path) -> None:
    rules = text(b"User-agent: *\nDisallow: /\n\nUser-agent: Foragers\nDisallow: /no\n")
    assert fetched(tmp_path, rules, "/a", "/no") == (["/a"], ["robots.txt"])


def test_rules_are_asked_for_once_per_host(tmp_path: Path) -> None:
    site = {f"/{n}": page() for n in range(10)}
    with serving(site) as server:
        crawl(tmp_path, server.url("/"))
        assert server.paths.count("/robots.txt") == 1
