"""No private address is reached, however it is named, unless the user names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.crawling import crawl, serving
from support.hostile_server import ALLOW_ALL, HostileServer, page, redirect

SPELLINGS = [
    "http://127.0.0.1:{port}/", "http://localhost:{port}/", "http://LOCALHOST:{port}/",
    "http://localhost.:{port}/", "http://2130706433:{port}/", "http://0x7f000001:{port}/",
    "http://0177.0.0.1:{port}/", "http://127.1:{port}/", "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/", "http://0.0.0.0:{port}/", "http://user:pw@127.0.0.1:{port}/",
    "http://127.0.0.1.:{port}/", "http://[::]:{port}/", "http://x.localhost:{port}/",
]  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_seed_on_this_machine_is_not_reached(spelling: str, tmp_path: Path) -> None:
    with serving({}) as server:
        seed = spelling.format(port=server.port)
        outcome = crawl(tmp_path, seed, allow_private=())
        assert [row[2] for row in outcome.rows.values()] == ["skipped"]
        assert "private address" in next(iter(outcome.rows.values()))[3]
        assert not server.log


def test_links_to_this_machine_are_not_followed(tmp_path: Path) -> None:
    with serving({}, address="127.0.0.2") as inside:
        links = [
            spelling.format(port=inside.port).replace("0.0.1", "0.0.2") for spelling in SPELLINGS
        ]
        with serving({"/": page(*links)}) as server:
            allowed = (f"127.0.0.1:{server.port}",)
            outcome = crawl(tmp_path, server.url("/"), allow_private=allowed)
        assert not inside.log
        assert {row[2] for row in outcome.rows.values()} == {"ok", "skipped"}


def test_robots_txt_may_not_redirect_into_a_private_network(tmp_path: Path) -> None:
    with serving({}, address="127.0.0.2") as inside:
        with HostileServer({"/robots.txt": redirect(inside.url("/robots.txt"))}) as server:
            allowed = (f"127.0.0.1:{server.port}",)
            outcome = crawl(tmp_path, server.url("/"), allow_private=allowed)
        assert not inside.log
        assert outcome.status("/") == "skipped"
        assert "private address" in outcome.reason("/")


def test_an_exception_is_for_its_port_only(tmp_path: Path) -> None:
    with serving({}) as other, serving({"/": page(other.url("/"))}) as server:
        allowed = (f"127.0.0.1:{server.port}",)
        outcome = crawl(tmp_path, server.url("/"), allow_private=allowed)
        assert outcome.status(server.url("/")) == "ok"
        assert outcome.status(other.url("/")) == "skipped"
        assert not other.log


@pytest.mark.parametrize("exception", ["localhost", "localhost:{port}", "127.0.0.0/8"])
def test_a_name_for_this_machine_can_be_allowed(exception: str, tmp_path: Path) -> None:
    with HostileServer({"/": page(), "/robots.txt": ALLOW_ALL}) as server:
        allowed = (exception.format(port=server.port),)
        outcome = crawl(tmp_path, f"http://localhost:{server.port}/", allow_private=allowed)
        assert [row[2] for row in outcome.rows.values()] == ["ok"]


@pytest.mark.parametrize("name", ["http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"])
def test_a_proxy_of_the_environment_is_no_way_round_the_guard(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving({"*": page()}, address="127.0.0.3") as proxy, serving({"/a": page()}) as server:
        monkeypatch.setenv(name, proxy.origin)
        outcome = crawl(
            tmp_path,
            server.url("/a"),
            "http://127.0.0.9/",
            "https://127.0.0.9/",
            allow_private=("127.0.0.1", "127.0.0.3"),
        )
        assert outcome.status("/a") == "ok"
        assert "private address" in outcome.reason("http://127.0.0.9/")
        assert "private address" in outcome.reason("https://127.0.0.9/")
        assert not proxy.paths
