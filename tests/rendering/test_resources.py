"""What scripts are given: fetched over real HTTP, under the rules of the crawl."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from foragers.http.address_guard import AddressException, Guard
from foragers.http.client import Client
from foragers.http.messages import Limits
from foragers.rendering.messages import RenderOptions
from foragers.rendering.resources import Resource, ResourceLoader, ScriptCache
from support.hostile_server import HostileServer

LIMITS = Limits(connect=2, head=2, idle=2, total=4, unpacked=100_000)


def answer(body: bytes, *headers: str, code: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {code}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


ROBOTS = answer(b"User-agent: *\nDisallow: /private\n", "Content-Type: text/plain")
SITE = {
    "/robots.txt": ROBOTS,
    "/a.js": answer(b"let a", "Content-Type: text/javascript", "Set-Cookie: a=1"),
    "/no-store.js": answer(b"let b", "Cache-Control: no-store"),
    "/private/x.json": answer(b"{}"),
    "/hop": answer(b"", "Location: /a.js", code="302 Found"),
    "/to-private": answer(b"", "Location: /private/x.json", code="302 Found"),
    "/round": answer(b"", "Location: /round", code="302 Found"),
    "/missing": answer(b"none", "Access-Control-Allow-Origin: *", code="404 Not Found"),
    "/large": answer(bytes(100_001)),
}


@pytest.fixture
def server() -> Iterator[HostileServer]:
    with HostileServer(SITE, address="127.0.0.2") as serving:
        yield serving


def loader_of(
    allowed: str = "127.0.0.2", *, robots: bool = True, requests: int = 100
) -> ResourceLoader:
    terms = RenderOptions("foragers/test", limits=LIMITS, robots=robots, requests=requests)
    guard = Guard((AddressException.parse(allowed),) if allowed else ())
    loader = ResourceLoader(Client("foragers/test", guard, LIMITS), terms)
    loader.begin(time.monotonic() + 60)
    return loader


def test_what_is_asked_for_comes_without_cookies(server: HostileServer) -> None:
    resource = loader_of().get(server.url("/a.js"), {}, is_script=True)
    assert resource is not None
    assert (resource.code, resource.body) == (200, b"let a")
    assert resource.headers["content-type"] == "text/javascript"
    assert "set-cookie" not in resource.headers


def test_a_script_is_fetched_once_for_all_pages_unless_its_server_wants_otherwise(
    server: HostileServer,
) -> None:
    loader = loader_of()
    for _ in range(2):
        loader.begin(time.monotonic() + 60)
        loader.get(server.url("/a.js"), {}, is_script=True)
        loader.get(server.url("/no-store.js"), {}, is_script=True)
        loader.get(server.url("/missing"), {}, is_script=True)
    paths = server.paths
    assert [paths.count(path) for path in ("/a.js", "/no-store.js", "/missing")] == [1, 2, 2]


def test_data_is_fetched_anew_for_every_page(server: HostileServer) -> None:
    loader = loader_of()
    for _ in range(2):
        loader.get(server.url("/a.js"), {}, is_script=False)
    assert server.paths.count("/a.js") == 2
    assert server.paths.count("/robots.txt") == 1


def test_robots_txt_is_obeyed_there_and_where_redirects_lead(server: HostileServer) -> None:
    loader = loader_of()
    assert loader.get(server.url("/private/x.json"), {}, is_script=False) is None
    assert loader.get(server.url("/to-private"), {}, is_script=False) is None
    assert server.paths == ["/robots.txt", "/to-private"]
    heedless = loader_of(robots=False)
    assert heedless.get(server.url("/private/x.json"), {}, is_script=False) is not None


def test_redirects_are_followed_but_not_in_circles(server: HostileServer) -> None:
    loader = loader_of()
    resource = loader.get(server.url("/hop"), {}, is_script=False)
    assert resource is not None
    assert resource.body == b"let a"
    assert loader.get(server.url("/round"), {}, is_script=False) is None
    assert server.paths.count("/round") == 6


def test_private_addresses_are_not_reached(server: HostileServer) -> None:
    assert loader_of("").get(server.url("/a.js"), {}, is_script=False) is None
    for url in ("file:///etc/passwd", "ftp://127.0.0.2/", "http://", "data:text/plain,x", ""):
        assert loader_of().get(url, {}, is_script=False) is None
    assert server.paths == []


def test_an_answer_that_is_no_page_goes_to_the_script_as_it_is(server: HostileServer) -> None:
    resource = loader_of().get(server.url("/missing"), {}, is_script=False)
    assert resource is not None
    assert (resource.code, resource.headers["access-control-allow-origin"]) == (404, "*")


def test_there_is_an_end_to_size_number_and_time(server: HostileServer) -> None:
    assert loader_of().get(server.url("/large"), {}, is_script=False) is None
    few = loader_of(requests=3)
    got = [few.get(server.url("/a.js"), {}, is_script=False) is not None for _ in range(4)]
    assert got == [True, True, False, False], "robots.txt is the first of the three"
    late = loader_of()
    late.begin(time.monotonic() - 1)
    asked = len(server.log)
    assert late.get(server.url("/a.js"), {}, is_script=False) is None
    assert len(server.log) == asked
    late.begin(time.monotonic() + 60)
    assert late.get(server.url("/a.js"), {}, is_script=False), "it was not robots.txt that refused"


def test_headers_that_data_needs_are_passed_on_and_cookies_are_not(server: HostileServer) -> None:
    headers = {"x-key": "k", "cookie": "a=1", "accept": "text/x\r\nEvil: 1", "host": "evil.test"}
    loader_of().get(server.url("/a.js"), headers, is_script=False)
    sent = server.log[-1].headers
    assert (sent["x-key"], sent["accept"]) == ("k", "text/x Evil: 1")
    assert "cookie" not in sent
    assert "evil" not in sent
    assert sent["host"] == f"127.0.0.2:{server.port}"
    assert sent["user-agent"] == "foragers/test"


def test_the_shelf_lets_go_of_what_was_not_asked_for_the_longest() -> None:
    shelf = ScriptCache(most=10)
    for name in ("a", "b", "c"):
        shelf.put(name, Resource(200, {}, b"1234"))
        shelf.get("a")
    assert [name for name in ("a", "b", "c") if shelf.get(name)] == ["a", "c"]
    shelf.put("large", Resource(200, {}, bytes(11)))
    assert shelf.get("large") is None


def test_each_page_is_told_apart_by_the_hosts_it_asked_and_has_its_own_limits(
    server: HostileServer,
) -> None:
    loader = loader_of(requests=3)
    assert loader.get(server.url("/a.js"), {}, is_script=False) is not None
    assert len(loader.hosts) == 1
    assert loader.get(server.url("/a.js"), {}, is_script=False) is not None
    assert loader.get(server.url("/a.js"), {}, is_script=False) is None, (
        "with robots.txt the fourth"
    )
    loader.begin(time.monotonic() + 60)
    assert loader.hosts == set()
    assert loader.get(server.url("/a.js"), {}, is_script=False) is not None


def test_a_page_may_ask_only_so_many_hosts(server: HostileServer) -> None:
    loader = loader_of()
    loader.hosts = {f"h{n}.test" for n in range(loader.options.hosts)}
    assert loader.get(server.url("/a.js"), {}, is_script=False) is None
    assert server.log == []
    loader.hosts.pop()
    assert loader.get(server.url("/a.js"), {}, is_script=False) is not None
    assert loader.get(server.url("/missing"), {}, is_script=False) is not None, "a known host"
