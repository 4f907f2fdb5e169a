"""The laws as `python -m benchmarks stopping` fits them; docs/stopping.md says on which webs."""

from __future__ import annotations

from foragers.evaluation.metrics.laws import Enough, Law, LeftLine
from foragers.evaluation.metrics.plan import PlanLaw, PlanLine

FITTED = Law(
    low=LeftLine(0.872, -0.45, 0.728),
    middle=LeftLine(3.64, -0.302, 0.373),
    high=LeftLine(4.66, 0.175, 0.128),
    enough=Enough(0.4, 0.25, 0.5),
)
"""For any strategy: fitted on crawls by best-first, breadth-first and random."""
BY_STRATEGY = {
    "auto": Law(
        low=LeftLine(0.142, -0.633, 0.789),
        middle=LeftLine(1.397, -0.464, 0.776),
        high=LeftLine(3.557, -0.153, 0.419),
        enough=Enough(-1.0, 0.25, 0.5),
    )
}
"""Laws of strategies that find things sooner than most, so that what waits holds less."""
PLANS = {
    "auto": PlanLaw(
        shares=(
            PlanLine(-2.078, 0.669, 0.587, -0.619),
            PlanLine(-0.839, 1.279, 0.933, -1.217),
            PlanLine(2.677, 0.858, 0.935, -1.081),
        ),
        pages=(
            PlanLine(-1.157, -0.442, 0.334, 0.534),
            PlanLine(0.19, -0.239, 0.579, 0.271),
            PlanLine(1.938, -0.07, 0.64, 0.015),
        ),
    )
}
"""What a budget will find, by strategy: how fast the rest is found depends on it."""


def law_of(strategy: str) -> Law:
    """Return the law for the crawls of a strategy, named with its parameters or without."""
    return BY_STRATEGY.get(name_of(strategy), FITTED)


def plan_law_of(strategy: str) -> PlanLaw | None:
    """Return how plans are made for a strategy, None where that was not measured."""
    return PLANS.get(name_of(strategy))


def name_of(strategy: str) -> str:
    """Return the name of a strategy without its parameters."""
    return strategy.partition("(")[0].strip()
