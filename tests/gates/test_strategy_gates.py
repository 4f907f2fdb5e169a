"""Quality floors: the share of the distance from breadth-first to optimal that is closed.

Each strategy was measured on these worlds when its gate was set, at the floor or above.
A floor may be raised, never lowered.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from foragers.comparison.compare import Plan, compare
from foragers.comparison.result import Result
from foragers.comparison.study import prepare
from foragers.run import Aim, Run
from foragers.worlds.generated import generate
from foragers.worlds.store import save

AIMS = {
    "topics": Aim("robot sensor actuator", relevant="topic:robotics"),
    "departments": Aim("paper abstract references", relevant="target:paper"),
    "companies": Aim("officers president executive", relevant="target:officers"),
}
FLOORS = {
    ("topics", "best-first"): 0.84,
    ("topics", "shark-search"): 0.90,
    ("departments", "shark-search"): 0.19,
    ("companies", "best-first"): 0.08,
}


@lru_cache(maxsize=3)
def measured(preset: str) -> Result:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "world"
        save(generate(preset, seed=11, pages=4000), path)
        plan = Plan(Run(str(path), "", AIMS[preset], budget=1000), ("best-first", "shark-search"))
        study = prepare(plan.base)
        study.score()
        return compare(plan, study)


@pytest.mark.parametrize(("preset", "strategy"), FLOORS)
def test_strategy_closes_its_share(preset: str, strategy: str) -> None:
    share = measured(preset).strategies[strategy].closed
    assert share is not None
    assert share >= FLOORS[preset, strategy]


if __name__ == "__main__":
    for preset in AIMS:
        for name, found in measured(preset).strategies.items():
            print(preset, name, found.closed, measured(preset).targets)
