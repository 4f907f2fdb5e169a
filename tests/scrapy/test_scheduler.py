"""Real spiders over loopback, with requests in the order of a strategy."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from foragers.worlds.generated import generate
from foragers.worlds.serving.server import WorldServer
from support.crawling import serving
from support.hostile_server import page, redirect, reply

if find_spec("scrapy") is None:
    pytest.skip("Scrapy is not installed", allow_module_level=True)

PROGRAM = str(Path(__file__).with_name("spider_program.py"))
ADDON = {"ADDONS": {"foragers.scrapy.Addon": 500}}
WORDS = ["football", "goal", "league"]


def crawl(start: str | list[str], settings: dict[str, Any], **order: Any) -> dict[str, Any]:
    """Run a spider to its end."""
    urls = [start] if isinstance(start, str) else start
    told = json.dumps({"start": urls, "settings": settings, **order})
    done = subprocess.run(
        [sys.executable, PROGRAM, told], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


@pytest.fixture(scope="module")
def news() -> Any:
    world = generate("news", seed=3, pages=2000)
    with WorldServer(world) as server:
        yield server.address(world.book.href(world.seeds[0]))


@pytest.mark.parametrize("learned", [{}, {"FORAGERS_TOPIC": "football goal league"}])
def test_a_spider_finds_at_least_twice_as_much_with_a_strategy(
    news: str, learned: dict[str, str]
) -> None:
    limit = {"CLOSESPIDER_PAGECOUNT": 200}
    plain = crawl(news, limit, words=WORDS)["stats"]
    ours = crawl(news, {**limit, **ADDON, **learned}, words=WORDS)["stats"]
    per_request = [
        one["item_scraped_count"] / one["response_received_count"] for one in (plain, ours)
    ]
    assert per_request[1] >= 2 * per_request[0]


SITE = {
    "/": page("/a", "/b", "/c", "/d", "/moved", "/gone", "/busy", "/a"),
    "/busy": page("/"),
    **{f"/{name}": page("/", *(f"/{name}{n}" for n in range(9))) for name in "abcd"},
    **{f"/{name}{n}": page("/") for name in "abcd" for n in range(9)},
    "/moved": redirect("/d1"),
    "/gone": reply(b"gone", "404 Not Found"),
}


@pytest.mark.parametrize("strategy", ["auto", "lafc", "foragers"])
def test_every_page_is_fetched_once_whatever_the_strategy(strategy: str) -> None:
    with serving(SITE) as server:
        found = crawl(server.url("/"), {**ADDON, "FORAGERS_STRATEGY": strategy})
        assert len(found["seen"]) == len(set(found["seen"])) == 42
        assert found["stats"]["downloader/response_status_count/404"] == 1


def test_the_scheduler_alone_fetches_everything_too() -> None:
    with serving(SITE) as server:
        found = crawl(server.url("/"), {"SCHEDULER": "foragers.scrapy.Scheduler"})
        assert len(set(found["seen"])) == 42


def test_requests_that_are_not_to_be_filtered_are_all_sent() -> None:
    with serving({"/": page()}) as server:
        start = [server.url("/")] * 3
        found = crawl(start, ADDON, request={"dont_filter": True})
        assert found["seen"] == start


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_job_that_was_stopped_or_killed_is_resumed_without_losing_a_page(
    number: signal.Signals, tmp_path: Path
) -> None:
    job = {**ADDON, "JOBDIR": str(tmp_path / "job"), "RETRY_TIMES": 1}
    job |= {"DOWNLOAD_DELAY": 0.02, "CONCURRENT_REQUESTS": 2}
    seen: list[str] = []
    with serving({**SITE, "/busy": reply(b"", "503 Service Unavailable")}) as server:
        told = json.dumps({"start": [server.url("/")], "settings": job, "trace": True})
        for stopped_after in (8, 8):
            process = subprocess.Popen(
                [sys.executable, PROGRAM, told], stderr=subprocess.PIPE, stdout=subprocess.PIPE
            )
            assert process.stderr is not None
            seen += [process.stderr.readline().decode().strip() for _ in range(stopped_after)]
            os.kill(process.pid, number)
            rest = process.stderr.read().decode()  # with what was read ahead of the lines
            process.communicate()
            assert "Traceback" not in rest
            seen += [word for word in rest.split() if word.startswith(server.url("/"))]
        last = crawl(server.url("/"), job)["seen"]
        assert len({*seen, *last}) == 41
        assert len(seen) + len(last) <= 41 + (8 if number == signal.SIGKILL else 2)
        assert crawl(server.url("/"), job)["seen"] == []
