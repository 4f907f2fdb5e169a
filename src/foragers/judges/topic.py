"""The topic as strategies see it, and the rules of all judges.

Relevance is a number from 0 to 1, and only pages that were fetched have any.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, cast, runtime_checkable

from foragers.core.types import Document


@dataclass(frozen=True)
class NoTopic:
    """A topic without words: the likeness of every text is 0.

    Labels, novelty and functions of the user judge pages without words.  The likeness is 0 and not
    a middle value, so that a strategy which adds it to a learned score gets the learned score.
    """

    def likeness(self, text: str) -> float:  # noqa: ARG002 - every text is alike
        """Return 0."""
        return 0.0


class Topic(Protocol):
    """Compares texts with the topic."""

    def likeness(self, text: str) -> float:
        """Return a number from 0 to 1."""
        ...


class Hinting(Protocol):
    """A topic that knows by letters which texts are not like it."""

    @property
    def hints(self) -> tuple[str, ...]:
        """Parts of words: a text in ASCII without any of them, in small letters, has likeness 0."""
        ...


@runtime_checkable
class Teachable(Protocol):
    """A judge that learns from feedback about pages."""

    lessons: int
    """The number of examples so far."""

    def teach(self, document: Document, url: str, wanted: bool) -> None:
        """Learn from one more page."""
        ...


def hints_of(topic: Topic) -> tuple[bytes, ...] | None:
    """Return the hints of a topic; None if every text has to be compared with it.

    A class that defines its likeness anew, and no hints, may see more than the class it extends.
    """
    if not _has_hints(type(topic)):
        return None
    return tuple([hint.encode("utf-8", "surrogatepass") for hint in cast("Hinting", topic).hints])


@lru_cache(maxsize=64)
def _has_hints(kind: type[Topic]) -> bool:
    """Say whether a class of topics defines its hints together with its likeness."""
    owner = next((one for one in kind.__mro__ if "likeness" in vars(one)), object)
    return "hints" in vars(owner)


def bounded(value: float) -> float:
    """Return a number brought into 0..1; what is no number is 0."""
    if 0.0 <= value <= 1.0:
        return float(value)
    return 1.0 if value > 1.0 else 0.0


def full_text(document: Document) -> str:
    """Return the words by which a page is judged: its title and its text."""
    return f"{document.title}\n{document.text}" if document.title else document.text
