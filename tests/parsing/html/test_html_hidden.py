"""Links that a page hides from its readers say so in their relation."""

from __future__ import annotations

import pytest

from foragers.fetching.extractor import hidden_in
from foragers.parsing.html.parse import parse

HIDING = [
    '<a hidden href="/x">x</a>',
    '<a style="display:none" href="/x">x</a>',
    '<A STYLE="COLOR: RED; DISPLAY : NONE" HREF="/x">x</A>',
    '<div style="visibility:hidden"><p><b><a href="/x">x</a></b></p></div>',
    '<div hidden="until-found"><ul><li><a href="/x">x</a></ul></div>',
    '<p style="opacity:0">a <a href="/x">x</a></p>',
    '<p style="font-size: 0px !important">a <a href="/x">x</a></p>',
    '<div style="width:0;height:0;overflow:hidden"><a href="/x">x</a></div>',
    '<span style="position:absolute;left:-10000px"><a href="/x">x</a></span>',
    '<map hidden><area href="/x"></map>',
]
SHOWING = [
    '<a href="/x">x</a>',
    '<a style="display:block; opacity: 0.9" href="/x">x</a>',
    '<a style="font-size: 0.8em; left:-2px; width:05px" href="/x">x</a>',
    '<p hidden>a</p><a href="/x">x</a>',
    '<div style="overflow:hidden"><a href="/x">hidden</a></div>',
    '<a class="hidden" href="/x">display:none</a>',
]


def relation(markup: str, described: bool = True) -> str:
    page = f"<body><p>words</p>{markup}<p>more</p>".encode()
    (link,) = parse(page, "http://a.test/", described=described).links
    assert link.href == "http://a.test/x"
    return link.rel


@pytest.mark.parametrize("described", [True, False])
@pytest.mark.parametrize("markup", HIDING)
def test_a_link_that_is_not_shown_is_hidden(markup: str, described: bool) -> None:
    assert relation(markup, described) == "hidden"


@pytest.mark.parametrize("markup", SHOWING)
def test_a_link_that_is_shown_is_not(markup: str) -> None:
    assert relation(markup) == ""


def test_a_hidden_link_keeps_its_relation() -> None:
    assert relation('<a hidden rel="Nofollow next" href="/x">x</a>') == "nofollow next hidden"


def test_links_not_meant_for_robots_count_as_hidden_on_their_own_site_alone() -> None:
    hrefs = ["http://a.org/1", "http://www.a.org/2", "http://b.org/3", "http://b.org/4"]
    rels = ["nofollow", "ugc nofollow", "nofollow", "noopener hidden"]
    found = hidden_in(hrefs, rels, "http://a.org/")
    assert found == {hrefs[0], hrefs[1], hrefs[3]}
    assert hidden_in(hrefs, [""] * 4, "http://a.org/") == set()
