"""All that the exhibits say of a fleet can be recomputed from its ledger, by plain code."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import mean

import numpy as np
import pytest

from foragers.papers.evolution.figures import starting_figure, territory_figure
from foragers.papers.evolution.measures import totals_of
from foragers.papers.evolution.paper import FLEETS
from foragers.papers.fleets.kinds import FleetKind
from foragers.papers.fleets.runs import FleetJob, FleetOutcome, perform
from foragers.papers.fleets.webs import Terrain
from foragers.worlds import states
from foragers.worlds.generated import generate
from foragers.worlds.store import save

DAY, HOUR, WINDOW, PART = 86_400.0, 3600.0, 3 * 3600.0, 4500.0


Visitors = dict[tuple[int, ...], set[int]]
"""The foragers that visited a page, or took a way, in a window."""


class Ledger:
    """The tables of a ledger, and what follows from them."""

    def __init__(self, file: Path) -> None:
        with closing(sqlite3.connect(file)) as connection:
            self.rows = connection.execute(
                "SELECT step, time, url, version, forager, sent, relevant FROM downloads"
            ).fetchall()
            self.lives = connection.execute("SELECT * FROM lives").fetchall()
            self.paths = dict(connection.execute("SELECT step, forager FROM paths"))
            self.starts = connection.execute("SELECT * FROM starts").fetchall()
            self.scores = connection.execute("SELECT * FROM scores").fetchall()
            self.versions = connection.execute("SELECT * FROM versions").fetchall()
            about = dict(connection.execute("SELECT name, value FROM about"))
        self.end = about["days"] * DAY
        self.ends = [WINDOW * number for number in range(1, int(self.end // WINDOW) + 1)]
        self.steps = {row[0]: row for row in reversed(self.rows)}

    def alive(self, time: float) -> int:
        return sum(1 if what == "birth" else -1 for at, what, _, _ in self.lives if at < time)

    def found(self, time: float) -> int:
        return len({row[2] for row in self.rows if row[1] < time})

    def shares(self) -> tuple[float, float]:
        """Return the shares of pages, and of trajectories, of one forager, window by window."""
        pages: Visitors = defaultdict(set)
        ways: Visitors = defaultdict(set)
        starts: Visitors = defaultdict(set)
        path: dict[int, list[int]] = {}
        for step, (_, time, url, _, forager, _, _) in sorted(self.steps.items()):
            window = time // PART
            pages[window, url].add(forager)
            path[forager] = [] if step in self.paths else path[forager]
            path[forager].append(url)
            if len(path[forager]) > 2:
                ways[window, *path[forager][-3:]].add(forager)
        for (window, start, _, _), who in ways.items():
            starts[window, start] |= who
        shared = {way: who for way, who in ways.items() if len(starts[way[:2]]) > 1}
        return mean_share(pages), mean_share(shared)

    def score(self) -> list[tuple[float, int, float]]:
        """Return the scores after the step under way at the end of each window."""
        found, score, lives, ends = [], {}, list(self.lives), list(self.ends)
        gains: dict[int, float] = defaultdict(float)
        over: dict[int, float] = {}
        for step, time, _, _, _, sent, relevant in self.rows:
            gains[step] += relevant - 0.05 * sent
            over[step] = time
        before = 0.0
        for step, row in sorted(self.steps.items()):
            while lives and lives[0][0] <= before:
                _, what, forager, parent = lives.pop(0)
                score.update({forager: 100.0} | ({parent: 100.0} if parent >= 0 else {}))
                if what == "death":
                    del score[forager]
                    score.pop(-1, None)
            score[row[4]] += gains[step]
            before = over[step]
            while ends and before >= ends[0]:
                found += [(ends[0], *one) for one in sorted(score.items())]
                ends.pop(0)
        return found

    def lag(self, first: float, last: float) -> float:
        """Return how many hours old news was when it was found."""
        held = [row for row in self.rows if row[6] and first <= row[1] < last]
        born = [
            max(when for _, _, when, content, _ in self.versions if content == row[3] and when <= t)
            for row in held
            for t in (row[1],)
        ]
        lags = [(row[1] - at) / HOUR for row, at in zip(held, born, strict=True) if at > 0]
        return mean(lags) if lags else float("nan")

    def totals(self) -> dict[str, float]:
        sent, relevant = (sum(row[column] for row in self.rows) for column in (5, 6))
        later = [end for end in self.ends if end >= DAY]
        alone, apart = self.shares()
        return {
            "downloaded": len(self.rows),
            "sent": sent,
            "rewarded": relevant,
            "rewarded / downloaded": relevant / len(self.rows),
            "rewarded / sent": relevant / sent,
            "foragers at the end": self.alive(self.ends[-1]),
            "births": sum(what == "birth" and parent >= 0 for _, what, _, parent in self.lives),
            "deaths": sum(what == "death" for _, what, _, _ in self.lives),
            "lowest score": min(score for _, _, score in self.score()),
            "new URLs a day": (self.found(later[-1]) - self.found(later[0]))
            / ((later[-1] - later[0]) / DAY),
            "pages visited by one forager only": alone,
            "trajectories taken by one forager only": apart,
            "hours to find news, first half": self.lag(0.0, self.end / 2),
            "hours to find news, second half": self.lag(self.end / 2, 2 * self.end),
        }


def mean_share(visits: Visitors) -> float:
    all_, own = Counter(key[0] for key in visits), Counter[int]()
    for key, who in visits.items():
        own[key[0]] += len(who) == 1
    return mean(own[window] / count for window, count in all_.items()) if all_ else float("nan")


def lively(kind: FleetKind) -> FleetKind:
    settings = [replace(one, multiply_at=103.0, delete_at=100.0) for one in kind.settings]
    return replace(kind, settings=tuple(settings))


@pytest.fixture(scope="module")
def terrain(tmp_path_factory: pytest.TempPathFactory) -> Terrain:
    path = tmp_path_factory.mktemp("worlds") / "news"
    save(generate("news", seed=3, pages=700, days=1.5), path)
    return Terrain("news", path)


@pytest.fixture(scope="module", params=["WLRL", "RL", "no learning"])
def outcome(request: pytest.FixtureRequest, terrain: Terrain) -> FleetOutcome:
    kind, file = lively(FLEETS[request.param]), terrain.path.parent / f"{request.param}.sqlite"
    job = FleetJob(terrain, kind, 1, 1.5, territory=PART, ledger=file, seconds_per_page=12.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(states, "SAMPLE", 150)
        patch.setattr(states, "FEWEST", 100)
        return perform(job)


def file_of(outcome: FleetOutcome) -> Path:
    assert outcome.job.ledger is not None
    return outcome.job.ledger


def ledger_of(outcome: FleetOutcome) -> Ledger:
    return Ledger(file_of(outcome))


def test_the_totals_of_evolution_follow_from_the_ledger(outcome: FleetOutcome) -> None:
    told = totals_of(outcome)
    assert told["births"] > 2
    again = ledger_of(outcome).totals()
    # Of paths, pairs and territories only the run itself keeps count.
    assert len(told) == len(again) + 6
    assert again == pytest.approx({name: told[name] for name in again}, nan_ok=True)


def test_scores_and_populations_follow_from_the_ledger(outcome: FleetOutcome) -> None:
    ledger, run = ledger_of(outcome), outcome.run
    told = sorted((one.time - run.start, one.forager, one.score) for one in run.scores)
    assert np.array(sorted(ledger.score())) == pytest.approx(np.array(told))
    assert np.array(sorted(ledger.scores)) == pytest.approx(np.array(told))
    assert [ledger.alive(end) for end in ledger.ends] == [one.foragers for one in run.windows]


def test_starting_points_and_the_last_path_follow_from_the_ledger(outcome: FleetOutcome) -> None:
    ledger = ledger_of(outcome)
    figure = starting_figure("", outcome.run)
    assert np.sum(np.array(figure.data["new_starting_points"], int)) == len(ledger.starts)
    drawn = territory_figure("", outcome).data
    shown = [url for what, url in zip(drawn["what"], drawn["url"], strict=True) if what == "step"]
    paths: dict[int, list[list[int]]] = defaultdict(list)
    for step, row in sorted(ledger.steps.items()):
        if step in ledger.paths:
            paths[row[4]].append([])
        paths[row[4]][-1].append(row[2])
    over = [walked[-2] for walked in paths.values() if len(walked) > 1]
    assert shown in over
    assert len(shown) == max(map(len, over))


def name_of(query: str) -> str:
    """Return what the comment above a query says, up to a colon."""
    return query.partition("--")[2].splitlines()[0].partition(":")[0].strip()


def test_the_queries_of_the_docs_give_what_the_exhibits_show(outcome: FleetOutcome) -> None:
    text = (Path(__file__).parents[3] / "docs" / "fleet-ledgers.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    queries = [query for block in blocks for query in block.split(";") if query.strip()]
    with closing(sqlite3.connect(file_of(outcome))) as connection:
        found = {name_of(query): connection.execute(query).fetchall() for query in queries}
    told, run = totals_of(outcome), outcome.run
    assert found["Table 2"][0][:4] == (run.downloaded, run.sent, run.relevant, run.found_urls)
    assert found["foragers at the end of the first day (Fig. 3b)"] == [(run.windows[7].foragers,)]
    pages, ways = ("pages visited", "trajectories taken")
    for key, name in (("Fig. 4a and b", pages), ("Fig. 4c", ways)):
        share = mean(row[1] for row in found[key])
        assert share == pytest.approx(told[f"{name} by one forager only"]), key
    assert sum(row[1] for row in found["Fig. 5"]) == len(run.starts)
    fresh = found["freshness and age (hours) by document at the end of the first day"]
    window = run.windows[7]
    assert fresh[0] == pytest.approx((window.fresh_by_document, window.age_by_document))
