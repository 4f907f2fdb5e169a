"""Articles are told from lists by several signs together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.core.content import MemoryContent
from foragers.core.types import Choice, Document, Link, Page, Status
from foragers.strategies.watch.articles import is_article, of_url
from foragers.strategies.watch.settings import ArticleSettings

SETTINGS = ArticleSettings()


def page(
    href: str, own: int, links: int, published: float | None = None, anchor: str = "some link text"
) -> Page:
    """Return a page with so many words of its own, and links of three words."""
    words = " ".join(["word"] * own + [anchor] * links)
    others = tuple(Link(9 + n, 0, f"http://a.test/{n}", anchor) for n in range(links))
    content = MemoryContent(
        Document("Page", (), words, published=published), (Link(1, 0, href), *others)
    )
    return Page(Choice(1, 0), Status.OK, "", 1, 0.0, 0.0, 1, content.columns(), content)


def teasers(href: str, between: int) -> Page:
    """Return a page with ten titles that are links, and so many words after each."""
    titles = [f"the old bridge falls again {n}" for n in range(10)]
    text = " ".join(f"{title} {' '.join(['word'] * between)}" for title in titles)
    links = tuple(Link(9 + n, 0, f"http://a.test/{n}", title) for n, title in enumerate(titles))
    content = MemoryContent(Document("Page", (), text), (Link(1, 0, href), *links))
    return Page(Choice(1, 0), Status.OK, "", 1, 0.0, 0.0, 1, content.columns(), content)


BRIEF = "http://a.test/sport/125-old-bridge-falls"


@pytest.mark.parametrize(
    ("shown", "headline", "expected"),
    [
        (page("http://a.test/town/old-bridge-falls", 400, 20), False, True),
        (page(BRIEF, 40, 40, published=1.0), False, True),  # short, with menus around it
        (page(BRIEF, 40, 40), True, True),  # undated, but its link is a headline
        (page("http://a.test/sport/", 200, 60), False, False),
        (teasers("http://a.test/sport/", 25), False, False),
        (teasers("http://a.test/sport/old-bridge-falls", 60), False, True),  # a text with links
        (page("http://a.test/authors/ann-lee/", 2, 5), False, False),
        (page("http://a.test/sport/?page=2", 300, 60), False, False),
        (page("http://a.test/archive/2024/09/", 10, 40), False, False),
        (page("http://a.test/item?id=31542502", 12, 6, anchor="two words"), True, True),
    ],
)
def test_articles_are_told_from_lists(shown: Page, headline: bool, expected: bool) -> None:
    assert is_article(shown, headline=headline) is expected


def test_a_url_says_what_a_page_is() -> None:
    assert of_url("http://a.test/2024/05/03/bridge.html", SETTINGS) == SETTINGS.number_url
    assert of_url("http://a.test/old-bridge-falls", SETTINGS) == SETTINGS.title_url
    assert of_url("http://a.test/tag/bridge", SETTINGS) == -SETTINGS.list_url
    assert of_url("http://a.test/2024-09.html", SETTINGS) == 0.0  # a year is no id
    assert of_url("http://a.test/index.html", SETTINGS) == -SETTINGS.folder_url


@given(st.text())
def test_any_text_may_stand_for_a_url(text: str) -> None:
    assert isinstance(of_url(f"http://a.test/{text}", SETTINGS), float)
