"""A policy, trained anywhere, as a strategy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Choice, HostId, Visit
from foragers.gym.candidates import Candidates
from foragers.judges.topic import Topic

Policy: TypeAlias = Callable[[NDArray[np.float32]], int]
"""A function from an observation to the row of the link to follow."""


@dataclass
class PolicyStrategy:
    """Follows the links that `act` chooses: by default those that a best-first crawl follows.

    A subclass with another `act`, or what `of` returns, works in `foragers.compare` and in live
    crawls like every other strategy.
    """

    topic: Topic
    rng: np.random.Generator
    candidates: int = 16
    _links: Candidates = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._links = Candidates(self.candidates, self.rng, self.topic)

    @classmethod
    def of(cls, policy: Policy, name: str = "policy", candidates: int = 16) -> type[PolicyStrategy]:
        """Return a class of strategies that follow a policy."""
        methods = {
            "act": lambda _, observation: int(policy(observation)),
            "candidates": candidates,
            "__annotations__": {"candidates": int},
            "__module__": "__main__",
        }
        return dataclass(type(name, (cls,), methods))

    def act(self, observation: NDArray[np.float32]) -> int:  # noqa: ARG002 - for subclasses
        """Return the row of the candidate to follow."""
        return 0

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Let the policy choose at most n links."""
        choices: list[Choice] = []
        while len(choices) < n:
            observation = self._links.observe(closed)
            if not self._links.shown:
                break
            choices.append(self._links.take(self.act(observation)))
        return choices

    def tell(self, visits: Sequence[Visit]) -> None:
        """Learn what the candidates lead to."""
        for visit in visits:
            self._links.learn(visit)
