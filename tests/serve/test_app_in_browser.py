"""The pages in a real browser: they work by keyboard, on a phone, in the dark, and run nothing."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import pytest

from foragers.cli.main import main
from support.browsing import CHROMIUM, needs_browser, press, visit
from support.crawling import serving
from support.hostile_server import NOT_FOUND, Answer, Connection, HostileServer, page, reply
from support.waiting import LONG, until

if find_spec("starlette") is None or find_spec("uvicorn") is None:
    pytest.skip("Starlette is not installed", allow_module_level=True)

import uvicorn

from foragers.crawling.channel.now import CrawlNow, read_now
from foragers.serve.app import FolderSite, site_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = needs_browser
EVIL = (
    "&lt;/title&gt;&lt;script&gt;document.title='run'&lt;/script&gt;"
    "&lt;img src=x onerror=alert(1)&gt;"
)
SITE: dict[str, Answer] = {
    "/": page("/tea", "/coffee", "/evil", '/quote"><b>', words="home of drinks"),
    "/tea": page("/green", "/missing", words="green tea leaves are picked by hand"),
    "/green": page(words="green tea leaves from japan, green tea with rice"),
    "/coffee": page(words="coffee is roasted"),
    "/evil": reply(
        b"<html><head><title>green tea " + 90 * b"W" + EVIL.encode()
        + b"</title></head><body>green tea leaves "
        + EVIL.encode() + "\u202e gnp.txt ".encode() + 300 * b"W" + b"</body></html>"
    ),
}  # fmt: skip


@contextmanager
def served(site: FolderSite) -> Iterator[str]:
    """Serve a site on a free port."""
    config = uvicorn.Config(
        site.app(), host="127.0.0.1", port=0, log_level="error", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    until(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def origin() -> Iterator[HostileServer]:
    with serving(SITE) as server:
        yield server


@pytest.fixture(scope="module")
def crawl(origin: HostileServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawl") / "tea"
    options = ["--topic", "green tea", "--delay", "0", "--allow-private", "127.0.0.0/8"]
    assert main(["crawl", origin.url("/"), *options, "--out", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def address(crawl: Path) -> Iterator[str]:
    with served(site_of(crawl, private=["127.0.0.0/8"])) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def problems() -> list[str]:
    """Errors of a tab: of scripts, of the console, and dialogs."""
    return []


@pytest.fixture
def tab(browser: Any, problems: list[str]) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 390, "height": 800}, color_scheme="dark")
    context.set_default_timeout(1000 * LONG)
    made = context.new_page()
    made.on("pageerror", lambda error: problems.append(str(error)))
    made.on("console", lambda said: problems.append(said.text) if said.type == "error" else 0)
    made.on("dialog", lambda dialog: problems.append("a dialog"))
    yield made
    context.close()


PATHS = ("/", "/?every=1", "/pages/EVIL", "/pages/EVIL/why", "/api", "/what-if", "/?q=green")


def place(address: str, path: str) -> str:
    """Return a path in which the number of the hostile page is filled in."""
    with urlopen(f"{address}/api/pages?q=onerror") as answer:
        (found,) = json.loads(answer.read())["pages"]
    return address + path.replace("EVIL", str(found["number"]))


@pytest.mark.parametrize("path", PATHS)
def test_nothing_of_the_web_runs_and_nothing_is_wider_than_a_phone(
    tab: Page, address: str, path: str, problems: list[str]
) -> None:
    visit(tab, place(address, path))
    tab.wait_for_timeout(200)
    assert problems == []
    assert tab.title() != "run"
    assert tab.locator("main b, main img:not(.picture img), main script").count() == 0
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert tab.evaluate(wider) <= 0
    assert tab.locator("h1").count() == 1


def contrast(one: list[float], other: list[float]) -> float:
    def light(colour: list[float]) -> float:
        parts = [c / 255 for c in colour[:3]]
        lin = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * lin[0] + 0.7152 * lin[1] + 0.0722 * lin[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


COLOURS = """() => [...document.querySelectorAll('body *')].filter(e =>
    [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) && !e.closest('svg'))
  .map(e => { const n = t => t.match(/[\\d.]+/g).map(Number);
    const paper = e => getComputedStyle(e).backgroundColor;
    let back = e; while (back && n(paper(back))[3] === 0) back = back.parentElement;
    return [e.tagName + '.' + e.className, n(getComputedStyle(e).color),
            back ? n(paper(back)) : [255, 255, 255]]; })"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast_in_light_and_dark(tab: Page, address: str, scheme: Any) -> None:
    tab.emulate_media(color_scheme=scheme)
    for path in ("/?every=1", "/pages/EVIL"):
        visit(tab, place(address, path))
        found = tab.evaluate(COLOURS)
        assert len(found) > 10
        marked = [(who, round(contrast(ink, paper), 1)) for who, ink, paper in found]
        assert not [one for one in marked if one[1] < 4.5]


