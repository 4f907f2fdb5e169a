"""The shape that the URLs of one program share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.filters.traps.detector import url_problem
from foragers.urls.shapes import name_shape, name_shapes, shape_of
from support.random_urls import ADDRESSES, HEX


@pytest.mark.parametrize(
    ("url", "shape"),
    [
        (
            "https://a.test/news/2024/05/green-tea.html?sort=up&page=2",
            "a.test/news/{n}/*/{word}.html?page&sort",
        ),
        ("http://a.test/article/12345", "a.test/article/{n}"),
        ("http://a.test/wiki/Green_tea", "a.test/wiki/{word}"),
        (f"http://a.test/s/{HEX}/x", "a.test/s/{id}/{word}"),
        ("http://a.test/docs/v2/x.html", "a.test/docs/v{n}/{word}.html"),
        ("http://a.test/see/4d7f92a/x", "a.test/see/{word}/{word}"),
        ("http://A.test/view.php?t=1", "a.test/view.php?t"),
        ("http://a.test/", "a.test/"),
    ],
)
def test_a_shape_is_what_addresses_of_one_program_share(url: str, shape: str) -> None:
    assert shape_of(url).full == shape


def test_a_growing_path_does_not_grow_into_new_shapes() -> None:
    shapes = {shape_of(f"http://a.test/a/b/{'x/' * n}").full for n in range(2, 12)}
    assert len(shapes) == 1


@given(ADDRESSES)
def test_every_text_has_a_shape_and_an_answer(url: str) -> None:
    assert len(shape_of(url)) == 5
    assert url_problem(url) is None or isinstance(url_problem(url), str)


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_numbers_do_not_tell_shapes_apart(one: int, other: int) -> None:
    form = "http://a.test/list/{}?page={}"
    assert shape_of(form.format(one, other)) == shape_of(form.format(other, one))


@given(st.lists(st.text("aB1.-_\n", max_size=8), max_size=5))
def test_names_have_the_same_shapes_together_as_alone(names: list[str]) -> None:
    assert name_shapes(names) == list(map(name_shape, names))
