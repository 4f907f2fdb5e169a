"""The files of `reproduce automata` on recorded webs, against sums done apart from the ledgers.

Nothing of the measures is used here: SQL, sets, and the textbook's formulas.
"""

from __future__ import annotations

import csv
import sqlite3
from dataclasses import replace
from functools import cache
from itertools import combinations
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from foragers.papers.automata import convergence as automata_convergence
from foragers.papers.automata import paper as automata
from foragers.papers.automata import webs as automata_webs
from foragers.papers.automata.crawls import convergence_of
from foragers.papers.automata.numbers import TABLE_2, TABLE_3
from foragers.papers.output import write_exhibits
from foragers.papers.request import PaperRequest
from foragers.strategies.automata.saved import Remembered
from foragers.worlds.generated import generate
from foragers.worlds.store import save
from support.exhibit_audit import faults_of
from support.progress import silent

WEBS, RUNS = ("east", "west"), 2
WORDS = ("robot sensor actuator", "patient hospital vaccine")
CRAWLERS = ("LAFC", "BPM", "HW", "LJM")
PAGES, BUDGET = 300, 90
MARKS = [BUDGET * tenth // 10 for tenth in range(1, 11)]
GROUNDS = [(web, words) for web in WEBS for words in WORDS]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    for seed, name in enumerate(WEBS):
        save(generate("topics", seed=seed, pages=PAGES, topics=12), folder / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(automata, "CRAWLS", 1)
        patch.setattr(automata, "TABLE_2", {0.45: TABLE_2[0.45], 0.95: TABLE_2[0.95]})
        patch.setattr(automata, "TABLE_3", {0.05: TABLE_3[0.05], 0.5: TABLE_3[0.5]})
        patch.setattr(automata_webs, "FEWEST_RELEVANT", 1)
        patch.setattr(automata_convergence, "AUTOMATA", 100)
        patch.setattr(automata_convergence, "STEPS", 500)
        worlds = tuple(folder / name for name in WEBS)
        request = PaperRequest(folder / "out", worlds, runs=RUNS, topic="; ".join(WORDS))
        exhibits = automata.reproduce(request, silent)
    write_exhibits(exhibits, folder / "out")
    return folder / "out"


def test_every_number_of_the_page_is_in_a_csv(out: Path) -> None:
    assert faults_of(out) == []


@cache
def hits(out: Path, web: str, words: str, crawler: str, run: int) -> list[str | None]:
    """Return for each download the relevant page that it found first, or None."""
    name = f"{web}-0-{words.replace(' ', '_')}-{crawler}-{run}.sqlite"
    file = out / "ledgers" / name
    if not file.exists():
        # What leaves nothing to chance was done once.
        assert run > 0
        assert crawler != "LAFC"
        return hits(out, web, words, crawler, 0)
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    query = "SELECT final, status = 'ok' AND relevance >= 0.75 FROM pages ORDER BY number"
    seen: set[str] = set()
    found: list[str | None] = []
    for final, good in connection.execute(query):
        found.append(final if good and final not in seen else None)
        seen.add(final)
    connection.close()
    assert len(found) == BUDGET
    return found


def precisions(out: Path, crawler: str, downloads: int) -> list[float]:
    """Return the precision on each web and topic, the mean of its runs."""
    return [
        sum(
            sum(page is not None for page in hits(out, *ground, crawler, run)[:downloads])
            for run in range(RUNS)
        )
        / (RUNS * downloads)
        for ground in GROUNDS
    ]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def variance(values: list[float]) -> float:
    return sum((value - mean(values)) ** 2 for value in values) / (len(values) - 1)


def both_sides(t: float, freedom: float) -> float:
    """Return how often chance alone gives a t at least as far from 0."""
    return float(special.betainc(freedom / 2, 0.5, freedom / (freedom + t * t)))


def table(out: Path, name: str) -> list[dict[str, str]]:
    with (out / f"{name}.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_table_4_is_what_the_ledgers_say(out: Path) -> None:
    rows = {row["crawler"]: row for row in table(out, "table-4")}
    assert set(CRAWLERS) < set(rows)
    for crawler in CRAWLERS:
        for column, downloads in (("precision", BUDGET), ("first tenth", BUDGET // 10)):
            expected = precisions(out, crawler, downloads)
            assert float(rows[crawler][column]) == pytest.approx(mean(expected))
            assert float(rows[crawler][f"{column} std"]) == pytest.approx(sqrt(variance(expected)))


def test_t_tests_are_what_the_ledgers_say(out: Path) -> None:
    rows = {row["difference"]: row for row in table(out, "table-4-tests")}
    for one, other in combinations(CRAWLERS, 2):
        row = rows[f"{one} − {other}"]
        pairs = zip(precisions(out, one, BUDGET), precisions(out, other, BUDGET), strict=True)
        apart = [ours - theirs for ours, theirs in pairs]
        assert float(row["ours"]) == pytest.approx(mean(apart))
        t = mean(apart) / sqrt(variance(apart) / len(apart))
        assert float(row["p, paired"]) == pytest.approx(
            both_sides(t, len(apart) - 1), abs=6e-4, rel=0.06
        )
        curves = [[mean(precisions(out, name, mark)) for mark in MARKS] for name in (one, other)]
        errors = [variance(curve) / len(curve) for curve in curves]
        freedom = sum(errors) ** 2 / sum(e * e / (len(MARKS) - 1) for e in errors)
        t = (mean(curves[0]) - mean(curves[1])) / sqrt(sum(errors))
        assert float(row["p as the paper"]) == pytest.approx(
            both_sides(t, freedom), abs=6e-4, rel=0.06
        )


def test_recall_is_what_the_ledgers_say(out: Path) -> None:
    rows = {(row["topic"], row["crawler"]): float(row["ours"]) for row in table(out, "table-5")}
    for words in WORDS:
        shares: dict[str, list[float]] = {name: [] for name in CRAWLERS}
        for web in WEBS:
            for run in range(RUNS):
                found = {name: set(hits(out, web, words, name, run)) - {None} for name in CRAWLERS}
                pooled = set.union(*found.values())
                for name in CRAWLERS:
                    shares[name].append(len(found[name]) / len(pooled))
        for name in CRAWLERS:
            assert rows[words, name] == pytest.approx(mean(shares[name]))


def test_curves_are_what_the_ledgers_say(out: Path) -> None:
    # Topics that are not the paper's take its first places; Fig. 7 is the mean.
    for number, chosen in ((2, GROUNDS[0::2]), (3, GROUNDS[1::2]), (7, GROUNDS)):
        rows = table(out, f"figure-{number}")
        shown = {(row["crawler"], int(row["downloads"])): float(row["precision"]) for row in rows}
        for crawler in CRAWLERS:
            for mark in MARKS:
                found = dict(zip(GROUNDS, precisions(out, crawler, mark), strict=True))
                expected = mean([found[ground] for ground in chosen])
                assert shown[crawler, mark] == pytest.approx(expected)


def test_convergence_is_told_of_automata_with_several_links() -> None:
    # Three automata: of two links 0.95 and 0.05, of one link, and of four links alike.
    probabilities = np.array([0.95, 0.05, 1.0, 0.25, 0.25, 0.25, 0.25], np.float32)
    automata = Remembered(
        np.array([1, 2, 3], np.uint64),
        np.array([0, 2, 3, 7]),
        np.arange(7, dtype=np.uint32),
        probabilities,
        np.zeros(3, np.float32),
        np.zeros(3, np.int32),
    )
    converged, surest = convergence_of(automata)
    assert converged == 0.5
    assert surest == pytest.approx((0.95 + 0.25) / 2)
    assert convergence_of(replace(automata, starts=np.array([0, 1]))) == (None, None)
