"""What a trainer learns from: a world as it stands, what is worth finding in it, and its sites."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from foragers.comparison.study import Study
from foragers.errors import UsageError
from foragers.training.sites import sites_of
from foragers.types import Ids
from foragers.worlds.archive import Archive
from foragers.worlds.oracle import final_urls, shown_versions


@dataclass(frozen=True)
class Lesson:
    """A world with an aim.

    `sites` has the number of a site for every URL, whose names are in `site_names`; `rewards`
    are the pages worth finding; `left_out` are the sites of which nothing may be learned.
    """

    name: str
    archive: Archive
    rewards: Ids
    sites: Ids
    site_names: tuple[str, ...]
    since: float | None = None
    left_out: frozenset[int] = frozenset()

    @classmethod
    def of(cls, name: str, study: Study, sites: str = "") -> Lesson:
        """Return the lesson of a study whose pages were judged; see `sites_of`."""
        numbers, names = sites_of(study.archive, sites)
        rewards = np.array(sorted(study.rewards()), np.int32)
        return cls(name, study.archive, rewards, numbers, names, study.since)

    @cached_property
    def shown(self) -> Ids:
        """The version that every URL shows, or -1."""
        return shown_versions(self.archive, self.since)

    @cached_property
    def finals(self) -> Ids:
        """Where fetching every URL ends, or -1 if no page is there."""
        return final_urls(self.archive, self.shown)

    @cached_property
    def pages(self) -> Ids:
        """The URLs that show a page of which something may be learned."""
        there = self.finals == np.arange(len(self.finals), dtype=np.int32)
        allowed = ~np.isin(self.sites, list(self.left_out))
        return np.flatnonzero(there & allowed).astype(np.int32)

    def without(self, names: Iterable[str]) -> Lesson:
        """Return a lesson from which some sites are left out."""
        known = {name: number for number, name in enumerate(self.site_names)}
        return replace(self, left_out=frozenset(known[name] for name in names if name in known))


def leave_out(lessons: Iterable[Lesson], names: Iterable[str], option: str) -> list[Lesson]:
    """Leave sites out of all lessons that have them; each must be in one of them."""
    found, wanted = list(lessons), list(names)
    known = {
        lesson.site_names[number]
        for lesson in found
        for number in np.unique(lesson.sites[lesson.pages]).tolist()
    }
    for name in wanted:
        if name not in known:
            some = ", ".join(sorted(known)[:8]) + (", …" if len(known) > 8 else "")
            raise UsageError(f"{option} {name}: no such site; there is {some}")
    return [lesson.without(wanted) for lesson in found]
