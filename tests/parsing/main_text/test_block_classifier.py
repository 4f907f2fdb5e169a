"""The forest: scores by hand, and the model that comes with the package."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.core.models import load_model, save_model
from foragers.parsing.main_text import block_classifier
from foragers.parsing.main_text.block_classifier import (
    FILE,
    KIND,
    VERSION,
    BlockClassifier,
    Forest,
    from_model,
    to_model,
    trained,
)
from foragers.parsing.main_text.blocks import PageBlocks
from foragers.parsing.main_text.extract import blocks_of
from foragers.parsing.main_text.features import (
    NAMES,
    TokenWeights,
    digits_of_each,
    table,
    words_of_each,
)

# Two trees of depth 2. The first asks for column 0, then 1; the second for column 1 alone.
FOREST = Forest(
    np.array([[0, 1, 1], [1, 1, 1]], np.int16),
    np.array([[5.0, 1.0, 2.0], [0.5, np.inf, np.inf]]),
    np.array([[10, 20, 30, 40], [1, 1, 2, 2]], np.int32),
    start=100,
)


def test_each_tree_adds_the_leaf_that_a_row_comes_to() -> None:
    rows = np.array([[5.0, 1.0], [5.0, 1.5], [6.0, 2.0], [6.0, 2.5], [0.0, 0.0]])
    assert FOREST.scores(rows).tolist() == [112, 122, 132, 142, 111]


def test_a_page_without_blocks_has_no_scores() -> None:
    assert trained().scores(PageBlocks()).tolist() == []


def test_a_classifier_comes_back_from_its_file(tmp_path: Path) -> None:
    classifier = BlockClassifier(TokenWeights({"menu": -150}, {"more": -80, "älter": 3}), FOREST)
    save_model(to_model(classifier, {}), tmp_path / "m")
    back = from_model(load_model(tmp_path / "m", KIND, VERSION))
    assert back.lexicon == classifier.lexicon
    assert np.array_equal(back.forest.limits, FOREST.limits)
    assert back.forest.scores(np.ones((1, 2))).tolist() == FOREST.scores(np.ones((1, 2))).tolist()


def test_the_model_of_the_package_knows_only_features_that_there_are() -> None:
    assert int(trained().forest.features.max()) < len(NAMES)
    assert FILE.stat().st_size < 500_000


def test_features_of_a_block_are_those_of_its_surroundings() -> None:
    page = blocks_of(
        b"<title>Big Title</title><div class=menu><a href=/>Home</a></div>"
        b"<article><h1>Big Title</h1><p>" + b"word, " * 40 + b"</p></article>"
    )
    rows = table(page, TokenWeights({"menu": -150}, {"home": -90}))
    column = {name: rows[:, number].tolist() for number, name in enumerate(NAMES)}
    assert rows.shape == (3, len(NAMES))
    assert column["link_share"] == [1.0, 0.0, 0.0]
    assert column["in_article"] == [0.0, 1.0, 1.0]
    assert column["near_least"] == [-150.0, 0.0, 0.0]
    assert column["word_sum"] == [-90.0, 0.0, 0.0]
    assert column["in_title"] == [0.0, 1.0, 0.0]
    assert column["commas"] == [0.0, 0.0, 40.0]
    assert column["long_share_0"] == [0.0, 0.0, 1.0]


@pytest.mark.skipif(block_classifier.LIBRARY is None, reason="the compiled module was not built")
@pytest.mark.parametrize("seed", range(10))
def test_compiled_trees_give_the_scores_of_python(seed: int) -> None:
    chance = np.random.default_rng(seed)
    trees, depth, columns = int(chance.integers(1, 40)), int(chance.integers(1, 7)), 5
    nodes = (1 << depth) - 1
    forest = Forest(
        chance.integers(0, columns, (trees, nodes)).astype(np.int16),
        chance.normal(size=(trees, nodes)).round(1),
        chance.integers(-(10**6), 10**6, (trees, nodes + 1)).astype(np.int32),
        start=-7,
    )
    rows = chance.normal(size=(int(chance.integers(0, 50)), columns)).round(1)
    rows[chance.random(rows.shape) < 0.05] = np.nan
    quick = np.full(len(rows), forest.start)
    assert block_classifier.LIBRARY is not None
    assert block_classifier.LIBRARY.scores(
        rows, forest.features, forest.limits, forest.values, quick
    )
    assert quick.tolist() == forest.scores_in_python(rows).tolist()
    assert forest.scores(rows).tolist() == quick.tolist()


@pytest.mark.skipif(block_classifier.LIBRARY is None, reason="the compiled module was not built")
def test_trees_that_ask_for_a_column_that_is_not_there_are_left_to_python() -> None:
    features = np.array([[9]], np.int16)
    values = np.array([[1, 2]], np.int32)
    found = np.zeros(1, np.int64)
    assert block_classifier.LIBRARY is not None
    scores = block_classifier.LIBRARY.scores
    assert not scores(np.zeros((1, 2)), features, np.zeros((1, 1)), values, found)
    assert not scores(np.zeros((1, 2)), -features, np.zeros((1, 1)), values, found)
    assert not scores(np.zeros((1, 2)), features[:, :0], np.zeros((1, 0)), values[:, :1], found)
    assert not scores(np.zeros((1, 2), np.float32), features, np.zeros((1, 1)), values, found)


@given(st.lists(st.text(st.characters(), max_size=20), max_size=8))
def test_words_and_digits_of_many_texts_are_those_of_each(texts: list[str]) -> None:
    assert words_of_each(texts) == [re.findall(r"[^\W\d_]+", text.lower()) for text in texts]
    assert digits_of_each(texts) == [len(re.findall(r"\d", text)) for text in texts]
