"""The exhibits of `population` on a small scale: what they show is what the crawls did."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from foragers.core.options import Target
from foragers.errors import UsageError
from foragers.evaluation.tables import Exhibits, Measured
from foragers.papers.automata.webs import TopicOnWeb
from foragers.papers.output import write_exhibits
from foragers.papers.population import paper as population
from foragers.papers.population.claims import spread
from foragers.papers.population.crawls import (
    MARKS,
    Bounds,
    PopulationResults,
    PopulationTask,
    PopulationTrace,
    grounds_of,
    perform,
)
from foragers.papers.population.numbers import (
    BUFFERED,
    FACTORS,
    PAPERS_OWN,
    RIVALS,
    SIGMOIDS,
    UNBUFFERED,
)
from foragers.papers.request import PAPERS, PaperRequest
from foragers.worlds.store import save
from support.exhibit_audit import faults_of
from support.progress import silent
from support.random_worlds import random_world


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Exhibits, Path]:
    out = tmp_path_factory.mktemp("population")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("foragers.papers.population.crawls.TOPICS", {"robotics": "robot sensor"})
        return population.reproduce(PaperRequest(out, runs=2, scale=0.008), silent), out


def rows(exhibits: Exhibits, name: str) -> list[dict[str, object]]:
    found = next(table for table in exhibits.tables if table.name == name)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def mean(cell: object) -> float:
    assert isinstance(cell, Measured)
    return cell.mean


def test_every_figure_shows_every_run_at_every_mark(made: tuple[Exhibits, Path]) -> None:
    exhibits, _ = made
    names = [figure.name for figure in exhibits.figures]
    assert names == [
        *(f"figure-{number}" for number in ("2", "3", "3-literal", "4", "5", "5-literal", "6")),
        "figure-comparison",
    ]
    crawlers = (len(FACTORS), len(SIGMOIDS), len(SIGMOIDS), 2, 2, 2, 2, len(RIVALS))
    for figure, count in zip(exhibits.figures, crawlers, strict=True):
        assert {len(column) for column in figure.data.values()} == {count * 2 * MARKS}


def test_settings_say_how_much_of_a_topic_crawls_use(
    made: tuple[Exhibits, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    exhibits, out = made
    monkeypatch.setattr("foragers.papers.population.crawls.TOPICS", {"robotics": "robot sensor"})
    ground = grounds_of(PaperRequest(out, runs=2, scale=0.008), 2)[0]
    pages = len(ground.study().rewards())
    told = re.fullmatch(
        r"([\d,]+) to ([\d,]+); the paper's population finds at most (\d+)% of them, .* (\d+)%",
        exhibits.settings["pages on a topic"],
    )
    assert told is not None
    assert told[1] == told[2] == f"{pages:,}"
    found = {row["crawler"]: mean(row["relevant pages"]) for row in rows(exhibits, "comparison")}
    # The largest share of two runs is at least that of their mean, and at most the budget's.
    assert 100 * found[PAPERS_OWN] / pages <= int(told[3]) + 0.5
    assert 100 * max(found.values()) / pages <= int(told[4]) + 0.5
    assert int(told[4]) <= 100 * ground.budget / pages + 0.5


def test_a_population_with_conservation_keeps_its_bounds(made: tuple[Exhibits, Path]) -> None:
    exhibits, _ = made
    table = {row["crawler"]: row for row in rows(exhibits, "populations")}
    # 200 pages are less than a hundredth of the paper's, and twenty agents the fewest.
    assert mean(table[BUFFERED]["least"]) >= 15
    assert mean(table[BUFFERED]["most"]) <= 25
    assert mean(table[UNBUFFERED]["most"]) > 25
    claim = "With conservation the population is always within its bounds"
    assert next(one for one in exhibits.verdicts if one.claim == claim).holds


def test_tables_and_figures_agree(made: tuple[Exhibits, Path]) -> None:
    exhibits, _ = made
    shown = exhibits.figures[-1].data
    for row in rows(exhibits, "comparison"):
        at_end = [
            float(value)
            for crawler, pages, value in zip(
                shown["crawler"], shown["pages"], shown["precision"], strict=True
            )
            if (crawler, pages) == (row["crawler"], 200)
        ]
        assert mean(row["all pages"]) == pytest.approx(np.mean(at_end))
        assert mean(row["relevant pages"]) == pytest.approx(200 * np.mean(at_end), rel=1e-6)


def test_everything_is_written(made: tuple[Exhibits, Path]) -> None:
    exhibits, out = made
    write_exhibits(exhibits, out)
    for name in ("report.html", "exhibits.json", "figure-5.png", "figure-5.csv", "populations.csv"):
        assert (out / name).stat().st_size > 0
    assert exhibits.paper in PAPERS
    assert faults_of(out) == []
    assert all("topics-" in verdict.world for verdict in exhibits.verdicts)


def test_bounds_are_the_papers_on_a_crawl_of_its_length() -> None:
    ground = TopicOnWeb("w", Path(), "t", Target(), (), 25_000, 0, Path())
    assert Bounds.of(ground) == Bounds(200, 150, 250)
    half = TopicOnWeb("w", Path(), "t", Target(), (), 12_500, 0, Path())
    assert Bounds.of(half) == Bounds(100, 75, 125)


def test_a_crawl_that_dies_out_keeps_what_it_had(tmp_path: Path) -> None:
    save(random_world(3), tmp_path / "w")
    ground = TopicOnWeb(
        "w", tmp_path / "w", "t", Target("prawn reef"), (), 60, 0, tmp_path / "judged"
    )
    trace = perform(
        PopulationTask(ground, "x", "energy(kind=original, agents=3, rho=0.001, cost=0.9)", 1)
    )
    # Two seeds, then each of three agents lives for two pages at most.
    assert trace.final == trace.least == 0
    assert trace.ended <= 2 + 3 * 2
    assert trace.missing < 1e-12
    assert trace.precision() == trace.relevant[-1] / trace.ended


def test_spread_is_the_ratio_of_the_extremes() -> None:
    def trace(final: int) -> PopulationTrace:
        task = PopulationTask(
            TopicOnWeb("w", Path(), "t", Target(), (), 100, 0, Path()), "x", "", 0
        )
        return PopulationTrace(task, (0,) * MARKS, (final,) * MARKS, 0, final, 100, 0.0, 0.0)

    results = PopulationResults((), {"a": [trace(10), trace(0)], "b": [trace(40), trace(7)]}, {})
    # A population that died out depends most on its parameters, and so do two.
    assert spread(results, ("a", "b")) == [4.0, float("inf")]
    assert spread(replace(results, traces={"a": [trace(0)]}), ("a",)) == [float("inf")]


def test_recorded_worlds_need_to_be_told_what_is_wanted(tmp_path: Path) -> None:
    save(random_world(3), tmp_path / "w")
    asked = PaperRequest(tmp_path / "out", (tmp_path / "w",))
    with pytest.raises(UsageError, match="--topic"):
        grounds_of(asked, 2)
    with pytest.raises(UsageError, match="--world"):
        grounds_of(PaperRequest(tmp_path / "out", topic="tea"), 2)
    wanted = PaperRequest(tmp_path / "out", (tmp_path / "w",), topic="prawn; reef tide")
    found = grounds_of(wanted, 3)
    assert [ground.topic for ground in found] == ["prawn", "reef tide", "prawn"]
    nothing = PaperRequest(tmp_path / "out", (tmp_path / "w",), topic="zeppelin")
    with pytest.raises(UsageError, match="zeppelin"):
        grounds_of(nothing, 2)


def test_precision_is_compared_after_equally_many_pages() -> None:
    ground = TopicOnWeb("w", Path(), "t", Target(), (), 1000, 0, Path())
    task = PopulationTask(ground, "x", "", 0)

    def trace(ended: int, share: float) -> PopulationTrace:
        found = tuple(round(share * min(10 * (mark + 1), ended)) for mark in range(MARKS))
        return PopulationTrace(task, found, (1,) * MARKS, 1, 1, ended, 0.0, 0.0)

    long = replace(trace(1000, 0.5), relevant=(*(10 * (mark + 1) for mark in range(MARKS)),))
    results = PopulationResults((ground,), {"short": [trace(205, 0.5)], "long": [long]}, {})
    # The short one ended after 205 pages, so both are looked at after 200.
    assert results.at_equal_pages("short", "long") == ([0.5], [1.0])


def test_a_crawl_that_was_made_before_is_read_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(random_world(3), tmp_path / "w")
    aim = Target("prawn reef")
    ground = TopicOnWeb("w", tmp_path / "w", "t", aim, (), 30, 0, tmp_path / "judged")
    task = PopulationTask(ground, "x", "energy(agents=3)", 1)
    first = perform(task)
    monkeypatch.setattr("foragers.papers.population.crawls.crawl", lambda _: pytest.fail("again"))
    assert perform(task) == first
    with pytest.raises(BaseException, match="again"):
        perform(replace(task, seed=2))
