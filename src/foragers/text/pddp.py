"""Principal direction divisive partitioning (Boley 1998): clusters of texts, from the top down.

Documents are scaled to length 1.  All of them are one cluster at first.  The cluster of
the largest scatter, `‖M − w·eᵀ‖_F` with w its mean, is cut in two by the sign of
`u·(d − w)`, u being the direction in which it is longest: the leading singular vector of
the centred matrix.  That matrix would be dense and is never built: the singular vector is
found from products alone.  The cuts form a tree, by which new documents are told apart too.

Choices of ours: the largest entry of u is positive, so that runs repeat; a document exactly on
the cut goes with the negative side; a cluster without scatter is not cut, so that
there can be fewer clusters than asked for.  Clusters are numbered as the tree's leaves
stand, from the negative side to the positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, svds
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted, validate_data

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = "csr_array[np.float64]"

SMALL = 24
"""Matrices with a side up to this are decomposed exactly; an iteration would be no faster."""

NEGLIGIBLE = 1e-9
"""A cluster whose mean squared distance to its centre is below this is a point."""


@dataclass
class Cluster:
    """A node of the tree: its documents, their scatter squared, and where its halves are."""

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
        return csr_array(normalize(checked))

    def _number(self, tree: list[Cluster]) -> None:
        """Number cuts and leaves, and write the tree down."""
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
        """Let documents fall through the tree, cut by cut: a cut comes after the one above it."""
        labels = np.zeros(units.shape[0], np.int64)
        at = np.full(units.shape[0], 0 if len(self.offsets_) else -1)
        for cut, (direction, offset) in enumerate(
            zip(self.directions_, self.offsets_, strict=True)
        ):
            here = np.flatnonzero(at == cut)
            beyond = (units[here] @ direction > offset).astype(np.int64)
            at[here] = self.children_[cut][beyond]
        labels[:] = -1 - at
        return labels

    def __sklearn_tags__(self) -> object:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def divide(units: Rows, clusters: int) -> tuple[list[Cluster], list[Floats], list[float]]:
    """Return the tree, with the direction and the offset of each of its cuts in their order."""
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
        # Only the product that `predict` makes decides, so that both always agree.
        places = np.asarray(rows @ direction)
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
    scatter = float((rows.data**2).sum()) - len(members) * float(mean @ mean)
    return Cluster(members, max(scatter, 0.0))


def principal_direction(rows: Rows) -> Floats:
    """Return the direction in which documents lie farthest from their mean, its sign fixed."""
    mean = centre(rows)
    found = exact_direction(rows, mean) if min(rows.shape) <= SMALL else iterated(rows, mean)
    length = float(np.linalg.norm(found))
    if length == 0:
        return found
    # Rounding may decide between equal entries: the first of the nearly largest is taken.
    sizes = np.abs(found)
    leading = int(np.flatnonzero(sizes >= sizes.max() * (1 - 1e-9))[0])
    return np.asarray(found * (np.sign(found[leading]) / length))


def centre(rows: Rows) -> Floats:
    """Return the mean of some documents."""
    mean: Floats = np.asarray(rows.mean(axis=0)).ravel()
    return mean


def exact_direction(rows: Rows, mean: Floats) -> Floats:
    """Decompose the products of the smaller side: documents with documents, or words with words."""
    documents, words = rows.shape
    if words <= documents:
        products = (rows.T @ rows).toarray() - documents * np.outer(mean, mean)
        return np.asarray(np.linalg.eigh(products)[1][:, -1])
    inner = np.asarray(rows @ mean)
    products = (rows @ rows.T).toarray() - inner[:, None] - inner[None, :] + float(mean @ mean)
    left = np.linalg.eigh(products)[1][:, -1]
    return np.asarray(rows.T @ left - mean * left.sum())


def iterated(rows: Rows, mean: Floats) -> Floats:
    """Find the leading singular vector of `rows − mean` from products with it alone."""
    across = rows.T.tocsr()
    ones = np.ones(rows.shape[0])
    centred = LinearOperator(
        rows.shape,
        matvec=lambda vector: rows @ vector.ravel() - float(mean @ vector.ravel()) * ones,
        rmatvec=lambda vector: across @ vector.ravel() - mean * float(vector.sum()),
        dtype=np.float64,
    )
    # A start that is the same every time, and at right angles to nothing in particular.
    start = np.cos(np.arange(min(rows.shape), dtype=np.float64))
    _, _, right = svds(centred, k=1, v0=start, tol=1e-6)
    return np.asarray(right[0])
