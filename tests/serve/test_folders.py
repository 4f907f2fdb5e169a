"""Each kind of folder has its pages, hostile text in them is text, and no other file is served."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

from foragers.cli.main import main
from foragers.evaluation.tables import Exhibits, Table, Verdict
from foragers.papers.output import write_exhibits
from foragers.strategies.watch.forecast import Forecast
from foragers.watching.account import account_of
from foragers.watching.events import Event, EventKind
from foragers.watching.recent import RecentRequest
from foragers.watching.status import SiteStatus, WatchStatus, write_status
from support.crawling import serving
from support.hostile_server import page
from support.waiting import LONG, until

if find_spec("starlette") is None or find_spec("httpx") is None:
    pytest.skip("Starlette is not installed", allow_module_level=True)

from starlette.testclient import TestClient

from foragers.serve.app import site_of
from foragers.serve.folders import FolderKind, kind_of
from foragers.serve.pages import fleet_pages, watch_pages
from foragers.serve.pages.fleet_pages import directory_of
from foragers.serve.pages.territory import FleetMap, territory_picture
from foragers.serve.pages.watch_pages import promise_of
from foragers.serve.settings import ServeSettings

EVIL = "<script>alert(1)</script>"
SITE = {
    "/": page("/tea", "/coffee", words="home of drinks"),
    "/tea": page("/green", words="green tea leaves are picked"),
    "/green": page(words="green tea leaves from japan, green tea with rice"),
    "/coffee": page(words="coffee is roasted"),
}
LOCAL = "http://127.0.0.1:8000"
POLITE = ["--delay", "0", "--allow-private", "127.0.0.0/8"]


@contextmanager
def reading(path: Path | str) -> Iterator[TestClient]:
    site = site_of(path, settings=ServeSettings(glance=30.0))
    with TestClient(site.app(), base_url=LOCAL) as client:
        yield client


def crawled(folder: Path, *options: str) -> Path:
    with serving(SITE) as server:
        given = ["--topic", "green tea", *POLITE, *options, "--out", str(folder)]
        assert main(["crawl", server.url("/"), *given]) == 0
    return folder


def test_a_fleet_shows_its_population_territories_and_family(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "fleet", "--strategy", "infospiders")
    with reading(folder) as client:
        html = client.get("/fleet").text
        for heading in ("Population", "Territories", "Family tree"):
            assert heading in html
        picture = html.split("Scores over time")[1].split("</section>")[0]
        assert ">energy</text>" in picture
        assert "-0</text>" in picture  # the first agent, at the end of its line
        told = client.get("/api/fleet").json()
        assert sum(one["pages"] for one in told["territory"]) == 3  # the seed has no agent
        assert ">Fleet</a>" in client.get("/").text
        shapes = client.get("/api").json()["components"]["schemas"]
        assert set(shapes["FleetStatus"]["properties"]) == set(told)
    with reading(crawled(tmp_path / "none")) as client:
        assert client.get("/fleet").status_code == 404
        assert ">Fleet</a>" not in client.get("/").text
        assert "/api/fleet" not in client.get("/api").json()["paths"]


def test_a_fleet_of_foragers_shows_scores_over_time_and_weblogs(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "fleet", "--strategy", "wl(path_steps=2)", "--budget", "20")
    with reading(folder) as client:
        html = client.get("/fleet").text
        picture = html.split("Scores over time")[1].split("</section>")[0]
        (one, *_) = client.get("/api/fleet").json()["foragers"]
        assert one["name"] in picture
        assert one["weblog"][0][0] in html


def test_a_map_keeps_the_largest_and_counts_the_rest() -> None:
    pages = {("a", "x"): (5, 2), ("a", "y"): (1, 0), ("b", "x"): (2, 2), ("c", "z"): (9, 0)}
    land = FleetMap(pages).largest(2, 2)
    assert land.pages == {("a", "x"): (5, 2), ("c", "z"): (9, 0)}
    assert land.rest == 3
    drawn = territory_picture(FleetMap({(EVIL, EVIL): (1, 1)}))
    assert EVIL not in drawn
    assert territory_picture(FleetMap({})) == ""
    assert directory_of("http://a.test/b/c") == "/b/"
    assert directory_of("http://a.test/b") == "/"
    assert directory_of("http://[") == "/"


def test_a_comparison_has_named_curves_a_table_and_runs_side_by_side(tmp_path: Path) -> None:
    world, out = tmp_path / "w", tmp_path / "out"
    assert main(["world", "generate", str(world), "--preset", "topics", "--pages", "200"]) == 0
    given = ["--topic", "robot", "--strategies", "best-first,random", "--runs", "2"]
    assert main(["compare", str(world), *given, "--budget", "50", "--out", str(out)]) == 0
    with reading(out) as client:
        html = client.get("/").text
        drawn = html[html.index("<svg") : html.index("</svg>")]
        assert all(f">{name}</text>" in drawn for name in ("best-first", "random", "optimal"))
        assert re.search(r"seed 0.*seed 1", html, re.S)
        assert client.get("/api/result").json()["budget"] == 50
        assert client.get("/tasks/0").status_code == 404
        (out / "result.json").unlink()
        assert "has not ended" in client.get("/").text
        (out / "result.json").write_text("{")
        assert client.get("/").status_code == 400


@pytest.fixture
def watch(tmp_path: Path) -> Path:
    folder = crawled(tmp_path / "watch")
    now = time.time()
    events = [
        Event(event=EventKind.NEW, url=f"http://a.test/{EVIL}", site="a.test", found=now - 50,
              visit=1, title=EVIL, summary=EVIL, since=now - 80),
        Event(event=EventKind.CHANGED, url="javascript:alert(1)", site="a.test", found=now - 20,
              visit=2, title="changed", diff=f"- old {EVIL}\n+ new"),
    ]  # fmt: skip
    lines = b"".join(msgspec.json.encode(one) + b"\n" for one in events)
    (folder / "events.jsonl").write_bytes(lines + b'{"torn')
    (folder / "watch.json").write_text("{}")
    promise = Forecast(500, 0.9, 0.8, 0.95, 10)
    site = SiteStatus("a.test", 1, 1, now, promise=promise, troubles=[EVIL])
    account = account_of(events)
    recent = [RecentRequest(now - 50, f"http://a.test/{EVIL}", EVIL, f"new: {EVIL}")]
    status = WatchStatus(
        now - 90, now, True, 4, 2, 1, 1, 4, account, account, recent=recent, sites=[site]
    )
    write_status(folder, status)
    return folder


def test_a_watch_has_a_timeline_with_delays_differences_and_promises(watch: Path) -> None:
    before = (watch / "events.jsonl").read_bytes()
    with reading(watch) as client:
        html = client.get("/").text
        assert "at most 30 s" in html
        assert "what it brought" in html
        assert '<span class="added">+ new</span>' in html
        assert re.search(r'class="text holds">yes<', html)
        assert "<script>alert" not in html
        assert 'href="javascript' not in html
        assert (
            "changed"
            not in client.get("/?event=new")
            .text.split("Sites and promises")[0]
            .split("Kinds of events")[1]
            .split("</nav>")[1]
        )
        assert client.get("/api/events").json()["total"] == 2
        assert client.get("/api/events?event=changed").json()["total"] == 1
        assert client.get("/api/events?event=other").status_code == 400
        assert client.get("/api/events?kind=new").status_code == 400
        assert client.get("/?page=0").status_code == 400
        assert client.get("/api/watch").json()["new"] == 1
        paths = client.get("/api").json()["paths"]
        assert {"/api/watch", "/api/events", "/api/pages"} <= set(paths)
        assert "Relevant pages" in client.get("/found").text
    assert (watch / "events.jsonl").read_bytes() == before  # a running watch may be writing


def test_a_promise_is_kept_broken_or_open() -> None:
    promise = Forecast(500, 0.9, 0.8, 0.95, 10)
    site = SiteStatus("a.test", promise=promise)

    def new(since: float | None, late: bool = False) -> Event:
        return Event(
            event=EventKind.NEW, url="u", site="a.test", found=9000.0, visit=1, since=since,
            late=late,
        )  # fmt: skip

    assert promise_of(site, account_of([new(8000.0)])).kept is True
    assert promise_of(site, account_of([new(8000.0, late=True)])).kept is False
    assert promise_of(site, account_of([new(1000.0)])).kept is None
    assert promise_of(site, account_of([])).kept is None


def is_said(client: TestClient, path: str, what: str) -> bool:
    return what in client.get(path).text


def test_a_fleet_and_a_watch_that_are_still_read_say_so(
    watch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet = crawled(tmp_path / "fleet", "--strategy", "infospiders")
    for folder, path, module, name, whole in (
        (fleet, "/fleet", fleet_pages, "fleet_of", "Family tree"),
        (watch, "/", watch_pages, "known_events", "Sites and promises"),
    ):
        go, read = threading.Event(), getattr(module, name)

        def slow(*given: Any, go: threading.Event = go, read: Any = read) -> Any:
            assert go.wait(LONG)
            return read(*given)

        monkeypatch.setattr(module, name, slow)
        site = site_of(folder, settings=ServeSettings(glance=0.01, patience=0.01))
        api = {"/fleet": "/api/fleet", "/": "/api/events"}[path]
        with TestClient(site.app(), base_url=LOCAL) as client:
            html = client.get(path).text
            assert "data-reload" in html
            assert whole not in html
            assert client.get(api).status_code == 503
            go.set()
            until(partial(is_said, client, path, whole))
            assert "data-reload" not in client.get(path).text
            assert client.get(api).status_code == 200


def test_a_watch_that_has_grown_shows_what_was_read_last(
    watch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, read = threading.Event(), watch_pages.known_events

    def slow(folder: Path) -> watch_pages.KnownEvents:
        assert go.wait(LONG)
        return read(folder)

    settings = ServeSettings(glance=60.0, cost=1e9)
    with TestClient(site_of(watch, settings=settings).app(), base_url=LOCAL) as client:
        assert "since this list was read" not in client.get("/").text
        lines = (watch / "events.jsonl").read_bytes().replace(b'{"torn', b"")
        (watch / "events.jsonl").write_bytes(lines + lines)
        assert client.get("/api/events").json()["total"] == 4
        monkeypatch.setattr(
            watch_pages, "known_events", lambda folder: go.wait(LONG) and read(folder)
        )
        object.__setattr__(settings, "glance", 0.01)
        (watch / "events.jsonl").write_bytes(lines)
        assert client.get("/api/events").json()["total"] == 4
        assert "since this list was read" in client.get("/").text
        go.set()


def test_papers_show_all_exhibits_and_serve_only_their_files(tmp_path: Path) -> None:
    table = Table("table-1", "A table", ("what", "value"), [(EVIL, 1.5)])
    found = Exhibits(
        "spider", "A paper", {"runs": "2"}, [table], [], [Verdict(f"claim {EVIL}", True, "t = 1")]
    )
    write_exhibits(found, tmp_path / "one")
    (tmp_path / "one" / "secret.csv").write_text("secret")
    with reading(tmp_path / "one") as client:
        html = client.get("/").text
        assert "A table" in html
        assert "<script>alert" not in html
        csv = client.get("/papers/spider/table-1.csv")
        assert csv.text.startswith("what,value")
        assert "sandbox" in csv.headers["content-security-policy"]
        for path in (
            "/papers/spider/secret.csv",
            "/papers/spider/exhibits.json",
            "/papers/spider/..%2Fsecret.csv",
            "/papers/other/table-1.csv",
            "/papers/..%2F..%2Fetc/passwd",
        ):
            assert client.get(path).status_code == 404
    write_exhibits(found, tmp_path / "all" / "spider")
    write_exhibits(found, tmp_path / "all" / "selection")
    with reading(tmp_path / "all") as client:
        assert client.get("/").text.count("A paper") == 2
        assert "A table" in client.get("/papers/selection").text


def test_papers_do_not_hide_the_crawls_beside_them(tmp_path: Path) -> None:
    found = Exhibits("spider", "A paper", {"runs": "2"}, [], [], [Verdict("claim", True, "t = 1")])
    write_exhibits(found, tmp_path / "papers" / "spider")
    (tmp_path / "papers" / "worlds").mkdir()
    assert kind_of(tmp_path / "papers") is FolderKind.PAPERS
    write_exhibits(found, tmp_path / "both" / "spider")
    crawled(tmp_path / "both" / "tea")
    with reading(tmp_path / "both") as client:
        html = client.get("/").text
        assert set(re.findall(r'href="(/in/[^"]+)"', html)) == {"/in/spider/", "/in/tea/"}
        assert "claim" in client.get("/in/spider/").text


def test_a_folder_of_folders_lists_and_shows_them_by_name(tmp_path: Path) -> None:
    inside = tmp_path / "library"
    crawled(inside / "my tea & <b>")
    crawled(tmp_path / "outside")
    (inside / "linked").symlink_to(tmp_path / "outside")
    (inside / "notes").mkdir()
    assert kind_of(inside) is FolderKind.LIBRARY
    with reading(inside) as client:
        html = client.get("/").text
        assert html.count('class="title"') == 1
        assert "<b>" not in html
        (address,) = re.findall(r'href="(/in/[^"]+)"', html)
        shown = client.get(address).text
        assert "Relevant pages" in shown
        (first, *_) = re.findall(r'class="title" href="([^"]+)"', shown)
        assert client.get(first).status_code == 200
        assert client.get(f"{address}metrics").text.startswith("# HELP")
        assert client.get(f"{address}api/status").json()["summary"]["relevant"] == 2
        for name in ("linked", "notes", "none", "..%2Foutside", ".hidden"):
            assert client.get(f"/in/{name}/").status_code == 404
        assert client.get("/start").status_code == 405
        given = {"topic": "tea", "seeds": "http://a.test/", "budget": "5"}
        assert client.post("/start", data=given).status_code == 403
        assert len(list(inside.iterdir())) == 3


def test_a_folder_from_others_does_not_go_on_by_a_click(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "tea", "--budget", "2")
    site = site_of(folder)
    told = json.loads((folder / "crawl.json").read_text())
    harmful: dict[str, dict[str, object]] = {
        "private": {},
        "chromium": {"chromium": "/bin/sh", "render": True},
        "strategy": {"strategy": "evil.py:Strategy"},
        "learned": {"learned": "/etc/passwd"},
    }
    with TestClient(site.app(), base_url=LOCAL) as client:
        for change in harmful.values():
            (folder / "crawl.json").write_text(json.dumps({**told, **change}))
            form = {"token": site.token, "do": "budget", "budget": "9"}
            answer = client.post("/act", data=form)
            assert answer.status_code == 400
            assert "on the command line" in answer.text
        for wrong in ({"do": "fly"}, {"do": "seeds", "seeds": "ftp://x"}, {"do": "pause"}):
            assert client.post("/act", data={"token": site.token, **wrong}).status_code == 400
        assert client.get("/act").status_code == 405
        assert client.post("/act", data={"do": "stop"}).status_code == 403
    assert not (folder / "log.txt").exists()


def test_a_large_form_is_refused(tmp_path: Path) -> None:
    site = site_of(crawled(tmp_path / "tea"))
    with TestClient(site.app(), base_url=LOCAL) as client:
        form = {"token": site.token, "do": "seeds", "seeds": "x" * 2_000_000}
        assert client.post("/act", data=form).status_code == 400


def test_a_ledger_in_a_database_is_shown_and_only_read(tmp_path: Path, database: str) -> None:
    crawled(tmp_path / "tea", "--ledger", database)
    with reading(database) as client:
        html = client.get("/").text
        assert "green tea" in html
        assert len(re.findall('class="title"', html)) == 2
        assert client.get("/api/pages?q=rice").json()["total"] == 1
        assert "Add seeds" not in html
        assert client.post("/act", data={"do": "stop"}).status_code == 404


def test_fifty_readers_at_once_get_pages_and_events(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "tea")
    failed: list[str] = []
    with reading(folder) as client:

        def read(number: int) -> None:
            for path in ("/", "/?q=tea", f"/pages/{1 + number % 3}", "/now", "/api/pages?every=1"):
                answer = client.get(path)
                if answer.status_code not in (200, 404):
                    failed.append(f"{path}: {answer.status_code}")

        readers = [threading.Thread(target=read, args=(number,)) for number in range(50)]
        for one in readers:
            one.start()
        for one in readers:
            one.join()
    assert not failed
