"""The compiled steps of a fleet give the same bits as those in Python."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from foragers.core.exact import dot, times
from foragers.papers.fleets.kinds import KINDS
from foragers.strategies.fleet import colony, forager, library, page_memory, path, prospects
from foragers.strategies.fleet.forager import td_update
from foragers.strategies.fleet.page_memory import PageMemory
from foragers.strategies.fleet.prospects import Prospects
from foragers.strategies.fleet.settings import RL, WLRL, FleetSettings
from foragers.strategies.fleet.simulation import replay, windows
from foragers.strategies.fleet.simulation.replay import FleetRun, StepRecord, simulate
from foragers.strategies.fleet.simulation.web import SimulatedWeb
from foragers.worlds.generated import generate

pytestmark = pytest.mark.skipif(library.LIBRARY is None, reason="the compiled module was not built")
MODULES = (colony, forager, page_memory, path, prospects, replay, windows)
NEWS = generate("news", seed=6, pages=700, days=2.0)
STATES = np.random.default_rng(1).choice(np.array([-1, 0.3, 1], np.float32), (NEWS.versions, 9))
DAY = 86_400.0
FLEETS = {
    **{name: kind.settings for name, kind in KINDS.items()},
    "no leaves": (replace(WLRL, leaves=False),),
    "starts with links": (replace(WLRL, starts_with_links=True),),
    "unvisited": (replace(RL, looks="unvisited", td_across_paths=True),),
    "due": (replace(RL, looks="due", due_chance=0.2, ordering="random"),),
}


@pytest.fixture
def pure(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return a function that does without the compiled module from then on."""

    def switch() -> None:
        for module in MODULES:
            monkeypatch.setattr(module, "LIBRARY", None)

    return switch


