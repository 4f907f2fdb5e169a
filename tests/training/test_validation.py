"""Which sites are left out together, and what is measured on them."""

from __future__ import annotations

import numpy as np

from foragers.training.link_examples import LinkExamples
from foragers.training.validation import folds_of, summed_up


def test_sites_that_are_left_out_together_have_as_many_links_as_others() -> None:
    links = [10, 2, 2, 2, 2, 2]
    sites = np.repeat(np.arange(6), links)
    examples = LinkExamples({}, {}, {}, np.zeros(len(sites)), sites, tuple("abcdef"))
    folds = folds_of(examples, most=2)
    assert np.bincount(folds).tolist() == [10, 10]
    assert len(set(folds[sites == 0].tolist())) == 1
    assert folds_of(examples, most=6).tolist() == sites.tolist()


def test_recall_is_of_the_links_that_give_immediate_reward() -> None:
    truth = np.array([0, 0, 3, 4, 0, 2])
    guesses = np.array([0, 1, 0, 2, 0, 2])
    folds = np.array([0, 0, 0, 0, 1, 1])
    found = summed_up("related", 3, guesses, truth, folds)
    # Of three bins the last holds all beyond: 0 0 2 2 | 0 2.
    assert found.right == (0.5, 1.0)
    assert found.right_of_two == (0.5, 1.0)
    assert found.recall == (0.5, 1.0)
    assert summed_up("related", 3, guesses[2:4], truth[2:4], folds[2:4]).recall == ()
