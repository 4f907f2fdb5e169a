"""On recorded webs traps hide next to nothing that a crawl without them reaches."""

from __future__ import annotations

import os
from collections import deque
from contextlib import suppress
from pathlib import Path

import pytest

from foragers.fetching.extractor import hidden_in
from foragers.filters.traps import Traps
from foragers.parsing.html.parse import parse
from foragers.storage.warc.reader import WarcReader
from foragers.urls.canonical import canonical
from foragers.urls.parse import normalise, resolve

SHARED = Path(os.environ.get("FORAGERS_SHARED", Path(__file__).resolve().parents[4] / "shared"))
Pages = dict[str, tuple[str, str, list[str], set[str]]]


def recorded(file: Path) -> tuple[Pages, dict[str, str]]:
    """Return the pages of a recording, and where its redirects lead."""
    pages: Pages = {}
    onward: dict[str, str] = {}
    for capture in WarcReader(file):
        with suppress(ValueError):
            key = normalise(capture.url)
            if 300 <= capture.code < 400 and capture.location:
                onward[key] = normalise(resolve(capture.location, capture.url))
            elif capture.code == 200 and key not in pages:
                parsed = parse(capture.body, capture.url, capture.content_type)
                links, rels = [], []
                for link in parsed.links:
                    with suppress(ValueError):
                        links.append(normalise(link.href))
                        rels.append(link.rel)
                hidden = hidden_in(links, rels, key)
                pages[key] = (parsed.document.title, parsed.document.text, links, hidden)
    return pages, onward


def reached(
    pages: Pages, onward: dict[str, str], seeds: list[str], traps: Traps | None
) -> set[str]:
    """Crawl a recording breadth-first, and return the pages found."""
    queue = deque((normalise(seed), 0) for seed in seeds)
    known, found = {url for url, _ in queue}, set()
    while queue:
        url, depth = queue.popleft()
        if traps and traps.refuse(url, near=depth == 1, seed=depth == 0):
            continue
        final = url
        for _ in range(10):
            final = onward.get(final, final)
        if final not in pages:
            continue
        found.add(final)
        title, text, links, hidden = pages[final]
        if traps:
            traps.learn(url, text, links, final, title, hidden=hidden)
        for link in map(canonical, links) if traps else links:
            if link not in known:
                known.add(link)
                queue.append((link, depth + 1))
    return found


@pytest.mark.parametrize("name", ["departments", "organisations", "openoffice", "openbsd-site"])
def test_a_recorded_web_is_reached_as_without_traps(name: str) -> None:
    file = SHARED / "worlds" / f"{name}.warc.gz"
    if not file.exists():
        pytest.skip(f"the recorded web {name} is not here")
    listed = file.with_name(f"{name}.seeds.txt")
    seeds = listed.read_text().split() if listed.exists() else ["http://www.openbsd.org/index.html"]
    pages, onward = recorded(file)
    without = reached(pages, onward, seeds, None)
    assert len(without) > 1000
    traps = Traps()
    assert len(reached(pages, onward, seeds, traps) & without) >= 0.99 * len(without)
    assert not any(site.endless for site in traps.hidden.sites.young.values())
