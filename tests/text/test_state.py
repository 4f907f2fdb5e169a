"""States of pages: the map by hand, what it learns."""

from __future__ import annotations

import sys
from math import tanh
from pathlib import Path
from subprocess import run

import numpy as np
import pytest

from foragers.errors import UsageError
from foragers.text.state import StateMap
from foragers.text.state_training import information, mixtures, train

SUBJECTS = {
    "tea": "leaf kettle brew cup pot water steam",
    "war": "army tank battle general border siege front",
    "sea": "wave ship harbour sail tide deck anchor",
}


def texts_about(count: int, seed: int = 0) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(seed)
    names = [list(SUBJECTS)[number] for number in rng.integers(3, size=count)]
    plain = ["day", "year", "people", "time", "city", "house"]
    return [
        " ".join([*rng.choice(SUBJECTS[name].split(), 12), *rng.choice(plain, 12)])
        for name in names
    ], names


def test_an_output_becomes_a_state_by_the_papers_formula() -> None:
    # Two clusters and general text; each word has its opinions, a text has their mean.
    opinions = np.array([[0.9, 0.0, 0.1], [0.1, 0.6, 0.3]])
    learned = StateMap(3, ("tea", "war"), opinions, np.array([0.4, 0.4, 0.2]))
    found = learned.states(["Tea, tea and war!", "nothing known here"])
    first, second = (0.9 + 0.9 + 0.1) / 3, 0.6 / 3
    expected = [tanh(40 * (first - 0.5)), tanh(40 * (second - 0.5)), -1]
    np.testing.assert_allclose(found[0], expected, rtol=1e-6)
    np.testing.assert_allclose(found[1], [tanh(-4), tanh(-4), -1], rtol=1e-6)
    assert found.dtype == np.float32


def test_texts_on_one_subject_share_a_state_and_others_have_another() -> None:
    texts, _ = texts_about(300)
    learned = train(texts, 3, np.random.default_rng(0))
    fresh, names = texts_about(60, seed=1)
    states = learned.states(fresh)
    said = [(names[row], int(states[row].argmax())) for row in np.flatnonzero(states.max(1) > 0)]
    assert len(said) > 50
    assert len({cluster for _, cluster in said}) == len(set(said)) == 3


def test_the_same_texts_give_the_same_map() -> None:
    texts, _ = texts_about(120)
    one, two = (train(texts, 4, np.random.default_rng(7)) for _ in range(2))
    assert one.vocabulary == two.vocabulary
    np.testing.assert_array_equal(one.opinions, two.opinions)


@pytest.mark.parametrize("texts", [[], ["one"], ["", "", ""], ["a b"] * 5, ["x y z"] * 40])
def test_poor_samples_give_states_that_say_nothing(texts: list[str]) -> None:
    learned = train(texts, 5, np.random.default_rng(0))
    assert learned.states(["x y", "tea"]).shape == (2, 5)
    assert learned.states([]).shape == (0, 5)


def test_general_text_can_be_given_and_takes_its_words() -> None:
    texts, _ = texts_about(300)
    general = ["leaf kettle brew cup pot water steam"] * 900
    plain = train(texts, 3, np.random.default_rng(0)).states([SUBJECTS["tea"]])
    taken = train(texts, 3, np.random.default_rng(0), general).states([SUBJECTS["tea"]])
    assert plain.max() > 0.9
    assert taken.max() < -0.9


def test_texts_about_everything_are_mixed_of_ten() -> None:
    mixed = mixtures([["a"], ["b"]] * 30, 12, np.random.default_rng(0))
    assert [len(text) for text in mixed] == [10] * 5


def test_information_is_that_of_the_definition() -> None:
    from foragers.text.state import counted
    from foragers.text.state_training import Clustered

    # "a" stands in all texts of one cluster and none of the other: ln 2; "b" in half of each: 0.
    counts = counted([["a", "b"], ["a"], ["b"], []], {"a": 0, "b": 1})
    found = information(Clustered(["a", "b"], counts, np.array([0, 0, 1, 1])))
    np.testing.assert_allclose(found, [np.log(2), 0], atol=1e-12)


def test_a_map_is_read_back_as_it_was(tmp_path: Path) -> None:
    texts, _ = texts_about(90)
    learned = train(texts, 3, np.random.default_rng(0))
    learned.save(tmp_path / "map.npz")
    again = StateMap.load(tmp_path / "map.npz")
    np.testing.assert_array_equal(again.states(texts), learned.states(texts))
    (tmp_path / "no.npz").write_bytes(b"no")
    with pytest.raises(UsageError, match="not a model"):
        StateMap.load(tmp_path / "no.npz")


def test_using_a_map_does_not_load_scikit_learn() -> None:
    code = "import sys; import foragers.text.state; print('sklearn' in sys.modules)"
    found = run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
