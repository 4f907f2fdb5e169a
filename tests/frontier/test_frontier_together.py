"""Links of a page that are pushed together, and all that wait rescored together."""

from __future__ import annotations

from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.core.pace import Closed, WaitRule
from foragers.frontier import frontier as frontier_module
from foragers.frontier import overflow
from foragers.frontier.frontier import Frontier


@pytest.mark.parametrize("is_column", [False, True])
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 40), st.floats(0, 1)), max_size=12),
        min_size=1,
        max_size=9,
    )
)
def test_links_pushed_together_leave_as_if_pushed_one_by_one(
    is_column: bool, pages: list[list[tuple[int, float]]]
) -> None:
    together, one_by_one = Frontier(), Frontier()
    for depth, page in enumerate(pages):
        urls, promises = [url for url, _ in page], [promise for _, promise in page]
        together.push_all(urls, [url % 3 for url in urls], promises, depth, depth)
        for url, promise in page:
            one_by_one.push(url, url % 3, promise, depth, depth)
        if is_column:
            for frontier in (together, one_by_one):
                frontier.rescore(np.array([7], np.int32), np.array([0.5]))
        assert together.pop(1, frozenset()) == one_by_one.pop(1, frozenset())
        assert len(together) == len(one_by_one)
    assert together.pop(99, frozenset()) == one_by_one.pop(99, frozenset())
    together.push_all([3 << 20], [0], [0.5], 0, 0)  # far beyond all others
    assert together.pop(1, frozenset())[0].url == 3 << 20


@pytest.mark.skipif(frontier_module.LIBRARY is None, reason="the compiled module was not built")
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 90), st.integers(0, 20)), max_size=60),
        min_size=1,
        max_size=6,
    )
)
def test_a_frontier_is_rescored_compiled_as_in_python(pages: list[list[tuple[int, int]]]) -> None:
    found = []
    for library in (frontier_module.LIBRARY, None):
        frontier, left = Frontier(), list[object]()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(frontier_module, "LIBRARY", library)
            patched.setattr(overflow, "LIBRARY", library)
            for depth, page in enumerate(pages):
                for url, promise in page:
                    frontier.push(url, url % 3, promise / 20, depth, depth)
                urls = np.array([url for url, _ in page], np.int32)
                frontier.rescore(urls, np.array([promise % 7 / 7 for _, promise in page]))
                left += frontier.pop(5, frozenset({depth % 4}))
                left.append((len(frontier), frontier._dealt))
            left += frontier.pop(200, frozenset())
        found.append(left)
    assert found[0] == found[1]


STEPS = st.lists(
    st.tuples(st.integers(0, 4), st.booleans(), st.integers(0, 60), st.floats(0, 9)), max_size=40
)


@pytest.mark.skipif(frontier_module.LIBRARY is None, reason="the compiled module was not built")
@given(
    st.lists(st.tuples(st.integers(0, 120), st.integers(-4, 20)), min_size=1, max_size=150),
    STEPS,
    st.sampled_from([0.1, 0.8, 1.0]),
)
def test_pages_wait_for_better_ones_compiled_as_in_python(
    links: list[tuple[int, int]], steps: list[tuple[int, bool, int, float]], share: float
) -> None:
    found = []
    for library in (frontier_module.LIBRARY, None):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(frontier_module, "LIBRARY", library)
            patched.setattr(overflow, "FEW_OF_HOST", 3)  # so that many are packed
            found.append(taken_while_waiting(links, steps, WaitRule(share, longest=5.0)))
    assert found[0] == found[1]


def taken_while_waiting(
    links: list[tuple[int, int]], steps: list[tuple[int, bool, int, float]], rule: WaitRule
) -> list[object]:
    """Take pages of five hosts that close and open, and say each time whether one waits."""
    frontier, closed, taken = Frontier(), Closed(), list[object]()
    for number, (url, promise) in enumerate(links):
        frontier.push(url, url % 5, promise / 20, number, 0)
    urls = np.array([url for url, _ in links], np.int32)
    frontier.rescore(urls, np.array([promise % 7 / 7 for _, promise in links]))
    for url, promise in links[::2]:  # their entries of before count no more
        frontier.push(url, url % 5, promise % 7 / 7 + 0.1, url, 0)
    for number, (host, opens, downloads, moment) in enumerate(steps):
        closed.now = moment
        if opens:
            closed.open(host)
        elif number % 2:
            closed.close(host)
        else:
            closed.close_until(host, 2 * moment)
        closed.prefer(rule, downloads, number)
        choices = frontier.pop(1, closed)
        taken += [choices, closed.is_awaited]
        for choice in choices:
            frontier.push(choice.url + 5, host, number / 40, choice.url, 1)
    return [*taken, frontier.pop(200, frozenset())]


def test_of_what_is_no_frontier_nothing_is_said_and_nothing_breaks() -> None:
    library, scores = frontier_module.LIBRARY, array("d", [0.5, 0.25])
    if library is None:
        pytest.skip("the compiled module was not built")
    key, numbers = (-0.25, 9), (0.0, 60.0, 0.8, 1.0, True)

    def asked(head: object, entry: object) -> object:
        heaps, tails = {0: [entry]}, dict[int, object]()
        return library.better_waits(key, [head], heaps, {0}, tails, scores, {}, *numbers)

    sound = (-0.5, 1, 0, 0, 0)
    assert asked((-0.5, 1, 0), sound) is True
    assert asked((-0.5, 2, 0), sound) is False  # of another entry
    assert asked((-0.5, 1, 7), sound) is False  # of a host that is not parked
    assert asked((-0.5, 1), sound) is None
    assert asked((-0.5, 1, 0), (-0.5, 1, 9, 0, 0)) is None
    assert asked((-0.5, 1, 0), (-0.5, 1)) is False
    with pytest.raises(TypeError):
        asked((-0.5, 1, [0]), sound)
    with pytest.raises(AttributeError):
        library.better_waits(
            key, [(-0.25, 1, 0)], {0: [(-0.25, 1, 1, 0, 0)]}, {0}, {0: 3}, scores, {}, 0.0, 60.0,
            0.8, 5.0, True,
        )  # fmt: skip


def test_damaged_entries_are_left_to_python() -> None:
    library, scores = frontier_module.LIBRARY, array("d", [0.5, 0.25])
    if library is None:
        pytest.skip("the compiled module was not built")
    none = (np.empty(0, np.int32), np.empty(0), 8)
    assert library.rescored({0: [(-0.5, 1, 9, 0, 0)]}, {}, scores, *none) is None
    assert library.rescored({0: [(-0.5, 1)]}, {}, scores, *none) is None
    assert library.rescored({0: []}, {0: [b"x" * 28]}, scores, *none) is None
    assert library.rescored({}, {}, scores, np.array([2], np.int32), np.ones(1), 8) is None
    with pytest.raises(OverflowError):
        library.rescored({0: [(-0.5, 1 << 70, 0, 0, 0)]}, {}, scores, *none)
    assert scores.tolist() == [0.5, 0.25]
    heaps, tails, number = library.rescored({0: [(-0.5, 1, 0, 0, 0)]}, {}, scores, *none)
    assert (heaps, tails, number) == ({0: [(-0.5, 1, 0, 0, 0)]}, {}, 1)
