"""Error pages that are sent as ordinary pages."""

from __future__ import annotations

from foragers.filters.traps.soft404 import ErrorPages
from support.simulated import prose


def test_three_addresses_with_one_error_text_make_an_error_page() -> None:
    pages = ErrorPages()
    seen = []
    for name in ("green-tea", "black-tea", "white-coffee", "cocoa"):
        url = f"http://a.test/{name}"
        text = f"Die Seite {name} wurde leider nicht gefunden bitte suchen Sie weiter"
        seen.append(pages.recognise("a.test", url, text, "", again=False))
    assert seen == [False, False, True, True]


def test_an_article_about_errors_is_none() -> None:
    pages = ErrorPages()
    for i in range(20):
        text = f"Why 404 not found is shown {prose(f'article {i}', 80)}"
        assert not pages.recognise("a.test", f"http://a.test/a{i}", text, "", again=False)


def test_an_address_that_is_visited_again_is_no_other_address() -> None:
    """From the third address on a text that speaks of an error is one, not from the third visit."""
    pages, text = ErrorPages(), f"Sorry, the page was not found. {prose('error', 40)}"
    for number, again in ((1, False), (2, False), (1, True), (2, True), (1, True)):
        url = f"http://a.test/x/{number}"
        assert not pages.recognise("a.test", url, text, "", again)
    assert pages.recognise("a.test", "http://a.test/x/3", text, "", False)
