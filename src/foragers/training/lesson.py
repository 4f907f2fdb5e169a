"""Lessons: a world with its wanted pages and its sites, which a trainer learns from.

A model is trained on some sites and tested on others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from foragers.core.types import Ids
from foragers.errors import UsageError
from foragers.evaluation.comparison.study import Study
from foragers.urls.parse import site_of
from foragers.worlds.archive import Archive
from foragers.worlds.oracle import final_urls, shown_versions

LABELLED = "site"
"""Prefix of the labels that name the site of a page."""


def sites_of(archive: Archive, by: str = "") -> tuple[Ids, tuple[str, ...]]:
    """Return the number of every URL's site, and the names of the sites.

    `by` is "host", "domain" (the registrable one) or a prefix of labels: with "university" the
    label `university:texas` means the site texas, and pages without such a label belong to the site
    of their domain.  Without `by`, `site` labels are used if there are some, else domains, or hosts
    if there is only one domain.
    """
    labels = [name for name in archive.labels.urls if name.startswith(f"{by or LABELLED}:")]
    if labels:
        return _by_labels(archive, labels)
    if by not in ("", "host", "domain"):
        raise UsageError(
            f"--sites {by}: use host, domain or the beginning of a label, as in {by}:…"
        )
    names = archive.book.host_names
    if by != "host":
        domains = [site_of(name) for name in names]
        if by or len(set(domains)) > 1:
            return _numbered(archive, domains)
    return _numbered(archive, list(names))


def _numbered(archive: Archive, site_of_host: list[str]) -> tuple[Ids, tuple[str, ...]]:
    names, numbers = np.unique(np.array(site_of_host, np.str_), return_inverse=True)
    return numbers.astype(np.int32)[archive.book.host_ids], tuple(names.tolist())


def _by_labels(archive: Archive, labels: list[str]) -> tuple[Ids, tuple[str, ...]]:
    """Number sites by labels; other pages follow their host, else their domain."""
    hosts = archive.book.host_ids
    sites, names = _numbered(archive, [site_of(name) for name in archive.book.host_names])
    held = np.zeros((len(labels), len(archive.book.host_names)), np.int64)
    for index, label in enumerate(labels):
        np.add.at(held[index], hosts[archive.labels.urls[label]], 1)
    first = len(names)
    sites = np.where(held.sum(axis=0)[hosts] > 0, first + np.argmax(held, axis=0)[hosts], sites)
    for index, label in enumerate(labels):
        sites[archive.labels.urls[label]] = first + index
    return sites.astype(np.int32), (*names, *(label.partition(":")[2] for label in labels))


@dataclass(frozen=True)
class Lesson:
    """A world with its wanted pages and sites.

    `sites` has the number of a site for every URL, whose names are in `site_names`; `rewards`
    are the wanted pages; `left_out` are the sites that must not be learned from.
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
        """The version of every URL, or -1."""
        return shown_versions(self.archive, self.since)

    @cached_property
    def finals(self) -> Ids:
        """The final URL of every URL after redirects, or -1 if there is no page."""
        return final_urls(self.archive, self.shown)

    @cached_property
    def pages(self) -> Ids:
        """The URLs of pages that may be learned from."""
        there = self.finals == np.arange(len(self.finals), dtype=np.int32)
        allowed = ~np.isin(self.sites, list(self.left_out))
        return np.flatnonzero(there & allowed).astype(np.int32)

    def without(self, names: Iterable[str]) -> Lesson:
        """Return the lesson without some sites."""
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
