"""Scores of agents over a crawl are kept in bounded memory."""

from __future__ import annotations

import numpy as np

from foragers.core.population import Scores


def test_samples_get_rarer_and_never_exceed_the_bound() -> None:
    scores = Scores(most=40)
    for pages in range(1, 1001):
        if scores.is_due(pages):
            scores.note(pages, [(1, pages / 10), (2, -1.0)])
        assert len(scores) <= 40
    columns = scores.columns()
    pages = columns["pages"][columns["members"] == 1]
    assert len(pages) > 10
    assert len(set(np.diff(pages).tolist())) == 1  # at equal distances
    assert (columns["values"][columns["members"] == 1] == pages / 10).all()


def test_few_samples_are_all_kept() -> None:
    scores = Scores()
    for pages in (1, 2, 3):
        assert scores.is_due(pages)
        scores.note(pages, [(7, 1.5)])
    assert scores.columns()["pages"].tolist() == [1, 2, 3]
