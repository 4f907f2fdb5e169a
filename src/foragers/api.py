"""Crawling from Python, in a script or a notebook.

import foragers

for visit in foragers.crawl("https://example.org/", topic="solar panel", budget=200, out="d"):
print(visit.relevance, visit.page.href, visit.page.document.title)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from foragers.core.options import Target
from foragers.core.types import Visit
from foragers.crawling.options import CrawlOptions
from foragers.crawling.session import Session


def crawl(
    *urls: str,
    out: str | Path,
    topic: str | None = None,
    similarity: str = "keywords",
    idf: str | Path | None = None,
    threshold: float | None = None,
    examples: str | None = None,
    new_within: str | None = None,
    judge: str | None = None,
    strategy: str = "auto",
    budget: int = 2000,
    per_host: int | None = None,
    minutes: float | None = None,
    until_recall: float | None = None,
    until_yield: str | None = None,
    concurrency: int = 16,
    delay: float = 1.0,
    scope: str = "site",
    hosts: Sequence[str] = (),
    prefix: Sequence[str] = (),
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    max_depth: int | None = None,
    sitemaps: bool = False,
    feeds: bool = False,
    allow_private: Sequence[str] = (),
    user_agent: str = "",
    contact: str = "",
    warc: bool = True,
    traps: bool = True,
    seed: int = 0,
    learned: str | Path | None = None,
    render: bool = False,
    chromium: str | Path = "",
) -> Iterator[Visit]:
    """Crawl the live web and yield each visit as it comes in; the same `out` goes on.

    The options are those of `foragers crawl`.  What is wrong with them raises
    `foragers.errors.UsageError`.  A caller who stops early loses nothing.
    """
    order = CrawlOptions(
        seeds=urls,
        aim=Target(
            topic, similarity, threshold, examples,
            new_within=new_within, judge=judge, idf=None if idf is None else str(idf),
        ),
        strategy=strategy, seed=seed,
        budget=budget, per_host=per_host, minutes=minutes,
        until_recall=until_recall, until_yield=until_yield,
        concurrency=concurrency, delay=delay,
        within=scope, hosts=several(hosts), prefix=several(prefix),
        include=several(include), exclude=several(exclude), max_depth=max_depth,
        sitemaps=sitemaps, feeds=feeds,
        allow_private=several(allow_private), user_agent=user_agent, contact=contact,
        warc=warc, traps=traps,
        learned=None if learned is None else str(learned),
        render=render, chromium=str(chromium),
    )  # fmt: skip
    return visits(Session(order, Path(out)))


def several(given: str | Sequence[str]) -> tuple[str, ...]:
    """Return what may be one text or several as several."""
    return (given,) if isinstance(given, str) else tuple(given)


def visits(session: Session) -> Iterator[Visit]:
    """Run a session step by step."""
    session.open()
    try:
        waiting: deque[Visit] = deque()
        for found in session.steps():
            waiting.extend(found)
            while waiting:
                yield waiting.popleft()
    finally:
        session.close()
