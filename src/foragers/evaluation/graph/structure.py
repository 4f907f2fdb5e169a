"""The structure of a world: its size, its links, its reachable part, and its changes per day.

docs/structure.md says how each number is computed.  Values that are exact in a world of moderate
size are sampled with a fixed seed in a very large one, and then marked.
"""

from __future__ import annotations

from math import ceil

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.evaluation.graph.clustering import Clustering, clustering
from foragers.evaluation.graph.degrees import Degrees, degrees
from foragers.evaluation.graph.graph import (
    Flags,
    any_of,
    distinct_pairs,
    links_of_versions,
    page_graph,
    shows_page,
    urls_of_versions,
)
from foragers.evaluation.graph.paths import (
    PathLengths,
    Reach,
    reach_at_end,
    reach_over_time,
    shortest_paths,
)
from foragers.worlds.archive import Archive

DAY = 86_400.0


class Growth(msgspec.Struct, frozen=True):
    """New pages and new versions per day, as means and day by day.

    The last day may be partial; the means count it as that part.
    """

    days: float = 0.0
    new: float = 0.0
    changed: float = 0.0
    new_by_day: tuple[int, ...] = ()
    changed_by_day: tuple[int, ...] = ()


def growth(archive: Archive, day: float = DAY) -> Growth:
    """Count what appears after the start and up to the end; nothing in a world without changes.

    A page is new once, when its URL first has one, and changed whenever its content differs from
    the last.
    """
    days = (archive.end - archive.start) / day
    if not archive.evolving or days <= 0:
        return Growth()
    new, changed = news(archive)
    return Growth(
        days=days,
        new=len(new) / days,
        changed=len(changed) / days,
        new_by_day=by_day(new, archive.start, day, ceil(days)),
        changed_by_day=by_day(changed, archive.start, day, ceil(days)),
    )


def news(archive: Archive) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return when pages appeared, and when they changed, between the start and the end."""
    shown = np.flatnonzero(shows_page(archive))
    urls, times = urls_of_versions(archive)[shown], archive.times[shown]
    contents = archive.same_as[shown]
    first: Flags = np.diff(urls, prepend=-1) != 0
    other: Flags = np.diff(contents, prepend=-1) != 0
    inside = (times > archive.start) & (times <= archive.end)
    return times[inside & first], times[inside & ~first & other]


def by_day(times: NDArray[np.float64], start: float, day: float, days: int) -> tuple[int, ...]:
    """Count times by the day after the start that they fall in; midnight ends a day."""
    numbers = np.ceil((times - start) / day).astype(np.int64) - 1
    counts = np.bincount(np.clip(numbers, 0, days - 1), minlength=days)
    return tuple(counts.tolist())


class Size(msgspec.Struct, frozen=True):
    """The size of a world.

    `pages` are URLs that had a page at some time, in `versions` versions; `redirects` never did but
    redirect, and `absent` URLs are only known from links. `distinct_links` are the pairs of URLs
    among all `links`, and `edges` the pairs of different pages, after redirects.
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
    """All measurements of a world; the duration is in seconds."""

    size: Size
    in_degrees: Degrees
    out_degrees: Degrees
    clustering: Clustering
    paths: PathLengths | None
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
    """Measure the size of a world, given the number of edges of its pages."""
    shown, urls, urls_known = shows_page(archive), urls_of_versions(archive), len(archive.book)
    pages = any_of(urls[shown], urls_known)
    redirects = any_of(urls[archive.redirects >= 0], urls_known) & ~pages
    sources, targets = links_of_versions(archive, shown)
    return Size(
        pages=int(np.count_nonzero(pages)),
        versions=int(np.count_nonzero(shown)),
        redirects=int(np.count_nonzero(redirects)),
        absent=int(np.count_nonzero(~pages & ~redirects)),
        hosts=len(np.unique(archive.book.host_ids[pages])),
        links=len(targets),
        distinct_links=len(distinct_pairs(sources, targets, urls_known)),
        edges=edges,
    )
