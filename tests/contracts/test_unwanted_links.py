"""Links that come with pages which are not kept, or were not fetched at all."""

from __future__ import annotations

import numpy as np
import pytest

from foragers.core.loop import seed_visit
from foragers.core.protocols import Strategy
from foragers.core.types import NO_PARENT, Choice, Link, Purpose, Status, UrlId
from foragers.judges.keywords import Keywords
from foragers.strategies.registry import STRATEGIES, StrategyInputs, build
from foragers.testing.ledgers import sample

REVISITING = {"uniform", "home-page", "foragers", "wl", "rl", "wlrl", "wlrl-refresh", "mixed-fleet"}
OTHERS = sorted({*STRATEGIES} - REVISITING - {"optimal", "no-learning", "random-order"})
SEED = Choice(0, 0, parent=NO_PARENT, depth=0)


def to(*urls: UrlId) -> tuple[Link, ...]:
    return tuple(Link(url, 0, f"http://a.test/{url}", f"tide {url}") for url in urls)


def strategy_of(name: str) -> Strategy:
    return build(name, StrategyInputs(Keywords("tide"), np.random.default_rng(1)))


def chosen(strategy: Strategy) -> list[UrlId]:
    """Return all that a strategy asks for, if nothing that it fetches links on."""
    found = []
    while choices := strategy.ask(1, frozenset()):
        found.append(choices[0].url)
        strategy.tell([sample(choices[0], relevance=0.5)])
    return found


@pytest.mark.parametrize("name", OTHERS)
def test_a_wider_scope_adds_links_and_loses_none(name: str) -> None:
    strategy = strategy_of(name)
    strategy.tell([seed_visit(to(0), 0.0)])
    assert [choice.url for choice in strategy.ask(1, frozenset())] == [0]
    strategy.tell([sample(SEED, links=to(1, 2, 3), relevance=0.5)])
    again = Choice(0, 0, 0.0, "scope", 0, 0, Purpose.SCOPE)
    strategy.tell([sample(again, status=Status.SKIPPED, links=to(3, 4, 5))])
    assert sorted(chosen(strategy)) == [1, 2, 3, 4, 5]
