"""Links of a page that are pushed together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
