"""CPU time of the best of several rounds, in which the contenders take turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping


def best_of(contenders: Mapping[str, Callable[[], object]], rounds: int = 5) -> dict[str, float]:
    """Return the least CPU seconds of each; turns make them share what noise there is."""
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, contender in contenders.items():
            start = time.process_time()
            contender()
            best[name] = min(best[name], time.process_time() - start)
    return best


def verdict(what: str, value: float, aim: float, unit: str = "x") -> bool:
    """Print a figure beside its aim, and say whether it is met."""
    met = value <= aim
    print(f"   {what}: {value:.2f} {unit}, aim <= {aim:g}: {'met' if met else 'NOT met'}")
    return met
