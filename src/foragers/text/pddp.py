"""Principal direction divisive partitioning (Boley 1998): clusters of texts, from the top down.

Documents are scaled to length 1.  All of them are one cluster at first.  The cluster of
the largest scatter, `‖M − w·eᵀ‖_F` with w its mean, is cut in two by the sign of
`u·(d − w)`, u being the direction in which it is longest: the leading singular vector of
the centred matrix.  That matrix would be dense and is never built: the singular vector is
found from products alone.  The cuts form a tree, which also assigns new documents.

Our own choices: the largest entry of u is positive, so that runs repeat; a document exactly on
the cut belongs to the negative side; a cluster without scatter is not cut, so there can be
fewer clusters than requested.  Clusters are numbered in the order of the tree's leaves, from the
negative side to the positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from foragers.core.exact import column_sums, dot, leading, row_sums, times

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = "csr_array[np.float64]"

SMALL = 24
"""Matrices with a side up to this are decomposed directly; an iteration is no faster."""
STEPS, TURNS, NEAR = 12, 60, 1e-8
"""Steps of an iteration before it is restarted from its result, and the error that ends it."""
GOLDEN = 0.6180339887498949

NEGLIGIBLE = 1e-9
"""A cluster whose mean squared distance to its centre is below this is a point."""


@dataclass
class Cluster:
    """A node of the tree: its documents, their squared scatter, and its two halves."""

    members: Numbers
    scatter: float
    halves: tuple[int, int] | None = None
    cut: int = -1


class PDDP(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Clusters by Boley's algorithm, for sparse or dense matrices of documents by words.

    After `fit`, `labels_` has the cluster of each document, `n_clusters_` how many there
    are, and `directions_`, `offsets_` and `children_` the tree: node i of `children_` sends
    documents with `directions_[i]·d <= offsets_[i]` to the first of its two, where a number
    below 0 stands for the cluster `−1 − number`.
    """

    labels_: Numbers
    n_clusters_: int
    directions_: Floats
    offsets_: Floats
    children_: Numbers

    def __init__(self, n_clusters: int = 8) -> None:
        self.n_clusters = n_clusters

    def fit(self, X: object, y: object = None) -> PDDP:  # noqa: N803, ARG002 (scikit-learn's names)
        """Find the clusters."""
        if self.n_clusters < 1:
            raise ValueError(f"n_clusters is {self.n_clusters}; it must be at least 1")
        units = self._units(X, reset=True)
        tree, directions, offsets = divide(units, self.n_clusters)
        self.directions_ = np.array(directions).reshape(-1, units.shape[1])
        self.offsets_ = np.array(offsets)
        self._number(tree)
        self.labels_ = self._leaves(units)
        return self

    def predict(self, X: object) -> Numbers:  # noqa: N803
        """Return the cluster of each document."""
        check_is_fitted(self)
        return self._leaves(self._units(X, reset=False))

    def _units(self, X: object, reset: bool) -> Rows:  # noqa: N803
        checked = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        return units_of(csr_array(checked))

    def _number(self, tree: list[Cluster]) -> None:
        """Number cuts and leaves, and store the tree."""
        self.children_ = np.zeros((len(self.offsets_), 2), np.int64)
        self.n_clusters_ = 0
        waiting = [(0, -1, 0)]
        while waiting:
            node, above, side = waiting.pop()
            cluster = tree[node]
            if cluster.halves is None:
                name = -1 - self.n_clusters_
                self.n_clusters_ += 1
            else:
                name = cluster.cut
                first, second = cluster.halves
                waiting += [(second, name, 1), (first, name, 0)]
            if above >= 0:
                self.children_[above, side] = name

    def _leaves(self, units: Rows) -> Numbers:
        """Assign documents cut by cut; a cut comes after the one above it."""
        labels = np.zeros(units.shape[0], np.int64)
        at = np.full(units.shape[0], 0 if len(self.offsets_) else -1)
        for cut, (direction, offset) in enumerate(
            zip(self.directions_, self.offsets_, strict=True)
        ):
            here = np.flatnonzero(at == cut)
            beyond = (row_sums(units[here], direction) > offset).astype(np.int64)
            at[here] = self.children_[cut][beyond]
        labels[:] = -1 - at
        return labels

    def __sklearn_tags__(self) -> object:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def divide(units: Rows, clusters: int) -> tuple[list[Cluster], list[Floats], list[float]]:
    """Return the tree, and the direction and offset of each cut, in order."""
    tree = [measured(units, np.arange(units.shape[0]))]
    directions: list[Floats] = []
    offsets: list[float] = []
    open_leaves = {0}
    while open_leaves and len(offsets) < clusters - 1:
        largest = max(open_leaves, key=lambda leaf: (tree[leaf].scatter, -leaf))
        open_leaves.remove(largest)
        cluster = tree[largest]
        if cluster.scatter <= NEGLIGIBLE * len(cluster.members):
            break
        rows = units[cluster.members]
        direction = principal_direction(rows)
        # The same product as in `predict`, so that both always agree.
        places = row_sums(rows, direction)
        offset = float(places.mean())
        beyond = places > offset
        if not beyond.any():
            continue
        cluster.cut, cluster.halves = len(offsets), (len(tree), len(tree) + 1)
        directions.append(direction)
        offsets.append(offset)
        open_leaves.update(cluster.halves)
        tree += [measured(units, cluster.members[side]) for side in (~beyond, beyond)]
    return tree, directions, offsets


