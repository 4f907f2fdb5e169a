"""The forest: scores by hand, and the model that comes with the package."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from foragers.core.models import load_model, save_model
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
from foragers.parsing.main_text.features import NAMES, TokenWeights, table

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
