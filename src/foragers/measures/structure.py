"""What a world is like: how large, how linked, how much of it can be found, how fast it changes.

docs/structure.md says how each number is made.  What is exact in a world of moderate
size is sampled with a fixed seed in a very large one, and then says so.
"""

from __future__ import annotations

import msgspec
import numpy as np

from foragers.measures.clustering import Clustering, clustering
from foragers.measures.degrees import Degrees, degrees
from foragers.measures.graph import (
    any_of,
    distinct_pairs,
    links_of_versions,
    page_graph,
    shows_page,
    urls_of_versions,
)
from foragers.measures.growth import Growth, growth
from foragers.measures.paths import Paths, shortest_paths
from foragers.measures.reach import Reach, reach_at_end, reach_over_time
from foragers.worlds.archive import Archive


class Size(msgspec.Struct, frozen=True):
    """How much there is.

    `pages` are URLs that showed a page at one time or another, in so many `versions`;
    `redirects` never did but lead on, and `absent` URLs are only known from links.
    `distinct_links` are the pairs of URLs among all `links`, and `edges` the pairs of
    different pages, redirects followed.
    """

    pages: int
    versions: int
    redirects: int
    absent: int
    hosts: int
    links: int
    distinct_links: int
    edges: int


class Structure(msgspec.Struct, frozen=True):
    """All that is measured of a world; the duration is in seconds."""

    size: Size
    in_degrees: Degrees
    out_degrees: Degrees
    clustering: Clustering
    paths: Paths | None
    reach_at_end: Reach
    reach_over_time: Reach
    growth: Growth
    duration: float


def structure(archive: Archive) -> Structure:
    """Measure a world."""
    graph = page_graph(archive)
    return Structure(
        size=size(archive, graph.edges),
        in_degrees=degrees(graph.in_degrees),
        out_degrees=degrees(graph.out_degrees),
        clustering=clustering(graph),
        paths=shortest_paths(graph),
        reach_at_end=reach_at_end(archive),
        reach_over_time=reach_over_time(archive),
        growth=growth(archive),
        duration=archive.end - archive.start,
    )


def size(archive: Archive, edges: int) -> Size:
    """Count what there is, in a world whose pages have so many edges."""
    shown, urls, known = shows_page(archive), urls_of_versions(archive), len(archive.book)
    pages = any_of(urls[shown], known)
    redirects = any_of(urls[archive.redirects >= 0], known) & ~pages
    sources, targets = links_of_versions(archive, shown)
    return Size(
        pages=int(np.count_nonzero(pages)),
        versions=int(np.count_nonzero(shown)),
        redirects=int(np.count_nonzero(redirects)),
        absent=int(np.count_nonzero(~pages & ~redirects)),
        hosts=len(np.unique(archive.book.host_ids[pages])),
        links=len(targets),
        distinct_links=len(distinct_pairs(sources, targets, known)),
        edges=edges,
    )
