"""A trained spider's model as one of auto's features."""

from __future__ import annotations

import numpy as np
import pytest

from foragers.core.content import MemoryContent
from foragers.core.loop import seed_visit
from foragers.core.models import Model
from foragers.core.types import Choice, Document, Link, Page, Status, Visit
from foragers.errors import UsageError
from foragers.judges.topic import NoTopic
from foragers.strategies.auto.saved import TEXT, PretrainedScorer
from foragers.strategies.auto.settings import AutoSettings
from foragers.strategies.auto.strategy import Auto
from foragers.text.link_counts import FINEST, LinkCounts
from foragers.text.link_text import TEXTS

OFFICERS, PRICES = "officers", "prices"


def model() -> Model:
    """Links that say "officers" led to what was wanted, those that say "prices" did not."""
    words = dict.fromkeys(TEXTS[TEXT], (OFFICERS, PRICES))
    counts = np.zeros((FINEST, 2), np.int64)
    counts[0, 0], counts[-1, 1] = 50, 150
    links, worth = np.zeros(FINEST, np.int64), np.zeros(FINEST)
    links[0], links[-1], worth[0] = 50, 150, 50.0
    return LinkCounts(words, dict.fromkeys(words, counts), links, worth).model({})


def links() -> list[Link]:
    anchors = (PRICES, OFFICERS, "something else")
    return [
        Link(url, 0, f"http://a.test/{url}", anchor) for url, anchor in enumerate(anchors, start=1)
    ]


def page() -> Page:
    content = MemoryContent(Document(), tuple(links()))
    return Page(Choice(0, 0), Status.OK, "", 0, 0.0, 0.0, 0, content.columns(), content)


def test_a_model_speaks_for_links_like_those_that_paid_and_against_the_others() -> None:
    against, speaks_for, nothing = PretrainedScorer.of(model()).says(page(), [0, 1, 2]).tolist()
    most = AutoSettings().most_trained
    assert -most <= against < nothing < speaks_for <= most
    assert nothing == pytest.approx(0.0, abs=1e-6), "of unknown words only the usual is known"


def test_what_a_model_says_is_bounded() -> None:
    said = PretrainedScorer.of(model(), most=0.01).says(page(), [0, 1]).tolist()
    assert said == [-0.01, 0.01]


def test_auto_follows_its_model_before_anything_is_learned() -> None:
    strategy = Auto(NoTopic(), model=model())
    strategy.check()
    strategy.tell([seed_visit([Link(0, 0, "http://a.test/")], 0.0)])
    assert strategy.ask(1, frozenset())[0].url == 0
    strategy.tell([Visit(page(), 0.0, False)])
    assert strategy.ask(1, frozenset())[0].url == 2


def test_a_model_of_no_links_is_refused() -> None:
    with pytest.raises(UsageError, match="made of no links"):
        Auto(NoTopic(), model=LinkCounts.nothing(TEXTS[TEXT]).model({})).check()
