"""The exhibits of fleets on recordings of odd shapes: refused in one line, or shown as they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

from foragers.cli.main import main
from foragers.papers.evolution import paper as evolution
from foragers.papers.evolution.figures import division_figures
from foragers.papers.evolution.measures import starts_a_day
from foragers.papers.fleets.kinds import KINDS
from foragers.papers.fleets.measures import end_of, news_in
from foragers.papers.fleets.runs import FleetJob, FleetOutcome, ledger_file
from foragers.papers.fleets.webs import Terrain, worlds_of
from foragers.papers.request import Kept, PaperRequest
from foragers.papers.selection import paper as selection
from foragers.papers.selection.figures import efficiency_figure, freshness_figure
from foragers.strategies.fleet.simulation.outcome import FleetRun, NewStart
from foragers.strategies.fleet.simulation.replay import simulate
from foragers.strategies.fleet.simulation.web import SimulatedWeb
from foragers.strategies.fleet.simulation.windows import Finds
from foragers.worlds.archive import Archive
from foragers.worlds.store import save
from support.worlds_by_hand import small_world

HOUR, DAY = 3600.0, 86_400.0


def outcome_of(archive: Archive, kind: str, days: float) -> FleetOutcome:
    """Return a fleet's work; all pages have one state."""
    ground = SimulatedWeb.of(archive, np.zeros((archive.versions, 3), np.float32))
    run = simulate(ground, KINDS[kind].settings, days=days, seconds_per_page=9.0, territory=4500.0)
    job = FleetJob(Terrain("w", Path("w")), KINDS[kind], 0, days, territory=4500.0)
    return FleetOutcome(job, run, 0.0)


def texts_in(drawing: Drawing) -> list[str]:
    return [text.get_text() for axes in drawing.axes for text in axes.texts]


