"""Arithmetic with the same result on every processor, bit for bit.

IEEE 754 defines + − × ÷ and square roots completely.  It does not define exponentials, logarithms
and powers: numpy and the C library each have several versions of them, for processors with and
without FMA, AVX2 or AVX-512, and their last digits differ.  BLAS adds products in an order that
suits the processor.  A crawl that chooses by such numbers takes another way on another machine.  So
everything between the state of a strategy and its choices is computed here, from the four
operations alone and in a fixed order:

    exp, log, log1p, expm1, tanh, sigmoid, softplus, power, cos_of_turns   of arrays
    exp_of, log_of, log1p_of, expm1_of, power_of             of single numbers, with the same bits
    dot, times, solved, leading, orthogonal                  instead of `@` and LAPACK
    row_sums, column_sums, grouped, by_row                   instead of products of sparse matrices

Errors are a few units in the last place.  Functions of numpy that give the same result everywhere
are used directly: `sum`, `cumsum`, `bincount`, `sqrt`, stable sorts.  `argsort` without
`kind="stable"` and `argpartition` are not among them: they order ties by the width of the
processor's registers.
"""

from __future__ import annotations

from decimal import Context, Decimal
from math import frexp, inf, isinf, isnan, ldexp, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from foragers.compiled import compiled

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Reals = NDArray[Any]
"""Numbers of any kind that can be converted to floats."""

PARTS = 1024
"""The number of steps per doubling whose exponentials are in a table."""
SHIFT = 10
FINE = 256
"""The number of steps of the table of logarithms."""
COUNTS = 4096
"""The logarithms of smaller counts are in a table."""
CHUNK = 20_000
"""The number of entries of a sparse matrix multiplied at a time."""
SQUARINGS = 50

_DIGITS = Context(prec=24)
_SIDE = 32
_LN2 = _DIGITS.ln(Decimal(2))
_STEP = _DIGITS.divide(_LN2, Decimal(PARTS))


def _first_digits(value: Decimal) -> float:
    """Return a number to 40 binary digits: its products with small integers are exact."""
    return ldexp(int(value * 2**40), -40)


_HIGH = _first_digits(_STEP)
_LOW = float(_DIGITS.subtract(_STEP, Decimal(_HIGH)))
_LN2_HIGH = _first_digits(_LN2)
_LN2_LOW = float(_DIGITS.subtract(_LN2, Decimal(_LN2_HIGH)))
_STEPS_IN_ONE = float(_DIGITS.divide(Decimal(1), _STEP))
_TWO_THIRDS, _TWO_FIFTHS, _SIXTH, _24TH = 2 / 3, 2 / 5, 1 / 6, 1 / 24
_TURN = 6.283185307179586
_LARGEST, _SMALLEST = 710.0, -746.0
_LEAST, _MOST = -1080, 1024
"""The range of exponents of a float, and a little more."""

