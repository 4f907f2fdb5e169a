"""Crawling from Python, in a script or a notebook.

import foragers

for visit in foragers.crawl("https://example.org/", topic="solar panel", budget=200, out="d"):
print(visit.relevance, visit.page.href, visit.page.document.title)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from foragers.run import Aim
from foragers.session.order import Order
from foragers.session.session import Session
from foragers.types import Visit


def crawl(
    *urls: str,
    out: str | Path,
    topic: str | None = None,
    threshold: float | None = None,
    examples: str | None = None,
    new_within: str | None = None,
    judge: str | None = None,
    strategy: str = "best-first",
    budget: int = 2000,
    minutes: float | None = None,
    concurrency: int = 16,
    delay: float = 1.0,
    scope: str = "site",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    max_depth: int | None = None,
    allow_private: Sequence[str] = (),
    user_agent: str = "",
    contact: str = "",
    warc: bool = True,
    seed: int = 0,
) -> Iterator[Visit]:
    """Crawl the live web and yield each visit as it comes in; the same `out` goes on.

    The options are those of `foragers crawl`.  What is wrong with them raises
    `foragers.errors.UsageError`.  A caller who stops early loses nothing.
    """
    order = Order(
        seeds=urls,
        aim=Aim(topic, threshold=threshold, examples=examples, new_within=new_within, judge=judge),
        strategy=strategy,
        seed=seed,
        budget=budget,
        minutes=minutes,
        concurrency=concurrency,
        delay=delay,
        within=scope,
        include=tuple(include),
        exclude=tuple(exclude),
        max_depth=max_depth,
        allow_private=tuple(allow_private),
        user_agent=user_agent,
        contact=contact,
        warc=warc,
    )
    return visits(Session(order, Path(out)))


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
