"""The compiled functions of auto give the same bits as those in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.core.types import Document
from foragers.frontier.columns import UrlColumn
from foragers.frontier.frontier import Frontier
from foragers.strategies.auto import (
    combiner,
    group_rates,
    learning,
    pending_links,
    word_weights,
)
from foragers.strategies.auto.combiner import Combiner
from foragers.strategies.auto.group_rates import ROOT, Rates
from foragers.strategies.auto.learning import Learners, Nearness
from foragers.strategies.auto.pending_links import (
    GROUPED,
    STORED,
    LinkFeatures,
    PendingLinks,
    spoken_of,
)
from foragers.strategies.auto.reward import Raised
from foragers.strategies.auto.word_weights import (
    BUCKETS,
    LINK_WORDS,
    NO_WORD,
    WordWeights,
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
        for module in (combiner, group_rates, learning, pending_links, word_weights):
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


def learners(seed: int, pages: int = 40) -> Learners:
    """Return parts that know some links, of which up to three lead to the same page."""
    rng, words, pending = np.random.default_rng(seed), WordWeights(), PendingLinks()
    words.table[:NO_WORD, :3] = rng.normal(size=(BUCKETS, 3)) * 6
    in_links = UrlColumn(np.int32(0))
    in_links.values[:] = rng.integers(-1, 9, len(in_links.values))
    in_links.values[3] = 5_000  # more than there are logarithms in the table
    for _ in range(3):
        known = links(rng, pages)
        known.urls[:] = rng.permutation(pages)
        pending.add(known.at(list(range(0, pages, int(rng.integers(1, 3))))))
    given_weights = Combiner(weights=rng.normal(size=len(Combiner().weights)))
    return Learners(rates(seed), words, given_weights, pending, in_links)


def state_of(parts: Learners) -> tuple[object, ...]:
    """Return everything that learns."""
    words, fitted = parts.words, parts.combiner
    columns = words.table, words.squares, words.followed, words.earned
    remembered = fitted._features, fitted._worth
    return (
        *all_of(parts.rates),
        *(column.tobytes() for column in (*columns, *remembered)),
        sorted(words._tried),
        fitted._seen,
    )


@pytest.mark.parametrize("near", [None, Nearness(0.25, 0.0), Nearness(0.5, 1.5)])
@pytest.mark.parametrize("number", [0, 1, 2, 3, 20, 300])
def test_links_promise_the_same(number: int, near: Nearness | None, pure: Any) -> None:
    parts, known = learners(7), links(np.random.default_rng(number), number)
    known.stored[learning.DEPTH] = np.arange(number) % 4
    quick = parts.promises(known, near)
    assert len(np.unique(quick)) >= number // 2
    pure()
    assert parts.promises(known, near).tobytes() == quick.tobytes()


def test_damaged_columns_are_refused() -> None:
    parts, known = learners(7), links(np.random.default_rng(1), 3)
    known.groups[0, 1] = GROUPS + 9
    with pytest.raises(IndexError):
        parts.promises(known, None)


@pytest.mark.parametrize("counts_words", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_followed_links_teach_the_same(seed: int, counts_words: bool, pure: Any) -> None:
    def taught() -> tuple[object, ...]:
        rng, parts = np.random.default_rng(seed), learners(seed)
        found: list[object] = []
        for url in rng.permutation(40).tolist():
            if parts.pending.has(url):
                worth, answered = float(rng.random()), bool(rng.random() < 0.5)
                updated, row = parts.learn(url, worth, answered, counts_words)
                found.append((updated, row))
                if rng.random() < 0.5:
                    parts.reward(Raised(updated, row, worth + 0.1, 0.1), counts_words)
        return (found, *state_of(parts))

    quick = taught()
    pure()
    assert taught() == quick


def test_damaged_links_teach_nobody() -> None:
    parts, library = learners(5), learning.LIBRARY
    assert library is not None
    before = state_of(parts)
    for damage in (GROUPS, -1):
        parts.pending.all.groups[2, :] = damage
        assert parts._learn_quickly(library, 0, 1.0, True, True) is None
    parts.pending.all.groups[2, :] = 0
    for damage in (NO_WORD + 1, -1):
        parts.pending.all.words[0, :] = damage
        assert parts._learn_quickly(library, 0, 1.0, True, True) is None
    parts.pending.all.words[0, :] = 0
    for url in (-1, 10_000, 1 << 40):
        assert parts._learn_quickly(library, url, 1.0, True, True) is None
    parts.pending.chains[1][:] = 1  # links that chase each other
    assert parts._learn_quickly(library, 0, 1.0, True, True) is None
    columns = (parts.rates.earned, parts.words.table, parts.words.squares)
    more = (*columns, parts.words.followed, parts.words.earned, 1.0, 0.5, 0.0, 0.3, True)
    for taught in ([], [-1], [2, 1], [1, 3, 5, 5], [1, 1, NO_WORD + 1], [0, GROUPS], [0, -1]):
        assert library.rewarded(np.array(taught, np.int32).tobytes(), *more) is False
    assert state_of(parts) == before


@pytest.mark.parametrize("links_seen", [0, 1, 2, 12, 300, 2100])
def test_weights_are_fitted_the_same(links_seen: int, pure: Any) -> None:
    rng, made = np.random.default_rng(links_seen), Combiner()
    for _ in range(links_seen):
        row = (rng.normal(size=len(made.weights)) * 3).astype(np.float32)
        made.remember(row, float(rng.random() < 1 / (1 + np.exp(-row[1] - row[5]))))
    first = made.weights
    made.fit()
    quick, made.weights = made.weights, first
    assert (quick != first).any() == (links_seen > 0)
    pure()
    made.fit()
    assert made.weights.tobytes() == quick.tobytes()


@given(st.lists(st.integers(0, 30), max_size=40), st.lists(st.integers(0, 30), max_size=40))
def test_links_are_chained_the_same(first: list[int], second: list[int]) -> None:
    found = []
    for library in (group_rates.LIBRARY, None):
        pending, rng = PendingLinks(), np.random.default_rng(1)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(pending_links, "LIBRARY", library)
            for urls in (first, second):
                some = links(rng, len(urls))
                some.urls[:] = urls
                pending.add(some)
        last, before = pending.chains
        found.append((last.tolist(), before[: len(pending)].tolist()))
    assert found[0] == found[1]


@given(st.lists(st.floats(0, 1), min_size=120, max_size=120), st.sets(st.integers(0, 39)))
def test_the_best_promise_of_each_page_is_the_same(
    promises: list[float], fetched: set[int]
) -> None:
    parts = learners(3)
    parts.pending.forget(fetched)
    given_promises = np.array(promises[: len(parts.pending)])
    quick = parts.best_of_each(given_promises)
    slow = parts.pending.best(given_promises)
    assert [column.tobytes() for column in quick] == [column.tobytes() for column in slow]


@given(
    urls=st.lists(st.integers(0, 1500), max_size=60),
    again=st.booleans(),
    counts=st.lists(st.integers(-1, 4), min_size=1501, max_size=1501),
)
def test_links_are_counted_the_same(urls: list[int], again: bool, counts: list[int]) -> None:
    found = []
    targets, frontier = np.array(urls, np.int32), Frontier()
    for url in range(0, 1200, 5):
        frontier.push(url, 0, 0.5)
    frontier.rescore(np.zeros(1, np.int32), np.full(1, 0.25))
    for url in (*range(0, 1200, 10), -1):
        frontier.take(url)
    assert frontier.scores() is not None
    for library in (group_rates.LIBRARY, None):
        column = UrlColumn(np.int32(0))
        column.reach(1500)[:1501] = counts
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(pending_links, "LIBRARY", library)
            places = spoken_of(targets, column, again, 3, frontier)
        found.append((places, column.values.tolist()))
    assert found[0] == found[1]


WORD = st.text(alphabet="abcdefgh the and äéß京都ไทย'\u2019- 0123", min_size=1, max_size=9)
TEXT = st.lists(WORD, max_size=60).map(" ".join)


@given(TEXT | st.text(alphabet="astrevlldm'_ TS9\x00", max_size=60))
def test_pages_have_the_same_words(text: str) -> None:
    quick = page_words(text)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(word_weights, "LIBRARY", None)
        slow = page_words(text)
    assert sorted(quick.tolist()) == sorted(slow.tolist())


@given(st.lists(st.tuples(TEXT, st.booleans()), min_size=1, max_size=12))
def test_pages_are_read_the_same(pages: list[tuple[str, bool]]) -> None:
    found = []
    for library in (word_weights.LIBRARY, None):
        words = WordWeights()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(word_weights, "LIBRARY", library)
            leans = [
                words.read_page(Document("The title of it", ("who and why",), text), relevant)
                for text, relevant in pages
            ]
            met = sorted(np.concatenate(words._met).tolist())
            words.refresh(-1.0)
        found.append((leans, met, words.pages, words.counts.tolist(), words.leans.tolist()))
    assert found[0] == found[1]


def test_words_on_very_many_pages_lean_the_same(pure: Any) -> None:
    words, rng = WordWeights(), np.random.default_rng(1)
    counts = rng.integers(0, 9_000, (2, 500))
    words.counts[:500] = counts[0] * word_weights.RELEVANT + counts[1]
    words._met.append(np.arange(500, dtype=np.int32))
    words.pages[:] = [9_000, 9_000]
    words.refresh()
    quick = words.leans.tobytes()
    pure()
    words.refresh()
    assert words.leans.tobytes() == quick
