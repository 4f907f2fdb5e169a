"""Explanations of auto in sentences."""

import numpy as np
import pytest

from foragers.core.types import Link
from foragers.strategies.auto.combiner import BIAS
from foragers.strategies.auto.explain import LinkReasons, lessons_in
from foragers.strategies.auto.group_rates import Rates
from foragers.strategies.auto.pending_links import STORED, LinkFeatures, LinkGroups
from foragers.strategies.auto.word_weights import LINK_WORDS, WordWeights, bucket

PLANNER = Link(7, 0, "http://a.test/lists/robots/planner.html", "Planner")


def reasons(adds: dict[str, float], rates: Rates, groups: LinkGroups, link: Link) -> LinkReasons:
    known = LinkFeatures(
        np.array([link.url], np.int32),
        np.array([groups], np.int32).T,
        np.zeros((LINK_WORDS, 1), np.int32),
        np.zeros((len(STORED), 1), np.float32),
    )
    return LinkReasons(link, known, adds, rates, WordWeights(), 3)


def counted_group(rates: Rates, name: str, followed: int, good: int, parent: int = 0) -> int:
    group = rates.group(name, parent)
    for number in range(followed):
        rates.count(rates.lineage([group]), float(number < good))
    return group


def test_the_two_strongest_reasons_are_told_with_their_numbers() -> None:
    rates = Rates()
    listed = counted_group(rates, "page x ul li a", followed=16, good=14)
    told = reasons(
        {BIAS: 9.0, "topic in link": 4.0, "tag path": 2.0, "parent": 1.5, "depth": -1.0},
        rates,
        LinkGroups(listed, 0, 0, 0, 0),
        PLANNER,
    )
    assert told.sentence() == (
        "mainly because the link text “Planner” matches the topic, and"
        " 14 of 16 links in the same list on this page were worth following"
    )


def test_a_group_without_observations_is_told_by_the_group_around_it() -> None:
    rates = Rates()
    host = counted_group(rates, "host a.test", followed=5, good=1)
    lists = rates.group("in a.test/lists", host)
    robots = rates.group("in a.test/lists/robots", lists)
    told = reasons({"directory": 1.0}, rates, LinkGroups(0, robots, 0, 0, 0), PLANNER)
    assert told.sentence() == "mainly because 1 of 5 links to this host was worth following"
    rates.count(rates.lineage([lists]), 0.0)
    assert "0 of 1 link to /lists/ were" in told.sentence()


def test_a_host_first_met_on_another_is_told_by_all_such_hosts() -> None:
    rates = Rates()
    host = rates.group("host a.test", counted_group(rates, "other hosts", followed=4, good=3))
    inside = rates.group("in a.test/lists/robots", rates.group("in a.test/lists", host))
    listed = rates.group("page x ul li a", rates.group("tags a.test ul li a", host))
    groups = LinkGroups(listed, inside, 0, 0, rates.group("links x", host))
    for name in ("tag path", "directory", "parent page"):
        assert reasons({name: 1.0}, rates, groups, PLANNER).sentence() == (
            "mainly because 3 of 4 links to hosts first met on other hosts were worth following"
        )


def test_weak_reasons_beside_a_strong_one_are_left_to_the_table() -> None:
    told = reasons({"parent": 4.0, "in-links": 0.9}, Rates(), LinkGroups(0, 0, 0, 0, 0), PLANNER)
    assert told.sentence() == "mainly because the page it is on matches the target"


def test_words_that_speak_for_a_link_are_quoted_the_strongest_first() -> None:
    told = reasons({"link words": 1.0}, Rates(), LinkGroups(0, 0, 0, 0, 0), PLANNER)
    told.words.weights[bucket("planner")] = 0.5
    told.words.weights[bucket("robots")] = 2.0
    assert (
        told.sentence()
        == "mainly because links with “robots”, “planner” were worth following before"
    )


def test_a_link_that_nothing_speaks_for_is_told_so() -> None:
    told = reasons({BIAS: 1.0, "depth": -0.1}, Rates(), LinkGroups(0, 0, 0, 0, 0), PLANNER)
    assert told.sentence().startswith("although no feature speaks for it")


@pytest.mark.parametrize(("anchor", "says"), [("", "its URL matches"), ("a\n b", "“a b” matches")])
def test_the_topic_in_a_link_without_text_is_that_of_its_url(anchor: str, says: str) -> None:
    link = Link(7, 0, PLANNER.href, anchor)
    assert (
        says in reasons({"topic in link": 1.0}, Rates(), LinkGroups(0, 0, 0, 0, 0), link).sentence()
    )


def test_lessons_are_told_in_words_the_strongest_first() -> None:
    spread = {"depth": -0.3, "shape": 0.1, "link words": 0.6, "directory": 0.01, "bias": 3.0}
    assert lessons_in(spread) == [
        "the words of the link and of its URL: strongly raises the promise (+0.60)",
        "the distance from the seeds: lowers the promise (-0.30)",
        "the form of its URL: slightly raises the promise (+0.10)",
    ]
