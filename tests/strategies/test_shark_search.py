"""Shark-search, with the numbers worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from foragers.core.content import MemoryContent
from foragers.core.loop import seed_visit
from foragers.core.types import NO_PARENT, Choice, Document, Link, Page, Status, Visit
from foragers.strategies.shark_search import SharkSearch


@dataclass
class Likes:
    words: dict[str, float]

    def likeness(self, text: str) -> float:
        return self.words.get(text, 0.0)


def shark(beta: float = 0.8, gamma: float = 0.5, delta: float = 0.5) -> SharkSearch:
    return SharkSearch(Likes({"prawn": 0.6, "reef": 0.4}), beta=beta, gamma=gamma, delta=delta)


def visit(url: int, relevance: float, *links: Link, parent: int = NO_PARENT) -> Visit:
    content = MemoryContent(Document(), links)
    choice = Choice(url, 0, parent=parent, depth=0)
    page = Page(choice, Status.OK, "", url, 0.0, 0.0, url, content.columns(), content)
    return Visit(page, relevance, relevance > 0.5)


def promises(strategy: SharkSearch) -> dict[int, float]:
    return {choice.url: choice.promise for choice in strategy.ask(100, frozenset())}


def test_words_of_a_link_count_by_anchor_and_by_what_stands_around_it() -> None:
    strategy = shark(beta=0.8, gamma=0.5)
    strategy.tell(
        [
            visit(
                0,
                0.0,
                Link(1, 0, "", anchor="prawn"),
                Link(2, 0, "", anchor="here", around="reef"),
                Link(3, 0, "", anchor="here", around="there"),
                Link(4, 0, "", anchor="prawn", around="reef"),
            )
        ]
    )
    matched = 0.5 * (0.8 * 0.6 + 0.2 * 1.0)
    assert promises(strategy) == {
        1: pytest.approx(matched),
        2: pytest.approx(0.5 * 0.2 * 0.4),
        3: 0.0,
        4: pytest.approx(matched),
    }


def test_links_of_a_relevant_page_inherit_its_relevance() -> None:
    strategy = shark(gamma=0.5, delta=0.5)
    strategy.tell([visit(0, 0.8, Link(1, 0, ""))])
    assert promises(strategy) == {1: pytest.approx(0.5 * 0.5 * 0.8)}


def test_what_is_inherited_fades_over_a_barren_stretch_and_comes_back() -> None:
    strategy = shark(gamma=0.5, delta=0.5)
    strategy.tell([visit(0, 0.8, Link(1, 0, ""))])
    assert promises(strategy) == {1: pytest.approx(0.5 * 0.4)}
    strategy.tell([visit(1, 0.0, Link(2, 0, ""), parent=0)])
    assert promises(strategy) == {2: pytest.approx(0.5 * 0.2)}
    strategy.tell([visit(2, 0.0, Link(3, 0, ""), parent=1)])
    assert promises(strategy) == {3: pytest.approx(0.5 * 0.1)}
    strategy.tell([visit(3, 1.0, Link(4, 0, ""), parent=2)])
    assert promises(strategy) == {4: pytest.approx(0.5 * 0.5)}


def test_page_whose_parent_is_not_known_inherits_nothing() -> None:
    strategy = shark()
    strategy.tell([visit(7, 0.0, Link(8, 0, ""), parent=6)])
    assert promises(strategy) == {8: 0.0}


def test_seeds_inherit_nothing() -> None:
    strategy = shark()
    strategy.tell([seed_visit([Link(0, 0, "http://a.test/")], 0.0)])
    assert promises(strategy) == {0: 0.0}


def test_weights_do_what_the_paper_says() -> None:
    link = Link(1, 0, "", anchor="prawn")
    for weights, expected in (
        ({"gamma": 1.0, "delta": 0.3}, 0.3 * 0.8),
        ({"gamma": 0.0, "beta": 1.0}, 0.6),
        ({"gamma": 0.0, "beta": 0.0}, 1.0),
    ):
        strategy = shark(**weights)
        strategy.tell([visit(0, 0.8, link)])
        assert promises(strategy) == {1: pytest.approx(expected)}
