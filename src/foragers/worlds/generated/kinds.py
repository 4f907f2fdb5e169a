"""Kinds of pages: how they are titled, what they are full of, how long they are."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Headline(StrEnum):
    """What the individual part of a title is made of."""

    TOPIC = "topic"
    NAME = "name"
    NONE = "none"


class Kind(msgspec.Struct, frozen=True):
    """A kind of page.

    A title is one of the `leads` and then a headline; a link that serves navigation
    shows the lead alone.  Of the words, a share `topical` comes from the page's topics
    and a share `own` from the words of its kind; the rest is background.  `words` is
    the mean length of the text, `dated` says that the page names its date.
    """

    name: str
    leads: tuple[str, ...]
    vocabulary: tuple[str, ...]
    headline: Headline = Headline.TOPIC
    topical: float = 0.3
    own: float = 0.1
    words: int = 200
    dated: bool = False
