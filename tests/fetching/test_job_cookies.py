"""Who is sent a cookie: the host that gave it, or its domain, and never a whole registry."""

from __future__ import annotations

import pytest

from foragers.fetching.redirects import Cookies
from foragers.fetching.settings import RedirectSettings


@pytest.mark.parametrize(
    ("line", "url", "sent"),
    [
        ("a=1", "http://www.x.co.uk/y", "a=1"),
        ("a=1", "http://www.x.co.uk:8080/", "a=1"),
        ("a=1", "http://x.co.uk/", ""),
        ("a=1", "http://sub.www.x.co.uk/", ""),
        ("a=1", "http://awww.x.co.uk/", ""),
        ("a=1; Path=/; Domain=.X.co.uk", "http://x.co.uk/", "a=1"),
        ("a=1; domain=x.co.uk", "http://other.x.co.uk/", "a=1"),
        ("a=1; Domain=x.co.uk", "http://notx.co.uk/", ""),
        ("a=1; Domain=co.uk", "http://y.co.uk/", ""),
        ("a=1; Domain=co.uk", "http://www.x.co.uk/", "a=1"),
        ("a=1; Domain=y.co.uk", "http://y.co.uk/", ""),
        ("a", "http://www.x.co.uk/", ""),
        ("=1", "http://www.x.co.uk/", ""),
    ],
)
def test_a_cookie_goes_to_whom_it_is_meant_for(line: str, url: str, sent: str) -> None:
    cookies = Cookies()
    cookies.store("http://www.x.co.uk/", [line])
    assert cookies.header(url) == sent


def test_a_cookie_that_is_given_again_has_its_new_value() -> None:
    cookies = Cookies()
    cookies.store("http://a.test/", ["a=1", "b=2"])
    cookies.store("http://a.test/", ["a=3"])
    assert cookies.header("http://a.test/") == "a=3; b=2"


def test_only_so_many_cookies_are_kept() -> None:
    cookies = Cookies(RedirectSettings(max_cookies=4))
    cookies.store("http://a.test/", [f"n{n}=1" for n in range(9)])
    assert cookies.header("http://a.test/").count("=") == 4
    cookies.store("http://a.test/", ["n0=2", "new=1"])
    assert cookies.header("http://a.test/").startswith("n0=2; n1=1")
    assert "new" not in cookies.header("http://a.test/")
