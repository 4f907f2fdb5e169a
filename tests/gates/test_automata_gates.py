"""Quality floors of LAFC and of the crawlers it is measured against.

As in the other gates, the share of the distance from breadth-first to optimal that is closed; a
floor may be raised, never lowered.  `hmm` is trained on another web; the others begin anew.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from foragers.comparison.compare import Plan, compare
from foragers.comparison.study import Study, prepare
from foragers.models import save_model
from foragers.run import Aim, Run
from foragers.training.lesson import Lesson
from foragers.training.registry import trainer_of
from foragers.worlds.generated import generate
from foragers.worlds.store import save

AIM = Aim("robot sensor actuator", relevant="topic:robotics")
FLOORS = {"lafc": 0.75, "hmm": 0.75, "bpm": 0.7, "hw": 0.75, "context-graph": 0.7}


def judged(path: Path, seed: int, pages: int) -> Study:
    save(generate("topics", seed=seed, pages=pages), path)
    study = prepare(Run(str(path), "", AIM))
    study.score()
    return study


@lru_cache(maxsize=1)
def measured() -> dict[str, float | None]:
    with TemporaryDirectory() as folder:
        lesson = Lesson.of("known", judged(Path(folder) / "known", 12, 2000))
        trained = trainer_of("hmm").train([lesson], lambda *_: nullcontext(lambda *_: None))
        model = Path(folder) / "model"
        save_model(trained.model, model)
        study = judged(Path(folder) / "new", 11, 4000)
        specs = {name: f'hmm(model="{model}")' if name == "hmm" else name for name in FLOORS}
        run = Run(str(Path(folder) / "new"), "", AIM, budget=1000)
        found = compare(Plan(run, tuple(specs.values())), study).strategies
        return {name: found[spec].closed for name, spec in specs.items()}


@pytest.mark.parametrize("strategy", FLOORS)
def test_crawler_of_the_automata_paper_closes_its_share(strategy: str) -> None:
    share = measured()[strategy]
    assert share is not None
    assert share >= FLOORS[strategy]


if __name__ == "__main__":
    for name, share in measured().items():
        print(name, share)