class Steps:
    """Every download, as bytes."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def path(self, forager: int) -> None:
        self.lines.append(b"path %d" % forager)

    def add(self, step: StepRecord) -> None:
        columns = (step.times, step.urls, step.versions, step.pages, step.sent, step.relevant)
        self.lines.append(b"".join(column.tobytes() for column in columns))

    def stand(self, forager: int, moment: float, url: int, page: int) -> None:
        self.lines.append(repr((forager, moment, url, page)).encode())


def simulated(settings: tuple[FleetSettings, ...]) -> tuple[list[bytes], FleetRun]:
    """Return all downloads of a fleet, and what came of them."""
    web, steps = SimulatedWeb.of(NEWS, STATES), Steps()
    run = simulate(web, settings, seed=3, days=1.0, seconds_per_page=20.0, record=steps)
    return steps.lines, run


@pytest.mark.parametrize("name", FLEETS)
def test_a_compiled_fleet_makes_the_same_downloads(name: str, pure: Callable[[], None]) -> None:
    quick, run = simulated(FLEETS[name])
    pure()
    slow, other = simulated(FLEETS[name])
    assert quick == slow
    assert len(quick) > 100
    assert (run.scores, run.lengths) == (other.scores, other.lengths)
    assert np.array_equal(np.array(run.windows), np.array(other.windows), equal_nan=True)
    assert run.discovered.tolist() == other.discovered.tolist()


@pytest.mark.parametrize("width", [1, 7, 8, 9, 50, 128, 129, 300])
def test_values_and_corrections_have_the_same_bits(width: int, pure: Callable[[], None]) -> None:
    rng = np.random.default_rng(width)
    table = rng.normal(size=(5, width)) * 10.0 ** rng.uniform(-6, 6, (5, width))
    weights, values = rng.normal(size=width), np.zeros(5)
    assert library.LIBRARY is not None
    top = library.LIBRARY.best(table, weights, values, np.zeros(5), 0, 5)
    assert values.tobytes() == times(table, weights).tobytes()
    assert values[0] == dot(table[0], weights)
    assert top == int(values.argmax())
    settings = replace(RL, normalised=width % 2 == 0)
    quick, slow = weights.copy(), weights.copy()
    errors = [td_update(quick, table[0], table[1], 3.0, settings)]
    pure()
    errors.append(td_update(slow, table[0], table[1], 3.0, settings))
    assert errors[0] == errors[1]
    assert quick.tobytes() == slow.tobytes()
    assert slow.tobytes() != weights.tobytes()


def test_ties_are_left_to_the_draw_and_closed_kinds_are_never_best() -> None:
    assert library.LIBRARY is not None
    table, values = np.array([[1.0], [3.0], [3.0]]), np.zeros(3)

    def best(*gates: float) -> Any:
        assert library.LIBRARY is not None
        return library.LIBRARY.best(table, np.ones(1), values, np.array(gates), 0, 3)

    assert best(0.0, 0.0, 0.0) is None
    assert best(0.0, -np.inf, 0.0) == 2
    assert best(0.0, -np.inf, -np.inf) == 0
    assert best(-np.inf, -np.inf, -np.inf) is None


def known_pages(count: int) -> Prospects:
    """Return prospects of pages that were seen at random times; many promise as much as others."""
    rng, made = np.random.default_rng(5), Prospects(PageMemory(), DAY)
    made.begin(np.arange(count, dtype=np.int32), 0.0)
    for now in range(1, 40):
        urls = np.unique(rng.integers(0, count // 2, 12)).astype(np.int32)
        pages, when = (
            rng.integers(0, 3, len(urls)).astype(np.int32),
            np.full(len(urls), 900.0 * now),
        )
        made.note(urls, pages, when, np.flatnonzero(rng.random(len(urls)) < 0.3))
        made.memory.note(urls, pages, pages, when, rng.random(len(urls)) < 0.5)
    return made


@pytest.mark.parametrize("now", [36_000.0, 90_000.0, 9e5])
def test_the_shortlist_is_that_of_a_stable_sort(now: float, pure: Callable[[], None]) -> None:
    urls, found = np.arange(300, dtype=np.int32)[::-1].copy(), known_pages(300)
    quick = [found._best(urls, now, count).tolist() for count in (1, 2, 64, 299)]
    promises = found.worth(urls, now)
    pure()
    assert promises.tobytes() == found.worth(urls, now).tobytes()
    assert quick == [found._best(urls, now, count).tolist() for count in (1, 2, 64, 299)]


def test_what_a_fleet_knows_is_pickled_without_the_compiled_module(
    pure: Callable[[], None],
) -> None:
    urls, before = np.arange(300, dtype=np.int32), known_pages(300)
    packed = pickle.dumps(before)
    assert b"_steps" not in packed
    promises = before.worth(urls, DAY)
    after: Prospects = pickle.loads(packed)
    assert after.columns is not None
    assert after.worth(urls, DAY).tobytes() == promises.tobytes()
    pure()
    there: Prospects = pickle.loads(packed)
    assert there.columns is None
    assert there.worth(urls, DAY).tobytes() == promises.tobytes()


ONE_BY_ONE = [(7, 1, 60.0), (7, 1, 90.0), (250, 2, 95.0), (7, 2, 700.0), (290, -1, 701.0)]
"""URLs, pages and times of downloads: new ones, a change, a page without content."""


@pytest.mark.parametrize("is_compiled", [True, False])
def test_a_download_alone_is_recorded_like_an_array_of_one(
    is_compiled: bool, pure: Callable[[], None]
) -> None:
    alone, arrays = known_pages(300), known_pages(300)
    if not is_compiled:
        pure()
    for url, page, moment in ONE_BY_ONE:
        at, time = 36_000.0 + moment, np.array([36_000.0 + moment])
        urls, pages = np.array([url], np.int32), np.array([page], np.int32)
        alone.pass_by(url, page, at)
        alone.memory.note_one(url, page, 3, at, True)
        arrays.note(urls, pages, time, np.empty(0, np.intp))
        arrays.memory.note(urls, pages, np.array([3], np.int32), time, np.array([True]))
    for name in ("sighted", "asked", "earned", "tries", "wins", "all_tries", "changes", "watched"):
        assert getattr(alone, name).tobytes() == getattr(arrays, name).tobytes(), name
    for name in ("seen", "pages", "states", "leads", "checks", "changes", "expected", "_rates"):
        assert getattr(alone.memory, name).tobytes() == getattr(arrays.memory, name).tobytes(), name


@pytest.mark.parametrize("leaves", [True, False])
def test_known_links_are_seen_as_if_they_were_found_and_then_put(leaves: bool) -> None:
    memory, states = known_pages(300).memory, np.eye(5)
    links = np.array([3, 9, 299, 12, 3, 40, 77], np.int32)
    seen, put = path.Path(), path.Path()
    assert not seen.see(memory.columns, links, leaves, states)  # there is no room yet
    for one in (seen, put):
        one.visit(12)
        one.add(*memory.known(links[:1], True), states)
    assert seen.see(memory.columns, links, leaves, states)
    put.add(*memory.known(links, leaves), states)
    assert seen.waiting == put.waiting > 1
    assert (seen._kind_of, seen._members, seen._kinds) == (put._kind_of, put._members, put._kinds)
    assert seen._gates[:5].tolist() == put._gates[:5].tolist()


def test_a_frontier_that_is_none_is_refused() -> None:
    assert library.LIBRARY is not None
    memory, links, gates = known_pages(300).memory, np.array([3], np.int32), np.zeros(4)
    whole: tuple[Any, ...] = {}, [], {}, gates, np.zeros((4, 5)), np.eye(5)
    for at, wrong in ((0, []), (1, {}), (2, {1: 0}), (5, np.eye(5, dtype=np.int16))):
        given = [wrong if at == index else one for index, one in enumerate(whole)]
        with pytest.raises(TypeError):
            library.LIBRARY.see(memory.columns, links, True, *given)
    assert library.LIBRARY.see(memory.columns, links, True, *whole) == 1
    few: tuple[Any, ...] = {}, [], {}, np.zeros(0), np.zeros((4, 5)), np.eye(5)
    assert library.LIBRARY.see(memory.columns, links, True, *few) is None
    assert library.LIBRARY.see(memory.columns, links + 9999, True, *whole) is None
    with pytest.raises(IndexError):
        library.LIBRARY.see(memory.columns, links, True, {}, [], {}, gates, *2 * [np.zeros((1, 5))])


def test_numbers_outside_of_their_columns_are_refused() -> None:
    assert library.LIBRARY is not None
    memory, far = PageMemory(), np.array([9999], np.int32)
    assert library.LIBRARY.due(memory.columns, far, 1.0, 0.5, np.empty(1, np.int32)) is None
    assert memory.due_among(far, 1.0, 0.5).tolist() == [9999]
    with pytest.raises(IndexError):
        library.LIBRARY.discover(library.LIBRARY.Columns("i", far), far, 0)
    with pytest.raises(ValueError, match="another type"):
        library.LIBRARY.Columns("d", far)
    with pytest.raises(TypeError):
        library.LIBRARY.due(library.LIBRARY.Columns("i", far), far, 1.0, 0.5, far)
    with pytest.raises(ValueError, match="too short"):
        library.LIBRARY.due(memory.columns, np.zeros(2, np.int32), 1.0, 0.5, far)
