"""Quality floors of auto, with and without words for a topic; they may be raised, never lowered."""

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
    "topics, no words": Aim(relevant="topic:robotics"),
    "departments, no words": Aim(relevant="target:paper"),
}
FLOORS = {
    "topics": 0.92,
    "departments": 0.60,
    "companies": 0.80,
    "topics, no words": 0.90,
    "departments, no words": 0.60,
}


@lru_cache(maxsize=5)
def measured(name: str) -> Result:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "world"
        save(generate(name.partition(",")[0], seed=11, pages=4000), path)
        plan = Plan(Run(str(path), "", AIMS[name], budget=1000), ("auto", "best-first"))
        study = prepare(plan.base)
        study.score()
        return compare(plan, study)


@pytest.mark.parametrize("name", FLOORS)
def test_auto_closes_its_share(name: str) -> None:
    share = measured(name).strategies["auto"].closed
    assert share is not None
    assert share >= FLOORS[name]


if __name__ == "__main__":
    for name in AIMS:
        for strategy, found in measured(name).strategies.items():
            print(name, strategy, found.closed)
