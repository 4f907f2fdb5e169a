"""URLs without session ids and tracking parameters."""

from __future__ import annotations

import pytest
from hypothesis import given

from foragers.urls.canonical import canonical
from support.random_urls import ADDRESSES, HEX


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
