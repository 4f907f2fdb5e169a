"""A replay that is as polite as a live crawl, and what politeness costs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from foragers.cli.main import main
from foragers.core.options import ReplayOptions, Target
from foragers.crawling.options import CrawlOptions
from foragers.crawling.session import Session
from foragers.evaluation.comparison.run import crawl
from foragers.evaluation.comparison.study import Study, prepare
from foragers.evaluation.metrics import harvest
from foragers.worlds.generated import generate
from foragers.worlds.serving.server import WorldServer
from foragers.worlds.store import save

TOPIC = "climate emission carbon"
AIM = Target(TOPIC, threshold=0.5)
BUDGET = 300


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a news web on four hosts, three of which have nothing that is wanted."""
    world = tmp_path_factory.mktemp("worlds") / "news"
    save(generate("news", seed=1, pages=3000), world)
    return world


@pytest.fixture(scope="module")
def study(news: Path) -> Study:
    found = prepare(ReplayOptions(str(news), "", AIM))
    found.score()
    return found


def run_of(news: Path, strategy: str) -> ReplayOptions:
    return ReplayOptions(str(news), strategy, AIM, BUDGET)


def found_by(run: ReplayOptions, study: Study) -> int:
    return int(harvest.found(crawl(run, study, ":memory:"))[-1])


@pytest.mark.parametrize("strategy", ["auto", "best-first"])
@pytest.mark.parametrize("delay", [0.0, 1.0])
def test_many_connections_find_nearly_what_one_finds(
    strategy: str, delay: float, news: Path, study: Study
) -> None:
    one = found_by(run_of(news, strategy), study)
    polite = replace(run_of(news, strategy), connections=16, delay=delay, latency=(0.05, 0.2))
    assert found_by(polite, study) >= 0.9 * one


def test_hosts_are_asked_one_at_a_time_and_left_alone_after_it(news: Path, study: Study) -> None:
    run = replace(run_of(news, "best-first"), connections=8, delay=2.0, latency=(0.5, 0.5))
    facts = crawl(run, study, ":memory:")
    ends: dict[int, float] = {}
    for url, end in zip(facts.urls.tolist(), facts.times.tolist(), strict=True):
        host = study.archive.book.host(url)
        assert end - 0.5 >= ends.get(host, -2.0) + 2.0 - 1e-6
        ends[host] = end
    assert len(ends) == 4


def test_each_host_has_a_latency_of_its_own(news: Path, study: Study) -> None:
    run = replace(run_of(news, "breadth-first"), connections=1, latency=(1.0, 3.0), budget=50)
    times = crawl(run, study, ":memory:").times
    gaps = {round(float(gap), 6) for gap in times[1:] - times[:-1]}
    assert len(gaps) == 4
    assert all(1.0 <= gap <= 3.0 for gap in gaps)


@pytest.mark.parametrize("strategy", ["auto", "best-first"])
def test_a_polite_replay_predicts_the_live_crawl(
    strategy: str, news: Path, study: Study, tmp_path: Path
) -> None:
    polite = replace(run_of(news, strategy), connections=16, delay=0.0, latency=(0.01, 0.02))
    archive = study.archive
    with WorldServer(archive) as server:
        order = CrawlOptions(
            seeds=(server.address(archive.book.href(archive.seeds[0])),),
            aim=AIM,
            strategy=strategy,
            budget=BUDGET,
            delay=0.0,
            within="any",
            allow_private=("127.0.0.0/8",),
            warc=False,
        )
        session = Session.open(order, tmp_path / "crawl")
        try:
            session.run()
            urls = session.ledger.facts().urls.tolist()
            live = [server.world_address(session.ledger.href(url)) for url in urls]
        finally:
            session.close()
    replayed = [archive.book.href(url) for url in crawl(polite, study, ":memory:").urls.tolist()]
    # Counted by label: which pages pass the judge depends on the pages that it saw before.
    on_topic = {archive.book.href(url) for url in archive.labels.urls["topic:climate"].tolist()}
    for downloads in (100, 200, BUDGET):
        expected = len(on_topic.intersection(replayed[:downloads]))
        assert expected > 60
        assert len(on_topic.intersection(live[:downloads])) == pytest.approx(expected, rel=0.1)


def test_compare_takes_delay_and_latency(news: Path, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    options = ["--topic", TOPIC, "--threshold", "0.5", "--strategies", "best-first"]
    polite = ["--concurrency", "8", "--delay", "1", "--latency", "0.05-0.2"]
    main(["compare", str(news), *options, *polite, "--budget", "60", "--json", str(file)])
    assert json.loads(file.read_text())["strategies"]["best-first"]["runs"][0]["downloads"] == 60


@pytest.mark.parametrize(
    ("option", "value"), [("--latency", "fast"), ("--latency", "2-1"), ("--delay", "-1")]
)
def test_wrong_politeness_is_refused_in_one_line(
    option: str, value: str, news: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(news), "--topic", "a", f"{option}={value}"]) == 2
    said = capsys.readouterr().err
    assert option in said
    assert len(said.strip().splitlines()) == 1
