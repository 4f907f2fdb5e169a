"""Crawls that end when enough is found, and say so; real HTTP over loopback."""

from __future__ import annotations

import json
import sqlite3
from array import array
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from foragers.cli.main import main
from foragers.core.options import Target
from foragers.crawling.options import CrawlOptions
from foragers.crawling.session import Session
from foragers.crawling.stopping import Rate, RecallMonitor, StopRules
from foragers.errors import UsageError
from foragers.reports.crawl_folder import opened
from foragers.reports.figures import estimate_of
from foragers.reports.html_report import report
from support.crawling import LIMITS, order_of, serving
from support.hostile_server import page, reply

WANTED, OTHERS = 30, 90
TOPIC = "robot sensor"


def site() -> dict[str, bytes]:
    """Return pages that are wanted, which come first, and pages that are not, in a ring."""
    wanted = {f"/r{n}": page(f"/r{(n + 1) % WANTED}", words=TOPIC) for n in range(WANTED)}
    others = {f"/n{n}": page(f"/n{(n + 7) % OTHERS}") for n in range(OTHERS)}
    return {**wanted, **others}


def session_of(folder: Path, seed: str, **options: object) -> Session:
    given = {"concurrency": 1, "within": "site", "aim": Target(TOPIC, threshold=0.5)}
    return Session.open(order_of(seed, **{**given, **options}), folder, LIMITS)


def crawled(folder: Path, seed: str, **options: object) -> Session:
    session = session_of(folder, seed, **options)
    try:
        session.run()
    finally:
        session.close()
    return session


def downloads(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger:
        return int(ledger.execute("SELECT count(*) FROM visits").fetchone()[0])


def test_a_crawl_ends_when_its_yield_has_fallen_and_says_so(tmp_path: Path) -> None:
    with serving(site()) as server:
        session = crawled(tmp_path, server.url("/"), until_yield="1/20")
    # The front page, all that is wanted, and twenty downloads that found nothing.
    assert downloads(tmp_path) == 1 + WANTED + 20
    reason = "the last 20 downloads found 0 relevant pages, fewer than 1 (--until-yield)"
    assert session.stopped == reason
    assert json.loads((tmp_path / "crawl.json").read_text())["stopped"] == reason


def test_a_crawl_ends_when_the_recall_is_very_likely_reached_and_says_so(tmp_path: Path) -> None:
    with serving(site()) as server:
        session = crawled(tmp_path, server.url("/"), until_recall=0.9)
        assert WANTED < downloads(tmp_path) < 1 + WANTED + OTHERS
        said = "the recall has very likely reached 0.9 (--until-recall): found 30 of about"
        assert session.stopped.startswith(said)
        assert session.stopped.endswith(f"accepted by topic “{TOPIC}” by words at threshold 0.5")
        kept = json.loads((tmp_path / "crawl.json").read_text())["estimate"]
        assert kept["recall"] >= kept["recall_sure"] >= 0.9
        assert kept["found"] <= kept["low"] <= kept["total"] <= kept["high"]
        before = downloads(tmp_path)
        again = crawled(tmp_path, server.url("/"), until_recall=0.9)
        assert (again.stopped, downloads(tmp_path)) == (session.stopped, before)
        last = crawled(tmp_path, server.url("/"))
    assert last.stopped == "there is nothing left to fetch"
    assert str(last.estimate()) == f"found all {WANTED} reachable"


def test_a_crawl_by_auto_stops_too_and_accounts_for_its_plans(tmp_path: Path) -> None:
    wanted = {f"/r{n}": page(f"/r{(n + 1) % 90}", words=TOPIC) for n in range(90)}
    others = {f"/n{n}": page(f"/n{(n + 7) % 150}") for n in range(150)}
    told = tmp_path / "told.json"
    with serving({**wanted, **others}) as server:
        options = ["--topic", TOPIC, "--threshold", "0.5", "--delay", "0", "--no-warc"]
        options += ["--allow-private", "127.0.0.0/8", "--json", str(told), "--out", str(tmp_path)]
        options += ["--no-traps", "--concurrency", "1", "--budget", "200"]
        main(["crawl", server.url("/"), *options])
        estimate = json.loads(told.read_text())["estimate"]
        main(["crawl", server.url("/"), *options[:-1], "2000", "--until-recall", "0.9"])
    (planned,) = estimate["planned"]
    assert planned["plan"]["budget"] == 200
    assert 100 <= planned["plan"]["at"] <= 120
    assert (planned["downloads"], planned["found"]) == (200, estimate["found"])
    low, high = planned["plan"]["pages_low"], planned["plan"]["pages_high"]
    assert planned["held"] == (low <= estimate["found"] <= high)
    assert [plan["budget"] for plan in estimate["plans"]] == [400], "twice the budget is ahead"
    stopped = json.loads(told.read_text())["stopped"]
    assert stopped.startswith("the recall has very likely reached 0.9 (--until-recall)")
    with opened(tmp_path) as folder:
        assert "forecast after 1" in report(folder)


@pytest.mark.parametrize("checkpoint", [True, False])
def test_a_crawl_taken_up_again_estimates_the_same(tmp_path: Path, checkpoint: bool) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    with serving(site()) as server:
        whole = crawled(one, server.url("/"), budget=70)
        crawled(other, server.url("/"), budget=33)
        if not checkpoint:
            (other / "checkpoint").unlink()
        halves = crawled(other, server.url("/"), budget=70)
    assert halves.estimate() == whole.estimate()
    assert halves.monitor.latest == whole.monitor.latest
    ours, theirs = halves.monitor.sightings, whole.monitor.sightings
    assert np.array_equal(ours.marks[: ours.known], theirs.marks[: theirs.known])
    with opened(other) as folder:
        told = json.loads((other / "crawl.json").read_text())
        (other / "crawl.json").write_text(json.dumps({**told, "estimate": None, "stopped": None}))
        assert estimate_of(folder) == whole.estimate(), "a killed crawl's is made again"


def test_the_command_shows_the_estimate_and_writes_it_for_machines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, told = tmp_path / "out", tmp_path / "told.json"
    with serving(site()) as server:
        arguments = ["crawl", server.url("/"), "--topic", TOPIC, "--threshold", "0.5"]
        arguments += ["--strategy", "breadth-first", "--budget", "60", "--delay", "0", "--no-traps"]
        arguments += ["--allow-private", "127.0.0.0/8", "--out", str(out), "--json", str(told)]
        main([*arguments, "--until-yield", "1/25"])
    estimate = json.loads(told.read_text())["estimate"]
    assert estimate["found"] == WANTED
    assert estimate["recall_low"] <= estimate["recall"] <= estimate["recall_high"]
    assert "reachable" in capsys.readouterr().out
    main(["report", str(out)])
    assert "estimated recall" in (out / "report.html").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"until_recall": 0.0}, "--until-recall 0: must be above 0 and at most 1"),
        ({"until_recall": 90.0}, "--until-recall 90"),
        ({"until_recall": float("nan")}, "--until-recall nan"),
        ({"until_yield": "200"}, "--until-yield 200: write PAGES/DOWNLOADS"),
        ({"until_yield": "0/200"}, "--until-yield 0/200"),
        ({"until_yield": "5/4"}, "--until-yield 5/4"),
        ({"until_yield": "1/9999999"}, "--until-yield 1/9999999"),
    ],
)
def test_what_cannot_be_enough_is_refused_in_one_line(
    tmp_path: Path, options: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match="--until") as refusal:
        session_of(tmp_path / "out", "http://127.0.0.1/", **options)
    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert not (tmp_path / "out").exists()