_SMALL = [_DIGITS.exp(_DIGITS.multiply(_STEP, Decimal(i))) for i in range(_SIDE)]
_LARGE = [_DIGITS.exp(_DIGITS.multiply(_STEP, Decimal(i * _SIDE))) for i in range(PARTS // _SIDE)]
_DECIMAL_ROOTS = [_DIGITS.multiply(large, small) for large in _LARGE for small in _SMALL]
_ROOT_LIST = [float(root) for root in _DECIMAL_ROOTS]
_RESIDUE_LIST = [
    float(_DIGITS.subtract(root, Decimal(kept)))
    for root, kept in zip(_DECIMAL_ROOTS, _ROOT_LIST, strict=True)
]
_DOUBLING_LIST = [*(ldexp(1.0, power) for power in range(_LEAST, _MOST)), inf]
_FIRST = int(0.7 * FINE)
_LOG_LIST = [
    float(_DIGITS.ln(_DIGITS.divide(Decimal(i), Decimal(FINE))))
    for i in range(_FIRST, int(1.42 * FINE) + 2)
]
_ROOTS, _RESIDUES = np.array(_ROOT_LIST), np.array(_RESIDUE_LIST)
_DOUBLINGS, _LOGS = np.array(_DOUBLING_LIST), np.array(_LOG_LIST)
_BOTTOM = 0.70703125
"""Numbers are halved or doubled until they lie between this and twice this."""
_BOTTOM_BITS = np.array([_BOTTOM]).view(np.int64).item()
_LEAST_NORMAL = 2.0**-1022
_UP, _LOG_UP = 2.0**54, float(_DIGITS.multiply(_LN2, Decimal(54)))


def _reduced(x: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return the number of steps of powers, and e to the remainder, minus one."""
    kept = np.minimum(np.maximum(x, _SMALLEST), _LARGEST)
    steps = np.rint(kept * _STEPS_IN_ONE)
    rest = kept - steps * _HIGH
    rest -= steps * _LOW
    more = rest * _24TH
    more += _SIXTH
    more *= rest
    more += 0.5
    more *= rest
    more *= rest
    more += rest
    return steps.astype(np.int64), more


def _prepared() -> Any | None:
    """Return the compiled functions, which are several times as fast, if there are any."""
    library = compiled("foragers.core._exact")
    if library is not None:
        library.prepare(
            *(_ROOTS, _RESIDUES, _DOUBLINGS, _LOGS),
            (_SMALLEST, _LARGEST, _STEPS_IN_ONE, _HIGH, _LOW, _SIXTH, _24TH),
            (FINE, _TWO_THIRDS, _TWO_FIFTHS, _LN2_LOW, _LN2_HIGH, _LEAST_NORMAL, _UP, _LOG_UP),
            *(_LEAST, _FIRST, _BOTTOM_BITS),
        )
    return library


_LIBRARY = _prepared()


def _is_for_library(given: Floats) -> bool:
    """Return whether an array can be passed to the compiled functions."""
    return _LIBRARY is not None and given.ndim > 0 and given.flags.c_contiguous


def exp(x: Reals) -> Floats:
    """Return e to the power of each number."""
    given = np.asarray(x, np.float64)
    if _LIBRARY is not None and _is_for_library(given):
        quick: Floats = np.empty_like(given)
        _LIBRARY.exp(given, quick)
        return quick
    steps, more = _reduced(given)
    roots = _ROOTS.take(steps & (PARTS - 1))
    more *= roots
    more += roots
    steps >>= SHIFT
    steps -= _LEAST
    found: Floats = more * _DOUBLINGS.take(steps, mode="clip")
    return found


def exp_of(x: float) -> float:
    """Return e to the power of a number."""
    if _LIBRARY is not None:
        return float(_LIBRARY.exp_of(x))
    if isnan(x):
        return nan
    kept = min(max(x, _SMALLEST), _LARGEST)
    steps = round(kept * _STEPS_IN_ONE)
    rest = kept - steps * _HIGH - steps * _LOW
    root = _ROOT_LIST[steps & (PARTS - 1)]
    more = ((rest * _24TH + _SIXTH) * rest + 0.5) * rest * rest + rest
    return (more * root + root) * _DOUBLING_LIST[(steps >> SHIFT) - _LEAST]


def expm1(x: Reals) -> Floats:
    """Return e to the power of each number, minus one; exact also for small powers."""
    given = np.asarray(x, np.float64)
    if _LIBRARY is not None and _is_for_library(given):
        quick: Floats = np.empty_like(given)
        _LIBRARY.expm1(given, quick)
        return quick
    steps, more = _reduced(np.minimum(given, 60.0))
    part = steps & (PARTS - 1)
    scale = _DOUBLINGS.take((steps >> SHIFT) - _LEAST, mode="clip")
    roots = _ROOTS.take(part) * scale
    found: Floats = (roots - 1.0) + (roots * more + _RESIDUES.take(part) * scale)
    return np.where(given > 60.0, exp(given), found) if (given > 60.0).any() else found


def expm1_of(x: float) -> float:
    """Return e to the power of a number, minus one."""
    if _LIBRARY is not None:
        return float(_LIBRARY.expm1_of(x))
    if not x <= 60.0:
        return exp_of(x)
    kept = max(x, _SMALLEST)
    steps = round(kept * _STEPS_IN_ONE)
    rest = kept - steps * _HIGH - steps * _LOW
    more = ((rest * _24TH + _SIXTH) * rest + 0.5) * rest * rest + rest
    part, scale = steps & (PARTS - 1), _DOUBLING_LIST[(steps >> SHIFT) - _LEAST]
    root = _ROOT_LIST[part] * scale
    return (root - 1.0) + (root * more + _RESIDUE_LIST[part] * scale)


def log(x: Reals) -> Floats:
    """Return natural logarithms."""
    given = np.asarray(x, np.float64)
    if _LIBRARY is not None and _is_for_library(given):
        quick: Floats = np.empty_like(given)
        if _LIBRARY.log(given, quick):
            return quick
    if given.min(initial=1.0) >= _LEAST_NORMAL and given.max(initial=1.0) < inf:
        return _log(given)
    odd = ~((given >= _LEAST_NORMAL) & (given < inf))
    tiny = (given > 0) & (given < _LEAST_NORMAL)
    usual = np.where(odd, 1.0, given)
    found = _log(np.where(tiny, given * _UP, usual))
    found -= np.where(tiny, _LOG_UP, 0.0)
    found = np.where(odd & ~tiny, np.where(given == inf, inf, nan), found)
    return np.where(given == 0, -inf, found)


def _log(x: Floats) -> Floats:
    """Return the logarithms of ordinary numbers."""
    bits = x.view(np.int64)
    doublings = (bits - _BOTTOM_BITS) >> 52
    near = (bits - (doublings << 52)).view(np.float64)
    index = np.rint(near * FINE)
    known = index * (1 / FINE)
    rest = (near - known) / (near + known)
    square = rest * rest
    series = square * _TWO_FIFTHS
    series += _TWO_THIRDS
    series *= square
    series *= rest
    series += rest
    series += rest
    powers = doublings.astype(np.float64)
    series += powers * _LN2_LOW
    found: Floats = powers * _LN2_HIGH + _LOGS.take(index.astype(np.int64) - _FIRST)
    found += series
    return found


def log_of(x: float) -> float:
    """Return the natural logarithm of a number, minus infinity for zero."""
    if _LIBRARY is not None:
        return float(_LIBRARY.log_of(x))
    if not 0 < x < inf:
        return -inf if x == 0 else x if x == inf else nan
    if x < _LEAST_NORMAL:
        return log_of(x * _UP) - _LOG_UP
    near, doublings = frexp(x)
    if near < _BOTTOM:
        near, doublings = 2 * near, doublings - 1
    index = round(near * FINE)
    known = index * (1 / FINE)
    rest = (near - known) / (near + known)
    square = rest * rest
    series = (
        (square * _TWO_FIFTHS + _TWO_THIRDS) * square * rest + rest + rest + doublings * _LN2_LOW
    )
    return (doublings * _LN2_HIGH + _LOG_LIST[index - _FIRST]) + series


def log1p(x: Reals) -> Floats:
    """Return the logarithms of 1 + x; exact also for small x."""
    given = np.asarray(x, np.float64)
    sums = 1.0 + given
    with np.errstate(invalid="ignore", divide="ignore"):
        lost = (given - (sums - 1.0)) / sums
    return np.where(np.isfinite(lost), log(sums) + lost, log(sums))


def log1p_of(x: float) -> float:
    """Return the logarithm of 1 + x."""
    total = 1.0 + x
    if total <= 0 or isinf(total) or isnan(total):
        return log_of(total)
    return log_of(total) + (x - (total - 1.0)) / total


LOG_COUNTS = log(np.maximum(np.arange(COUNTS), 1))
"""The logarithms of small counts; that of 0 is replaced by that of 1."""
_LOG_COUNT_LIST = LOG_COUNTS.tolist()


def log_count(count: int) -> float:
    """Return the logarithm of a count from one on, mostly from a table."""
    return _LOG_COUNT_LIST[count] if count < COUNTS else log_of(count)


def log_counts(counts: NDArray[Any]) -> Floats:
    """Return the logarithms of counts from one on, mostly from a table."""
    if counts.max(initial=0) < COUNTS:
        known: Floats = LOG_COUNTS.take(counts.astype(np.int64, copy=False))
        return known
    return log(counts)


def tanh(x: Reals) -> Floats:
    """Return hyperbolic tangents."""
    given = np.asarray(x, np.float64)
    more = expm1(2.0 * np.minimum(np.abs(given), 20.0))
    found: Floats = np.copysign(more / (more + 2.0), given)
    return found


def sigmoid(x: Reals) -> Floats:
    """Return 1 / (1 + exp(−x))."""
    found: Floats = 1.0 / (1.0 + exp(-np.asarray(x, np.float64)))
    return found


def softplus(x: Reals) -> Floats:
    """Return log(1 + exp(x))."""
    given = np.asarray(x, np.float64)
    found: Floats = np.maximum(given, 0.0) + log1p(exp(-np.abs(given)))
    return found


def power(x: Reals, exponent: Reals | float) -> Floats:
    """Return powers of non-negative numbers."""
    with np.errstate(invalid="ignore"):
        found = exp(np.asarray(exponent, np.float64) * log(x))
    return np.where(np.asarray(exponent) == 0, 1.0, found)


def power_of(x: float, exponent: float) -> float:
    """Return a power of a non-negative number."""
    if _LIBRARY is not None:
        return float(_LIBRARY.power_of(x, exponent))
    return exp_of(exponent * log_of(x)) if exponent else 1.0


def cos_of_turns(turns: Reals) -> Floats:
    """Return the cosines of angles, given in full turns."""
    given = np.asarray(turns, np.float64)
    angle = (given - np.rint(given)) * _TURN
    square = angle * angle
    found = np.ones_like(square)
    for step in range(26, 0, -2):  # the series of the cosine, the smallest terms first
        found = 1.0 - found * square / (step * (step - 1))
    return found


def dot(one: Reals, other: Reals) -> float:
    """Return the dot product of two vectors."""
    return float(np.add.reduce(np.multiply(one, other, dtype=np.float64)))


def times(matrix: Floats, vector: Floats) -> Floats:
    """Return the product of a matrix with a vector."""
    found: Floats = np.add.reduce(np.multiply(matrix, vector, dtype=np.float64), axis=1)
    return found


def _sums(indexes: NDArray[Any], values: Floats, number: int) -> Floats:
    """Return the sums of the values of each index, added in order."""
    return np.asarray(np.bincount(indexes, values, number), np.float64)


def row_sums(rows: csr_array, vector: Floats) -> Floats:
    """Return the product of a sparse matrix with a vector."""
    number = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    return _sums(number, rows.data * vector[rows.indices], rows.shape[0])


def column_sums(rows: csr_array, weights: Floats) -> Floats:
    """Return the weighted sum of the rows of a sparse matrix."""
    given = rows.data * np.repeat(weights, np.diff(rows.indptr))
    return _sums(rows.indices, given, rows.shape[1])


def grouped(rows: csr_array, groups: NDArray[Any], number: int, weights: Floats) -> Floats:
    """Return the weighted sums of the rows of a sparse matrix by their groups."""
    counts, size = np.diff(rows.indptr), rows.shape[1]
    indexes = np.repeat(groups.astype(np.int64), counts) * size + rows.indices
    sums = _sums(indexes, rows.data * np.repeat(weights, counts), number * size)
    return sums.reshape(number, size)


def by_row(rows: csr_array, columns: Floats) -> Floats:
    """Return the product of a sparse matrix with another matrix."""
    found = np.zeros((rows.shape[0], columns.shape[1]))
    ends = rows.indptr.astype(np.int64)
    first = 0
    while first < len(found):
        # As many rows at a time as need little memory, but at least one.
        last = max(int(np.searchsorted(ends, ends[first] + CHUNK, "right")) - 1, first + 1)
        some = slice(int(ends[first]), int(ends[last]))
        held = np.flatnonzero(ends[first + 1 : last + 1] > ends[first:last])
        if len(held):
            added = rows.data[some, np.newaxis] * columns[rows.indices[some]]
            starts = ends[first:last][held] - ends[first]
            found[first + held] = np.add.reduceat(added, starts, axis=0)
        first = last
    return found


def leading(matrix: Floats) -> Floats:
    """Return the eigenvector of the largest eigenvalue of a symmetric matrix.

    No eigenvalue may be negative.  Squaring the matrix repeatedly leaves the part in that
    direction.
    """
    power = matrix
    for _ in range(SQUARINGS):
        largest = float(np.abs(power).max(initial=0.0))
        if largest == 0:
            break
        before, power = power, power / largest
        power = (power[:, :, np.newaxis] * power).sum(axis=1)
        if np.abs(power / max(float(np.abs(power).max()), 1e-300) - before).max() < 1e-15:
            break
    column: Floats = power[:, int(np.argmax(np.diagonal(power)))]
    length = np.sqrt(dot(column, column))
    return column / length if length > 0 else column


def orthogonal(columns: Floats) -> Floats:
    """Return the columns of a matrix made orthogonal, and of length 1."""
    rows = np.ascontiguousarray(columns.T, np.float64)
    for index in range(len(rows)):
        for _ in range(2):  # the second pass removes what rounding leaves of the others
            shares = times(rows[:index], rows[index])
            rows[index] -= np.add.reduce(shares[:, np.newaxis] * rows[:index])
        rows[index] /= max(np.sqrt(dot(rows[index], rows[index])), 1e-300)
    return rows.T


def solved(matrix: Floats, right: Floats) -> Floats:
    """Return x with matrix · x = right, for a symmetric positive definite matrix."""
    left, found = matrix.copy(), right.copy()
    for column in range(len(found) - 1):
        below = slice(column + 1, None)
        factors = left[below, column] / left[column, column]
        left[below, below] -= factors[:, np.newaxis] * left[column, below]
        found[below] -= factors * found[column]
    for column in range(len(found) - 1, -1, -1):
        found[column] /= left[column, column]
        found[:column] -= left[:column, column] * found[column]
    return found
