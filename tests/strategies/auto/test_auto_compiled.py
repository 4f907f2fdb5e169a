"""The compiled functions of auto give the same bits as those in Python."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.core import exact
from foragers.core.types import Document
from foragers.frontier.columns import UrlColumn
from foragers.strategies.auto import group_rates, pending_links, word_weights
from foragers.strategies.auto.combiner import FIRST_WEIGHTS
from foragers.strategies.auto.group_rates import ROOT, Rates
from foragers.strategies.auto.pending_links import (
    GROUPED,
    STORED,
    LinkFeatures,
    doubt_of,
    feature_matrix,
    spoken_of,
    weighted_sum,
)
from foragers.strategies.auto.word_weights import (
    BUCKETS,
    LINK_WORDS,
    NO_WORD,
    Spoken,
    WordWeights,
    link_words,
    page_words,
)

pytestmark = pytest.mark.skipif(
    group_rates.LIBRARY is None, reason="the compiled module was not built"
)
GROUPS = 400


@pytest.fixture
def pure(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that does without the compiled module from then on."""

    def switch() -> None:
        for module in (group_rates, pending_links, word_weights):
            monkeypatch.setattr(module, "LIBRARY", None)

    return switch


def rates(seed: int) -> Rates:
    """Return groups in groups, with some counts."""
    rng, made = np.random.default_rng(seed), Rates()
    while len(made) < GROUPS:
        parent = int(rng.integers(0, len(made))) if rng.random() < 0.8 else ROOT
        made.group(f"group {len(made)}", parent)
    for _ in range(300):
        groups = rng.integers(0, GROUPS, (len(GROUPED), int(rng.integers(1, 4))), np.int32)
        made.teach(groups, float(rng.random()), bool(rng.random() < 0.7))
    made.refresh()
    return made


def links(rng: np.random.Generator, number: int) -> LinkFeatures:
    """Return links with any words and groups; some have no words at all."""
    words = rng.integers(0, BUCKETS, (number, LINK_WORDS), np.int32)
    for row, kept in zip(words, rng.integers(0, LINK_WORDS + 1, number), strict=True):
        row[kept:] = NO_WORD
    return LinkFeatures(
        np.arange(number, dtype=np.int32),
        rng.integers(0, GROUPS, (len(GROUPED), number), np.int32),
        words.T,
        rng.normal(size=(len(STORED), number)).astype(np.float32),
    )


def all_of(made: Rates) -> tuple[bytes, ...]:
    """Return all columns of groups."""
    columns = (made.followed, made.earned, made.tried, made.answered, made.odds, made.doubts)
    return tuple(column.tobytes() for column in columns)


@pytest.mark.parametrize("seed", range(4))
def test_groups_learn_the_same(seed: int, pure: Any) -> None:
    quick = all_of(rates(seed))
    pure()
    assert all_of(rates(seed)) == quick


@pytest.mark.parametrize("number", [0, 1, 2, 3, 20, 300])
def test_links_have_the_same_features_and_sums(number: int, pure: Any) -> None:
    rng, made, words = np.random.default_rng(number), rates(7), WordWeights()
    words.table[:NO_WORD, :3] = rng.normal(size=(BUCKETS, 3)) * 6
    known = links(rng, number)
    in_links = rng.integers(-1, 9, number, np.int32)

    def scored() -> tuple[bytes, ...]:
        rows = feature_matrix(known, made, words, in_links)
        sums = weighted_sum(rows, FIRST_WEIGHTS)
        return rows.tobytes(), sums.tobytes(), doubt_of(known, made).tobytes()

    quick = scored()
    pure()
    assert scored() == quick


def test_very_many_in_links_are_left_to_the_function_in_python(pure: Any) -> None:
    made, words, known = rates(7), WordWeights(), links(np.random.default_rng(1), 3)
    in_links = np.array([1, 5_000, 2], np.int32)
    quick = feature_matrix(known, made, words, in_links)
    pure()
    assert feature_matrix(known, made, words, in_links).tobytes() == quick.tobytes()


