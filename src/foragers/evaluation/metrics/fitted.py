"""The laws as `python -m benchmarks stopping` fits them; docs/stopping.md says on which webs."""

from __future__ import annotations

from foragers.evaluation.metrics.laws import Enough, Law, LeftLine
from foragers.evaluation.metrics.plan import PlanLaw, PlanLine

FITTED = Law(
    low=LeftLine(3.399, -1.26, 0.357),
    middle=LeftLine(1.931, -0.175, 0.525),
    high=LeftLine(4.468, -0.262, 0.361),
    enough=Enough(0.4, 0.25, 0.5),
)
"""For any strategy: fitted on crawls by best-first, breadth-first and random."""
BY_STRATEGY = {
    "auto": Law(
        low=LeftLine(0.0, 0.0, 0.0),
        middle=LeftLine(0.187, -0.315, 0.755),
        high=LeftLine(2.203, -0.39, 0.828),
        enough=Enough(-0.4, 0.0, 0.5, 1.0),
    )
}
"""Laws of strategies that find things sooner than most, so that what waits holds less."""
PLANS = {
    "auto": PlanLaw(
        shares=(
            PlanLine(-2.562, 1.072, 0.481, -0.648),
            PlanLine(1.229, 1.119, 0.598, -1.014),
            PlanLine(1.584, 0.746, 0.404, -0.222),
        ),
        pages=(
            PlanLine(0.064, -0.583, 0.423, 0.152),
            PlanLine(-0.34, -0.3, 0.792, 0.169),
            PlanLine(1.843, -0.134, 0.619, 0.082),
        ),
    )
}
"""What a budget will find, by strategy: how fast the rest is found depends on it."""


def law_of(strategy: str) -> Law:
    """Return the law for the crawls of a strategy, named with its parameters or without."""
    return BY_STRATEGY.get(name_of(strategy), FITTED)


def has_own_law(strategy: str) -> bool:
    """Return whether a law was fitted for a strategy, and not for all others together."""
    return name_of(strategy) in BY_STRATEGY


def plan_law_of(strategy: str) -> PlanLaw | None:
    """Return how plans are made for a strategy, None where that was not measured."""
    return PLANS.get(name_of(strategy))


def name_of(strategy: str) -> str:
    """Return the name of a strategy without its parameters."""
    return strategy.partition("(")[0].strip()
