"""A topic in words, as strategies see it."""

from __future__ import annotations

from typing import Protocol


class Topic(Protocol):
    """Something that tells how much a piece of text is like what is wanted."""

    def likeness(self, text: str) -> float:
        """Return a number from 0 to 1."""
        ...
