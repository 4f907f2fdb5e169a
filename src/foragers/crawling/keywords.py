"""The keyword arguments of `crawl`, for type checkers and editors.

Made from the fields of `CrawlOptions` by `make options`; change those instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict


class CrawlKeywords(TypedDict, total=False):
    """The options of `crawl` by name."""

    topic: str | None
    similarity: str
    threshold: float | None
    examples: str | Path | None
    new_within: str | None
    want: str | Sequence[str]
    language: str | Sequence[str]
    idf: str | Path | None
    vectors: str | Path | None
    seed: int
    learned: str | Path | None
    budget: int
    minutes: float | None
    per_host: int | None
    host_budget: str | Sequence[str]
    until_recall: float | None
    until_yield: str | None
    seeds: str | Path | None
    scope: str
    hosts: str | Sequence[str]
    prefix: str | Sequence[str]
    include: str | Sequence[str]
    exclude: str | Sequence[str]
    max_depth: int | None
    named_sitemaps: bool
    sitemaps: bool
    feeds: bool
    warc: bool
    ledger: str
    standby: bool
    cluster: str
    workers: int
    concurrency: int
    delay: float
    user_agent: str
    contact: str
    allow_private: str | Sequence[str]
    traps: bool
    render: bool
    chromium: str | Path
