"""The exhibits of `automata`: made on a small scale, and computed again from the ledgers."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing
from scipy import stats

from foragers.core.options import Target
from foragers.errors import UsageError
from foragers.evaluation.tables import Exhibits, Measured
from foragers.papers.automata import convergence as automata_convergence
from foragers.papers.automata import crawls as automata_crawls
from foragers.papers.automata import paper as automata
from foragers.papers.automata import webs as automata_webs
from foragers.papers.automata.crawls import (
    AutomataOutcome,
    AutomataResults,
    AutomataTask,
    AutomataTrace,
    perform,
)
from foragers.papers.automata.figures import number_of
from foragers.papers.automata.numbers import (
    CRAWLERS,
    STAND_INS,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_4_TESTS,
)
from foragers.papers.automata.numbers import TOPICS as PAPERS_TOPICS
from foragers.papers.automata.webs import TopicOnWeb
from foragers.papers.request import PaperRequest
from foragers.worlds.store import save
from support.progress import silent
from support.worlds_by_hand import small_world

TOPICS = ("Robotics", "Asthma")
BUDGET = 100


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Exhibits, Path]:
    out = tmp_path_factory.mktemp("automata")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(automata, "CRAWLS", 2)
        patch.setattr(automata, "TABLE_2", {0.45: TABLE_2[0.45], 0.95: TABLE_2[0.95]})
        patch.setattr(automata, "TABLE_3", {0.05: TABLE_3[0.05], 0.5: TABLE_3[0.5]})
        patch.setattr(automata_webs, "STAND_INS", {name: STAND_INS[name] for name in TOPICS})
        patch.setattr(automata_webs, "FEWEST_PAGES", 800)
        patch.setattr(automata_webs, "FEWEST_DOWNLOADS", BUDGET)
        patch.setattr(automata_webs, "GENERATED_TOPICS", 12)
        patch.setattr(automata_convergence, "AUTOMATA", 100)
        patch.setattr(automata_convergence, "STEPS", 500)
        request = PaperRequest(out, runs=1, scale=0.008)
        return automata.reproduce(request, silent), out


def table(exhibits: Exhibits, name: str) -> list[dict[str, object]]:
    found = next(table for table in exhibits.tables if table.name == name)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def mean(cell: object) -> float:
    assert isinstance(cell, Measured)
    return cell.mean


def crawled(out: Path, run: int, topic: str, crawler: str) -> tuple[list[bool], set[str]]:
    """Return, from a ledger, which downloads found a relevant page first, and which pages."""
    file = out / "ledgers" / f"generated-{run}-{topic}-{crawler}-0.sqlite"
    connection = sqlite3.connect(file)
    rows = connection.execute("SELECT final, status, relevance FROM pages ORDER BY number")
    seen: set[str] = set()
    hits = []
    for final, status, relevance in rows.fetchall():
        hits.append(status == "ok" and relevance >= 0.75 and final not in seen)
        if hits[-1]:
            seen.add(final)
    connection.close()
    return hits, seen


def precisions(out: Path, crawler: str, downloads: int = BUDGET) -> list[float]:
    found = [crawled(out, 0, topic, crawler)[0] for topic in TOPICS]
    assert all(len(hits) == BUDGET for hits in found)
    return [sum(hits[:downloads]) / downloads for hits in found]


def test_precision_is_that_of_the_ledgers(made: tuple[Exhibits, Path]) -> None:
    exhibits, out = made
    rows = {row["crawler"]: row["precision"] for row in table(exhibits, "table-4")}
    for crawler in CRAWLERS:
        expected = precisions(out, crawler)
        assert mean(rows[crawler]) == pytest.approx(np.mean(expected))
        cell = rows[crawler]
        assert isinstance(cell, Measured)
        assert cell.std == pytest.approx(np.std(expected, ddof=1))
    shown = next(figure for figure in exhibits.figures if figure.title.endswith("Robotics"))
    points = zip(*(shown.data[key] for key in ("crawler", "downloads", "precision")), strict=True)
    curves = {(crawler, downloads): value for crawler, downloads, value in points}
    for crawler in CRAWLERS:
        for downloads in (10, 50, 100):
            both = precisions(out, crawler, downloads)
            assert curves[crawler, downloads] == pytest.approx(both[0])


def test_tests_are_those_of_the_ledgers(made: tuple[Exhibits, Path]) -> None:
    exhibits, out = made
    rows = {row["difference"]: row for row in table(exhibits, "table-4-tests")}
    for one, other in combinations(CRAWLERS, 2):
        row = rows[f"{one} − {other}"]
        ours, theirs = precisions(out, one), precisions(out, other)
        p = stats.ttest_rel(ours, theirs).pvalue
        if np.isfinite(p):
            assert float(str(row["p, paired"])) == pytest.approx(p, abs=6e-4, rel=0.06)
        points = [
            [np.mean(precisions(out, name, downloads)) for downloads in range(10, 101, 10)]
            for name in (one, other)
        ]
        welch = stats.ttest_ind(*points, equal_var=False).pvalue
        assert float(str(row["p as the paper"])) == pytest.approx(welch, abs=6e-4, rel=0.06)


def test_recall_is_that_of_the_ledgers(made: tuple[Exhibits, Path]) -> None:
    exhibits, out = made
    rows = {(row["topic"], row["crawler"]): row["ours"] for row in table(exhibits, "table-5")}
    for topic in TOPICS:
        found = {name: crawled(out, 0, topic, name)[1] for name in CRAWLERS}
        pooled = set.union(*found.values())
        for name in CRAWLERS:
            assert mean(rows[topic, name]) == pytest.approx(len(found[name]) / len(pooled))


def test_the_learning_rate_does_not_matter_in_a_first_crawl(made: tuple[Exhibits, Path]) -> None:
    rows = table(made[0], "table-3")
    assert len({mean(row["first crawl"]) for row in rows}) == 1
    rows = table(made[0], "learning")
    assert rows[0]["each anew"] == rows[0]["a = 0.09"] == rows[0]["a = 0.5"]


def test_everything_can_be_drawn(made: tuple[Exhibits, Path]) -> None:
    exhibits = made[0]
    names = {shown.name for shown in exhibits.figures}
    assert names == {
        f"figure-{name}" for name in ("3", "5", "7", "8", "learning", "convergence", "table-3")
    }
    for shown in exhibits.figures:
        drawing = Drawing()
        shown.draw(drawing)
        assert all(axes.lines for axes in drawing.axes)
        assert len({len(column) for column in shown.data.values()}) == 1
    assert all(verdict.statistic for verdict in exhibits.verdicts)
    assert "cosine" in exhibits.settings["relevant"]


@pytest.mark.parametrize(
    ("topics", "numbers"),
    [
        (list(PAPERS_TOPICS), [2, 3, 4, 5, 6]),
        (["Asthma", "Linux"], [5, 2]),
        (["tea", "Linux"], [2, 3]),
        ([f"topic {number}" for number in range(7)], [2, 3, 4, 5, 6, None, None]),
    ],
)
def test_figure_of_a_topic_is_the_papers_if_it_has_one(
    topics: list[str], numbers: list[int | None]
) -> None:
    folder = Path("web")
    grounds = [TopicOnWeb("web", folder, name, Target(name), (), 10, 0, folder) for name in topics]
    results = AutomataResults(grounds, {}, {}, {}, {}, {}, [])
    assert [number_of(results, topic) for topic in topics] == numbers
    assert number_of(results, None) == 7


def test_the_papers_chances_are_those_of_welchs_test_over_ten_points() -> None:
    for (one, other), p in TABLE_4_TESTS.items():
        found = stats.ttest_ind_from_stats(*TABLE_4[one], 10, *TABLE_4[other], 10, equal_var=False)
        assert found.pvalue == pytest.approx(p, rel=0.1)


def test_recorded_world_without_the_topics_says_what_to_do(tmp_path: Path) -> None:
    save(small_world({"a": ["b"], "b": []}), tmp_path / "w")
    request = PaperRequest(tmp_path / "out", (tmp_path / "w",))
    with pytest.raises(UsageError, match="say what is wanted with --topic"):
        automata.reproduce(request, silent)
    with pytest.raises(UsageError, match="name one with --world"):
        automata.reproduce(PaperRequest(tmp_path / "out", topic="tea"), silent)


def test_reproduction_that_is_taken_up_again_repeats_no_crawl(
    made: tuple[Exhibits, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, out = made
    folder = Path("web")
    ground = TopicOnWeb("web", folder, "tea", Target("tea"), (), 10, 0, out / "again" / "judged")
    task = AutomataTask(ground, "LAFC", "lafc", 0, crawls=2)
    trace = AutomataTrace((5, 10), (1, 2), (0.1, 0.2), frozenset([3, 4]))
    done: list[AutomataTask] = []

    def crawl_twice(one: AutomataTask) -> tuple[AutomataTrace, ...]:
        done.append(one)
        return trace, trace

    monkeypatch.setattr(automata_crawls, "crawls_of", crawl_twice)
    assert perform(task) == perform(task) == AutomataOutcome(task, (trace, trace))
    assert done == [task]
    perform(replace(task, seed=1))
    perform(replace(task, spec="lafc(a=0.5)"))
    # A ledger that is gone is made again.
    with_ledger = replace(task, ledger=out / "again" / "ledger.sqlite")
    perform(with_ledger)
    perform(with_ledger)
    assert len(done) == 5


def test_the_highest_precision_is_bounded_by_the_pages_that_there_are() -> None:
    web = TopicOnWeb("web", Path(), "topic", Target(), (), 1000, 0, Path())
    results = AutomataResults([web], {web: 300}, {}, {}, {}, {}, [])
    # At the third of ten marks 300 downloads are made, which all may be relevant.
    assert [results.highest(mark) for mark in (0, 2, 9)] == pytest.approx([1, 1, 0.3])
    assert results.highest(3) == pytest.approx(0.75)
