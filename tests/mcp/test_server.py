"""Agents crawl through the reference client, over standard input and output and over HTTP."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from foragers.cli.main import main
from support.crawling import serving
from support.hostile_server import HostileServer, page
from support.waiting import LONG, until

if find_spec("mcp") is None:
    pytest.skip("mcp is not installed", allow_module_level=True)

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

COMMAND = ["-m", "foragers.cli.main", "mcp", "--allow-private=127.0.0.0/8"]
TOOLS = {"crawl", "watch", "status", "search", "read", "explain", "more_like_this", "stop"}
SITE = {
    "/": page("/tea", "/coffee", words="home of drinks"),
    "/tea": page("/green", words="green tea leaves are picked by hand; tea is drunk hot"),
    "/green": page(words="green tea leaves from japan, green tea with rice"),
    "/coffee": page(words="coffee is roasted"),
}


async def told(client: Client, tool: str, **given: Any) -> Any:
    """Call a tool, and return its answer; raise a ValueError with the message of an error."""
    result = await client.call_tool(tool, given)
    text = "".join(getattr(part, "text", "") for part in result.content)
    if result.is_error:
        raise ValueError(text)
    structured = result.structured_content
    return structured.get("result", structured) if structured else text


async def finished(client: Client, name: str) -> dict[str, Any]:
    """Wait until a crawl has ended."""
    for _ in range(round(10 * LONG)):
        (status,) = await told(client, "status", crawl=name)
        if not status["running"]:
            return dict(status)
        await asyncio.sleep(0.1)
    raise AssertionError("the crawl does not end")


async def use(client: Client, server: HostileServer) -> None:
    """Do what an agent does."""
    assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
    home = server.url("/")
    name = (await told(client, "crawl", urls=[home], topic="green tea", budget=10))["crawl"]
    assert name == "green-tea-1"
    status = await finished(client, name)
    assert (status["downloads"], status["topic"]) == (4, "topic “green tea”")
    found = await told(client, "search", crawl=name, words="rice")
    assert [one["url"] for one in found] == [server.url("/green")]
    best = await told(client, "search", crawl=name, most=2)
    assert {one["url"] for one in best} == {server.url("/green"), server.url("/tea")}
    text = await told(client, "read", crawl=name, url=server.url("/tea"))
    assert "picked by hand" in text
    assert "not an instruction" in text
    why = await told(client, "explain", crawl=name, url=server.url("/green"))
    assert why["fetched"] is True
    assert [step["url"] for step in why["path"]] == [home, server.url("/tea"), server.url("/green")]
    await told(client, "more_like_this", crawl=name, url=server.url("/coffee"), wanted=False)


def test_an_agent_watches_a_site_until_it_stops_it(tmp_path: Path) -> None:
    from foragers.mcp.crawls import CrawlDesk

    with serving(SITE) as server:
        desk = CrawlDesk(tmp_path, options=["--allow-private=127.0.0.0/8"])
        name = desk.watch([server.url("/")])
        until(lambda: desk.status(name).downloads)
        later = CrawlDesk(tmp_path)  # a server that is started again
        assert later.is_running(name)
        assert later.status(name).running
        later.stop(name)
        assert not desk.is_running(name)
        assert not later.is_running(name)
        assert server.url("/") in {page.url for page in desk.search(name, "drinks")}


def with_stdio(out: Path, act: Callable[[Client], Awaitable[None]]) -> None:
    """Let an agent act on a server that it starts itself."""

    async def run() -> None:
        server = StdioServerParameters(command=sys.executable, args=[*COMMAND, "--out", str(out)])
        async with Client(stdio_client(server)) as client:
            await act(client)

    asyncio.run(run())


def test_an_agent_crawls_searches_reads_and_teaches_over_standard_input(tmp_path: Path) -> None:
    with serving(SITE) as server:
        with_stdio(tmp_path, lambda client: use(client, server))
        lines = (tmp_path / "green-tea-1" / "feedback.jsonl").read_text().splitlines()
        said = [json.loads(line) for line in lines]
        assert [(one["url"], one["more"]) for one in said] == [
            (server.url("/tea"), True), (server.url("/coffee"), False),
        ]  # fmt: skip


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_an_agent_does_the_same_over_http(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, *COMMAND, "--out", str(tmp_path), "--http", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)

    async def run(server: HostileServer) -> None:
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            await use(client, server)

    try:
        until(lambda: answers(port))
        with serving(SITE) as server:
            asyncio.run(run(server))
    finally:
        process.terminate()
        process.wait()


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("crawl", {"urls": ["/etc/passwd"], "topic": "tea"}, "not a URL"),
        ("crawl", {"urls": ["file:///etc/passwd"], "topic": "tea"}, "not a URL"),
        ("crawl", {"urls": ["--out"], "topic": "tea"}, "not a URL"),
        ("crawl", {"urls": [], "topic": "tea"}, "1 to 20 URLs"),
        ("crawl", {"urls": ["http://a/"], "topic": "tea", "budget": 10**9}, "1 to 2,000 downloads"),
        ("crawl", {"urls": ["http://a/"], "topic": "  "}, "no words"),
        ("status", {"crawl": "../.."}, "no crawl ../.."),
        ("search", {"crawl": "x", "words": "tea"}, "no crawl x"),
        ("read", {"crawl": "", "url": "http://a/"}, "no crawl"),
        ("stop", {"crawl": "none"}, "no crawl none"),
    ],
)
def test_wrong_wishes_are_answered_with_one_line(
    tool: str, given: dict[str, Any], said: str, tmp_path: Path
) -> None:
    from foragers.mcp.crawls import CrawlDesk
    from foragers.mcp.server import server_of

    async def run() -> None:
        async with Client(server_of(CrawlDesk(tmp_path / "out"))) as client:
            with pytest.raises(ValueError, match=said.replace(".", r"\.")) as error:
                await told(client, tool, **given)
            assert "\n" not in str(error.value)

    asyncio.run(run())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("wrong", [["--allow-private", "10.0.0.0/99"], ["--max-budget", "0"]])
def test_wrong_options_are_refused_in_one_line(
    wrong: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", "--out", str(tmp_path / "out"), *wrong]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert wrong[0] in line


def test_private_addresses_are_refused_unless_the_operator_allows_them(tmp_path: Path) -> None:
    from foragers.mcp.crawls import CrawlDesk

    with serving(SITE) as server:
        desk = CrawlDesk(tmp_path)
        name = desk.start([server.url("/")], "tea", 5)
        desk._running[name].wait()
        assert "private" in desk.status(name).stopped
        assert server.paths == []
