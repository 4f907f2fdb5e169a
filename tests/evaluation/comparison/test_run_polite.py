"""A replay that is as polite as a live crawl, and what politeness costs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from foragers.cli.main import main
from foragers.core.options import ReplayOptions, Target
from foragers.crawling.options import CrawlOptions
from foragers.crawling.session import Session
from foragers.evaluation.comparison.run import crawl
from foragers.evaluation.comparison.study import Study, prepare
from foragers.evaluation.metrics import harvest
from foragers.judges.simple import LabelJudge
from foragers.judges.words import Words
from foragers.worlds.generated import generate
from foragers.worlds.importing.importer import import_world
from foragers.worlds.serving.server import WorldServer
from foragers.worlds.store import save
from support.shared_suites import recording

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


@pytest.mark.parametrize(
    "strategy", ["auto", "best-first", "breadth-first", "uniform", "energy", "infospiders"]
)
@pytest.mark.parametrize("delay", [0.0, 1.0])
def test_many_connections_find_nearly_what_one_finds(
    strategy: str, delay: float, news: Path, study: Study
) -> None:
    # With a delay the judge learns as it goes, also with one connection.
    one = found_by(replace(run_of(news, strategy), delay=0.0), study)
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


def lived(
    run: ReplayOptions, server: WorldServer, folder: Path, connections: int = 16
) -> tuple[list[str], list[bool]]:
    """Crawl a web over HTTP; return the local URLs requested, and which pages passed the judge."""
    archive = server.archive
    order = CrawlOptions(
        seeds=tuple(server.address(archive.book.href(seed)) for seed in archive.seeds),
        aim=run.aim,
        strategy=run.strategy,
        budget=run.budget,
        delay=0.0,
        concurrency=connections,
        within="any",
        allow_private=("127.0.0.0/8",),
        warc=False,
    )
    session = Session.open(order, folder)
    try:
        session.run()
        facts = session.ledger.facts()
        urls = [session.ledger.href(url) for url in facts.urls.tolist()]
        return urls, (facts.relevant & facts.ok).tolist()
    finally:
        session.close()


@pytest.mark.parametrize("strategy", ["auto", "best-first"])
def test_a_polite_replay_predicts_the_live_crawl(
    strategy: str, news: Path, study: Study, tmp_path: Path
) -> None:
    run = run_of(news, strategy)
    polite = replace(run, connections=16, delay=0.0, latency=(0.01, 0.02))
    facts = crawl(polite, study, ":memory:")
    archive = study.archive
    with WorldServer(archive) as server:
        urls, passed = lived(run, server, tmp_path / "crawl")
        urls = list(map(server.world_address, urls))
    replayed = [archive.book.href(url) for url in facts.urls.tolist()]
    on_topic = {archive.book.href(url) for url in archive.labels.urls["topic:climate"].tolist()}
    for downloads in (100, 200, BUDGET):
        by_label = len(on_topic.intersection(replayed[:downloads]))
        by_judge = int(np.count_nonzero((facts.relevant & facts.ok)[:downloads]))
        assert by_label > 60
        assert by_judge > 30
        assert len(on_topic.intersection(urls[:downloads])) == pytest.approx(by_label, rel=0.1)
        assert sum(passed[:downloads]) == pytest.approx(by_judge, rel=0.1)


@pytest.fixture(scope="module")
def imports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for recorded webs, each of which is imported once."""
    return tmp_path_factory.mktemp("imports")


def recorded_run(web: str, topic: str, strategy: str, folder: Path) -> ReplayOptions:
    """Return a run on a recorded web, which is imported if it is not yet."""
    warc = recording(web)
    if not (folder / web).exists():
        import_world(folder / web, [warc])
    seeds = tuple((warc.parent / f"{web}.seeds.txt").read_text().split())
    return ReplayOptions(str(folder / web), strategy, Target(topic), 400, seeds=seeds)


@pytest.mark.parametrize(
    ("web", "topic", "strategy"),
    [
        ("organisations", "ldap, authentication, directory, login, kerberos", "auto"),
        ("university-news", "nursing, medicine, patient, health", "best-first"),
        ("university-news", "football, athletics, stadium", "auto"),
        ("openoffice", "test case, testcase, regression, quality assurance", "shark-search"),
        ("openoffice", "test case, testcase, regression, quality assurance", "auto"),
    ],
)
def test_polite_replays_of_a_recorded_web_predict_what_the_judge_will_count(
    web: str, topic: str, strategy: str, imports: Path, tmp_path: Path
) -> None:
    # Which of several answers comes first changes what is learned, here and there: so means.
    run = recorded_run(web, topic, strategy, imports)
    found = prepare(run)
    polite = replace(run, connections=16, delay=0.0, latency=(0.01, 0.02))
    expected = np.mean([found_by(replace(polite, seed=seed), found) for seed in range(4)])
    came = []
    for number in range(3):
        with WorldServer(found.archive, latency=0.01) as server:
            came.append(sum(lived(run, server, tmp_path / f"crawl{number}")[1]))
    assert expected > 30
    assert np.mean(came) == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize(
    ("web", "topic", "strategy"),
    [
        ("university-news", "nursing, medicine, patient, health", "auto"),
        ("departments", "operating system, kernel, file system", "best-first"),
    ],
)
def test_with_one_connection_a_replay_and_a_live_crawl_are_the_same_page_by_page(
    web: str, topic: str, strategy: str, imports: Path, tmp_path: Path
) -> None:
    run = recorded_run(web, topic, strategy, imports)
    found = prepare(run)
    book = found.archive.book
    facts = crawl(replace(run, delay=0.0), found, ":memory:")
    with WorldServer(found.archive) as server:
        urls, passed = lived(run, server, tmp_path / "crawl", connections=1)
        urls = list(map(server.world_address, urls))
    assert urls == [book.href(url) for url in facts.urls.tolist()]
    assert passed == (facts.relevant & facts.ok).tolist()


def test_the_judge_of_a_polite_run_learns_as_it_goes_and_each_run_has_its_own(
    news: Path, study: Study
) -> None:
    run = replace(run_of(news, "breadth-first"), delay=0.0)
    first, again = (study.judges_of(run)[1] for _ in range(2))
    assert isinstance(first, Words)
    assert first.growing
    assert first is not again
    assert first.standing().pages == 0
    beforehand, _ = study.judges_of(replace(run, delay=None))
    assert isinstance(beforehand, Words)
    assert not beforehand.growing


def test_labels_judge_a_polite_run_where_nothing_else_does(news: Path) -> None:
    run = ReplayOptions(str(news), "", Target(relevant="topic:climate"), delay=0.0)
    found = prepare(run)
    assert found.fresh is None
    assert isinstance(found.judges_of(run)[0], LabelJudge)


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
