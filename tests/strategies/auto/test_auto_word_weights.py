"""What the words of links and pages say."""

from __future__ import annotations

import pickle
from math import log

import numpy as np
import pytest

from foragers.core.types import Document
from foragers.strategies.auto.word_weights import (
    ABSENT,
    BUCKETS,
    COLUMNS,
    LINK_WORDS,
    NO_WORD,
    SMALL_COUNTS,
    WordWeights,
    beginning,
    bucket,
    link_words,
    logs_of,
    page_words,
    spoken,
)


def test_words_of_relevant_pages_lean_to_them() -> None:
    weights = WordWeights()
    tea, tax = bucket("tea"), bucket("tax")
    weights.read(np.array([tea], np.int32), True)
    weights.read(np.array([tax], np.int32), False)
    weights.refresh()
    # Half of the pages are relevant, so half a relevant page is to be expected with either word.
    assert weights.leans[tea] == pytest.approx(log(1.3 / 0.8))
    assert weights.leans[tax] == pytest.approx(log(0.3 / 0.8))
    assert weights.leans[NO_WORD] == 0


def test_words_met_before_any_page_was_relevant_are_few_numbers_and_lean_later() -> None:
    weights = WordWeights()
    tea, tax = bucket("tea"), bucket("tax")
    for _ in range(100):
        weights.read(np.array([tax], np.int32), False)
    weights.refresh()
    assert [numbers.tolist() for numbers in weights._met] == [[tax]]
    weights.read(np.array([tea], np.int32), True)
    weights.refresh()
    assert weights.leans[tax] == pytest.approx(log(0.3 / (100 / 101 + 0.3)))
    assert weights.leans[tea] > 0 > weights.leans[tax]


def test_a_word_of_one_other_page_says_little_after_the_first_find() -> None:
    weights = WordWeights()
    tea, rare, common = bucket("tea"), bucket("rare"), bucket("common")
    for place in range(100):
        weights.read(np.array([common, rare][: 1 + (place == 0)], np.int32), False)
    weights.read(np.array([tea], np.int32), True)
    weights.refresh()
    assert -0.1 < weights.leans[rare] < 0
    assert weights.leans[common] < -1 < 1 < weights.leans[tea]


def test_a_link_speaks_by_its_anchor_and_the_end_of_its_address_each_word_once() -> None:
    anchors = [["green", "the", "tea"], [], [f"a{number}" for number in range(8)]]
    addresses = [["shop", "tea", "pots"], [], [f"b{number}" for number in range(6)]]
    one, none, many = link_words(anchors, addresses).T.tolist()
    assert one == [*map(bucket, ("green", "tea", "shop", "pots")), *[NO_WORD] * 8]
    assert none == [NO_WORD] * LINK_WORDS
    assert many == [*map(bucket, [*anchors[2], *addresses[2]])][:LINK_WORDS]


def test_links_are_said_the_same_of_whether_one_by_one_or_together() -> None:
    rng, words = np.random.default_rng(3), WordWeights()
    words.table[:BUCKETS, :ABSENT] = rng.normal(scale=3.0, size=(BUCKETS, ABSENT))
    links = rng.integers(0, BUCKETS, (LINK_WORDS, 50)).astype(np.int32)
    links[np.arange(LINK_WORDS)[:, np.newaxis] >= np.arange(50) % (LINK_WORDS + 1)] = NO_WORD
    together = words.said(links)
    for place in range(50):
        assert words.said(links[:, [place]]).tolist() == together[[place]].tolist()
        some = [word for word in links[:, place].tolist() if word != NO_WORD]
        weight = lean = rate = 0.0
        for word in some:
            weight += words.weights[word]
            lean += words.leans[word]
            rate += words.rates[word]
        best = max((words.rates[word] for word in some), default=0.0)
        assert together[place].tolist() == [
            min(max(weight, -5.0), 5.0),
            min(max(lean / max(len(some), 1) ** 0.5, -4.0), 4.0),
            rate / max(len(some), 1),
            min(max(best, -5.0), 5.0),
        ]


def test_word_weights_go_towards_what_links_were_worth() -> None:
    weights = WordWeights()
    good, bad = map(bucket, ("good", "bad"))
    for _ in range(20):
        weights.learn(((good,),), 1.0, 0.0)
        weights.learn(((bad,),), 0.0, 0.0)
    assert weights.weights[good] > 1
    assert weights.weights[bad] < -1
    assert weights.weights[NO_WORD] == 0


def test_the_words_of_links_end_where_there_are_no_more() -> None:
    links = np.array([[7, 8], [NO_WORD, 9], [NO_WORD, NO_WORD]], np.int32)
    assert spoken(links) == ((7,), (8, 9))


def test_words_of_a_page_are_those_it_begins_with_each_once() -> None:
    document = Document("The tea", ("Tea of Ceylon",), f"茶 东京 été {' ' * 3000} late")
    expected = {bucket(word) for word in ("tea", "ceylon", "été")}
    assert sorted(page_words(beginning(document)).tolist()) == sorted(expected)


def test_counts_beyond_those_at_hand_are_worked_out() -> None:
    counts = np.array([0, 5, SMALL_COUNTS + 7])
    assert logs_of(counts, 0.3) == pytest.approx(np.log(counts + 0.3), rel=1e-15)
    assert logs_of(counts[:2], 0.3).tolist() == logs_of(counts, 0.3).tolist()[:2]


def test_the_rate_of_a_word_is_shrunk_towards_that_of_all_links() -> None:
    words, usual = WordWeights(), float(np.log(0.02 / 0.98))
    tea, tax = bucket("tea"), bucket("tax")
    words.count(((tea, tax), (tea,)), 1.0, 1.0)
    words.count(((tax,),), 1.0, 0.0)
    words.count(((tea,),), 0.0, 0.7)
    words.refresh(usual)
    # tea: 1.7 of 1 link; tax: 1 of 2 links; both with two links at the usual rate.
    expected = {tea: (1.7 + 2 * 0.02) / 3, tax: (1 + 2 * 0.02) / 4}
    for word, rate in expected.items():
        assert words.rates[word] == pytest.approx(np.log(rate / (1 - rate)) - usual)
    assert words.rates[bucket("never followed")] == 0


def test_a_pickle_has_only_the_words_that_were_met() -> None:
    words = WordWeights()
    words.read(np.array([3, 70_000], np.int32), relevant=True)
    words.read(np.array([3, 9], np.int32), relevant=False)
    words.learn(((5, 3), (5,)), 1.0, -2.0)
    words.count(((5, 3),), 1.0, 0.5)
    words.refresh(-2.0)
    stored = pickle.dumps(words)
    again = pickle.loads(stored)
    assert len(stored) < 10_000
    for name in COLUMNS:
        assert getattr(again, name).tobytes() == getattr(words, name).tobytes()
    again.read(np.array([3, 11], np.int32), relevant=True)
    again.refresh(-2.0)
    assert again.leans[11] > 0
