"""The topic of judges that have no words."""

from __future__ import annotations

from dataclasses import dataclass


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
