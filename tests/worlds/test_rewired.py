"""Rewiring keeps degrees, and takes the words along."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from foragers.core.types import Choice
from foragers.worlds.archive import Archive
from foragers.worlds.replay import Recorded
from foragers.worlds.rewired import rewire
from foragers.worlds.store import open_world, save
from support.random_worlds import random_world

FROZEN = random_world(5)
EVOLVING = random_world(6, changes=40)


def origins(archive: Archive) -> np.ndarray:
    """Return the URL that each link stands on."""
    versions = np.repeat(np.arange(archive.versions), np.diff(archive.link_starts))
    return np.repeat(np.arange(len(archive.book)), np.diff(archive.version_starts))[versions]


def arcs(archive: Archive) -> list[tuple[int, int]]:
    """Return each pair of pages that are linked, once."""
    return sorted(set(zip(origins(archive).tolist(), archive.targets.tolist(), strict=True)))


def exchanged(old: Archive, new: Archive) -> dict[tuple[int, int], tuple[int, int]]:
    """Return what became of each arc."""
    return dict(
        zip(
            zip(origins(old).tolist(), old.targets.tolist(), strict=True),
            zip(origins(new).tolist(), new.targets.tolist(), strict=True),
            strict=True,
        )
    )


@pytest.mark.parametrize("archive", [FROZEN, EVOLVING], ids=["frozen", "evolving"])
@pytest.mark.parametrize("cohort", [None, 10.0])
def test_every_page_keeps_its_number_of_links_out_and_in(
    archive: Archive, cohort: float | None
) -> None:
    rewired = rewire(archive, 1, cohort)
    assert rewired.link_starts.tolist() == archive.link_starts.tolist()
    old, new = arcs(archive), list(exchanged(archive, rewired).values())
    assert len(old) == len(new)
    assert Counter(origin for origin, _ in old) == Counter(origin for origin, _ in new)
    assert Counter(target for _, target in old) == Counter(target for _, target in new)
    assert sorted(new) != old


def test_a_link_is_rewired_the_same_way_in_all_versions_of_a_page() -> None:
    rewired = rewire(EVOLVING, 1)
    seen: dict[tuple[int, int], int] = {}
    pairs = zip(origins(EVOLVING).tolist(), EVOLVING.targets.tolist(), strict=True)
    for arc, target in zip(pairs, rewired.targets.tolist(), strict=True):
        assert seen.setdefault(arc, target) == target


def test_words_of_a_link_go_with_its_endpoint() -> None:
    rewired = rewire(FROZEN, 1)
    for version in range(FROZEN.versions):
        targets = rewired.targets[rewired.links_of(version)].tolist()
        outlinks = rewired.texts.outlinks(version)
        assert [out.href for out in outlinks] == [rewired.book.href(target) for target in targets]
        assert [out.anchor for out in outlinks] == [
            rewired.book.href(target).rpartition("/")[2] for target in targets
        ]
        assert [out.position for out in outlinks] == list(range(len(targets)))
        assert rewired.texts.document(version) == FROZEN.texts.document(version)
        body = rewired.texts.body(version)
        assert all(out.href.encode() in body.data for out in outlinks)


def test_hosts_of_the_links_are_those_of_the_new_targets() -> None:
    rewired = rewire(FROZEN, 1)
    page = Recorded(rewired).answer(Choice(0, 0))
    assert page.links.hosts.tolist() == [
        rewired.book.host(target) for target in page.links.targets.tolist()
    ]


def test_cohorts_are_kept_apart() -> None:
    cohort = 10.0
    versions = np.repeat(np.arange(EVOLVING.versions), np.diff(EVOLVING.link_starts))
    born: dict[tuple[int, int], float] = {}
    pairs = zip(origins(EVOLVING).tolist(), EVOLVING.targets.tolist(), strict=True)
    for arc, version in zip(pairs, versions.tolist(), strict=True):
        born[arc] = min(EVOLVING.times[version], born.get(arc, np.inf))
    stretch = {arc: int((time - EVOLVING.start) // cohort) for arc, time in born.items()}
    moved = exchanged(EVOLVING, rewire(EVOLVING, 1, cohort))
    assert len(set(stretch.values())) > 3
    for number in set(stretch.values()):
        inside = [arc for arc in stretch if stretch[arc] == number]
        assert sorted(target for _, target in inside) == sorted(moved[arc][1] for arc in inside)
    free = exchanged(EVOLVING, rewire(EVOLVING, 1))
    crossed = [
        sorted(free[arc][1] for arc in stretch if stretch[arc] == number)
        == sorted(arc[1] for arc in stretch if stretch[arc] == number)
        for number in set(stretch.values())
    ]
    assert not all(crossed)


@pytest.mark.parametrize("cohort", [None, 10.0])
def test_same_seed_gives_the_same_world_and_another_seed_another(cohort: float | None) -> None:
    first, again, other = (rewire(EVOLVING, seed, cohort) for seed in (1, 1, 2))
    assert first.targets.tolist() == again.targets.tolist()
    assert first.targets.tolist() != other.targets.tolist()


def test_original_world_is_left_as_it_was() -> None:
    before = FROZEN.targets.copy()
    rewired = rewire(FROZEN, 1)
    assert FROZEN.targets.tolist() == before.tolist()
    assert rewired.origin["rewired"] == 1
    assert "rewired" not in FROZEN.origin


@pytest.mark.parametrize("archive", [FROZEN, EVOLVING], ids=["frozen", "evolving"])
def test_saved_and_opened_it_is_the_same(archive: Archive, tmp_path: Path) -> None:
    rewired = rewire(archive, 3, 20.0)
    save(rewired, tmp_path / "world")
    opened = open_world(tmp_path / "world")
    assert opened.targets.tolist() == rewired.targets.tolist()
    for version in range(archive.versions):
        assert opened.texts.outlinks(version) == rewired.texts.outlinks(version)
        assert opened.texts.document(version) == rewired.texts.document(version)
        assert opened.texts.body(version) == rewired.texts.body(version)


def test_rewired_world_can_be_rewired_again(tmp_path: Path) -> None:
    twice = rewire(rewire(FROZEN, 1), 2)
    save(twice, tmp_path / "twice")
    opened = open_world(tmp_path / "twice")
    assert opened.targets.tolist() == twice.targets.tolist()
    assert opened.texts.outlinks(0) == twice.texts.outlinks(0)


@pytest.mark.parametrize("cohort", [None, 10.0])
def test_a_share_of_the_links_is_rewired_and_the_others_stay(cohort: float | None) -> None:
    old = exchanged(EVOLVING, EVOLVING)
    assert exchanged(EVOLVING, rewire(EVOLVING, 1, cohort, 0.0)) == old
    changed = exchanged(EVOLVING, rewire(EVOLVING, 1, cohort, 0.3))
    moved = sum(changed[arc] != arc for arc in old)
    # Some of the arcs that are drawn get their own target back.
    assert 0 < moved <= round(0.3 * len(old))
    assert Counter(target for _, target in changed.values()) == Counter(t for _, t in old)


def test_the_whole_share_is_the_whole_permutation() -> None:
    assert rewire(EVOLVING, 1, 10.0, 1.0).targets.tolist() == (
        rewire(EVOLVING, 1, 10.0).targets.tolist()
    )
