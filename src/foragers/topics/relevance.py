"""What every judge keeps to: relevance is a number from 0 to 1, and only good answers have any."""

from __future__ import annotations

from foragers.types import Document


def bounded(value: float) -> float:
    """Return a number brought into 0..1; what is no number is 0."""
    if 0.0 <= value <= 1.0:
        return float(value)
    return 1.0 if value > 1.0 else 0.0


def full_text(document: Document) -> str:
    """Return the words by which a page is judged: its title and its text."""
    return f"{document.title}\n{document.text}" if document.title else document.text
