"""Quality floors: the share of the distance from breadth-first to optimal that is closed.

Each is a mean over generated webs, or over recorded ones.  A floor is about two standard errors
below what was measured when it was set; it may be raised, never lowered.
"""

from __future__ import annotations

import pytest

from gates.crawls import RECORDED, SEEDS, WORDS, closed, closed_on_recording
from gates.floors import Gate, Mean

SPECS = ("best-first", "shark-search")
FLOORS = {
    ("topics", "best-first"): 0.72,
    ("topics", "shark-search"): 0.80,
    ("departments", "shark-search"): 0.12,
    ("companies", "best-first"): 0.09,
}
ON_RECORDINGS = {"best-first": 0.0, "shark-search": -0.02}


@pytest.mark.parametrize(("preset", "strategy"), FLOORS)
def test_strategy_closes_its_share(gate: Gate, preset: str, strategy: str) -> None:
    found = [closed(preset, seed, WORDS[preset], SPECS)[strategy] for seed in SEEDS]
    gate(f"{strategy} on {preset}", Mean.of(found), FLOORS[preset, strategy])


@pytest.mark.parametrize("strategy", ON_RECORDINGS)
def test_strategy_closes_its_share_of_recorded_webs(gate: Gate, strategy: str) -> None:
    found = [
        closed_on_recording(web, label, True, SPECS)[strategy]
        for web, labels in RECORDED.items()
        for label in labels
    ]
    gate(f"{strategy} on recorded webs", Mean.of(found), ON_RECORDINGS[strategy])
