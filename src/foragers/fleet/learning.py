"""Learning what pages are worth, by temporal differences (Algorithm 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foragers.exact import dot
from foragers.fleet.settings import FleetSettings

Floats = NDArray[np.float64]

LARGEST = 1e150
"""Values stay numbers as long as errors do not exceed this."""


def td_update(
    weights: Floats, state: Floats, next_state: Floats, reward: float, settings: FleetSettings
) -> float:
    """Correct the weights after a step from one state to the next, and return the error.

    error = r + γ v(next) - v(state);  weights += α error state.  With the papers' α the
    weights can run away on states that have little in common; beyond an error of `LARGEST`
    they run no further.
    """
    error = reward + settings.gamma * dot(next_state, weights) - dot(state, weights)
    rate = settings.alpha
    if settings.normalised:
        rate /= max(dot(state, state), 1e-12)
    if abs(error) < LARGEST:
        weights += (rate * error) * state
    return error
