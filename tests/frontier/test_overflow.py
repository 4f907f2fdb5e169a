"""The tail of a host against a sorted list."""

from __future__ import annotations

import pickle
from array import array
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foragers.frontier import overflow as tail
from foragers.frontier.overflow import NONE, RECORD, PackedQueue, Records

KEYS = st.lists(st.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.5]), min_size=1, max_size=20)
COMMANDS = st.lists(st.one_of(KEYS, st.integers(1, 6)), max_size=30)


def all_count(records: Records) -> np.ndarray:
    return np.ones(len(records), bool)


@settings(deadline=None)
@given(COMMANDS)
def test_the_best_come_out_first_whatever_came_in_between(
    commands: list[list[float] | int],
) -> None:
    with mock.patch.multiple(tail, FEW=1, SPADEFUL=2, SHARE=4, RUNS=3, LARGE=9):
        here, order = PackedQueue(), 0
        model: list[tuple[float, int, int, int, int]] = []
        for command in commands:
            if isinstance(command, int):
                taken = here.take(command, all_count)
                model.sort()
                assert taken == model[: len(taken)]
                assert len(taken) >= min(command, len(model))
                del model[: len(taken)]
            else:
                entries = sorted((key, order + n, order + n, 0, 1) for n, key in enumerate(command))
                order += len(command)
                model += entries
                here.add(entries)
            assert len(here) == len(model)
            assert here.best <= min(model, default=NONE)[:2]
            here = pickle.loads(pickle.dumps(here))


def test_what_no_longer_counts_is_dropped_when_it_is_sorted() -> None:
    here = PackedQueue()
    here.add([(-1.0, n, n, 0, 0) for n in range(1000)])
    taken = here.take(3, lambda records: records["url"] % 10 == 7)
    assert [entry[2] for entry in taken] == [7, 17, 27]
    assert len(here) == 97


def test_a_large_pile_is_sorted_a_part_at_a_time() -> None:
    count = 40 * tail.SPADEFUL
    here = PackedQueue()
    chance = np.random.default_rng(1).permutation(count).tolist()
    records = np.array([(float(n), n, n, 0, 0) for n in chance], RECORD)
    here.put(records, (0.0, 0))
    seen: list[int] = []

    def counts(records: Records) -> np.ndarray:
        seen.append(len(records))
        return np.ones(len(records), bool)

    for start in range(0, 100, 10):
        assert [entry[2] for entry in here.take(10, counts)] == list(range(start, start + 10))
    assert seen == [count]
    assert here.best == (100.0, 100)


PILES = st.lists(
    st.lists(st.tuples(st.sampled_from([-1.0, -0.5, 0.0, 0.5]), st.integers(0, 30)), max_size=40),
    min_size=1,
    max_size=3,
)
needs_library = pytest.mark.skipif(tail.LIBRARY is None, reason="the module was not built")


@needs_library
@given(PILES)
def test_the_best_of_piles_are_sorted_compiled_as_in_python(
    piles: list[list[tuple[float, int]]],
) -> None:
    scores = array("d", [0.5, 1.0, -0.5] * 11)
    records, order = [], 0
    for pile in piles:
        rows = [(negative, order - n, url, n, n) for n, (negative, url) in enumerate(pile)]
        records.append(np.array(rows, RECORD))
        order += 100

    def counts(entries: Records) -> np.ndarray:
        return np.asarray(np.array(scores)[entries["url"]] == -entries["negative"])

    with mock.patch.multiple(tail, SPADEFUL=3, SHARE=4):
        run, rest, bound = tail.dug(records, counts, scores)
        expected = tail.dug(records, counts, None)
    assert (run.tolist(), rest.tolist()) == (expected[0].tolist(), expected[1].tolist())
    assert bound == expected[2] or not len(rest)


@needs_library
def test_damaged_piles_are_left_to_python() -> None:
    scores, library = array("d", [0.5]), tail.LIBRARY
    assert library is not None
    beyond = np.array([(-0.5, 1, 7, 0, 0)], RECORD).view(np.uint8)
    assert library.dug([beyond], scores, 3, 4) is None
    assert library.dug([beyond[:20]], scores, 3, 4)[:2] == (b"", b"")
    assert library.dug([], scores, 0, 4) is None
    with pytest.raises(TypeError):
        library.dug([3], scores, 3, 4)
