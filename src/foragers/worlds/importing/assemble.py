"""The columns of an archive, from captures in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Ids, UrlId
from foragers.errors import UsageError
from foragers.worlds.addresses import AddressBook
from foragers.worlds.archive import Archive, Texts

EVOLVING_SHARE = 0.01
"""A world evolves if at least this share of its pages changed while it was recorded."""

Row = tuple[UrlId, float, int, UrlId, int]


@dataclass(frozen=True)
class ImportedVersions:
    """The versions of all pages, by URL and then by time, and the period they cover."""

    urls: NDArray[np.int64]
    times: NDArray[np.float64]
    codes: NDArray[np.int16]
    redirects: Ids
    blocks: NDArray[np.int64]
    start: float
    end: float


def sort_versions(
    rows: Sequence[Row], window: tuple[float, float] | None = None, time_scale: float = 1.0
) -> ImportedVersions:
    """Sort captures, drop repeated ones and those after the window, and scale their time."""
    if not rows:
        raise UsageError("the WARC files hold no response of a web server; nothing to import")
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    times = columns[1]
    start, end = window or (times.min(), times.max())
    order = np.lexsort((times, columns[0]))
    urls, times, codes, redirects, blocks = (
        column[order][times[order] <= end] for column in columns
    )
    facts = np.stack([urls, codes, redirects, blocks])
    fresh = np.ones(len(urls), bool)
    fresh[1:] = (facts[:, 1:] != facts[:, :-1]).any(axis=0)
    if not fresh.any():
        raise UsageError("no capture lies before the end of --window; widen it")
    return ImportedVersions(
        urls[fresh].astype(np.int64),
        start + (times[fresh] - start) / time_scale,
        codes[fresh].astype(np.int16),
        redirects[fresh].astype(np.int32),
        blocks[fresh].astype(np.int64),
        float(start),
        float(start + (end - start) / time_scale),
    )


def assemble(
    book: AddressBook, versions: ImportedVersions, links: Sequence[Ids], texts: Texts
) -> Archive:
    """Make an archive of sorted versions; `links` are the targets of each block of texts."""
    counts = np.array([len(targets) for targets in links], np.int64)
    archive = Archive(
        book=book,
        version_starts=starts(np.bincount(versions.urls, minlength=len(book))),
        times=versions.times,
        codes=versions.codes,
        redirects=versions.redirects,
        same_as=first_alike(versions),
        link_starts=starts(counts[versions.blocks]),
        targets=np.concatenate([links[block] for block in versions.blocks.tolist()]),
        texts=texts,
        seeds=(),
        start=versions.start,
        end=versions.end,
    )
    archive.seeds = (likely_seed(archive),)
    archive.evolving = changed_share(archive) >= EVOLVING_SHARE
    return archive


def starts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the starts of consecutive groups, and the end of the last."""
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


def first_alike(versions: ImportedVersions) -> Ids:
    """Return for each version the first of its URL with the same content."""
    same = np.stack([versions.urls, versions.codes, versions.redirects, versions.blocks])
    _, first, inverse = np.unique(same, axis=1, return_index=True, return_inverse=True)
    return first[inverse.ravel()].astype(np.int32)


def changed_share(archive: Archive) -> float:
    """Return the share of pages that have more than one version."""
    versions = np.diff(archive.version_starts)
    return float(np.mean(versions[versions > 0] > 1))


def likely_seed(archive: Archive) -> UrlId:
    """Return the root of the host with the most pages, or else the page with most links to it."""
    urls = np.repeat(np.arange(len(archive.book)), np.diff(archive.version_starts))
    pages = np.unique(urls[archive.codes // 100 == 2])
    if not len(pages):
        raise UsageError("the WARC files hold no page, only errors and redirects")
    hosts = archive.book.host_ids[pages]
    host = int(np.bincount(hosts).argmax())
    pages = pages[hosts == host]
    for scheme in ("https", "http"):
        root = archive.book.find(f"{scheme}://{archive.book.host_name(host)}/")
        if root is not None and root in pages:
            return root
    linked = np.bincount(archive.targets, minlength=len(archive.book))
    return int(pages[np.argmax(linked[pages])])
