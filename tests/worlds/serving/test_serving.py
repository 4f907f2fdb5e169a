"""A world over real HTTP, walked as a browser or a crawler would."""

from __future__ import annotations

import gzip
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import formatdate
from http.client import HTTPConnection, HTTPMessage
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from foragers.errors import UsageError
from foragers.worlds.archive import Archive, Body
from foragers.worlds.generated import generate
from foragers.worlds.rewired import rewire
from foragers.worlds.serving import listen as listening
from foragers.worlds.serving import loopback
from foragers.worlds.serving.server import Served, WorldServer
from support.waiting import LONG, until
from support.worlds_by_hand import WrittenTexts, small_world, versions_of

NEWS = "http://news.test/"
SHOP = "http://shop.test/"
PORTED = "http://shop.test:8080/"


class Got(NamedTuple):
    status: int
    headers: HTTPMessage
    body: bytes


def get(address: str, method: str = "GET", **headers: str) -> Got:
    """Ask a local address, following nothing; names of headers may have underscores."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=LONG)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    try:
        connection.request(method, target, headers=named)
        response = connection.getresponse()
        return Got(response.status, response.headers, response.read())
    finally:
        connection.close()


def links(body: bytes) -> list[str]:
    return [found.decode() for found in re.findall(rb'href="([^"]*)"', body)]


def walk(start: str) -> dict[str, int]:
    """Visit everything that can be reached, and return the status of each address."""
    seen: dict[str, int] = {}
    queue = [start]
    while queue:
        address = queue.pop()
        if address in seen:
            continue
        got = get(address)
        seen[address] = got.status
        queue += links(got.body)
        if location := got.headers["Location"]:
            queue.append(location)
    return seen


@dataclass
class OwnBodies(WrittenTexts):
    """Texts of which some bodies are given."""

    bodies: Mapping[str, Body]

    def body(self, version: int) -> Body:
        href = self.book.href(self.versions[version].url)
        return self.bodies.get(href) or super().body(version)


def with_bodies(world: Archive, bodies: Mapping[str, Body]) -> Archive:
    texts = world.texts
    assert isinstance(texts, WrittenTexts)
    return replace(world, texts=OwnBodies(texts.versions, texts.book, bodies))


def html(text: str) -> Body:
    return Body("text/html", text.encode())


@pytest.fixture
def world() -> Archive:
    return small_world(
        {
            NEWS: [f"{NEWS}a", SHOP, "http://gone.test/"],
            f"{NEWS}a": [f"{NEWS}old", f"{PORTED}x?q=1"],
            SHOP: [NEWS],
            f"{PORTED}x?q=1": [],
        },
        redirects={f"{NEWS}old": f"{SHOP}new"},
        texts={f"{NEWS}a": "word " * 1000},
        born={NEWS: 1000.5},
    )


def test_each_host_has_its_own_loopback_address(world: Archive) -> None:
    with WorldServer(world) as server:
        assert server.origin("news.test") == f"http://127.0.0.1:{server.port}"
        assert server.origin("shop.test") == f"http://127.0.0.2:{server.port}"
        assert server.address(f"{NEWS}a?b=c") == f"http://127.0.0.1:{server.port}/a?b=c"
        with pytest.raises(UsageError, match=r"other\.test/ is on no host"):
            server.origin("other.test")


def test_a_walk_from_the_seed_reaches_all_hosts(world: Archive) -> None:
    with WorldServer(world) as server:
        seen = walk(server.address(NEWS))
        found = {
            server.world_address(address): status
            for address, status in seen.items()
            if status != 404
        }
        assert found == {NEWS: 200, f"{NEWS}a": 200, SHOP: 200, f"{PORTED}x?q=1": 200} | {
            f"{NEWS}old": 301
        }
        missing = {server.world_address(one) for one, status in seen.items() if status == 404}
        assert missing == {f"{SHOP}new", "http://gone.test/"}


def test_nothing_but_loopback_is_listened_on(world: Archive) -> None:
    sockets, notice = listening.listen(world, 0)
    try:
        assert notice == ""
        assert all(one.getsockname()[0].startswith("127.") for one in sockets)
    finally:
        for one in sockets:
            one.close()


def test_a_host_header_gets_the_page_as_it_was(world: Archive) -> None:
    with WorldServer(world) as server:
        origin = server.origin("news.test")
        for name in ("shop.test", "SHOP.test.", "shop.test:80", f"shop.test:{server.port}"):
            assert links(get(origin, Host=name).body) == [NEWS]
        assert get(f"{origin}/x?q=1", Host="shop.test:8080").status == 200
        assert get(f"{origin}/x?q=1", Host="shop.test").status == 404
        assert get(f"{origin}/old", Host="news.test").headers["Location"] == f"{SHOP}new"
        assert get(origin, Host="elsewhere.test").status == 404


def test_localhost_is_the_first_host(world: Archive) -> None:
    with WorldServer(world) as server:
        got = get(f"{server.origin('shop.test')}/a", Host=f"localhost:{server.port}")
        assert got.status == 200
        assert links(got.body)[0] == f"{server.origin('news.test')}/old"


def raw(server: WorldServer, request: str, ip: str = "127.0.0.1") -> bytes:
    with socket.create_connection((ip, server.port), timeout=LONG) as connection:
        connection.sendall(request.replace("\n", "\r\n").encode())
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_it_can_be_used_as_a_proxy_for_both_schemes() -> None:
    secure = "https://safe.test/"
    world = small_world({"http://safe.test/": [], secure: [secure]}, texts={secure: "secret"})
    with WorldServer(world) as server:
        plain = raw(server, "GET http://safe.test/ HTTP/1.0\nHost: safe.test\n\n")
        assert b" 200 " in plain
        assert b"secret" not in plain
        got = raw(server, f"GET {secure} HTTP/1.0\nHost: safe.test\n\n")
        assert b"secret" in got
        assert b'href="https://safe.test/"' in got
        assert b" 404 " in raw(server, "GET http://other.test/ HTTP/1.0\nHost: other.test\n\n")


def test_a_client_without_a_host_header_is_known_by_where_it_connects(world: Archive) -> None:
    with WorldServer(world) as server:
        assert b'href="http://127.0.0.1:' in raw(server, "GET / HTTP/1.0\n\n", ip="127.0.0.2")


def test_links_of_both_schemes_are_made_local_but_text_is_not() -> None:
    page = """<base href=https://b.test/dir/><p>see http://b.test/ or url</p>
        <a href = ' HTTPS://B.test:443/x?y#z'>1</a><a href="//b.test">2</a><a href="/r">3</a>
        <a title="a > b" href="http://user@b.test:81/q">4</a><a href="http://b.testing/">5</a>
        <a href="http:\\\\b.test\\w">6</a><meta http-equiv=refresh content="3; URL=http://b.test/m">
        <a href="http://outside.test/">7</a>"""
    names = ["http://b.test/", "http://b.test:81/q"]
    world = with_bodies(small_world({"http://a.test/": names}), {"http://a.test/": html(page)})
    with WorldServer(world) as server:
        local, ported = server.origin("b.test"), server.origin("b.test:81")
        assert get(server.address("http://a.test/")).body.decode() == (
            page.replace("=https://b.test/dir", f"={local}/dir")
            .replace("HTTPS://B.test:443", local)
            .replace('"//b.test"', f'"{local}"')
            .replace("http://user@b.test:81", ported)
            .replace("http:\\\\b.test", local)
            .replace("URL=http://b.test", f"URL={local}")
        )


def test_feeds_site_maps_and_robots_are_made_local_too() -> None:
    feed = '<rss xmlns="http://a.test/ns"><link>http://a.test/x</link></rss>'
    robots = "User-agent: *\nDisallow: /no\nSitemap: https://a.test/map.xml\n"
    world = with_bodies(
        small_world({"http://a.test/feed": [], "http://a.test/robots.txt": []}),
        {
            "http://a.test/feed": Body("application/rss+xml", feed.encode()),
            "http://a.test/robots.txt": Body("text/plain", robots.encode()),
        },
    )
    with WorldServer(world) as server:
        origin = server.origin("a.test")
        said = get(f"{origin}/feed").body.decode()
        assert said == feed.replace("http://a.test/x", f"{origin}/x")
        rules = get(f"{origin}/robots.txt")
        assert rules.headers["Content-Type"] == "text/plain"
        assert rules.body.decode() == robots.replace("https://a.test", origin)
        assert get(f"{origin}/robots.txt", Host="a.test").body.decode() == robots


def test_pages_in_utf_16_are_made_local() -> None:
    page = '<a href="http://a.test/é">é</a>'
    world = with_bodies(
        small_world({"http://a.test/": []}),
        {"http://a.test/": Body("text/html", page.encode("utf-16"))},
    )
    with WorldServer(world) as server:
        origin = server.origin("a.test")
        assert get(origin).body.decode("utf-16") == page.replace("http://a.test", origin)


def test_a_world_without_robots_says_404(world: Archive) -> None:
    with WorldServer(world) as server:
        assert get(f"{server.origin('news.test')}/robots.txt").status == 404


def test_a_redirect_to_https_does_not_go_round_in_circles() -> None:
    world = small_world(
        {"https://a.test/": ["http://a.test/x"], "https://a.test/x": []},
        redirects={"http://a.test/": "https://a.test/", "http://a.test/x": "https://a.test/x"},
    )
    with WorldServer(world) as server:
        assert set(walk(server.origin("a.test")).values()) == {200}
        assert server.world_address(server.address("http://a.test/x")) == "https://a.test/x"


def test_status_codes_and_redirects_are_as_recorded(world: Archive) -> None:
    changed = replace(world, codes=world.codes.copy())
    code_of = {f"{NEWS}old": 308, SHOP: 410, f"{NEWS}a": 0, f"{PORTED}x?q=1": 999}
    for href, code in code_of.items():
        changed.codes[versions_of(changed, changed.book.find(href) or 0)[0]] = code
    with WorldServer(changed) as server:
        redirect = get(server.address(f"{NEWS}old"))
        assert redirect.status == 308
        assert redirect.headers["Location"] == server.address(f"{SHOP}new")
        assert get(server.address(SHOP)).status == 410
        assert get(server.address(f"{NEWS}a")).status == 502
        assert get(server.address(f"{PORTED}x?q=1")).status == 999


def test_head_is_get_without_the_body(world: Archive) -> None:
    with WorldServer(world) as server:
        whole, head = get(server.address(NEWS)), get(server.address(NEWS), "HEAD")
        assert head.body == b""
        assert sorted(head.headers.items()) == sorted(whole.headers.items())
        assert int(head.headers["Content-Length"]) == len(whole.body)


def test_other_methods_are_refused(world: Archive) -> None:
    with WorldServer(world) as server:
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            refused = get(server.address(NEWS), method)
            assert (refused.status, refused.headers["Allow"]) == (405, "GET, HEAD")


def test_what_is_known_already_is_not_sent_again(world: Archive) -> None:
    with WorldServer(world) as server:
        first = get(server.address(NEWS))
        tag, changed = first.headers["ETag"], first.headers["Last-Modified"]
        assert changed == formatdate(1000, usegmt=True)
        for known in ({"If_None_Match": f'"x", {tag}'}, {"If_Modified_Since": changed}):
            again = get(server.address(NEWS), **known)
            assert (again.status, again.body, again.headers["ETag"]) == (304, b"", tag)
        earlier = formatdate(999, usegmt=True)
        for unknown in ('"other"', 'W/"other"'):
            assert get(server.address(NEWS), If_None_Match=unknown).status == 200
        assert get(server.address(NEWS), If_Modified_Since=earlier).status == 200
        assert get(server.address(NEWS), If_Modified_Since="yesterday").status == 200
        # The tag is the better witness.
        both = get(server.address(NEWS), If_None_Match='"other"', If_Modified_Since=changed)
        assert both.status == 200


def test_another_world_on_the_same_port_has_other_tags(world: Archive) -> None:
    other = small_world({NEWS: [f"{NEWS}b"]})
    with WorldServer(world) as first, WorldServer(other) as second:
        tags = {get(server.address(NEWS)).headers["ETag"] for server in (first, second)}
    assert len(tags) == 2


def test_text_is_compressed_for_those_who_take_it(world: Archive) -> None:
    with WorldServer(world) as server:
        plain = get(server.address(f"{NEWS}a"))
        packed = get(server.address(f"{NEWS}a"), Accept_Encoding="br, gzip")
        assert plain.headers["Content-Encoding"] is None
        assert packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.body) == plain.body
        assert len(packed.body) < len(plain.body)
        refused = get(server.address(f"{NEWS}a"), Accept_Encoding="gzip;q=0, br")
        small = get(server.address(SHOP), Accept_Encoding="gzip")
        assert refused.headers["Content-Encoding"] is small.headers["Content-Encoding"] is None


def test_connections_are_kept(world: Archive) -> None:
    with WorldServer(world) as server:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=LONG)
        ports = set()
        for _ in range(3):
            connection.request("GET", "/")
            connection.getresponse().read()
            ports.add(connection.sock.getsockname()[1])
        connection.close()
        assert len(ports) == 1


def test_time_stands_still_at_the_end_unless_it_is_started() -> None:
    world = small_world({"a": []}, born={"a": 100.0}, later=[(200.0, "a", ["b"])], end=500.0)
    with WorldServer(world, speed=1000.0) as server:
        assert server.now == 500.0
        assert len(links(get(server.address("http://site.test/a")).body)) == 1
        time.sleep(0.01)
        assert server.now == 500.0


def test_time_running_faster_makes_a_page_appear_and_change() -> None:
    world = small_world(
        {"front": [], "late": []},
        born={"late": 1000.0},
        later=[(2000.0, "late", ["front"])],
        end=5000.0,
    )
    shown = []
    for since in (0.0, 1001.0, 2001.0):  # at three moments, with minutes to ask in
        with WorldServer(world, speed=2.0, since=since) as server:
            shown.append(get(server.address("http://site.test/late")))
    assert [got.status for got in shown] == [404, 200, 200]
    assert [len(links(got.body)) for got in shown[1:]] == [0, 1]
    assert shown[1].headers["ETag"] != shown[2].headers["ETag"]
    with WorldServer(world, speed=2000.0, since=0.0) as server:
        address = server.address("http://site.test/late")
        until(lambda: get(address).status == 200)
        assert server.now >= 1000.0
        began, before = time.monotonic(), server.now
        time.sleep(0.1)
        now, ended = server.now, time.monotonic()
        assert 0.099 <= (now - before) / 2000.0 <= ended - began


def test_the_clock_of_the_server_is_that_of_the_world(world: Archive) -> None:
    with WorldServer(world, since=86400.0, speed=0.0) as server:
        assert get(server.address(NEWS)).headers["Date"] == formatdate(86400, usegmt=True)


def test_requests_are_logged_with_the_names_of_the_world(world: Archive) -> None:
    log: list[Served] = []
    with WorldServer(world, log=log) as server:
        get(server.address(f"{PORTED}x?q=1"))
        get(server.address(f"{SHOP}none"))
    assert [one[1:] for one in log] == [
        ("shop.test:8080", "/x?q=1", 200),
        ("shop.test", "/none", 404),
    ]
    assert 0 <= log[1].time - log[0].time < 10


def test_latency_delays_each_answer_but_not_the_others(world: Archive) -> None:
    with WorldServer(world, latency=2.0) as server:
        threads = [threading.Thread(target=get, args=(server.address(NEWS),)) for _ in range(40)]
        began = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 2 <= time.monotonic() - began < 80, "one after the other they take 80 s"


def test_a_port_in_use_is_the_users_to_mend(world: Archive) -> None:
    with WorldServer(world) as server, pytest.raises(UsageError, match="in use; give another"):
        WorldServer(world, server.port).start()
    with pytest.raises(UsageError, match="a port is a number"):
        WorldServer(world, 70000).start()


def test_a_stopped_server_frees_its_port_and_can_start_again(world: Archive) -> None:
    server = WorldServer(world).start()
    address = server.address(NEWS)
    server.stop()
    with pytest.raises(ConnectionRefusedError):
        get(address)
    with server:
        assert get(address).status == 200
    server.stop()


def test_where_only_one_address_answers_the_others_are_reached_by_name(
    world: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 192.0.2.0/24 is for documentation: no machine has such an address.
    real = loopback.ip
    monkeypatch.setattr(listening, "ip", lambda host: f"192.0.2.{host}" if host else real(host))
    with WorldServer(world) as server:
        assert "answers on 127.0.0.1 only" in server.notice
        assert get(server.origin("news.test"), Host="shop.test").status == 200
        with pytest.raises(ConnectionRefusedError):
            get(server.origin("shop.test"))


def test_where_files_are_few_hosts_with_pages_come_first(
    world: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "allowed_files", lambda wanted: wanted - 1)
    with WorldServer(world) as server:
        assert "only 3 of 4 hosts" in server.notice
        assert get(server.address(f"{PORTED}x?q=1")).status == 200
        with pytest.raises(ConnectionRefusedError):
            get(server.address("http://gone.test/"))


def test_generated_and_rewired_worlds_can_be_walked() -> None:
    made = generate("topics", seed=1, pages=200)
    for world in (made, rewire(made, seed=1)):
        with WorldServer(world) as server:
            version = int(world.latest[world.seeds[0]])
            got = get(server.address(world.book.href(world.seeds[0])))
            found = [server.world_address(link) for link in links(got.body)]
            targets = world.targets[world.links_of(version)].tolist()
            assert found == [world.book.href(url) for url in targets]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_follows_redirects_and_proxies(world: Archive) -> None:
    def curl(*arguments: str) -> str:
        command = ["curl", "--silent", "--compressed", "--noproxy", "", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    with WorldServer(world) as server:
        ended = curl("-L", "-w", "%{http_code} %{url_effective}", server.address(f"{NEWS}old"))
        assert ended.endswith(f"404 {server.address(f'{SHOP}new')}")
        assert f'href="{NEWS}"' in curl("--proxy", server.origin("news.test"), SHOP)