@pytest.mark.parametrize("width", [390, 1100])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_on_disk_has_the_scheme_of_its_reader(
    tab: Page, crawl: Path, scheme: Any, width: int
) -> None:
    assert main(["report", str(crawl)]) == 0
    tab.set_viewport_size({"width": width, "height": 800})
    tab.emulate_media(color_scheme=scheme)
    tab.goto((crawl / "report.html").as_uri())
    found = tab.evaluate(COLOURS)
    assert len(found) > 30
    marked = [(who, round(contrast(ink, paper), 1)) for who, ink, paper in found]
    assert not [one for one in marked if one[1] < 4.5]
    ground = "e => getComputedStyle(e).backgroundColor"
    paper = {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 25, 28)"}
    assert tab.locator("body").evaluate(ground) == paper[scheme]
    figures = tab.locator("svg:visible")
    assert figures.count() > 2
    if scheme == "dark":  # their lines and words are drawn for a white ground
        assert set(figures.evaluate_all(f"all => all.map({ground})")) == {paper["light"]}


def test_every_field_has_a_label_and_the_keyboard_reaches_everything(
    tab: Page, address: str
) -> None:
    tab.goto(address + "/")
    unnamed = """() => [...document.querySelectorAll('input, select, textarea, button')]
        .filter(e => e.type !== 'hidden' && !(e.labels && e.labels.length))
        .filter(e => !e.textContent.trim() && !e.ariaLabel).length"""
    assert tab.evaluate(unnamed) == 0
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.className") == "skip"
    tab.keyboard.press("Enter")
    reached = set()
    for _ in range(60):
        tab.keyboard.press("Tab")
        reached.add(tab.evaluate("document.activeElement.name || document.activeElement.className"))
    assert {"q", "host", "least", "every", "title", "do"} <= reached


def test_a_search_by_keyboard_finds_a_page_and_its_way(tab: Page, address: str) -> None:
    tab.goto(address + "/")
    tab.fill("[name=q]", "rice")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**q=rice**")
    assert tab.locator(".pages .title").count() == 1
    with tab.expect_navigation():
        tab.locator(".pages .title").click()
    assert tab.locator(".path li").count() == 3
    tab.get_by_text("Show the features behind it").click()
    tab.get_by_role("heading", name="Why it has this relevance").wait_for()


def test_a_running_crawl_is_paused_given_seeds_and_stopped_from_its_page(
    tab: Page, tmp_path: Path, problems: list[str]
) -> None:
    def endless(connection: Connection) -> None:
        number = connection.path.removeprefix("/p")
        is_one = number.isdecimal()
        connection.send(page(f"/p{int(number) + 1}", words=number) if is_one else NOT_FOUND)

    site: dict[str, Answer] = {"*": endless, "/hidden": page(words="nobody links here")}
    with serving(site) as server, crawling(server.url("/p0"), tmp_path) as process:
        until(lambda: read_now(tmp_path) is not None)
        with served(site_of(tmp_path)) as address:
            tab.goto(address + "/")
            before = tab.locator("[data-name=downloads]").inner_text()
            cell = "document.querySelector('[data-name=downloads]')"
            tab.wait_for_function(f"before => {cell}.textContent !== before", arg=before)
            press(tab, "Pause")
            tab.wait_for_selector("text=The crawl was told: pause")
            until(lambda: doing(tmp_path).paused)
            visit(tab, address, "Go on</button>")
            press(tab, "Go on")
            until(lambda: not doing(tmp_path).paused)
            tab.get_by_text("Change the budget, add seeds").click()
            tab.fill("[name=seeds]", server.url("/hidden"))
            press(tab, "Add seeds")
            until(lambda: "/hidden" in server.paths)
            tab.get_by_text("Change the budget, add seeds").click()
            tab.fill("[name=budget]", "400000")
            press(tab, "Change")
            until(lambda: doing(tmp_path).budget == 400_000)
            visit(tab, address, "Stop</button>")
            press(tab, "Stop")
            assert process.wait(LONG) == 0
    assert "user stopped it" in json.loads((tmp_path / "crawl.json").read_text())["stopped"]
    assert problems == []


@contextmanager
def crawling(seed: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Crawl in a process of its own."""
    options = ["--budget=500000", "--delay=0.02", "--no-traps", f"--out={folder}"]
    options.append("--allow-private=127.0.0.0/8")
    command = [sys.executable, "-m", "foragers.cli.main", "crawl", seed, *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as made:
        try:
            yield made
        finally:
            made.terminate()


def doing(folder: Path) -> CrawlNow:
    found = read_now(folder)
    assert found is not None
    return found


def test_a_crawl_is_started_from_a_form_and_replayed_with_another_strategy(
    tab: Page, origin: HostileServer, tmp_path: Path
) -> None:
    with served(site_of(tmp_path, private=["127.0.0.0/8"])) as address:
        tab.goto(address + "/")
        tab.fill("[name=topic]", "green tea")
        tab.fill("[name=seeds]", origin.url("/"))
        tab.fill("[name=budget]", "3")
        press(tab, "Start")
        assert tab.url.endswith("/in/green-tea-1/")
        visit(tab, tab.url, "Stopped: the budget of 3")
        tab.get_by_text("Change the budget, add seeds").click()
        tab.fill("[name=budget]", "50")
        press(tab, "Go on with this budget")
        visit(tab, tab.url, "nothing left to fetch")
        tab.get_by_role("link", name="What if").click()
        tab.fill("[name=topic]", "coffee")
        press(tab, "Replay")
        curves = ".on-narrow svg[aria-label='relevant pages over downloads']"
        tab.wait_for_selector(curves)
        assert "best-first" in (tab.locator(curves).text_content() or "")
    told = json.loads((tmp_path / "green-tea-1" / "what-if/1/compared/result.json").read_text())
    assert "coffee" in told["topic"]
