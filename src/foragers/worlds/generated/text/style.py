"""The style of a generated world: everything its text follows from, apart from its columns.

Kinds of pages have their titles, vocabularies and lengths.  The role of a link decides where on the
page it stands and how it is worded.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum

import msgspec


class Headline(StrEnum):
    """The source of the individual part of a title."""

    TOPIC = "topic"
    NAME = "name"
    NONE = "none"


class PageKind(msgspec.Struct, frozen=True):
    """A kind of page.

    A title is one of the `leads` and then a headline; a navigation link shows only the lead.  Of
    the words, a share `topical` comes from the page's topics and a share `own` from the words of
    its kind; the rest is background.  `words` is the mean length of the text, `dated` says that the
    page has its date.
    """

    name: str
    leads: tuple[str, ...]
    vocabulary: tuple[str, ...]
    headline: Headline = Headline.TOPIC
    topical: float = 0.3
    own: float = 0.1
    words: int = 200
    dated: bool = False


class Role(IntEnum):
    """The part of a page that a link belongs to, in the order of the page."""

    NAVIGATION = 0
    CONTENT = 1
    LISTING = 2
    FOOTER = 3


PATHS = (
    "html body header nav ul li a",
    "html body main article p a",
    "html body main ul li a",
    "html body footer p a",
)
"""The tags around a link, by role."""


class Style(msgspec.Struct, frozen=True):
    """The seed of the text, its topics and kinds, and how informative links are.

    `fidelity` is the share of links whose anchor describes their target; the others say "more" or
    "click here".  `noise` is the share of the words around a link that have nothing to do with its
    target.
    """

    seed: int
    topics: tuple[str, ...]
    kinds: tuple[PageKind, ...]
    fidelity: float = 0.8
    noise: float = 0.4
