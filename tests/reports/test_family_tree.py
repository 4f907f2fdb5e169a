"""Which agents of a family tree are shown, and in what order they are drawn."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foragers.reports.crawl_folder import opened
from foragers.reports.family_tree import (
    FAMILIES,
    main_branches,
    more_children,
    ordered,
    shade,
    sizes,
)
from foragers.reports.population import Agents, Life, agents_of
from support.crawl_folders import crawl_folder
from support.worlds_by_hand import small_world


def lives_of(parents: list[int]) -> dict[int, Life]:
    """Return agents numbered and born in order; a parent is an earlier one, or nobody."""
    lives = {n: Life(f"walker-{n}", float(n), parent) for n, parent in enumerate(parents)}
    for number, life in lives.items():
        if life.parent in lives:
            lives[life.parent].children.append(number)
    return lives


forests = st.lists(st.integers(-1, 10_000), max_size=60).map(
    lambda drawn: [min(parent, n - 1) % (n + 1) - 1 for n, parent in enumerate(drawn)]
)


@given(forests, st.integers(1, 30))
def test_with_every_agent_its_parent_is_shown(parents: list[int], most: int) -> None:
    lives = lives_of(parents)
    shown = main_branches(lives, sizes(lives), most)
    assert len(shown) == min(most, len(lives))
    assert all(lives[number].parent in shown | {-1} for number in shown)


@given(forests, st.integers(1, 30))
def test_children_stand_below_their_parents_the_last_born_nearest(
    parents: list[int], most: int
) -> None:
    lives = lives_of(parents)
    large = sizes(lives)
    shown = main_branches(lives, large, most)
    rows = ordered(lives, large, shown)
    assert sorted(rows) == sorted(shown)
    at = {number: row for row, number in enumerate(rows)}
    for number in rows:
        children = [child for child in lives[number].children if child in at]
        assert sorted(children, key=lambda child: at[child]) == sorted(children, reverse=True)
        # Whoever stands between a parent and its child was born after the child: no line crosses.
        for child in children:
            between = rows[at[number] + 1 : at[child]]
            assert all(lives[other].born > lives[child].born for other in between)


def test_several_families_are_shown_however_large_the_first() -> None:
    # Agent 0 has 100 children, agent 1 has three, 2 has one, and 3 has none.
    lives = lives_of([-1, -1, -1, -1, *[0] * 100, 1, 1, 1, 2])
    shown = main_branches(lives, sizes(lives), 20)
    assert {0, 1, 2} <= shown
    assert 3 not in shown
    assert {number for number in shown if lives[number].parent == 1} == {104, 105, 106}
    of_first = [number for number in shown if lives[number].parent == 0]
    assert len(of_first) == 20 - 3 - 3 - 1
    assert len(of_first) > 20 // FAMILIES, "what is left over goes to the largest"


def test_what_is_left_out_is_counted() -> None:
    assert more_children(1, 1) == "and 1 more child"
    assert more_children(1200, 1300) == "and 1,200 more children, 1,300 with theirs"


def test_lines_are_the_darker_the_more_was_relevant() -> None:
    shades = [sum(shade(Life("w", 0.0, -1, None, 4, found))) for found in range(5)]
    assert shades == sorted(shades, reverse=True)
    assert shade(Life("w", 0.0, -1)) == shade(Life("w", 0.0, -1, None, 4, 0))


def test_what_was_skipped_is_no_work_of_an_agent(tmp_path: Path) -> None:
    world = small_world({"home": list("abc"), **{name: [] for name in "abc"}})
    folder = crawl_folder(tmp_path, world)
    ledger = sqlite3.connect(folder / "ledger.sqlite")
    with ledger:
        ledger.execute("UPDATE visits SET agent = 'walker-0 of some', relevant = title = 'b'")
        ledger.execute("UPDATE visits SET status = 'skipped' WHERE title = 'a'")
    ledger.close()
    np.savez(
        folder / "agents.npz",
        times=[1.0],
        members=[0],
        births=[True],
        parents=[-1],
        kind=[0],
        kinds=["walker"],
    )
    with opened(folder) as found:
        agents = agents_of(found)
    assert agents is not None
    assert agents.work == {"walker-0": (3, 1)}
    assert (agents.lives[0].downloads, agents.lives[0].relevant) == (3, 1)


def test_those_who_die_live_no_more() -> None:
    columns = {"births": np.array([True, True, False, True]), "parents": np.array([-1, -1, -1, 0])}
    agents = Agents(columns, {})
    assert agents.population.tolist() == [1, 2, 1, 2]
    assert agents.first.tolist() == [True, True, False, False]