def measured(units: Rows, members: Numbers) -> Cluster:
    """Return a cluster with the squared Frobenius norm of its centred matrix."""
    rows = units[members]
    mean = centre(rows)
    scatter = dot(rows.data, rows.data) - len(members) * dot(mean, mean)
    return Cluster(members, max(scatter, 0.0))


def principal_direction(rows: Rows) -> Floats:
    """Return the direction of the largest variance of documents, with a fixed sign."""
    mean = centre(rows)
    found = exact_direction(rows, mean) if min(rows.shape) <= SMALL else iterated(rows, mean)
    length = sqrt(dot(found, found))
    if length == 0:
        return found
    # Rounding could choose between equal entries, so the first of the nearly largest is taken.
    sizes = np.abs(found)
    leading = int(np.flatnonzero(sizes >= sizes.max() * (1 - 1e-9))[0])
    return np.asarray(found * (np.sign(found[leading]) / length))


def centre(rows: Rows) -> Floats:
    """Return the mean of some documents."""
    return column_sums(rows, np.ones(rows.shape[0])) / rows.shape[0]


def exact_direction(rows: Rows, mean: Floats) -> Floats:
    """Decompose the products of the smaller side: documents with documents, or words with words."""
    there = np.unique(rows.indices)
    found = np.zeros(rows.shape[1])
    centred = rows[:, there].toarray() - mean[there]
    documents, words = centred.shape
    if words <= documents:
        found[there] = leading(products(centred.T))
    else:
        found[there] = column_mix(centred, leading(products(centred)))
    return found


def products(vectors: Floats) -> Floats:
    """Return all scalar products of some vectors, given as rows."""
    rows = np.ascontiguousarray(vectors)
    return np.array([times(rows, row) for row in rows]).reshape(len(rows), len(rows))


def column_mix(rows: Floats, shares: Floats) -> Floats:
    """Return a weighted sum of rows."""
    mixed: Floats = np.add.reduce(shares[:, np.newaxis] * rows)
    return mixed


def iterated(rows: Rows, mean: Floats) -> Floats:
    """Find the leading singular vector of `rows − mean` from products with it alone (Lanczos)."""
    # A fixed start that is unlikely to be orthogonal to the result.
    start = np.arange(1.0, rows.shape[1] + 1) * GOLDEN % 1 - 0.5
    found = start / sqrt(dot(start, start))
    for _ in range(TURNS):
        steps, images = krylov(rows, mean, found)
        shares = leading(np.array([times(images, step) for step in steps]))
        found, image = column_mix(steps, shares), column_mix(images, shares)
        off = image - dot(found, image) * found
        if dot(off, off) <= NEAR * NEAR * dot(image, image):
            break
        found = found / sqrt(dot(found, found))
    return found


def krylov(rows: Rows, mean: Floats, start: Floats) -> tuple[Floats, Floats]:
    """Return orthogonal directions, each made from the one before, and their images."""
    steps, images = [start], [spread(rows, mean, start)]
    while len(steps) < STEPS:
        fresh, before = images[-1], np.array(steps)
        for _ in range(2):  # the second pass removes what rounding has left of the others
            fresh = fresh - column_mix(before, times(before, fresh))
        length = sqrt(dot(fresh, fresh))
        if length <= NEAR * sqrt(dot(images[-1], images[-1])):
            break
        steps.append(fresh / length)
        images.append(spread(rows, mean, steps[-1]))
    return np.array(steps), np.array(images)


def spread(rows: Rows, mean: Floats, direction: Floats) -> Floats:
    """Return the centred matrix and then its transpose, applied to a direction."""
    places = row_sums(rows, direction) - dot(mean, direction)
    return column_sums(rows, places) - mean * float(places.sum())


def units_of(rows: Rows) -> Rows:
    """Return documents scaled to length 1; those without words are unchanged."""
    squares = csr_array((rows.data * rows.data, rows.indices, rows.indptr), shape=rows.shape)
    lengths = np.sqrt(row_sums(squares, np.ones(rows.shape[1])))
    each = np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(rows.indptr))
    return csr_array((rows.data / each, rows.indices, rows.indptr), shape=rows.shape)
