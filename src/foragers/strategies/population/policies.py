"""Link policies of agents: the same for all agents, or learned by each.

An agent of InfoSpiders has keywords, one tanh unit over their closeness to a link, and a
sharpness.

    λ_l = tanh(b + Σ w_k · in_k(l))            the promise of a link
    P(l) ∝ exp(β · λ_l)                        the probability to follow it
    δ = e(D) + μ · max_l λ_l − λ_D             the error of the estimate that led to document D

(Menczer and Belew 2000, as far as it is known to us.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import tanh, times
from foragers.strategies.population.restart_points import Floats, OpenLinks
from foragers.strategies.population.settings import DEFAULT_POPULATION, NeuronSettings


class LinkPolicy(Protocol):
    """Scores links, learns from the pages they lead to, and is inherited with changes."""

    @property
    def sharpness(self) -> float:
        """The sharpness of the choice: P ∝ exp(sharpness · promise)."""
        ...

    def promises(self, links: OpenLinks) -> Floats:
        """Return the promise of each link of a document."""
        ...

    def follow(self, links: OpenLinks, index: int) -> None:
        """Record which link is followed."""
        ...

    def learn(self, relevance: float, links: OpenLinks | None) -> None:
        """Learn from the page that the link led to, and from its links."""
        ...

    def child(self, links: OpenLinks | None, rng: np.random.Generator) -> LinkPolicy:
        """Return the policy of a clone that is born on a document with these links."""
        ...


@dataclass(frozen=True, slots=True)
class FixedPolicy:
    """Uses the promises that all agents share, and does not learn."""

    sharpness: float

    def promises(self, links: OpenLinks) -> Floats:
        """Return the promises that all agents share."""
        return links.promises

    def follow(self, links: OpenLinks, index: int) -> None:
        """Record nothing."""

    def learn(self, relevance: float, links: OpenLinks | None) -> None:
        """Learn nothing."""

    def child(self, links: OpenLinks | None, rng: np.random.Generator) -> FixedPolicy:  # noqa: ARG002
        """Return the same policy."""
        return self


@dataclass(slots=True)
class Neuron:
    """The keywords of an agent, their weights (the last is the bias), and its sharpness β."""

    keywords: tuple[str, ...]
    weights: NDArray[np.float64]
    sharpness: float
    settings: NeuronSettings = field(default=DEFAULT_POPULATION.neuron, repr=False)
    _followed: NDArray[np.float64] | None = field(default=None, repr=False)

    def inputs(self, links: OpenLinks) -> NDArray[np.float64]:
        """Return the closeness of each keyword to each link, one row per link."""
        inputs = np.zeros((len(links.urls), len(self.weights)))
        inputs[:, -1] = 1.0
        for column, word in enumerate(self.keywords):
            near = links.near(word)
            if near is not None:
                inputs[:, column] = near
        return inputs

    def promises(self, links: OpenLinks) -> Floats:
        """Return λ for each link of a document."""
        return tanh(times(self.inputs(links), self.weights)).astype(np.float32)

    def follow(self, links: OpenLinks, index: int) -> None:
        """Record the inputs of the link that is followed."""
        columns = (links.near(word) for word in self.keywords)
        inputs = [0.0 if column is None else float(column[index]) for column in columns]
        self._followed = np.array([*inputs, 1.0])

    def learn(self, relevance: float, links: OpenLinks | None) -> None:
        """Correct the estimate of the link just followed by the page it led to."""
        inputs, self._followed = self._followed, None
        if inputs is None:
            return
        ahead = float(self.promises(links).max()) if links is not None and links.urls else 0.0
        estimate = tanh(times(inputs[np.newaxis], self.weights)).item()
        error = relevance + self.settings.foresight * ahead - estimate
        self.weights += self.settings.rate * error * (1 - estimate * estimate) * inputs

    def child(self, links: OpenLinks | None, rng: np.random.Generator) -> Neuron:
        """Return a slightly different policy, with one keyword replaced by a word of the page."""
        settings, change = self.settings, self.settings.change
        noise = (1 - change) + 2 * change * rng.random(len(self.weights) + 1)
        sharpness = max(self.sharpness * float(noise[-1]), settings.min_sharpness)
        sharpness = min(sharpness, settings.max_sharpness)
        keywords = self.keywords
        fresh = [word for word in links.words if word not in keywords] if links is not None else []
        if fresh and keywords:
            index = int(rng.random() * len(keywords))
            word = fresh[int(rng.random() * len(fresh))]
            keywords = (*keywords[:index], word, *keywords[index + 1 :])
        return Neuron(keywords, self.weights * noise[:-1], sharpness, settings)
