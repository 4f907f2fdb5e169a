"""The states of a world's pages: how they are computed, and kept with the world."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from foragers.text.state import StateMap, text_of
from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from foragers.worlds.states import states_of
from foragers.worlds.store import open_world, save


@pytest.fixture(scope="module")
def world() -> Archive:
    return generate("news", seed=3, pages=600, days=2.0)


@pytest.fixture
def _small_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foragers.worlds.states.SAMPLE", 120)
    monkeypatch.setattr("foragers.worlds.states.FEWEST", 100)


@pytest.mark.usefixtures("_small_sample")
def test_every_version_has_the_state_of_its_text(world: Archive) -> None:
    states = states_of(world, 6)
    assert states.shape == (world.versions, 6)
    assert (states.max(axis=1) > 0).mean() > 0.3
    twice = replace(world, same_as=np.zeros(world.versions, np.int32))
    assert (states_of(twice, 6) == states_of(twice, 6)[0]).all()


@pytest.mark.usefixtures("_small_sample")
def test_states_are_kept_with_the_world_and_made_anew_when_it_changed(
    tmp_path: Path, world: Archive
) -> None:
    save(world, tmp_path / "w")
    kept = tmp_path / "w" / "states-6.npz"
    states = states_of(open_world(tmp_path / "w"), 6)
    written = kept.read_bytes()
    np.testing.assert_array_equal(states_of(open_world(tmp_path / "w"), 6), states)
    assert kept.read_bytes() == written
    # The kept map is the one that made them.
    text = text_of(world.texts.document(5))
    np.testing.assert_array_equal(StateMap.load(kept).states([text])[0], states[5])
    grown = replace(open_world(tmp_path / "w"), times=world.times + 1)
    states_of(grown, 6)
    assert kept.read_bytes() != written
    kept.write_bytes(b"damaged")
    np.testing.assert_array_equal(states_of(open_world(tmp_path / "w"), 6), states)
