"""How fast a world changes: new and changed pages a day."""

from __future__ import annotations

from math import ceil

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.measures.graph import Flags, shows_page, urls_of_versions
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
