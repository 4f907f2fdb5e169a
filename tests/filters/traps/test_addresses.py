"""What is told from the address alone: `canonical`, `patterns`, `shapes`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.filters.traps.detector import oddity
from foragers.urls.canonical import canonical
from foragers.urls.shapes import shape_of

HEX = "0123456789abcdef0123456789abcdef"
PIECES = st.sampled_from(
    [
        "/",
        "?",
        "&",
        "=",
        ";",
        "#",
        "a",
        "utm_x",
        "sid",
        "jsessionid",
        "(S(",
        "))",
        HEX,
        "1",
        "é",
        "%",
    ]
)
ADDRESSES = st.lists(PIECES).map("".join).map("http://a.test/{}".format) | st.text()


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("http://a.test/x?utm_source=n&id=4&gclid=Cj0", "http://a.test/x?id=4"),
        ("http://a.test/x?fbclid=1", "http://a.test/x"),
        ("http://a.test/x?fbclid=1#part", "http://a.test/x#part"),
        ("http://a.test/x?PHPSESSID=77", "http://a.test/x"),
        (f"http://a.test/x?sid={HEX}&t=1", "http://a.test/x?t=1"),
        (f"http://a.test/x?s={HEX}", "http://a.test/x"),
        ("http://a.test/x;jsessionid=9A?b=1", "http://a.test/x?b=1"),
        ("http://a.test/(S(lit3py55t21z5v55vlm25s55))/x.aspx", "http://a.test/x.aspx"),
    ],
)
def test_session_ids_and_tracking_are_no_part_of_an_address(url: str, plain: str) -> None:
    assert canonical(url) == plain


@pytest.mark.parametrize(
    "url",
    [
        "http://a.test/story?sid=1234",
        "http://a.test/?s=green+tea",
        f"http://a.test/file?id={HEX}",
        "http://a.test/wiki/Tea_(drink)",
        "http://a.test/x?b=2&a=1&&c",
        "http://a.test/x?",
        "http://a.test/x#?utm_source=1",
    ],
)
def test_what_may_belong_to_an_address_is_kept(url: str) -> None:
    assert canonical(url) in (url, url.rstrip("?"))


@given(ADDRESSES)
def test_canonical_never_raises_and_is_done_at_once(url: str) -> None:
    assert canonical(canonical(url)) == canonical(url)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://a.test/" + "x" * 1100, "an address of more than 1024 letters"),
        ("http://a.test/a/b/a/b/a/b", "a path that repeats itself"),
        ("http://a.test/x/css/css/css/", "a path that repeats itself"),
        ("http://a.test/a/x/a/y/a/z/a/", "a path that repeats itself"),
        ("http://a.test/" + "/".join(f"f{i}" for i in range(30)), "more than 24 folders deep"),
        ("http://a.test/?" + "&".join(f"k{i}=1" for i in range(20)), "more than 16 parameters"),
    ],
)
def test_addresses_that_give_themselves_away_are_refused(url: str, reason: str) -> None:
    assert oddity(url) == reason


@pytest.mark.parametrize(
    "url",
    [
        "http://a.test/",
        "http://a.test/2011/11/11/11-things",
        "http://a.test/tiles/1/1/1",
        "http://a.test/lib/x/lib/x/y",
        "http://a.test/tea/green/tea/history/of/tea",
        "http://a.test/?next=/a/b/a/b/a/b/",
    ],
)
def test_repetition_that_happens_is_no_oddity(url: str) -> None:
    assert oddity(url) is None


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
    assert oddity(url) is None or isinstance(oddity(url), str)


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_numbers_do_not_tell_shapes_apart(one: int, other: int) -> None:
    form = "http://a.test/list/{}?page={}"
    assert shape_of(form.format(one, other)) == shape_of(form.format(other, one))
