"""Quality floors of the spiders: what they close on sites that their model knows nothing of."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from foragers.comparison.compare import Plan, compare
from foragers.comparison.result import Result
from foragers.comparison.study import prepare
from foragers.models import save_model
from foragers.run import Aim, Run
from foragers.training.lesson import Lesson
from foragers.training.spider import Trainer
from foragers.worlds.generated import generate
from foragers.worlds.store import save

FLOORS = {
    ("departments", "rl-immediate(MODEL)"): 0.50,
    ("departments", "rl-future(MODEL, bins=3)"): 0.50,
    ("departments", "full-page(MODEL)"): 0.37,
    ("departments", "related(MODEL)"): 0.42,
    ("departments", "spider(bins=3)"): 0.05,
    ("departments", "auto(MODEL)"): 0.55,
    ("companies", "spider(MODEL)"): 0.65,
    ("companies", "rl-immediate(MODEL)"): 0.45,
    ("companies", "auto(MODEL)"): 0.70,
}
WANTED = {"departments": "target:paper", "companies": "target:officers"}
PAGES = {"departments": 2500, "companies": 1700}


class Silent:
    def __enter__(self):
        return lambda done, note="": None

    def __exit__(self, *error: object) -> None:
        pass


@lru_cache(maxsize=2)
def measured(preset: str) -> Result:
    """Train on one world and crawl another."""
    with TemporaryDirectory() as folder:
        worlds = [Path(folder) / f"{preset}{seed}" for seed in (11, 12)]
        studies = []
        for seed, path in zip((11, 12), worlds, strict=True):
            save(generate(preset, seed=seed, pages=PAGES[preset]), path)
            studies.append(prepare(Run(str(path), "", Aim(relevant=WANTED[preset]), budget=800)))
            studies[-1].score()
        lesson = Lesson.of("first", studies[0])
        trained = Trainer(validate=False).train([lesson], lambda *_: Silent())
        save_model(trained.model, Path(folder) / "m")
        told = f"model={Path(folder) / 'm'}"
        specs = [spec.replace("MODEL", told) for world, spec in FLOORS if world == preset]
        base = Run(str(worlds[1]), "", Aim(relevant=WANTED[preset]), budget=800)
        found = compare(Plan(base, tuple(specs)), studies[1])
        names = {spec.replace("MODEL", told): spec for _, spec in FLOORS}
        assert np.isfinite([one.mean["area"] for one in found.strategies.values()]).all()
        strategies = {names[spec]: one for spec, one in found.strategies.items()}
    found.strategies.clear()
    found.strategies.update(strategies)
    return found


@pytest.mark.parametrize(("preset", "spider"), FLOORS)
def test_spider_closes_its_share(preset: str, spider: str) -> None:
    share = measured(preset).strategies[spider].closed
    assert share is not None
    assert share >= FLOORS[preset, spider]


if __name__ == "__main__":
    for preset in WANTED:
        for name, one in measured(preset).strategies.items():
            print(preset, name, one.closed)
