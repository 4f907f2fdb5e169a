"""A learning automaton: chooses actions at random, and makes rewarded ones more likely.

The equation numbers are those of `automata`.  Probabilities are arrays that sum to 1; each
function returns a new one.  With a the reward and b the penalty parameter, b = 0 is linear
reward-inaction (L_R-I), b = a reward-penalty (L_R-P), and a much smaller b reward-ε-penalty.

If only some actions are enabled (section 2.1), their probabilities are divided by
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
    """Return equal probabilities."""
    return np.full(actions, 1 / actions) if actions else np.empty(0)


def rewarded(p: Probabilities, chosen: int, a: float) -> Probabilities:
    """Return the probabilities after a reward of the chosen action (1)."""
    fresh = (1 - a) * p
    fresh[chosen] += a
    return fresh


def penalised(p: Probabilities, chosen: int, b: float) -> Probabilities:
    """Return the probabilities after a penalty of the chosen action (2)."""
    if b == 0 or len(p) < 2:
        # The probability of a single action cannot be given to another.
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
        # All enabled actions have probability 0: they become equal.
        kept[enabled] = 1 / count
    return kept


def updated(
    p: Probabilities, enabled: Flags, chosen: int, a: float, b: float, paid: bool
) -> Probabilities:
    """Return the probabilities after a choice among the enabled actions."""
    among = scaled(p, enabled)[enabled]
    index = int(np.count_nonzero(enabled[:chosen]))
    among = rewarded(among, index, a) if paid else penalised(among, index, b)
    fresh = p.copy()
    fresh[enabled] = among * p[enabled].sum()
    return normal(fresh)


def chosen(p: Probabilities, draw: float) -> int:
    """Return the action for a random number between 0 and 1, never one with probability 0."""
    edges = np.cumsum(p)
    index = int(np.searchsorted(edges, draw * edges[-1], side="right"))
    if index < len(p):
        return index
    return int(np.flatnonzero(p)[-1])


def normal(p: Probabilities) -> Probabilities:
    """Return the probabilities corrected for rounding, with sum 1."""
    return p / p.sum() if len(p) else p


def convergence_bound(p: float, a: float, ratio: float) -> float:
    """Return a lower bound of the probability that the best action's goes to 1 (section 4).

    `p` is its initial probability, `a` the reward parameter of L_R-I, and `ratio` the
    largest reward probability of the other actions, divided by that of the best one.
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
