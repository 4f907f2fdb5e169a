"""Quality floors of auto, with and without words for a topic.

Each is a mean over generated webs, or over recorded ones.  A floor is about two standard errors
below what was measured when it was set; it may be raised, never lowered.
"""

from __future__ import annotations

import pytest

from foragers.core.options import Target
from gates.crawls import RECORDED, SEEDS, WORDS, closed, closed_on_recording
from gates.floors import Gate, Mean

FLOORS = {
    ("topics", True): 0.84,
    ("departments", True): 0.59,
    ("companies", True): 0.81,
    ("topics", False): 0.87,
    ("departments", False): 0.48,
}
ON_RECORDINGS = {True: 0.17, False: 0.13}
SAID = {True: "with words", False: "without words"}


@pytest.mark.parametrize(("preset", "words"), FLOORS)
def test_auto_closes_its_share(gate: Gate, preset: str, words: bool) -> None:
    aim = WORDS[preset] if words else Target(relevant=WORDS[preset].relevant)
    found = [closed(preset, seed, aim, ("auto",))["auto"] for seed in SEEDS]
    gate(f"auto on {preset}, {SAID[words]}", Mean.of(found), FLOORS[preset, words])


@pytest.mark.parametrize("words", ON_RECORDINGS)
def test_auto_closes_its_share_of_recorded_webs(gate: Gate, words: bool) -> None:
    found = [
        closed_on_recording(web, label, words, ("auto",))["auto"]
        for web, labels in RECORDED.items()
        for label in labels
    ]
    gate(f"auto on recorded webs, {SAID[words]}", Mean.of(found), ON_RECORDINGS[words])
