"""Redirects: how far, in circles, nowhere, and what is checked on each hop."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.crawling import BRIEF, crawl, gaps, one, serving
from support.hostile_server import (
    ALLOW_ALL,
    Answer,
    Connection,
    HostileServer,
    page,
    redirect,
    reply,
)

PRIVATE = [
    "http://127.0.0.2:{port}/", "http://localhost:{port}/", "http://[::1]:{port}/",
    "http://2130706434:{port}/", "http://0x7f.0.0.2:{port}/", "http://0177.0.0.2:{port}/",
    "http://127.2:{port}/", "http://0x7f000002:{port}/", "http://[::ffff:127.0.0.2]:{port}/",
    "http://0:{port}/", "http://①②⑦.0.0.2:{port}/", "http://127.0.0.2.:{port}/",
    "//127.0.0.2:{port}/", "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/",
    "http://192.168.0.1/", "http://[fe80::1]/", "http://[fd00::1]/", "http://[64:ff9b::7f00:1]/",
]  # fmt: skip
CODES = ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"]


def chain(length: int) -> dict[str, bytes]:
    hops = {f"/{n}": redirect(f"/{n + 1}") for n in range(length)}
    return {**hops, f"/{length}": page(words="the end")}


@pytest.mark.parametrize("code", CODES)
def test_a_redirect_is_followed(code: str, tmp_path: Path) -> None:
    with serving({"/to": page(words="there")}) as server:
        site = {"/it": redirect(server.url("/to"), code), "/robots.txt": ALLOW_ALL}
        with HostileServer(site) as other:
            outcome = crawl(tmp_path, other.url("/it"))
        assert outcome.status("/it") == "ok"
        assert outcome.final("/it") == server.url("/to")


def test_ten_redirects_are_followed_and_eleven_are_not(tmp_path: Path) -> None:
    with serving(chain(10)) as ten, serving(chain(11), address="127.0.0.2") as eleven:
        outcome = crawl(tmp_path, ten.url("/0"), eleven.url("/0"))
        assert outcome.status(ten.url("/0")) == "ok"
        assert outcome.status(eleven.url("/0")) == "failed"
        assert outcome.reason(eleven.url("/0")) == "more than 10 redirects"
        assert "/11" not in eleven.paths


@pytest.mark.parametrize(
    "site",
    [{"/it": redirect("/it")}, {"/it": redirect("/b"), "/b": redirect("/it")}],
    ids=["to itself", "round"],
)
def test_circles_are_found(site: dict[str, bytes], tmp_path: Path) -> None:
    with serving(site) as server:
        outcome = crawl(tmp_path, server.url("/it"))
        assert (outcome.status("/it"), outcome.reason("/it")) == ("failed", "redirects in a circle")
        assert len(server.log) <= 3


@pytest.mark.parametrize(
    "answer",
    [reply(b"", "302 Found"), redirect("http://"), redirect("http://a:99999/"), redirect("http://.../")],
    ids=["without Location", "without host", "no port", "a host of dots"],
)  # fmt: skip
def test_redirects_to_nowhere_fail(answer: bytes, tmp_path: Path) -> None:
    assert one(tmp_path, answer)[:2] == ("failed", "302 to nowhere")


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "ftp://127.0.0.1/"]
)
def test_only_http_is_followed(target: str, tmp_path: Path) -> None:
    assert one(tmp_path, redirect(target))[:2] == ("skipped", "scope: neither http nor https")


def test_relative_and_unescaped_targets_are_understood(tmp_path: Path) -> None:
    umlaut = b"HTTP/1.1 301 M\r\nLocation: /\xc3\xbc b\r\nContent-Length: 0\r\n\r\n"
    site = {"/a/b": redirect("../c?x=1#part"), "/c?x=1": umlaut, "/%C3%BC%20b": page(words="here")}
    with serving(site) as server:
        outcome = crawl(tmp_path, server.url("/a/b"))
        assert outcome.status("/a/b") == "ok"
        assert server.paths == ["/robots.txt", "/a/b", "/c?x=1", "/%C3%BC%20b"]


@pytest.mark.parametrize("target", PRIVATE)
def test_no_redirect_leads_to_a_private_address(target: str, tmp_path: Path) -> None:
    with serving({"/": page()}, address="127.0.0.2") as inside, serving({}) as outside:
        target = target.format(port=inside.port)
        with HostileServer({"/it": redirect(target), "/robots.txt": ALLOW_ALL}) as server:
            allowed = (f"127.0.0.1:{server.port}",)
            outcome = crawl(tmp_path, server.url("/it"), allow_private=allowed)
        assert outcome.status("/it") == "skipped"
        assert "private address" in outcome.reason("/it")
        assert not inside.log
        assert not outside.log


def test_scope_is_checked_on_each_hop(tmp_path: Path) -> None:
    with serving({}, address="127.0.0.2") as other:
        site = {"/": page("/it"), "/it": redirect("/b"), "/b": redirect(other.url("/c"))}
        with serving(site) as server:
            outcome = crawl(tmp_path, server.url("/"), within="host")
        assert outcome.status("/it") == "skipped"
        assert "another host" in outcome.reason("/it")
        assert not other.log


def test_robots_txt_is_obeyed_on_each_hop(tmp_path: Path) -> None:
    rules = reply(b"User-agent: *\nDisallow: /secret\n", kind="text/plain")
    with serving({"/robots.txt": rules}, address="127.0.0.2") as other:
        with serving({"/it": redirect(other.url("/secret/x"))}) as server:
            outcome = crawl(tmp_path, server.url("/it"))
        assert (outcome.status("/it"), outcome.reason("/it")) == ("skipped", "robots.txt")
        assert other.paths == ["/robots.txt"]


def test_a_page_that_many_redirect_to_is_fetched_and_counted_once(tmp_path: Path) -> None:
    site = {f"/{n}": redirect("/target") for n in range(5)}
    with serving({**site, "/target": page(words="once")}) as server:
        outcome = crawl(tmp_path, server.url("/"))
        assert server.paths.count("/target") == 1
        assert (
            sum(row[2] == "ok" and row[1].endswith("/target") for row in outcome.rows.values()) == 1
        )


def test_hosts_that_redirect_to_each_other_are_both_left_their_pauses(tmp_path: Path) -> None:
    with HostileServer({"*": page(), "/robots.txt": ALLOW_ALL}, "127.0.0.2") as other:
        site = {f"/{n}": redirect(other.url(f"/to/{n}")) for n in range(4)}
        with serving(site) as server:
            paths = [server.url(path) for path in site]
            crawl(tmp_path, *paths, delay=0.2)
        assert len(other.log) == 5
        assert min(gaps(other.log)) >= 0.18
        assert min(gaps(server.log)) >= 0.18


def with_endless_body(status: str) -> Answer:
    def answer(connection: Connection) -> None:
        head = f"HTTP/1.1 {status}\r\nLocation: /to\r\nContent-Type: text/html\r\n\r\n"
        connection.send(head.encode())
        while not connection.closing.is_set():
            connection.send(b"<p>more</p>" * 1000)

    return answer


def with_body_that_stops(connection: Connection) -> None:
    connection.send(b"HTTP/1.1 302 Found\r\nLocation: /to\r\nContent-Length: 99\r\n\r\nsome")
    connection.hang()


@pytest.mark.parametrize(
    "answer",
    [
        with_endless_body("302 Found"),
        with_body_that_stops,
        b"HTTP/1.1 302 Found\r\nLocation: /to\r\nContent-Length: 99\r\nConnection: close\r\n\r\n",
    ],
    ids=["endless", "stops", "cut"],
)
def test_a_redirect_is_followed_whatever_its_body(answer: Answer, tmp_path: Path) -> None:
    with serving({"/it": answer, "/to": page(words="there")}) as server:
        outcome = crawl(tmp_path, server.url("/it"), warc=True, limits=BRIEF)
        assert (outcome.status("/it"), outcome.title("/it")) == ("ok", "there")
        assert server.paths.count("/it") == 1


@pytest.mark.parametrize(
    ("status", "found"), [("404 Not Found", "missing"), ("403 Forbidden", "refused")]
)
def test_an_error_is_one_however_much_is_said_about_it(
    status: str, found: str, tmp_path: Path
) -> None:
    assert one(tmp_path, with_endless_body(status))[:2] == (found, status[:3])


@pytest.mark.parametrize(
    "location", ["\\to", "  /to ", "/t\to", "HTTP:/to", "./x/../to", "//{}/to"]
)
def test_odd_targets_are_read_as_browsers_read_them(location: str, tmp_path: Path) -> None:
    with HostileServer({}) as server:
        target = location.format(f"127.0.0.1:{server.port}")
        moved = f"HTTP/1.1 301 M\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode()
        server.site = {"/robots.txt": ALLOW_ALL, "/it": moved, "/to": page(words="there")}
        assert crawl(tmp_path, server.url("/it")).title("/it") == "there"


def test_names_and_passwords_in_addresses_are_not_sent(tmp_path: Path) -> None:
    with HostileServer({}) as server:
        secret = f"http://me:secret@127.0.0.1:{server.port}/"
        server.site = {
            "/robots.txt": ALLOW_ALL,
            "/": page(secret + "link", "/it"),
            "/it": redirect(secret + "to"),
            "/to": page(),
            "/link": page(),
        }
        crawl(tmp_path, secret)
        assert sorted(server.paths) == ["/", "/it", "/link", "/robots.txt", "/to"]
        assert not any("authorization" in asked.headers for asked in server.log)


def wall(connection: Connection) -> None:
    """Give a page to who has the cookie, and the cookie to others."""
    if connection.headers.get("cookie") == "seen=1":
        connection.send(page(words="behind the wall"))
    else:
        connection.send(reply(b"", "302 Found", location="/set"))


def giving(connection: Connection) -> None:
    connection.send(reply(b"", "302 Found", location="/it", set_cookie="seen=1; Path=/; HttpOnly"))


def test_a_cookie_is_sent_back_on_the_way_to_its_page_and_then_forgotten(tmp_path: Path) -> None:
    with serving({"/it": wall, "/set": giving, "/after": page(words="after")}) as server:
        outcome = crawl(tmp_path, server.url("/it"), server.url("/after"))
        assert (outcome.status("/it"), outcome.title("/it")) == ("ok", "behind the wall")
        sent = [asked.path for asked in server.log if "cookie" in asked.headers]
        assert sent == ["/it"]


def test_a_page_may_redirect_to_itself_to_set_a_cookie(tmp_path: Path) -> None:
    def answer(connection: Connection) -> None:
        (wall if "cookie" in connection.headers else giving)(connection)

    with serving({"/it": answer}) as server:
        outcome = crawl(tmp_path, server.url("/it"))
        assert (outcome.status("/it"), outcome.title("/it")) == ("ok", "behind the wall")


def test_ever_new_cookies_are_a_circle_too(tmp_path: Path) -> None:
    def answer(connection: Connection) -> None:
        cookie = f"n={connection.count}{'x' * 500}"
        connection.send(reply(b"", "302 Found", location="/it", set_cookie=cookie))

    with serving({"/it": answer}) as server:
        outcome = crawl(tmp_path, server.url("/it"))
        assert outcome.reason("/it") == "more than 10 redirects"


def test_cookies_are_given_to_nobody_else(tmp_path: Path) -> None:
    with serving({}, address="127.0.0.2") as other:
        target = other.url("/there")
        giving = reply(b"", "302 Found", location=target, set_cookie="a=b; Domain=0.0.2")
        with serving({"/it": giving}) as server:
            crawl(tmp_path, server.url("/it"))
        assert "/there" in other.paths
        assert not any("cookie" in asked.headers for asked in other.log)
