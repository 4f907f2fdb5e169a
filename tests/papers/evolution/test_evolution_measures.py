"""What `evolution` measures, on runs whose numbers are worked out by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import isnan

import numpy as np
import pytest

from foragers.core.population import LifeEvent
from foragers.papers.evolution.conditions import dearer
from foragers.papers.evolution.measures import area, died_out, pairs_apart, rhythm_shift
from foragers.papers.fleets.kinds import KINDS
from foragers.papers.fleets.measures import FULL_LENGTH, MEAN_LENGTH, ONE_PAGE, path_lengths
from foragers.strategies.fleet.settings import WLRL
from foragers.strategies.fleet.simulation.outcome import FleetRun
from foragers.strategies.fleet.simulation.territory import TerritoryTally
from foragers.strategies.fleet.simulation.windows import Finds, WindowTally

DAY, HOUR = 86_400.0, 3600.0
RUN = FleetRun(0.0, 2 * DAY, 0, 0, 0, [], [], Finds(), [], {}, np.empty(0, np.int32))


def window(end: float, sent: int, relevant: int) -> WindowTally:
    return WindowTally(end, 1000, sent, relevant, 0, 2, *[0.0] * 6)


def test_the_territory_is_the_mean_number_of_pages_of_a_forager() -> None:
    windows = [
        TerritoryTally(1.0, 5, {}, 0, {}, 4, {0: 1, 1: 2}, {0: 4, 1: 2}),
        TerritoryTally(2.0, 5, {}, 0, {}, 0, {}, {0: 6}),
    ]
    assert area(replace(RUN, territory=windows)) == 4.0
    first, second = pairs_apart(windows)
    assert first == 0.75
    assert isnan(second)


def test_a_fleet_died_out_if_nobody_is_left() -> None:
    born = [LifeEvent(0.0, "birth", 0, -1, 1), LifeEvent(0.0, "birth", 1, -1, 2)]
    died = [LifeEvent(DAY / 2, "death", 0, -1, 1), LifeEvent(1.5 * DAY, "death", 1, -1, 0)]
    assert died_out(replace(RUN, lives=[*born, *died])) == 1.5
    assert died_out(replace(RUN, lives=[*born, died[0]])) is None
    assert died_out(RUN) is None


def test_the_daily_peak_moves_from_noon_to_six() -> None:
    hours = range(3, 99, 3)
    peaks = [12 if hour <= 48 else 6 for hour in hours]
    windows = [
        window(hour * HOUR, 100, 50 + round(40 * np.cos(2 * np.pi * (hour - peak) / 24)))
        for hour, peak in zip(hours, peaks, strict=True)
    ]
    assert rhythm_shift(replace(RUN, windows=windows)) == pytest.approx(-6, abs=0.1)
    assert isnan(rhythm_shift(RUN))


def test_paths_are_told_by_their_lengths() -> None:
    run = replace(RUN, lengths=Counter({1: 6, 10: 2, 100: 2}))
    found = path_lengths(run, 100)
    assert found == {ONE_PAGE: 0.6, MEAN_LENGTH: 22.6, FULL_LENGTH: 0.2}
    assert all(isnan(value) for value in path_lengths(RUN, 100).values())


def test_a_dearer_page_costs_more_and_may_end_the_fleet() -> None:
    (one,) = dearer(KINDS["WLRL"], 4.0).settings
    assert (one.penalty, one.score_sent, one.least, one.founders) == (-4.0, 0.2, 0, 2)
    assert (one.reward, one.score_relevant) == (WLRL.reward, WLRL.score_relevant)
