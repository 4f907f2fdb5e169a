"""How fast a world changes: new and changed pages a day.

What a world is like: how large, how linked, how much of it can be found, how fast it changes.

docs/structure.md says how each number is made.  What is exact in a world of moderate
size is sampled with a fixed seed in a very large one, and then says so.
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
    """Pages that appear and versions that replace another, as means a day and day by day.

    The last day may be a part of one; the means count it as that part.
    """

    days: float = 0.0
    new: float = 0.0
    changed: float = 0.0
    new_by_day: tuple[int, ...] = ()
    changed_by_day: tuple[int, ...] = ()


def growth(archive: Archive, day: float = DAY) -> Growth:
    """Count what appears after the start and up to the end; nothing does in a world that stands.

    A page is new once, when its URL first shows one, and changed whenever it shows
    other content than it last did.
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
