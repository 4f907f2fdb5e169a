"""Links of a page that are pushed together, and all that wait rescored together."""

from __future__ import annotations

from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
