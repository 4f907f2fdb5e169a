"""Bins of links, and the counts that make a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from foragers.core.models import load_model, save_model, words_to_array
from foragers.errors import UsageError
from foragers.text.link_counts import KIND, VERSION, LinkCounts, bin_names, bins_of, merged

TALLY = LinkCounts(
    {"link": ["papers", "straße"], "url": []},
    {"link": np.arange(10).reshape(5, 2), "url": np.zeros((5, 0), np.int64)},
    np.array([4, 0, 3, 2, 9]),
    np.array([4.5, 0.0, 1.0, 0.25, 0.5]),
)


def test_bins_are_cut_where_the_paper_cuts_them() -> None:
    found = bins_of(np.array([1.75, 1.0, 0.999, 0.5, 0.49, 0.25, 0.2, 0.125, 0.12, 0.0]))
    assert found.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_fewer_bins_are_the_last_ones_put_together() -> None:
    assert merged(TALLY.links, 2).tolist() == [4, 14]
    assert merged(TALLY.links, 4).tolist() == [4, 0, 3, 11]
    assert merged(TALLY.counts["link"], 3).tolist() == [[0, 1], [2, 3], [18, 21]]
    assert bin_names(2) == ("immediate", "other")
    assert bin_names(4) == ("immediate", "two-step", "three-step", "other")


def test_a_tally_comes_back_from_its_file(tmp_path: Path) -> None:
    save_model(TALLY.model({"sites": 2}), tmp_path / "m")
    found = LinkCounts.of(load_model(tmp_path / "m", KIND, VERSION))
    assert {bag: list(words) for bag, words in found.words.items()} == TALLY.words
    assert found.counts["link"].tolist() == TALLY.counts["link"].tolist()
    assert found.links.tolist() == TALLY.links.tolist()
    assert found.worth.tolist() == TALLY.worth.tolist()


@pytest.mark.parametrize(
    "damage",
    [
        {"links": np.zeros(3)},
        {"links": np.full(5, -1)},
        {"worth": np.full(5, np.nan)},
        {"counts of link": np.zeros((5, 3))},
        {"words of link": np.array([255, 254], np.uint8)},
        {"words of link": words_to_array(["same", "same"])},
        {"counts of link": np.full((5, 2), np.nan)},
        {"counts of link": np.full((5, 2), 2**62)},
        {"links": np.full(5, 2**64 - 1, np.uint64)},
        {"worth": np.full(5, -1.0)},
        {"worth": np.full(5, 1e300)},
    ],
)
def test_a_model_that_does_not_fit_together_is_refused(damage: dict[str, np.ndarray]) -> None:
    model = TALLY.model({})
    with pytest.raises(UsageError, match="the model of the spider"):
        LinkCounts.of(replace(model, arrays={**model.arrays, **damage}))
    with pytest.raises(UsageError, match="damaged"):
        LinkCounts.of(replace(model, facts={}))


def test_bags_that_were_not_counted_are_named() -> None:
    TALLY.check(("link", "url"), "spider")
    with pytest.raises(UsageError, match="no words of page"):
        TALLY.check(("page", "link"), "full-page")
