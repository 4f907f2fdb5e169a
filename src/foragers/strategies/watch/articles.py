"""Which pages are articles, and which are lists of other pages.

No single sign decides: a short report on a page full of menus consists of links, and a section
with teasers consists of text.  So signs are weighed, and a page is an article if their sum is
above zero.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from foragers.core.types import Page
from foragers.strategies.watch.settings import DEFAULT_WATCH, ArticleSettings, WatchSettings

LISTS = re.compile(
    r"/(?:tags?|authors?|categor(?:y|ies)|sections?|labels?|users?|profiles?|members?|search|page"
    r"|blog-author|kategorien?|schlagworte?|etiquetas?)/[^/]+/?$|/page/?\d+/?$",
    re.IGNORECASE,
)
"""Paths of lists: what stands under a tag, an author or a category, and further pages of a list."""
PAGED = re.compile(r"(?:^|&)(?:page|paged|offset|start|tag|cat|author|q|s|sort)=", re.IGNORECASE)
TITLE = re.compile(r"[^\W_]+(?:(?:[-_+]|\.20|%20)[^\W_]+){2,}")
"""A part of a path with three words."""
NUMBER = re.compile(r"\d{5,}|(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{4}")
"""An id; a year is none."""
DATED = re.compile(r"/(?:19|20)\d\d/\d{1,2}/(?:\d{1,2}/)?[^/]*[^\W\d_]")
"""A date with a name after it."""
INDEX = re.compile(r"(?:index|default)\.\w{2,5}|")
"""The name of the page of a folder, or no name."""


def is_hub(page: Page, settings: WatchSettings = DEFAULT_WATCH) -> bool:
    """Return whether a page consists of links, by the share of its words that are link texts."""
    if len(page.links) < settings.hub_links:
        return False
    words = page.document.text.count(" ") + 1
    return words_in(page.links.anchors) >= settings.hub_density * words


def is_article(
    page: Page, *, headline: bool = False, settings: ArticleSettings = DEFAULT_WATCH.article
) -> bool:
    """Return whether a page is an article; `headline` if the link to it reads like one."""
    return evidence(page, headline, settings) > 0


def evidence(page: Page, headline: bool, settings: ArticleSettings) -> float:
    """Return the sum of the signs for an article and against it."""
    document, links = page.document, page.links
    words = document.text.count(" ") + 1
    # The text of a page leaves out menus, whose links must not count against it.
    shown = [anchor for anchor in links.anchors if anchor in document.text]
    linked = words_in(shown)
    own, density = max(0, words - linked), linked / words
    total = of_url(page.href, settings)
    if document.published is not None:
        total += settings.dated
    if headline:
        total += settings.headline
    if own >= settings.long_text:
        total += settings.long
    elif own < settings.short_text:
        total -= settings.short
    if is_full_of_teasers(shown, own, settings):
        total -= settings.teasers
    few = len(links) < DEFAULT_WATCH.hub_links
    if few:
        total += settings.few_links
    if density < settings.sparse:
        total += settings.text
    elif density >= DEFAULT_WATCH.hub_density:
        weight = settings.dense_links if density >= settings.dense else settings.links
        total -= weight / 2 if few else weight
    return total


def is_full_of_teasers(
    anchors: Sequence[str], own: int, settings: ArticleSettings = DEFAULT_WATCH.article
) -> bool:
    """Return whether a text is one of titles that are links, with a few words after each."""
    titles = {text for text in anchors if text.count(" ") + 1 >= settings.headline_words}
    return len(titles) >= settings.least_teasers and own < settings.teaser_words * len(titles)


def of_url(href: str, settings: ArticleSettings) -> float:
    """Return what a URL says."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return 0.0
    total = 0.0
    if LISTS.search(parts.path) or PAGED.search(parts.query):
        total -= settings.list_url
    leaf = parts.path.rpartition("/")[2]
    if INDEX.fullmatch(leaf):
        leaf = parts.path.removesuffix(leaf).rstrip("/").rpartition("/")[2]
        total -= settings.folder_url
    if TITLE.search(leaf):
        total += settings.title_url
    elif NUMBER.search(f"{leaf}?{parts.query}") or DATED.search(parts.path):
        total += settings.number_url
    return total


def is_folder(href: str) -> bool:
    """Return whether a URL is that of a folder."""
    path = href.partition("?")[0].partition("#")[0]
    return INDEX.fullmatch(path.rpartition("/")[2]) is not None and "?" not in href


def words_in(texts: Sequence[str]) -> int:
    """Return the number of words of some texts."""
    return sum(text.count(" ") + 1 for text in texts if text)
