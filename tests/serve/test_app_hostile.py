"""Hostile text in every file of a folder stays text, on every page that a reader can reach."""

from __future__ import annotations

import html
import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from foragers.cli.main import main
from support.crawling import serving
from support.hostile_server import page, reply

if find_spec("starlette") is None or find_spec("httpx") is None:
    pytest.skip("Starlette is not installed", allow_module_level=True)

from starlette.testclient import TestClient

from foragers.serve.app import site_of
from foragers.serve.settings import ServeSettings

EVIL = "\"'></title></svg><script>alert(1)</script><img src=x onerror=alert(1)>{{7*7}}\u202e"
LINK = f'<a href="/tea?{html.escape(EVIL)}">{html.escape(EVIL)} green tea</a>'
TITLE = f"<title>{html.escape(EVIL)} green tea</title>"
SITE = {
    "/": reply(f"<html>{TITLE}<p>green tea {html.escape(EVIL)}</p>{LINK}<a href='/tea'>tea</a>"),
    "/tea": page("/green", words="green tea leaves are picked"),
    "/green": page(words="green tea leaves from japan, green tea with rice"),
}
STARTING = f"tea {EVIL.replace('/', '')}"
MOST_PAGES = 150
KEPT = {"measure", "topic_kind", "event", "language"}
"""Fields that are words of ours: with any other a file is refused."""


