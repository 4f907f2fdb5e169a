"""crawl4ai's keyword scorer, with the numbers worked out by hand."""

from __future__ import annotations

import pytest

from foragers.core.loop import seed_visit
from foragers.core.types import Choice, Link
from foragers.judges.keywords import Keywords
from foragers.judges.topic import NoTopic, Topic
from foragers.strategies.peers.keyword_scorer import KeywordScorer, score
from foragers.testing.ledgers import sample

SEED = Choice(0, 0, depth=0)


def promises(topic: Topic, *hrefs: str, keywords: str = "") -> list[float]:
    """Return what the links of a seed promise, in their order on the page."""
    strategy = KeywordScorer(topic, keywords)
    links = tuple(Link(number, 0, href) for number, href in enumerate(hrefs, 1))
    strategy.tell([sample(SEED, links=links)])
    found = {choice.url: choice.promise for choice in strategy.ask(100, frozenset())}
    return [found[link.url] for link in links]


@pytest.mark.parametrize(
    ("href", "share"),
    [
        ("http://a.test/solar/panel", 2 / 3),
        ("http://a.test/solar-panel-inverter.html", 1.0),
        ("http://solar.test/about", 1 / 3),
        ("http://a.test/about", 0.0),
        ("http://a.test/Solar%50anels", 2 / 3),
        ("http://a.test/solar/solar/solar", 1 / 3),
    ],
)
def test_score_is_the_share_of_the_words_that_stand_in_the_url(href: str, share: float) -> None:
    assert score(href, ("solar", "panel", "inverter")) == pytest.approx(share)


def test_nothing_to_look_for_scores_nothing() -> None:
    assert score("http://a.test/solar", ()) == 0.0


def test_a_link_is_judged_by_its_url_alone() -> None:
    strategy = KeywordScorer(Keywords("reef tide"))
    links = (Link(1, 0, "http://a.test/x", anchor="reef tide"), Link(2, 0, "http://a.test/reef"))
    strategy.tell([sample(SEED, links=links, relevance=1.0)])
    assert [choice.url for choice in strategy.ask(2, frozenset())] == [2, 1]


def test_words_of_the_topic_are_taken_once_and_without_those_that_say_nothing() -> None:
    found = promises(Keywords("the reef and the reef"), "http://a.test/reef", "http://a.test/the")
    assert found == pytest.approx([1.0, 0.0], abs=1e-5)


def test_keywords_replace_the_topic() -> None:
    topic = Keywords("reef")
    found = promises(topic, "http://a.test/reef", "http://a.test/tide", keywords="tide wave")
    assert found == pytest.approx([0.0, 0.5], abs=1e-5)


def test_of_equal_scores_the_page_nearer_to_the_seeds_goes_first() -> None:
    strategy = KeywordScorer(NoTopic())
    strategy.tell([seed_visit([Link(0, 0, "http://a.test/")], 0.0)])
    assert [choice.url for choice in strategy.ask(1, frozenset())] == [0]
    strategy.tell([sample(Choice(7, 0, depth=4), links=(Link(1, 0, "http://a.test/far"),))])
    strategy.tell([sample(SEED, links=(Link(2, 0, "http://a.test/near"),))])
    assert [choice.url for choice in strategy.ask(2, frozenset())] == [2, 1]


def test_a_better_score_counts_more_than_any_depth() -> None:
    strategy = KeywordScorer(Keywords("reef tide wave sand"))
    strategy.tell([sample(Choice(7, 0, depth=90), links=(Link(1, 0, "http://a.test/reef"),))])
    strategy.tell([sample(SEED, links=(Link(2, 0, "http://a.test/x"),))])
    assert [choice.url for choice in strategy.ask(2, frozenset())] == [1, 2]