def test_damaged_columns_are_refused() -> None:
    made, words, known = rates(7), WordWeights(), links(np.random.default_rng(1), 3)
    known.groups[0, 1] = GROUPS + 9
    with pytest.raises(IndexError):
        feature_matrix(known, made, words, np.ones(3, np.int32))


@given(
    urls=st.lists(st.integers(0, 1500), max_size=60),
    again=st.booleans(),
    counts=st.lists(st.integers(-1, 4), min_size=1501, max_size=1501),
)
def test_links_are_counted_the_same(urls: list[int], again: bool, counts: list[int]) -> None:
    found = []
    targets = np.array(urls, np.int32)
    for library in (group_rates.LIBRARY, None):
        column = UrlColumn(np.int32(0))
        column.reach(1500)[:1501] = counts
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(pending_links, "LIBRARY", library)
            places = spoken_of(targets, column, again, 3)
        found.append((places, column.values.tolist()))
    assert found[0] == found[1]


LISTS = st.lists(st.lists(st.text("abé the京", max_size=5), max_size=9), min_size=1, max_size=8)


@given(LISTS, st.randoms(use_true_random=False))
def test_links_have_the_same_words(anchors: list[list[str]], chance: Random) -> None:
    addresses = [[*chance.sample(words, len(words)), "the", "tea"] for words in anchors]
    quick = link_words(anchors, addresses)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(word_weights, "LIBRARY", None)
        slow = link_words(anchors, addresses)
    assert quick.tolist() == slow.tolist()


def test_words_that_no_utf_8_can_spell_are_left_to_the_function_in_python() -> None:
    library = word_weights.LIBRARY
    assert library is not None
    assert library.link_words([["\ud800"]], [["tea"]], BUCKETS, LINK_WORDS) is None
    assert link_words([["\ud800"]], [["tea"]])[2, 0] == NO_WORD


WORD = st.text(alphabet="abcdefgh the and äéß京都ไทย'\u2019- 0123", min_size=1, max_size=9)


@given(st.lists(WORD, max_size=60).map(" ".join))
def test_pages_have_the_same_words(text: str) -> None:
    document = Document("The title of it", ("who and why", text[:20]), text)
    quick = page_words(document)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(word_weights, "LIBRARY", None)
        slow = page_words(document)
    assert sorted(quick.tolist()) == sorted(slow.tolist())


SPOKEN = st.lists(st.lists(st.integers(0, 40), max_size=12).map(tuple), min_size=1, max_size=4).map(
    tuple
)


@given(st.lists(st.tuples(SPOKEN, st.floats(0, 1), st.floats(-3, 3)), max_size=12))
def test_words_learn_the_same(steps: list[tuple[Spoken, float, float]]) -> None:
    found = []
    for library in (word_weights.LIBRARY, None):
        words = WordWeights()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(word_weights, "LIBRARY", library)
            for links, worth, usual in steps:
                words.learn(links, worth, usual)
                words.count(links, 1.0, worth)
                words.count(links[:1], 0.0, worth / 2)
        columns = words.weights, words.squares, words.followed, words.earned
        found.append(([column.tolist() for column in columns], sorted(words._tried)))
    assert found[0] == found[1]


def test_words_beyond_the_table_and_very_many_words_are_left_to_the_functions_in_python() -> None:
    library, words = word_weights.LIBRARY, WordWeights()
    assert library is not None
    for odd in (((BUCKETS + 1,),), ((-1,),), (tuple(range(65)),), ([1],)):
        assert not library.stepped(words.weights, words.squares, odd, 1.0, 0.0, 0.1, exact.exp_of)
    for many in (((BUCKETS + 1,),), tuple((word,) for word in range(257))):
        assert library.counted(words.followed, words.earned, many, 1.0, 0.0) is None
    assert not words.weights.any()
    assert not words.followed.any()
