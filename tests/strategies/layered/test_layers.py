"""Layers and the links between them, on graphs whose distances are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.strategies.layered.hmm_model import emissions, transitions
from foragers.strategies.layered.layers import layers_of, links_between


def edges(*pairs: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    columns = np.array(pairs, np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


# 4 -> 3 -> 2 -> 1 -> 0, which is wanted; 5 leads nowhere; 0 links on to 5, and 3 back to 4.
CHAIN = edges((4, 3), (3, 2), (2, 1), (1, 0), (0, 5), (3, 4), (1, 0))
WANTED = np.array([True, False, False, False, False, False])


def test_layer_is_the_number_of_links_to_what_is_wanted() -> None:
    assert layers_of(*CHAIN, WANTED, 6).tolist() == [0, 1, 2, 3, 4, 5]
    assert layers_of(*CHAIN, WANTED, 4).tolist() == [0, 1, 2, 3, 3, 3]
    assert layers_of(*CHAIN, WANTED, 2).tolist() == [0, 1, 1, 1, 1, 1]


def test_links_between_layers_are_counted_by_hand() -> None:
    layers = layers_of(*CHAIN, WANTED, 4)
    # From 0: to 5 (T3).  From 1: to 0, told twice and counted once.  From 2: to 1.  From 3 and
    # 4, both T3: 3 to 2 (T2), 3 to 4 and 4 to 3 (T3).
    assert links_between(layers, *CHAIN, 4).tolist() == [
        [0, 0, 0, 1],
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 2],
    ]


def test_transitions_are_shares_of_the_links_smoothed_where_they_are_possible() -> None:
    found = transitions(np.array([[0, 3, 0], [1, 0, 0], [0, 2, 4]]))
    # Half a link is added to each that can be: 0.5, 3.5, 0.5 of 4.5; and none from T2 to T0.
    assert found == pytest.approx(
        np.array([[1 / 9, 7 / 9, 1 / 9], [1.5 / 2.5, 0.2, 0.2], [0, 2.5 / 7, 4.5 / 7]])
    )


def test_emissions_are_shares_of_the_pages_smoothed() -> None:
    found = emissions(np.array([0, 0, 1]), np.array([0, 1, 1]), 3, 2)
    assert found == pytest.approx(np.array([[0.5, 0.5], [0.25, 0.75], [0.5, 0.5]]))


@given(
    st.integers(1, 12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=60),
    st.integers(2, 6),
    st.integers(0, 2**12),
)
def test_no_link_skips_a_layer_towards_what_is_wanted(
    pages: int, pairs: list[tuple[int, int]], count: int, chosen: int
) -> None:
    sources, ends = edges(*((a, b) for a, b in pairs if a < pages and b < pages))
    wanted = np.array([chosen >> page & 1 for page in range(pages)], bool)
    layers = layers_of(sources, ends, wanted, count)
    links = links_between(layers, sources, ends, count)
    chances = transitions(links)
    for i in range(count):
        for j in range(i - 1):
            assert links[i, j] == 0
            assert chances[i, j] == 0.0
    assert chances.sum(axis=1) == pytest.approx(np.ones(count))
    assert ((layers == 0) == wanted).all()
