"""The exhibits of the forager papers at a small scale; tables recomputed from the ledgers."""

from __future__ import annotations

import csv
import json
import sqlite3
from itertools import pairwise
from pathlib import Path
from statistics import mean, stdev

import pytest

from foragers.cli.main import main
from foragers.papers.fleets import webs as terrain
from foragers.papers.fleets.kinds import BEYOND
from foragers.papers.fleets.measures import FULL_LENGTH, MEAN_LENGTH, MEASURES, ONE_PAGE, SHARE
from foragers.papers.selection import paper as selection
from foragers.papers.selection import rewiring
from foragers.worlds import states
from support.exhibit_audit import faults_of

WINDOW = 3 * 3600.0
DAY = 24 * 3600.0


@pytest.fixture(scope="module")
def selected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("selection") / "out"
    with pytest.MonkeyPatch.context() as patch:
        # The other readings differ in nothing but their settings.
        few = dict(list(selection.CHOICES.items())[:1])
        patch.setattr(selection, "CHOICES", few)
        patch.setattr(selection, "RULES", dict(list(selection.RULES.items())[:1]))
        patch.setattr(terrain, "FEWEST_DAYS", 0.125)
        patch.setattr(states, "SAMPLE", 150)
        patch.setattr(states, "FEWEST", 100)
        patch.setattr(rewiring, "SHARES", (0.0, 0.1, 1.0))
        patch.setattr(selection, "SHARES", (0.0, 0.1, 1.0))
        options = ["--scale", "0.005", "--runs", "2", "--jobs", "1", "--out", str(out)]
        assert main(["reproduce", "selection", *options]) == 0
    return out


@pytest.fixture(scope="module")
def evolved(tmp_path_factory: pytest.TempPathFactory, selected: Path) -> Path:
    out = tmp_path_factory.mktemp("evolution") / "out"
    world = next((selected / "worlds").iterdir())
    options = ["--world", str(world), "--runs", "2", "--jobs", "1", "--out", str(out)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            states, "SAMPLE", 150
        )  # so that the states kept with the world are those wanted
        assert main(["reproduce", "evolution", *options]) == 0
    return out


def test_settings_name_what_is_in_the_folder_without_the_path_to_it(selected: Path) -> None:
    settings = (selected / "settings.csv").read_text()
    assert "ledgers,ledgers (" in settings
    assert "(worlds/news-" in settings
    assert str(selected) not in settings


def test_every_number_of_the_pages_is_in_a_csv(selected: Path, evolved: Path) -> None:
    assert faults_of(selected) == []
    assert faults_of(evolved) == []


