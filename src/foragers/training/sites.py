"""Sites: which pages belong together, so that what is learned on some is tried on others."""

from __future__ import annotations

import numpy as np

from foragers.errors import UsageError
from foragers.types import Ids
from foragers.urls import site_of
from foragers.worlds.archive import Archive

LABELLED = "site"
"""The labels `site:…` say which site a page belongs to, where a world has them."""


def sites_of(archive: Archive, by: str = "") -> tuple[Ids, tuple[str, ...]]:
    """Return the number of every URL's site, and the names of the sites.

    `by` is "host", "domain" (the registrable one) or the beginning of labels: with
    "university" the label `university:texas` means the site texas, and pages without such a label
    go by their domain.  Without it, `site` labels are used where there are some, else domains,
    or hosts if there is only one domain.
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
    """Number sites by labels; what has none goes with its host's pages, else by its domain."""
    hosts = archive.book.host_ids
    sites, names = _numbered(archive, [site_of(name) for name in archive.book.host_names])
    held = np.zeros((len(labels), len(archive.book.host_names)), np.int64)
    for place, label in enumerate(labels):
        np.add.at(held[place], hosts[archive.labels.urls[label]], 1)
    first = len(names)
    sites = np.where(held.sum(axis=0)[hosts] > 0, first + np.argmax(held, axis=0)[hosts], sites)
    for place, label in enumerate(labels):
        sites[archive.labels.urls[label]] = first + place
    return sites.astype(np.int32), (*names, *(label.partition(":")[2] for label in labels))
