"""A learning automaton: chooses among actions by chance, and makes what paid off more likely.

The equation numbers are those of `automata`.  Probabilities are arrays that sum to 1; each
function returns a new one.  With a the reward and b the penalty parameter, b = 0 is linear
reward-inaction (L_R-I), b = a reward-penalty (L_R-P), and a much smaller b reward-ε-penalty.

Where only some actions are enabled (section 2.1), their probabilities are divided by
their sum K (3), one of them is chosen and updated, and all of them are multiplied by K again,
so that the disabled ones keep theirs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import expm1_of

Probabilities = NDArray[np.float64]
Flags = NDArray[np.bool_]


def uniform(actions: int) -> Probabilities:
    """Return the probabilities of actions of which nothing is known."""
    return np.full(actions, 1 / actions) if actions else np.empty(0)


def rewarded(p: Probabilities, chosen: int, a: float) -> Probabilities:
    """Return the probabilities after the chosen action paid off (1)."""
    fresh = (1 - a) * p
    fresh[chosen] += a
    return fresh


def penalised(p: Probabilities, chosen: int, b: float) -> Probabilities:
    """Return the probabilities after the chosen action did not pay off (2)."""
    if b == 0 or len(p) < 2:
        # What an only action loses there is no other to give to.
        return p.copy()
    fresh = (1 - b) * p + b / (len(p) - 1)
    fresh[chosen] -= b / (len(p) - 1)
    return fresh


def scaled(p: Probabilities, enabled: Flags) -> Probabilities:
    """Return the probabilities of the enabled actions among themselves (3); 0 for the others."""
    kept: Probabilities = np.where(enabled, p, 0.0)
    total = float(kept.sum())
    if total > 0:
        kept /= total
    elif count := int(np.count_nonzero(enabled)):
        # Enabled are only actions that were given up: they are all alike.
        kept[enabled] = 1 / count
    return kept


def updated(
    p: Probabilities, enabled: Flags, chosen: int, a: float, b: float, paid: bool
) -> Probabilities:
    """Return the probabilities after a choice among the enabled actions."""
    among = scaled(p, enabled)[enabled]
    place = int(np.count_nonzero(enabled[:chosen]))
    among = rewarded(among, place, a) if paid else penalised(among, place, b)
    fresh = p.copy()
    fresh[enabled] = among * p[enabled].sum()
    return normal(fresh)


def chosen(p: Probabilities, lot: float) -> int:
    """Return the action that a lot between 0 and 1 falls on; one with probability 0 never."""
    edges = np.cumsum(p)
    place = int(np.searchsorted(edges, lot * edges[-1], side="right"))
    if place < len(p):
        return place
    return int(np.flatnonzero(p)[-1])


def normal(p: Probabilities) -> Probabilities:
    """Return the probabilities with what rounding added or took away put right."""
    return p / p.sum() if len(p) else p


def convergence_bound(p: float, a: float, ratio: float) -> float:
    """Return the least chance that the best action's probability goes to 1 (section 4).

    `p` is its probability at first, `a` the reward parameter of L_R-I, and `ratio` the
    largest chance of a reward among the other actions, as a share of that of the best one.
    """
    if not 0 < ratio < 1:
        return 1.0 if ratio <= 0 else 0.0
    x = growth_rate(1 / ratio)
    return expm1_of(-x * p / a) / expm1_of(-x / a)


def growth_rate(value: float) -> float:
    """Return the x above 0 at which (e^x - 1) / x has a value above 1 (16, 19)."""
    low, high = 0.0, 1.0
    while expm1_of(high) / high < value:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if expm1_of(middle) < middle * value else (low, middle)
    return (low + high) / 2
