"""What a crawl can find: the pages that links and redirects lead to from the seeds."""

from __future__ import annotations

import msgspec
import numpy as np
from scipy.sparse.csgraph import breadth_first_order

from foragers.measures.graph import (
    Flags,
    Graph,
    any_of,
    links_of_versions,
    shows_page,
    urls_of_versions,
)
from foragers.types import Ids
from foragers.worlds.archive import Archive


class Reach(msgspec.Struct, frozen=True):
    """How many of the pages can be reached, and which share; 0 where there are no pages."""

    pages: int
    reached: int
    share: float


def reach_at_end(archive: Archive) -> Reach:
    """Follow what is on show at the end: the last version of every URL."""
    last = any_of(archive.latest[archive.latest >= 0], archive.versions)
    return _reach(archive, last)


def reach_over_time(archive: Archive) -> Reach:
    """Follow every link and redirect that was ever there."""
    return _reach(archive, np.ones(archive.versions, np.bool_))


def _reach(archive: Archive, versions: Flags) -> Reach:
    urls = urls_of_versions(archive)
    shown = versions & shows_page(archive)
    pages = any_of(urls[shown], len(archive.book))
    found = any_of(reached_urls(archive, versions), len(archive.book))
    there, reached = int(np.count_nonzero(pages)), int(np.count_nonzero(pages & found))
    return Reach(there, reached, reached / max(there, 1))


def reached_urls(archive: Archive, versions: Flags) -> Ids:
    """Return the URLs that the flagged versions lead to from the seeds, and the seeds."""
    start = len(archive.book)
    sources, targets = links_of_versions(archive, versions & shows_page(archive))
    onward = versions & (archive.redirects >= 0)
    seeds = np.array(archive.seeds, np.int32)
    # One more node, which points at the seeds, is where the search begins.
    graph = Graph.of(
        np.concatenate((sources, urls_of_versions(archive)[onward], np.full_like(seeds, start))),
        np.concatenate((targets, archive.redirects[onward], seeds)),
        start + 1,
    )
    order = breadth_first_order(graph.matrix(), start, return_predecessors=False)
    return order[1:].astype(np.int32)
