"""Small generated worlds, made once, and what the tests ask of them."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

import numpy as np

from foragers.worlds.archive import Archive
from foragers.worlds.generated import PRESETS, generate

SMALL = {"news": 3_000, "departments": 3_000, "companies": 2_600, "topics": 3_000}
NAMES = tuple(PRESETS)


@lru_cache(maxsize=8)
def small(preset: str, seed: int = 0) -> Archive:
    """Return a small world of a preset."""
    return generate(preset, seed, SMALL[preset])


@lru_cache(maxsize=1)
def news() -> Archive:
    """Return the news world as it comes."""
    return generate("news")


def digest(archive: Archive) -> str:
    """Return a number for all columns and for the words of some versions."""
    found = blake2b(digest_size=16)
    book = archive.book
    for column in (
        *(book.letters, book.starts, book.host_ids, archive.version_starts, archive.times),
        *(archive.link_starts, archive.targets, archive.same_as, *archive.labels.urls.values()),
    ):
        found.update(np.ascontiguousarray(column).tobytes())
    for version in range(0, archive.versions, max(1, archive.versions // 50)):
        texts = archive.texts
        found.update(repr((texts.document(version), texts.outlinks(version))).encode())
    found.update(repr((archive.seeds, archive.origin, list(archive.labels.urls))).encode())
    return found.hexdigest()


def urls_of_versions(archive: Archive) -> np.ndarray:
    """Return the URL of every version."""
    return np.repeat(np.arange(len(archive.book)), np.diff(archive.version_starts))
