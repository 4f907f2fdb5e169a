"""Quality floors of the published crawlers: the share of the way from breadth-first to optimal.

Each is a mean over generated webs, or over recorded ones.  A floor is about two standard errors
below what was measured when it was set, so that a change does not make a peer weaker than it is.
"""

from __future__ import annotations

import pytest

from gates.crawls import RECORDED, SEEDS, WORDS, closed, closed_on_recording
from gates.floors import Gate, Mean

FLOORS = {
    ("topics", "keyword-scorer"): 0.30,
    ("departments", "keyword-scorer"): 0.37,
    ("topics", "host-bandit"): 0.72,
    ("departments", "host-bandit"): 0.07,
    ("companies", "host-bandit"): 0.42,
    ("topics", "q-learning"): 0.11,
    ("departments", "q-learning"): 0.12,
    ("companies", "q-learning"): 0.05,
    ("topics", "tag-path-bandit"): 0.03,
    ("departments", "tag-path-bandit"): 0.0,
}
ON_RECORDINGS = {
    "keyword-scorer": -0.05,
    "host-bandit": -0.17,
    "q-learning": -0.15,
    "tag-path-bandit": -0.12,
}
SPECS = tuple(ON_RECORDINGS)


@pytest.mark.parametrize(("preset", "strategy"), FLOORS)
def test_published_crawler_closes_its_share(gate: Gate, preset: str, strategy: str) -> None:
    found = [closed(preset, seed, WORDS[preset], SPECS)[strategy] for seed in SEEDS]
    gate(f"{strategy} on {preset}", Mean.of(found), FLOORS[preset, strategy])


@pytest.mark.parametrize("strategy", ON_RECORDINGS)
def test_published_crawler_closes_its_share_of_recorded_webs(gate: Gate, strategy: str) -> None:
    found = [
        closed_on_recording(web, label, True, SPECS)[strategy]
        for web, labels in RECORDED.items()
        for label in labels
    ]
    gate(f"{strategy} on recorded webs", Mean.of(found), ON_RECORDINGS[strategy])
