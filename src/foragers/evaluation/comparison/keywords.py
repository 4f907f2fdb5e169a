"""The keyword arguments of `compare`, for type checkers and editors.

Made from the fields of `CompareOptions` by `make options`; change those instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict


class CompareKeywords(TypedDict, total=False):
    """The options of `compare` by name."""

    similarity: str
    threshold: float | None
    examples: str | Path | None
    new_within: str | None
    want: str | Sequence[str]
    language: str | Sequence[str]
    idf: str | Path | None
    vectors: str | Path | None
    budget: int
    runs: int
    seed: int
    against: str
    in_turn: bool
    seeds: str | Path | None
    labels: str | Path | None
    standings: bool
    until: float
    words: bool
    since: str | None
    seconds_per_page: float | None
    concurrency: int
    delay: float | None
    latency: str | None
    ray: str | None