@pytest.mark.parametrize("paper", ["selection", "evolution"])
@pytest.mark.parametrize(
    ("born", "end", "why"),
    [
        ({}, 0.0, "all of it was recorded at one moment"),
        ({"home": 9 * HOUR}, 10 * HOUR, "no seed has a page in the days that are replayed"),
    ],
)
def test_a_web_without_news_where_fleets_start_is_refused(
    paper: str,
    born: dict[str, float],
    end: float,
    why: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    archive = small_world({"home": ["a"], "a": ["home"]}, born=born, end=end)
    archive.evolving = True
    save(archive, tmp_path / "w")
    words = ["--world", str(tmp_path / "w"), "--scale", "0.5", "--out", str(tmp_path / "out")]
    assert main(["reproduce", paper, *words]) == 2
    told = capsys.readouterr().err
    assert why in told
    assert told.count("\n") == 1


def test_a_recording_of_years_takes_no_more_downloads_than_the_paper_made(tmp_path: Path) -> None:
    archive = small_world({"home": []}, later=[(4000 * DAY, "home", [])])
    save(archive, tmp_path / "w")
    request = PaperRequest(tmp_path / "out", (tmp_path / "w",), runs=1)
    for module, most in ((selection, 605_200), (evolution, 1_090_100)):
        for job in module.jobs_on("w", tmp_path / "w", request):
            assert job.days == 4000
            assert job.days * DAY / job.seconds_per_page == pytest.approx(most, rel=1e-3)
            # As many slices and windows as the paper had, and news as long new as ever.
            settings = job.kind.settings[0]
            pace = 2.57 if module is selection else 1.11
            assert settings.slice_seconds / job.seconds_per_page == pytest.approx(180 / pace)
            assert job.days * DAY / job.window == pytest.approx(144 if module is selection else 112)
            assert settings.new_within == DAY


def test_every_run_has_a_ledger_of_its_own(tmp_path: Path) -> None:
    archive = small_world({"home": []}, later=[(DAY, "home", [])])
    save(archive, tmp_path / "w")
    expected: dict[Kept, tuple[int, int]] = {"paper": (2, 0), "tables": (10, 4), "all": (50, 20)}
    for ledgers, (on_one_web, on_rewired) in expected.items():
        request = PaperRequest(tmp_path, (tmp_path / "w",), runs=1, ledgers=ledgers)
        jobs = selection.jobs_on("w", tmp_path / "w", request)
        jobs += selection.choice_jobs("w", tmp_path / "w", request)
        files = [job.ledger for job in jobs if job.ledger is not None]
        assert len(files) == len(set(files))
        changed = [file for file in files if file.parent.name in ("rewired", "cohorts")]
        assert (len(set(files)) - len(changed), len(changed)) == (on_one_web, on_rewired)
    terrain = Terrain("w", tmp_path, "rewired")
    file = ledger_file(PaperRequest(tmp_path), terrain, "no learning", 2)
    assert file == tmp_path / "ledgers" / "rewired" / "w-no-learning-2.sqlite"


def test_worlds_of_like_names_are_not_mistaken_for_each_other(tmp_path: Path) -> None:
    names = ("w", "rewired", "b/w", "w-rewired", "c-cohorts", "c")
    archive = small_world({"home": []}, later=[(DAY, "home", [])])
    for name in names:
        save(archive, tmp_path / name)
    request = PaperRequest(tmp_path / "out", tuple(tmp_path / name for name in names))
    found = worlds_of(request)
    assert list(found) == ["w", "rewired-2", "w-2", "w-rewired-2", "c-cohorts", "c-2"]
    shown = [
        one for name in list(found)[1:] for one in (name, f"{name}-rewired", f"{name}-cohorts")
    ]
    assert len({*shown, "rewired", "cohorts"}) == len(shown) + 2


def test_only_pages_that_are_ever_shown_count_as_news() -> None:
    archive = small_world(
        {"home": ["a", "gone"], "a": [], "gone": [], "old": []},
        redirects={"moved": "a"},
        born={"gone": -2 * DAY, "old": -2 * DAY},
        # A change that another takes over in the same second, and a page that goes away.
        later=[(HOUR, "a", []), (HOUR, "a", ["home"]), (HOUR, "gone", None), (9 * HOUR, "a", [])],
        end=DAY,
    )
    ground = SimulatedWeb.of(archive, np.zeros((archive.versions, 2), np.float32))
    # Home and a as they were at 0, and a as it was after an hour; then a after nine.
    assert news_in(ground, 8 * HOUR, DAY) == 3
    assert news_in(ground, DAY, DAY) == 4


def test_what_the_last_step_finds_beyond_the_end_is_among_the_news() -> None:
    pages = [f"p{number}" for number in range(40)]
    born = dict.fromkeys(pages, 300.0)
    archive = small_world({"home": pages, **{name: [] for name in pages}}, born=born, end=DAY)
    found = outcome_of(archive, "home page", 290.0 / DAY)
    ground = SimulatedWeb.of(archive, np.zeros((archive.versions, 3), np.float32))
    # One step of 41 downloads: home after 9 s, and those from the 34th on, after 306 s to 369 s.
    assert found.run.relevant == 9
    assert end_of([found]) == 369.0
    assert [news_in(ground, until, DAY) for until in (290.0, 369.0)] == [1, 41]


def test_a_picture_in_which_nothing_is_to_be_seen_says_why() -> None:
    archive = small_world({"home": ["a"], "a": ["home"]}, end=DAY)
    short = [outcome_of(archive, kind, 0.1) for kind in ("RL", "WL")]
    drawing = Drawing()
    freshness_figure("", "w", short).draw(drawing)
    assert [text.split("\n")[0] for text in texts_in(drawing)] == ["The simulation ended"] * 6
    old = small_world({"home": ["a"], "a": []}, born={"home": -9 * DAY, "a": -9 * DAY}, end=DAY)
    drawing = Drawing()
    still = [outcome_of(old, kind, 0.5) for kind in ("RL", "WL")]
    freshness_figure("", "w", still).draw(drawing)
    assert texts_in(drawing) == ["Nothing relevant\nwas found."] * 6


def test_every_run_of_figure_2_is_within_the_picture_and_can_be_told_from_others() -> None:
    archive = small_world({"home": ["a"], "a": ["home"]}, end=DAY)
    low, high = (outcome_of(archive, kind, 1.0) for kind in ("RL", "WL"))
    windows = [window._replace(relevant=window.downloaded) for window in high.run.windows]
    high = replace(high, run=replace(high.run, windows=windows))
    drawing = Drawing()
    efficiency_figure("", "w", [low] * 10 + [high] * 10).draw(drawing)
    above, below = drawing.axes
    assert above.get_ylim() == below.get_ylim()
    assert above.get_ylim()[0] == 0.0
    assert above.get_ylim()[1] >= 1.0
    looks = [(line.get_color(), line.get_linestyle()) for line in above.lines]
    assert len(set(looks)) == 10


def test_division_is_drawn_where_no_page_is_one_forager_s_own() -> None:
    archive = small_world({"home": []}, end=DAY)
    for figure in division_figures("", outcome_of(archive, "WLRL", 0.2)):
        drawing = Drawing()
        figure.draw(drawing)
        assert len(texts_in(drawing)) == 1


def test_urls_that_come_new_into_a_starting_list_are_counted_by_halves_of_the_time() -> None:
    day = 86_400.0
    starts = [NewStart(part * day, 0, 0) for part in (0.1, 0.5, 1.9, 3.0)]
    none = np.zeros(0, np.int32)
    found = starts_a_day(FleetRun(0.0, 4 * day, 0, 0, 0, [], [], Finds(), [], {}, none, starts))
    assert (found.first, found.second) == (1.5, 0.5)
