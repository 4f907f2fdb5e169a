"""Departments with as many links, and as shallow, as those of the `spider` paper."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from foragers.papers.spider.paper import LIKE_THE_PAPERS
from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate


def breadth_first(archive: Archive, seed: int) -> float:
    """Return the share of a site's pages that are seen before three quarters of its papers."""
    papers = set(archive.labels.urls["target:paper"].tolist())
    seen, waiting, order = {seed}, deque([seed]), []
    while waiting:
        page = waiting.popleft()
        order.append(page)
        for target in archive.targets[archive.links_of(page)].tolist():
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    hits = np.cumsum([page in papers for page in order])
    return float(np.argmax(hits >= 0.75 * hits[-1]) + 1) / len(order)


def test_departments_like_the_papers_have_its_links_and_its_depth() -> None:
    archive = generate("departments", seed=0, pages=12_000, **LIKE_THE_PAPERS["departments"])
    # The paper: 592,216 links on 53,012 pages, and breadth-first at 43 %.
    assert len(archive.targets) / archive.pages == pytest.approx(11.2, abs=0.5)
    shares = [breadth_first(archive, seed) for seed in archive.seeds]
    assert np.mean(shares) == pytest.approx(0.43, abs=0.05)


def test_without_the_parameters_the_world_is_as_it_was() -> None:
    plain = generate("departments", seed=1, pages=800)
    more = generate("departments", seed=1, pages=800, navigation=1.0, siblings=2.0, lists=1.0)
    old = set(zip(sources(plain), plain.targets.tolist(), strict=True))
    new = set(zip(sources(more), more.targets.tolist(), strict=True))
    assert old < new
    assert [plain.book.href(url) for url in range(800)] == [
        more.book.href(url) for url in range(800)
    ]


def sources(archive: Archive) -> list[int]:
    """Return the page that each link stands on."""
    return np.repeat(np.arange(archive.versions), np.diff(archive.link_starts)).tolist()