class Elements(HTMLParser):
    """Collects what could run, or lead to something that could."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        given = dict(attrs)
        if tag in ("script", "iframe", "object", "embed", "base") and not is_ours(given):
            self.bad.append(f"<{tag}>")
        if tag == "img" and not (given.get("src") or "").startswith("/"):
            self.bad.append("<img>")
        for name, value in attrs:
            target = (value or "").strip().lower()
            if name.startswith("on") or (name in ("href", "src") and "script:" in target[:20]):
                self.bad.append(f"<{tag} {name}={value}>")
        if tag == "a":
            self.links.append(given.get("href") or "")


def is_ours(given: dict[str, str | None]) -> bool:
    """Say whether an element loads one of the files of the server."""
    return (given.get("src") or "").startswith("/static/")


def hostile(value: Any, name: str = "") -> Any:
    """Return a value of JSON in which all words end in what is hostile."""
    if isinstance(value, dict):
        keys = {key: key + EVIL if name in ("strategies", "references") else key for key in value}
        return {keys[key]: hostile(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [hostile(one, name) for one in value]
    return value + EVIL if isinstance(value, str) and name not in KEPT else value


def spoiled(file: Path) -> None:
    """Make every word of a file of JSON hostile."""
    file.write_text(json.dumps(hostile(json.loads(file.read_text()))))


def crawl(folder: Path, *options: str) -> Path:
    """Crawl a hostile site, and make what the crawl wrote more hostile."""
    with serving(SITE) as server:
        given = ["--topic", "green tea", "--delay", "0", "--allow-private", "127.0.0.0/8"]
        assert main(["crawl", server.url("/"), *given, *options, "--out", str(folder)]) == 0
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger, ledger:
        ledger.execute("UPDATE visits SET title = title || ?, reason = reason || ?", (EVIL, EVIL))
        ledger.execute("UPDATE visits SET agent = agent || ? WHERE agent <> ''", (EVIL,))
        ledger.execute("UPDATE urls SET href = href || ?", ("?" + EVIL,))
    told = json.loads((folder / "crawl.json").read_text())
    told.update(stopped=EVIL, seeds=[f"http://a.test/{EVIL}", "javascript:alert(1)"])
    told["aim"]["topic"] += EVIL
    (folder / "crawl.json").write_text(json.dumps(told))
    return folder


def plain_crawl(folder: Path) -> Path:
    """Return a crawl that seems to run."""
    crawl(folder)
    waiting = [{"host": EVIL, "until": time.time() + 90, "why": EVIL, "pages": 1}]
    now = json.loads((folder / "now.json").read_text())
    now.update(running=True, updated=time.time(), requests=[EVIL, "javascript:alert(1)"])
    now.update(waiting=waiting, hosts_waiting=1, condition=EVIL, lessons=[EVIL], in_progress=2)
    (folder / "now.json").write_text(json.dumps(now))
    return folder


def fleet(folder: Path) -> Path:
    """Return a crawl by foragers."""
    crawl(folder, "--strategy", "wl(path_steps=2)", "--budget", "20")
    spoiled(folder / "foragers.json")
    return folder


def population(folder: Path) -> Path:
    """Return a crawl by agents that live on energy."""
    return crawl(folder, "--strategy", "infospiders")


def comparison(folder: Path) -> Path:
    """Return a comparison of several tasks."""
    worlds = [str(folder.parent / name) for name in ("one", "two")]
    for world in worlds:
        assert main(["world", "generate", world, "--preset", "topics", "--pages", "200"]) == 0
    given = ["--topic", "robot", "--strategies", "best-first,random", "--budget", "30"]
    assert main(["compare", *worlds, *given, "--out", str(folder)]) == 0
    spoiled(folder / "result.json")
    return folder


def library(folder: Path) -> Path:
    """Return a folder with a hostile name that has a crawl and a comparison."""
    place = folder / EVIL.replace("/", "")
    place.mkdir(parents=True)
    crawl(place / f"tea {EVIL.replace('/', '')}")
    comparison(place / "result")
    return place


def starting(folder: Path) -> Path:
    """Return a library with a crawl that has written no page yet, only a line of its log."""
    place = folder / STARTING
    place.mkdir(parents=True)
    (place / "log.txt").write_text(f"reading {EVIL}")
    return folder


def replayed(folder: Path) -> Path:
    """Return a crawl with a finished what-if, and one that failed."""
    crawl(folder)
    for number in (1, 2):
        place = folder / "what-if" / str(number)
        place.mkdir(parents=True)
        wish = {"strategies": [EVIL, "random"], "topic": EVIL, "budget": 30, "asked": 0.0}
        (place / "wish.json").write_text(json.dumps(wish))
        (place / "log.txt").write_text(EVIL)
    world, done = str(folder.parent / "world"), folder / "what-if" / "1" / "compared"
    assert main(["world", "generate", world, "--preset", "topics", "--pages", "200"]) == 0
    given = ["--topic", "robot", "--strategies", "best-first,random", "--budget", "30"]
    assert main(["compare", world, *given, "--jobs", "1", "--out", str(done)]) == 0
    spoiled(done / "result.json")
    return folder


def reached(client: TestClient, first: str) -> Iterator[tuple[str, str, Elements]]:
    """Give every page that links lead to, as a reader would reach it."""
    waiting = [first, "/nothing" + EVIL, f"/?q={EVIL}", f"/?host={EVIL}&least=x{EVIL}"]
    seen = set[str]()
    while waiting and len(seen) < MOST_PAGES:
        path = waiting.pop(0)
        answer = client.get(path)
        seen.add(path)
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        elements = Elements()
        elements.feed(answer.text)
        yield path, answer.text, elements
        found = [link.partition("#")[0] for link in elements.links]
        inner = [link for link in found if re.match(r"/(?!/)|\?", link)]
        for link in inner:
            target = link if link.startswith("/") else path.partition("?")[0] + link
            if target not in seen and target not in waiting:
                waiting.append(target)


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (plain_crawl, ("/", "/pages/1", "/what-if")),
        (fleet, ("/", "/fleet")),
        (population, ("/", "/fleet")),
        (comparison, ("/", "/tasks/0", "/tasks/1")),
        (library, ("/",)),
        (starting, ("/", f"/in/{quote(STARTING, safe='')}/")),
        (replayed, ("/what-if", "/what-if/1", "/what-if/2")),
    ],
)
def test_hostile_text_is_text_on_every_page(
    made: Callable[[Path], Path], wanted: tuple[str, ...], tmp_path: Path
) -> None:
    folder = made(tmp_path / "folder")
    site = site_of(folder, settings=ServeSettings(glance=30.0))
    with TestClient(site.app(), base_url="http://127.0.0.1:8000") as client:
        shown = {path: (text, found) for path, text, found in reached(client, "/")}
    assert set(wanted) <= set(shown)
    assert {path: found.bad for path, (_, found) in shown.items() if found.bad} == {}
    escaped = html.escape("<script>alert(1)")
    assert all(escaped in shown[path][0] for path in wanted), "the hostile text is there"
    assert not any("49\u202e" in text for text, _ in shown.values()), "no template is run"


def test_the_page_for_the_password_repeats_nothing_that_it_was_sent(tmp_path: Path) -> None:
    site = site_of(crawl(tmp_path / "folder"), password=f"secret {EVIL}")
    sent = {"cookie": "foragers=" + quote(EVIL), "referer": "http://a.test/" + quote(EVIL)}
    with TestClient(site.app(), base_url="http://127.0.0.1:8000", headers=sent) as client:
        turned_away = client.get("/" + quote(EVIL), follow_redirects=False)
        assert turned_away.headers["location"] == "/login"
        asked = client.get("/login", params={"next": EVIL, "wrong": EVIL})
        refused = client.post("/login", params={"next": EVIL}, data={"password": EVIL})
    assert (asked.status_code, refused.status_code) == (200, 403)
    for answer in (asked, refused):
        elements = Elements()
        elements.feed(answer.text)
        assert elements.bad == []
        assert "alert" not in html.unescape(answer.text).replace('role="alert"', "")
