"""More connections than select can count."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.crawling import crawl, serving
from support.hostile_server import page

SELECT_LIMIT = 1024


@pytest.fixture
def many_files() -> Iterator[None]:
    """Have so many files open that further ones have numbers beyond what select can take."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = SELECT_LIMIT + 300
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip("not enough files may be opened here")
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    first = os.open(os.devnull, os.O_RDONLY)
    held = [first]
    while held[-1] <= SELECT_LIMIT:
        held.append(os.dup(first))
    yield
    for number in held:
        os.close(number)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("many_files")
def test_connections_beyond_what_select_can_count_are_heard(tmp_path: Path) -> None:
    site = {f"/{n}": page(words=f"page {n}") for n in range(5)}
    with serving(site) as one, serving(site, address="127.0.0.2") as two:
        outcome = crawl(tmp_path, one.url("/"), two.url("/"), concurrency=8)
        assert [row[2] for row in outcome.rows.values()] == ["ok"] * 12