class Ledger:
    """The numbers of Table 2, from nothing but what a ledger says."""

    def __init__(self, file: Path) -> None:
        connection = sqlite3.connect(file)
        rows = connection.execute("SELECT time, url, version, sent, relevant FROM downloads")
        self.downloads = rows.fetchall()
        rows = connection.execute("SELECT id, url, time, content FROM versions ORDER BY time, id")
        self.history: dict[int, list[tuple[float, int]]] = {}
        self.url_of: dict[int, int] = {}
        self.news: set[int] = set()
        for number, url, time, content in rows:
            self.history.setdefault(url, []).append((time, content))
            self.url_of[number] = url
            if time >= -DAY:
                self.news.add(content)
        about = dict(connection.execute("SELECT name, value FROM about"))
        firsts = connection.execute("SELECT step, forager FROM paths ORDER BY step").fetchall()
        steps = connection.execute("SELECT DISTINCT step, forager FROM downloads").fetchall()
        self.lengths: list[int] = []
        for forager in {number for _, number in steps}:
            own = sorted(step for step, number in steps if number == forager)
            begun = [own.index(step) for step, number in firsts if number == forager]
            # The last path of a forager was not over.
            self.lengths += [after - first for first, after in pairwise(begun)]
        self.windows = int(about["days"] * DAY // about["window"])
        connection.close()

    def shown(self, url: int, time: float) -> tuple[float, int]:
        """Return since when a URL shows what just before a time, and what that is."""
        return [one for one in self.history[url] if one[0] < time][-1]

    def store(self, documents: list[int], end: float) -> tuple[float, float] | None:
        if not documents:
            return None
        fresh, ages = 0, []
        for document in documents:
            since, now_shown = self.shown(self.url_of[document], end)
            fresh += now_shown == document
            ages.append(0.0 if now_shown == document else (end - since) / 3600)
        return fresh / len(documents), mean(ages)

    def freshness(self, how: str) -> tuple[float, float]:
        found = []
        for window in range(1, self.windows + 1):
            end = window * WINDOW
            held = [(t, v) for t, _, v, _, relevant in self.downloads if relevant and t < end]
            if how == "by window":
                held = [(t, v) for t, v in held if t >= end - WINDOW]
            documents = [v for _, v in held]
            if how == "by URL":
                documents = list({self.url_of[v]: v for v in documents}.values())
            if (here := self.store(documents, end)) is not None:
                found.append(here)
        return mean(fresh for fresh, _ in found), mean(age for _, age in found)

    def table(self) -> dict[str, float]:
        downloaded = len(self.downloads)
        sent = sum(row[3] for row in self.downloads)
        relevant = sum(row[4] for row in self.downloads)
        urls = len({row[1] for row in self.downloads})
        found = {
            "downloaded": downloaded,
            "sent": sent,
            "relevant": relevant,
            "found URLs": urls,
            "download efficiency": relevant / downloaded,
            "sent efficiency": relevant / sent,
            "relative found URL": urls / downloaded,
            SHARE: relevant / len(self.news),
        }
        count = len(self.lengths) or float("nan")
        found[ONE_PAGE] = self.lengths.count(1) / count
        found[MEAN_LENGTH] = sum(self.lengths) / count
        found[FULL_LENGTH] = self.lengths.count(100) / count
        for how in ("by URL", "by document", "by window"):
            found[f"freshness, {how}"], found[f"age (h), {how}"] = self.freshness(how)
        return found


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        *(("table-2", kind) for kind in ("RL", "WL", "no learning", "random order", "home page")),
        *(("beyond", kind) for kind in BEYOND),
        *((f"table-2-{web}", kind) for web in ("rewired", "cohorts") for kind in ("RL", "WL")),
    ],
)
def test_tables_can_be_recomputed_from_the_ledgers(selected: Path, table: str, kind: str) -> None:
    folder = selected / "ledgers" / table.removeprefix("table-2").removeprefix("beyond").lstrip("-")
    files = sorted(folder.glob(f"news-{kind.lower().replace(' ', '-')}-[0-9].sqlite"))
    assert len(files) == (1 if kind == "home page" else 2)
    runs = [Ledger(file).table() for file in files]
    with (selected / f"{table}.csv").open(encoding="utf-8") as file:
        rows = {row["measure"]: row for row in csv.DictReader(file)}
    assert set(rows) == set(MEASURES) == set(runs[0])
    for measure, row in rows.items():
        values = [run[measure] for run in runs]
        if kind == "home page" and measure == FULL_LENGTH:
            continue  # its paths have one page, which is as long as they may be
        spread = stdev(values) if len(values) > 1 else 0.0
        assert float(row[kind]) == pytest.approx(mean(values), nan_ok=True), measure
        std = float(row[f"{kind} std"])
        assert std == pytest.approx(spread, abs=1e-12, nan_ok=True), measure


def test_what_the_agent_rewards_is_new_and_rewarded_once(selected: Path) -> None:
    connection = sqlite3.connect(selected / "ledgers" / "news-wl-0.sqlite")
    old = connection.execute(
        "SELECT count(*) FROM downloads d JOIN versions v ON v.id = d.version"
        " WHERE d.sent AND d.time - v.time > 86400"
    )
    assert old.fetchone() == (0,)
    twice = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM downloads WHERE relevant"
        " GROUP BY version HAVING count(*) > 1)"
    )
    assert twice.fetchone() == (0,)
    again = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM downloads WHERE sent"
        " GROUP BY forager, version HAVING count(*) > 1)"
    )
    assert again.fetchone() == (0,)
    unsent = connection.execute("SELECT count(*) FROM downloads WHERE relevant AND NOT sent")
    assert unsent.fetchone() == (0,)
    connection.close()


def test_every_exhibit_of_selection_is_there_on_all_three_webs(selected: Path) -> None:
    names = ["structure", "figure-1", "choices", "readings", "table-rewiring", "figure-rewiring"]
    names += [f"table-2-{reading}" for reading in ("starts", "leaves", "navigation")]
    for variant in ("", "-rewired", "-cohorts"):
        names += [f"{part}{variant}" for part in ("table-2", "beyond", "figure-2", "figure-3")]
    for name in names:
        assert (selected / f"{name}.csv").stat().st_size > 0, name
        if name.startswith("figure"):
            assert (selected / f"{name}.png").read_bytes().startswith(b"\x89PNG"), name
    told = json.loads((selected / "exhibits.json").read_text())
    for table in told["tables"]:
        if table["name"].startswith(("table-2", "beyond")):
            assert {"no learning", "random order", "home page"} <= set(table["columns"])
    claims = [(verdict["claim"], verdict["world"]) for verdict in told["verdicts"]]
    assert len(claims) == len(set(claims)) > 20
    assert "CPU seconds" in told["settings"]["cost"]


def test_rewiring_keeps_degrees_and_lowers_clustering(selected: Path) -> None:
    with (selected / "structure.csv").open(encoding="utf-8") as file:
        rows = {row["measure"]: row for row in csv.DictReader(file)}
    for name in ("exponent of out-links", "exponent of in-links"):
        assert float(rows[name]["rewired"]) == pytest.approx(float(rows[name]["as it is"]), abs=0.2)
    assert float(rows["clustering"]["rewired"]) < float(rows["clustering"]["as it is"])


