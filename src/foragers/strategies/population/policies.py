"""What an agent thinks of links: by their context, as all others do, or as it has learned.

InfoSpiders' mind: keywords, one tanh unit over how near they stand to a link, and a sharpness.

    λ_l = tanh(b + Σ w_k · in_k(l))            what a link promises
    P(l) ∝ exp(β · λ_l)                        how it is chosen
    δ = e(D) + μ · max_l λ_l − λ_D             what was wrong with the estimate that led to D

(Menczer and Belew 2000, as far as it is remembered.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import tanh, times
from foragers.strategies.population.restart_points import Floats, Ways


class Mind(Protocol):
    """Judges links, learns from where they led, and is passed on with changes."""

    @property
    def sharpness(self) -> float:
        """How much likelier a better link is followed: P ∝ exp(sharpness · promise)."""
        ...

    def promises(self, ways: Ways) -> Floats:
        """Return what each link of a document promises."""
        ...

    def follow(self, ways: Ways, place: int) -> None:
        """Note which link is followed."""
        ...

    def learn(self, relevance: float, ways: Ways | None) -> None:
        """Learn from the page to which the link led, and from the ways on from there."""
        ...

    def child(self, ways: Ways | None, rng: np.random.Generator) -> Mind:
        """Return the mind of a clone that is born where these ways begin."""
        ...


@dataclass(frozen=True, slots=True)
class Plain:
    """Takes the promises as they are, and learns nothing."""

    sharpness: float

    def promises(self, ways: Ways) -> Floats:
        """Return the promises that all agents share."""
        return ways.promises

    def follow(self, ways: Ways, place: int) -> None:
        """Note nothing."""

    def learn(self, relevance: float, ways: Ways | None) -> None:
        """Learn nothing."""

    def child(self, ways: Ways | None, rng: np.random.Generator) -> Plain:  # noqa: ARG002
        """Return the same mind."""
        return self


RATE = 0.1
"""By how much of an error weights are corrected."""
FORESIGHT = 0.5
"""How much the best way on from a page counts beside the page itself (μ)."""
CHANGE = 0.2
"""How far weights and sharpness of a clone may be off, as a share."""
SOFTEST, SHARPEST = 1.0, 100.0


@dataclass(slots=True)
class Neuron:
    """The keywords of an agent, their weights (the last is for no word), and its sharpness β."""

    keywords: tuple[str, ...]
    weights: NDArray[np.float64]
    sharpness: float
    _followed: NDArray[np.float64] | None = field(default=None, repr=False)

    def inputs(self, ways: Ways) -> NDArray[np.float64]:
        """Return how near each keyword is to each link, a row a link."""
        found = np.zeros((len(ways.urls), len(self.weights)))
        found[:, -1] = 1.0
        for column, word in enumerate(self.keywords):
            near = ways.near(word)
            if near is not None:
                found[:, column] = near
        return found

    def promises(self, ways: Ways) -> Floats:
        """Return λ for each link of a document."""
        return tanh(times(self.inputs(ways), self.weights)).astype(np.float32)

    def follow(self, ways: Ways, place: int) -> None:
        """Keep what spoke for the link that is followed."""
        near = (ways.near(word) for word in self.keywords)
        found = [0.0 if column is None else float(column[place]) for column in near]
        self._followed = np.array([*found, 1.0])

    def learn(self, relevance: float, ways: Ways | None) -> None:
        """Correct the estimate of the link just followed by what it led to."""
        inputs, self._followed = self._followed, None
        if inputs is None:
            return
        ahead = float(self.promises(ways).max()) if ways is not None and ways.urls else 0.0
        estimate = tanh(times(inputs[np.newaxis], self.weights)).item()
        error = relevance + FORESIGHT * ahead - estimate
        self.weights += RATE * error * (1 - estimate * estimate) * inputs

    def child(self, ways: Ways | None, rng: np.random.Generator) -> Neuron:
        """Return a mind that is a little different, and looks for a word of this page."""
        noise = (1 - CHANGE) + 2 * CHANGE * rng.random(len(self.weights) + 1)
        sharpness = min(max(self.sharpness * float(noise[-1]), SOFTEST), SHARPEST)
        keywords = self.keywords
        fresh = [word for word in ways.words if word not in keywords] if ways is not None else []
        if fresh and keywords:
            place = int(rng.random() * len(keywords))
            word = fresh[int(rng.random() * len(fresh))]
            keywords = (*keywords[:place], word, *keywords[place + 1 :])
        return Neuron(keywords, self.weights * noise[:-1], sharpness)
