"""The states of all pages of a world, computed once and stored in the world's folder."""

from __future__ import annotations

import warnings
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.core.models import Model, load_model, save_model
from foragers.errors import UsageError
from foragers.text.state import KIND, VERSION, StateMap, States, text_of
from foragers.text.state_training import train
from foragers.worlds.archive import Archive

DIMENSIONS = 50
SAMPLE, FEWEST = 3000, 500
"""The number of texts on which a map is trained: those at the start, if there are FEWEST."""


def states_of(archive: Archive, k: int = DIMENSIONS) -> States:
    """Return the state of every version of a world, one per row.

    They are computed once and stored with the world, together with the map and an identity of the
    world, so that a world that has grown gets new ones.
    """
    key = identity(archive, k)
    file = None if archive.path is None else archive.path / f"states-{k}.npz"
    kept = None if file is None else kept_states(file, key)
    if kept is not None and kept.shape == (archive.versions, k):
        return kept
    with warnings.catch_warnings():
        # A small world has few texts per cluster, which scikit-learn warns about.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        learned = train(sample_of(archive), k, np.random.default_rng(0))
    states = computed(archive, learned)
    if file is not None and not file.is_symlink():  # the link may lead anywhere
        arrays = {**learned.arrays(), "states": states}
        try:
            save_model(Model(KIND, VERSION, {"k": k, "key": key}, arrays), file)
        except (UsageError, OSError):
            # A read-only world works too; it costs the time again.
            return states
    return states


def identity(archive: Archive, k: int) -> str:
    """Return an identity of the world, which changes with its content."""
    digest = blake2b(
        msgspec.json.encode([k, SAMPLE, archive.origin, archive.start]), digest_size=16
    )
    for column in (archive.version_starts, archive.times, archive.same_as, archive.book.letters):
        digest.update(np.ascontiguousarray(column).data)
    return digest.hexdigest()


def kept_states(file: Path, key: str) -> States | None:
    """Return the states in a file, if it is valid and belongs to this world."""
    if not file.is_file():
        return None
    try:
        model = load_model(file, KIND, VERSION)
    except UsageError:
        return None
    if model.facts.get("key") != key or "states" not in model.arrays:
        return None
    return model.arrays["states"].astype(np.float32)


def sample_of(archive: Archive) -> list[str]:
    """Return texts to learn from: a sample of those at the start, or of all."""
    distinct = np.flatnonzero(contents(archive))
    early = distinct[archive.times[distinct] <= archive.start]
    pool = early if len(early) >= FEWEST else distinct
    size = min(SAMPLE, len(pool))
    chosen = np.random.default_rng(0).choice(pool, size, replace=False) if size else pool
    return [text_of(archive.texts.document(version)) for version in np.sort(chosen).tolist()]


def computed(archive: Archive, learned: StateMap) -> States:
    """Return the state of every version; a version without a page has that of an empty text."""
    pages = contents(archive)
    states = np.full((archive.versions, learned.k), -1, np.float32)
    document = archive.texts.document
    states[pages] = learned.states(text_of(document(v)) for v in np.flatnonzero(pages).tolist())
    return np.asarray(states[archive.same_as])


def contents(archive: Archive) -> NDArray[np.bool_]:
    """Return which versions are pages with a content that is new for their URL."""
    own = archive.same_as == np.arange(archive.versions)
    return np.asarray(own & (archive.codes // 100 == 2) & (archive.redirects < 0))