def test_of_what_is_new_there_is_no_recall(tmp_path: Path) -> None:
    order = CrawlOptions(
        seeds=("http://127.0.0.1/",), aim=Target(new_within="2 days"), until_recall=0.9
    )
    with pytest.raises(UsageError, match="--until-yield"):
        Session.open(order, tmp_path / "out")


def test_no_recall_is_told_where_much_could_not_be_fetched(tmp_path: Path) -> None:
    broken = {f"/n{n}": reply("no", "403 No") for n in range(OTHERS)}
    told = tmp_path / "told.json"
    with serving({**site(), **broken}) as server:
        options = ["--topic", TOPIC, "--threshold", "0.5", "--delay", "0", "--no-warc"]
        options += ["--allow-private", "127.0.0.0/8", "--json", str(told), "--out", str(tmp_path)]
        main(["crawl", server.url("/"), *options, "--no-traps", "--strategy", "breadth-first"])
    estimate = json.loads(told.read_text())["estimate"]
    assert (estimate["found"], estimate["recall"], estimate["total"]) == (WANTED, None, None)
    assert estimate["failed"] == OTHERS
    assert estimate["wanted"] == f"topic “{TOPIC}” by words at threshold 0.5"
    with opened(tmp_path) as folder:
        html = report(folder)
    assert f"{OTHERS} known pages left out by failures" in html
    assert f"pages accepted by topic “{TOPIC}” by words at threshold 0.5: {WANTED} of" in html


@pytest.mark.parametrize(
    ("downloads", "found_at", "stops"),
    [
        (4, [], False),  # fewer than the window
        (5, [], True),
        (5, [1], True),  # one is fewer than two
        (6, [2, 3], False),
        (7, [2, 3], True),  # the window has gone past the first of them
    ],
)
def test_a_crawl_stops_when_the_last_downloads_found_too_little(
    downloads: int, found_at: list[int], stops: bool
) -> None:
    monitor = RecallMonitor()
    monitor.sightings.downloads = downloads
    monitor.sightings.found_at = array("q", found_at)
    reason = StopRules(rate=Rate(2, 5)).reason(monitor)
    assert bool(reason) == stops
    assert not stops or "fewer than 2" in reason


@pytest.mark.parametrize(
    ("strategy", "given", "warned"),
    [
        ("best-first", {"until_recall": 0.9}, True),
        ("auto", {"until_recall": 0.9}, False),
        ("best-first", {"until_yield": "1/50"}, False),
    ],
)
def test_a_crawl_says_if_its_recall_was_not_calibrated_for_its_strategy(
    strategy: str, given: dict[str, object], warned: bool, tmp_path: Path
) -> None:
    said: list[str] = []
    with serving(site()) as server:
        session = session_of(tmp_path, server.url("/"), strategy=strategy, budget=3, **given)
        try:
            session.run(lambda _: said.extend(session.notices()))
        finally:
            session.close()
    assert any("calibrated for auto" in line for line in said) == warned
