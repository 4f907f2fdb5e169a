"""Quality floors of LAFC and of the crawlers it is measured against, without a model.

As in the other gates, the share of the distance from breadth-first to optimal that is closed; a
floor may be raised, never lowered.
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

FLOORS = {"lafc": 0.75, "hmm": 0.6, "bpm": 0.7, "hw": 0.75, "context-graph": 0.75}


@lru_cache(maxsize=1)
def measured() -> Result:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "world"
        save(generate("topics", seed=11, pages=4000), path)
        aim = Aim("robot sensor actuator", relevant="topic:robotics")
        plan = Plan(Run(str(path), "", aim, budget=1000), tuple(FLOORS))
        study = prepare(plan.base)
        study.score()
        return compare(plan, study)


@pytest.mark.parametrize("strategy", FLOORS)
def test_crawler_of_the_automata_paper_closes_its_share(strategy: str) -> None:
    share = measured().strategies[strategy].closed
    assert share is not None
    assert share >= FLOORS[strategy]


if __name__ == "__main__":
    for name, found in measured().strategies.items():
        print(name, found.closed)
