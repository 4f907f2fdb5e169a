"""A proxy of the environment would be a way round the guard: it is not used."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.crawling import crawl, serving
from support.hostile_server import HostileServer, page

NAMES = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")


@pytest.mark.parametrize("name", NAMES)
def test_a_proxy_of_the_environment_is_not_used(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for other in (*NAMES, "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(other, raising=False)
    with HostileServer({"*": page(words="from the proxy")}) as proxy:
        monkeypatch.setenv(name, proxy.origin)
        with serving({"/it": page(words="from the server")}, address="127.0.0.2") as server:
            assert crawl(tmp_path, server.url("/it")).title("/it") == "from the server"
        assert proxy.log == []
