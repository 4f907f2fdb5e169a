"""Fleets on recordings of odd shapes: whatever the web, they go on and count rightly."""

from __future__ import annotations

import numpy as np
import pytest

from foragers.papers.fleets.kinds import KINDS
from foragers.strategies.fleet.simulation.replay import FleetRun, simulate
from foragers.strategies.fleet.simulation.web import SimulatedWeb
from foragers.worlds.archive import Archive
from support.worlds_by_hand import small_world

HOUR, DAY = 3600.0, 86_400.0


def foraged(archive: Archive, kind: str, downloads: int = 300) -> FleetRun:
    states = np.zeros((archive.versions, 3), np.float32)
    ground = SimulatedWeb.of(archive, states)
    return simulate(ground, KINDS[kind].settings, days=1.0, downloads=downloads)


@pytest.mark.parametrize("kind", KINDS)
def test_a_web_of_one_page_is_fetched_again_and_again(kind: str) -> None:
    run = foraged(small_world({"a": []}, end=DAY), kind)
    assert (run.downloaded, run.found_urls, run.relevant) == (300, 1, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_pages_that_all_appear_at_once_are_found_once(kind: str) -> None:
    names = [f"p{number}" for number in range(12)]
    run = foraged(small_world({"home": names, **{name: ["home"] for name in names}}, end=DAY), kind)
    assert (run.found_urls, run.relevant) == (13, 13)


@pytest.mark.parametrize("kind", KINDS)
def test_where_nothing_is_new_nothing_is_sent(kind: str) -> None:
    born = {"home": -9 * DAY, "a": -9 * DAY, "b": -2 * DAY}
    run = foraged(small_world({"home": ["a", "b"], "a": ["b"], "b": []}, born=born, end=DAY), kind)
    assert (run.downloaded >= 300, run.sent, run.relevant) == (True, 0, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_links_to_pages_that_never_exist_do_no_harm(kind: str) -> None:
    archive = small_world({"home": ["gone", "a"], "a": ["gone"], "gone": []}, end=DAY,
                          born={"gone": 30 * DAY})  # fmt: skip
    assert foraged(archive, kind).relevant == 2


def test_without_a_limit_of_age_a_page_that_is_missing_is_no_news() -> None:
    from dataclasses import replace

    archive = small_world({"home": ["gone"], "gone": []}, end=DAY, born={"gone": 30 * DAY})
    ground = SimulatedWeb.of(archive, np.zeros((archive.versions, 3), np.float32))
    settings = replace(KINDS["WL"].settings[0], new_within=float("inf"))
    assert simulate(ground, settings, days=1.0, downloads=100).relevant == 1