def test_readings_stand_side_by_side_with_the_lengths_of_paths(selected: Path) -> None:
    with (selected / "readings.csv").open(encoding="utf-8") as file:
        rows = {(row["reading"], row["fleet"]): row for row in csv.DictReader(file)}
    titles = [title for title, fleet in rows if fleet == "random order"]
    assert titles == [
        "as generated",
        "starts with links",
        "no steps to dead ends",
        "navigation on every page",
    ]
    assert float(rows["the paper", "RL"]["relevant / found URLs"]) == pytest.approx(2419 / 31092)
    # Where every page has links and none is started from without, no path ends at once.
    for title in titles[1::2]:
        assert float(rows[title, "WL"]["paths of one page"]) == 0
    usual = float(rows["as generated", "RL"]["pages a path"])
    assert float(rows["navigation on every page", "RL"]["pages a path"]) >= usual


def test_rewiring_by_share_begins_at_the_web_as_it_is(selected: Path) -> None:
    with (selected / "figure-rewiring.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["fleet"] == "WL" and row["run"] == "0"]
    assert [row["share"] for row in rows] == ["0.0", "0.1", "1.0"] * 2
    firsts = {row["relevant"] for row in rows if row["share"] == "0.0"}
    connection = sqlite3.connect(selected / "ledgers" / "news-wl-0.sqlite")
    found = connection.execute("SELECT sum(relevant) FROM downloads").fetchone()
    connection.close()
    assert firsts == {str(found[0])}


def test_every_exhibit_of_evolution_is_there(evolved: Path) -> None:
    for name in ("2", "3a", "3b", "4a", "4b", "4c", "5", "6"):
        assert (evolved / f"figure-{name}.png").read_bytes().startswith(b"\x89PNG"), name
        assert (evolved / f"figure-{name}.csv").exists(), name
    with (evolved / "totals.csv").open(encoding="utf-8") as file:
        rows = {row["measure"]: row for row in csv.DictReader(file)}
    assert rows["downloaded"]["paper"] == "1090074"
    files = sorted((evolved / "ledgers").glob("*-wlrl-*.sqlite"))
    assert len(files) == 2
    runs = [Ledger(file).downloads for file in files]
    for measure, column in (("sent", 3), ("rewarded", 4)):
        counted = mean(sum(row[column] for row in run) for run in runs)
        assert float(rows[measure]["WLRL (ours)"]) == pytest.approx(counted)


PATHS = {ONE_PAGE, MEAN_LENGTH, FULL_LENGTH}


def test_every_table_of_fleets_has_the_lengths_of_paths_and_the_controls(
    selected: Path, evolved: Path
) -> None:
    tables = {
        (folder.name, table["name"]): table
        for folder in (selected, evolved)
        for table in json.loads((folder / "exhibits.json").read_text())["tables"]
    }
    seen = set()
    for (_, name), table in tables.items():
        if name == "structure":
            continue
        said = {*table["columns"], *(str(cell) for row in table["rows"] for cell in row[:3])}
        assert {"random order", "home page"} <= said, name
        assert said >= PATHS, name
        seen.add(name)
    assert {
        "table-2",
        "readings",
        "choices",
        "table-rewiring",
        "totals",
        "table-costs",
    } <= seen


def test_the_lead_of_rl_at_a_share_is_an_interval_around_the_difference(selected: Path) -> None:
    with (selected / "table-rewiring.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    leads = [row for row in rows if row["fleet"].startswith("RL −")]
    assert len(leads) == 6
    told = [row for row in leads if row["relevant"] != "–"]  # two runs may have found as many
    assert told
    for row in told:
        where = row["links permuted"], row["share"]
        mean_of = {
            one["fleet"]: float(one["relevant"])
            for one in rows
            if (one["links permuted"], one["share"]) == where and one not in leads
        }
        low, high = map(float, row["relevant"].replace("−", "-").replace(",", "").split(" to "))
        lead = mean_of["RL"] - mean_of["WL"]
        assert (low + high) / 2 == pytest.approx(lead, abs=0.01 * (high - low) + 0.01)


def test_polling_the_home_page_is_the_same_under_every_choice(selected: Path) -> None:
    with (selected / "choices.csv").open(encoding="utf-8") as file:
        rows = {(row["choice"], row["fleet"]): row for row in csv.DictReader(file)}
    usual, changed = ({**rows[one, "home page"], "choice": ""}
                      for one in (selection.AS_WE_READ_IT, "101 pages a path"))  # fmt: skip
    assert changed == usual
    assert float(usual["pages a path"]) == 1
    news = rows[next(iter(selection.RULES)), "home page"]
    assert float(news["relevant"]) <= float(usual["relevant"])


def test_a_world_that_stands_still_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = str(tmp_path / "w")
    assert main(["world", "generate", world, "--preset", "topics", "--pages", "300"]) == 0
    assert main(["reproduce", "selection", "--world", world, "--out", str(tmp_path / "o")]) == 2
    assert "does not change" in capsys.readouterr().err
