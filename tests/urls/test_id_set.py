"""A set of bits."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from foragers.urls.id_set import IdSet


@given(st.lists(st.integers(0, 5000)))
def test_it_holds_what_a_set_holds(urls: list[int]) -> None:
    bits = IdSet(urls[:3])
    bits.update(urls[3:])
    bits = pickle.loads(pickle.dumps(bits))
    assert len(bits) == len(set(urls))
    assert [url for url in range(5010) if url in bits] == sorted(set(urls))


def test_what_is_no_number_of_a_url_is_not_in_it() -> None:
    bits = IdSet([0, 7, 8])
    assert -1 not in bits
    assert None not in bits
    assert 10**12 not in bits


def test_members_are_given_in_order() -> None:
    assert list(IdSet([9, 0, 64, 7, 9])) == [0, 7, 9, 64]
    assert not list(IdSet())
