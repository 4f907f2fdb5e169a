"""The strategy keeps the rules of strategies, and the judge knows code."""

from __future__ import annotations

from foragers_example import FewestLinks

import foragers
from foragers.judges.keywords import Keywords
from foragers.testing import check_strategy
from foragers.worlds.replay import Recorded


def test_the_strategy_keeps_the_rules() -> None:
    """Contract checks of Foragers: no closed hosts, no invented URLs, same seed same crawl."""
    web = foragers.generate("topics", pages=300, seed=1)
    check_strategy(FewestLinks, lambda: Recorded(web), Keywords("robot sensor"))


def test_both_are_found_by_name() -> None:
    """The entry points work."""
    web = foragers.generate("topics", pages=300, seed=1)
    result = foragers.compare(
        web, strategies=["fewest-links(weight=2)", "random"], judge="has-code", budget=50
    )
    assert len(result.tasks[0].strategies["fewest-links(weight=2)"].runs) >= 1
