"""What a page and its server ask of robots."""

from __future__ import annotations

from foragers.parsing.encoding import to_utf8
from foragers.parsing.robots_meta import Directives


def test_what_the_server_says_outranks_what_the_page_says() -> None:
    body = b"<meta charset=windows-1252><p>" + "привет".encode("windows-1251")
    assert "привет".encode() in to_utf8(body, "text/html; charset=windows-1251")


def test_a_page_is_kept_until_it_says_it_is_unavailable() -> None:
    asks = Directives.parse(["unavailable_after: 2020-01-02"], "foragers")
    moment = 1_577_923_200.0  # 2020-01-02 in UTC
    assert not asks.not_to_be_kept(moment - 1)
    assert asks.not_to_be_kept(moment + 1)
    assert Directives.parse(["noindex"], "foragers").not_to_be_kept(0.0)
    assert not Directives.parse(["nofollow"], "foragers").not_to_be_kept(0.0)
