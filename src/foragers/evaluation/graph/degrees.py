"""Power laws fitted to degrees by maximum likelihood (Clauset, Shalizi and Newman 2009).

The model is P(k) = k^-a / Z(a) for the whole numbers k from x_min, either without end,
where Z is Hurwitz's zeta function and a > 1, or up to x_max, where Z is a plain sum
and a may be anything.  Three fits are offered, since they answer different questions:

- `fit_tail`: the authors' own.  x_min is where the law begins to hold, chosen so that
  the Kolmogorov-Smirnov distance between the data and the fit is smallest.
- `fit_from`: the same with x_min fixed, by default 1: all the data, whether or not
  they follow the law.
- `fit_between`: the law cut off at both ends.  Only this one can give an exponent such
  as 1.3 a meaning, since without an upper end the mean would be infinite, and a finite
  web cannot have that.

The standard error is the asymptotic one, 1 / sqrt(n Var(ln k)) under the fitted law.
No fit says that the data *are* a power law; `distance` says how far off they are.

`degrees` describes the numbers of links of pages with these laws.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import zeta

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

TAIL = 50
"""Fewer points than this fit any law: x_min must leave at least as many, except the smallest."""

ENDLESS = (1.0 + 1e-6, 30.0)
BOUNDED = (-10.0, 30.0)
"""The range in which an exponent is searched for."""


class PowerLaw(msgspec.Struct, frozen=True):
    """A fitted power law.

    It holds for x_min <= k <= x_max, x_max being the largest value seen unless the law is `bounded`
    there; `points` values are in that range, and `distance` is the Kolmogorov-Smirnov distance
    between them and the law.
    """

    exponent: float
    error: float
    x_min: int
    x_max: int
    points: int
    distance: float
    bounded: bool = False

    def survival(self, ks: NDArray[np.int64]) -> Floats:
        """Return the law's share of values that are at least k, for k from x_min on."""
        if self.bounded:
            weights = np.arange(self.x_min, self.x_max + 1) ** -self.exponent
            sums = np.append(np.cumsum(weights[::-1])[::-1], 0.0)
            return np.asarray(sums[ks - self.x_min] / sums[0])
        return np.asarray(zeta(self.exponent, ks) / zeta(self.exponent, self.x_min))

    def probability(self, ks: NDArray[np.int64]) -> Floats:
        """Return the law's share of values that are k, for k in its range."""
        if self.bounded:
            total = float(np.sum(np.arange(self.x_min, self.x_max + 1) ** -self.exponent))
        else:
            total = float(zeta(self.exponent, self.x_min))
        return np.asarray(ks**-self.exponent / total)


def fit_tail(values: Counts) -> PowerLaw | None:
    """Fit the law to the tail of the values that it fits best; None if no tail has a fit."""
    xs, counts = np.unique(values[values > 0], return_counts=True)
    left = np.cumsum(counts[::-1])[::-1]
    starts = [at for at in range(len(xs) - 1) if at == 0 or left[at] >= TAIL]
    fits = [_fit(xs[at:], counts[at:], int(xs[at])) for at in starts]
    return min((fit for fit in fits if fit), key=lambda fit: fit.distance, default=None)


def fit_from(values: Counts, x_min: int = 1) -> PowerLaw | None:
    """Fit the law to all values from x_min on; None if they are all x_min, or none."""
    xs, counts = np.unique(values[values >= x_min], return_counts=True)
    return _fit(xs, counts, x_min)


def fit_between(values: Counts, x_min: int = 1, x_max: int | None = None) -> PowerLaw | None:
    """Fit the law that ends at x_max, by default the largest value; None if all are equal."""
    inside = values[(values >= x_min) & (values <= (np.inf if x_max is None else x_max))]
    xs, counts = np.unique(inside, return_counts=True)
    return _fit(xs, counts, x_min, x_max or int(xs[-1])) if len(xs) else None


def _fit(xs: Counts, counts: Counts, x_min: int, x_max: int | None = None) -> PowerLaw | None:
    points = int(counts.sum())
    if not points or (len(xs) == 1 and xs[0] in (x_min, x_max)):
        return None
    mean_log = float(np.log(xs) @ counts) / points
    bounds, log_total = _normaliser(x_min, x_max)
    exponent = _most_likely(mean_log, log_total, bounds)
    # At the edge of the search the likelihood still rises: there is no such law.
    if exponent is None:
        return None
    error = 1 / sqrt(points * _variance(log_total, exponent))
    last = int(xs[-1]) if x_max is None else x_max
    law = PowerLaw(exponent, error, x_min, last, points, 0.0, x_max is not None)
    return msgspec.structs.replace(law, distance=_distance(law, xs, counts))


def _normaliser(
    x_min: int, x_max: int | None
) -> tuple[tuple[float, float], Callable[[float], float]]:
    """Return the search range, and ln Z as a function of the exponent."""
    if x_max is None:
        return ENDLESS, lambda a: log(zeta(a, x_min))
    # Relative to x_min, so that no power overflows.
    logs = np.log(np.arange(x_min, x_max + 1) / x_min)
    return BOUNDED, lambda a: log(float(np.exp(-a * logs).sum())) - a * log(x_min)


def _most_likely(
    mean_log: float, log_total: Callable[[float], float], bounds: tuple[float, float]
) -> float | None:
    # The negative log-likelihood per point is convex in the exponent.
    fit = minimize_scalar(
        lambda a: a * mean_log + log_total(a),
        bounds=bounds,
        method="bounded",
        options={"xatol": 1e-7},
    )
    exponent = float(fit.x)
    inside = bounds[0] + 1e-4 < exponent < bounds[1] - 1e-4
    return exponent if inside else None


def _variance(log_total: Callable[[float], float], exponent: float) -> float:
    """Return the variance of ln k, the second derivative of ln Z."""
    step = min(1e-3, (exponent - 1) / 4) if exponent > 1 else 1e-3
    around = log_total(exponent - step) - 2 * log_total(exponent) + log_total(exponent + step)
    return max(around / step**2, 1e-12)


def _distance(law: PowerLaw, xs: Counts, counts: Counts) -> float:
    """Return the largest difference between the data's and the law's share of values >= k."""
    seen = np.cumsum(counts[::-1])[::-1] / law.points
    # Between two observed values the data are constant and the law falls: check both ends.
    just_above = np.concatenate(([law.x_min], xs[:-1] + 1))
    ends = np.abs(seen - law.survival(xs)), np.abs(seen - law.survival(just_above))
    beyond = law.survival(xs[-1:] + 1) if not law.bounded or law.x_max > xs[-1] else np.zeros(1)
    return float(max(ends[0].max(), ends[1].max(), beyond[0]))


class Degrees(msgspec.Struct, frozen=True):
    """The degrees of a graph in one direction.

    `histogram` has pairs of a degree and its number of nodes, including zero; the laws are fitted
    to the degrees above zero: to the `tail`, to `all` of them, and to all of them `bounded` at the
    largest.
    """

    mean: float
    largest: int
    histogram: tuple[tuple[int, int], ...]
    tail: PowerLaw | None
    all: PowerLaw | None
    bounded: PowerLaw | None


def degrees(values: NDArray[np.int64]) -> Degrees:
    """Describe the degrees of all nodes."""
    xs, counts = np.unique(values, return_counts=True)
    return Degrees(
        mean=float(values.mean()) if len(values) else 0.0,
        largest=int(values.max(initial=0)),
        histogram=tuple(zip(xs.tolist(), counts.tolist(), strict=True)),
        tail=fit_tail(values),
        all=fit_from(values),
        bounded=fit_between(values),
    )
