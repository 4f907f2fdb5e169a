"""Quality floors of auto where news is wanted: how many times as much as another it finds.

Each is a geometric mean over generated or recorded webs.  A floor is about two standard errors
below what was measured when it was set; it may be raised, never lowered.
"""

from __future__ import annotations

from functools import cache

import pytest

from gates.floors import Gate, Mean
from gates.news import RECORDED, SEEDS, made, news, recorded

FLOORS = {"foragers": 0.97, "home-page": 1.7, "uniform": 7.0}
ON_RECORDINGS = {"foragers": 0.96, "home-page": 1.5}


@cache
def found(strategy: str, seed: int) -> int:
    """Return the news of a generated web."""
    return news(made(seed), strategy, 1000)


@cache
def found_on_recording(strategy: str, name: str) -> int:
    """Return the news of a recorded web."""
    return news(recorded(name), strategy, 2000)


@pytest.mark.parametrize("other", FLOORS)
def test_auto_finds_more_news_than_others(gate: Gate, other: str) -> None:
    times = [found("auto", seed) / found(other, seed) for seed in SEEDS]
    gate(f"auto / {other} on generated news", Mean.of_ratios(times), FLOORS[other])


@pytest.mark.parametrize("other", ON_RECORDINGS)
def test_auto_finds_more_news_than_others_on_recorded_webs(gate: Gate, other: str) -> None:
    times = [
        found_on_recording("auto", name) / found_on_recording(other, name) for name in RECORDED
    ]
    gate(f"auto / {other} on recorded news", Mean.of_ratios(times), ON_RECORDINGS[other])
