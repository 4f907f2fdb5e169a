"""The topic of judges that have no words.

A topic in words, as strategies see it.

What every judge keeps to: relevance is a number from 0 to 1, and only good answers have any.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from foragers.core.types import Document


@dataclass(frozen=True)
class NoTopic:
    """A topic that no text is like.

    Labels, novelty and a function of the user's judge pages and say nothing about words.
    Likeness is 0 and not some middle value, so that a strategy which adds it to what it
    has learned gets just that.
    """

    def likeness(self, text: str) -> float:  # noqa: ARG002 - every text is alike
        """Return 0."""
        return 0.0


class Topic(Protocol):
    """Something that tells how much a piece of text is like what is wanted."""

    def likeness(self, text: str) -> float:
        """Return a number from 0 to 1."""
        ...


@runtime_checkable
class Teachable(Protocol):
    """A judge that learns from pages of which somebody says whether they are wanted."""

    lessons: int
    """How many it has had."""

    def teach(self, document: Document, url: str, wanted: bool) -> None:
        """Learn from one more page."""
        ...


def bounded(value: float) -> float:
    """Return a number brought into 0..1; what is no number is 0."""
    if 0.0 <= value <= 1.0:
        return float(value)
    return 1.0 if value > 1.0 else 0.0


def full_text(document: Document) -> str:
    """Return the words by which a page is judged: its title and its text."""
    return f"{document.title}\n{document.text}" if document.title else document.text
