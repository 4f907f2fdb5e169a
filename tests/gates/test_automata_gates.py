"""Quality floors of LAFC and of the crawlers it is measured against.

As in the other gates, the share of the distance from breadth-first to optimal that is closed, on
the mean over webs.  `hmm` is trained on another web; the others begin anew.  Settings were chosen
on the web with the first seed alone, with more pages; on the others nothing was chosen.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from foragers.core.models import save_model
from foragers.core.options import ReplayOptions
from foragers.training.lesson import Lesson
from foragers.training.registry import trainer_of
from foragers.worlds.generated import generate
from foragers.worlds.store import save
from gates.crawls import SEEDS, WORDS, Shares, shares, studied
from gates.floors import Gate, Mean

PAGES = 2400
FLOORS = {"lafc": 0.44, "hmm": 0.55, "bpm": 0.65, "hw": 0.54, "context-graph": 0.51}


@cache
def measured(seed: int) -> Shares:
    """Return what the crawlers close on a web; the one with the next seed is trained on."""
    with TemporaryDirectory() as folder:
        known, new, model = (Path(folder) / name for name in ("known", "new", "model"))
        save(generate("topics", seed=seed + 1, pages=PAGES // 2), known)
        save(generate("topics", seed=seed, pages=PAGES), new)
        lesson = Lesson.of("known", studied(ReplayOptions(str(known), "", WORDS["topics"])))
        trained = trainer_of("hmm").train([lesson], lambda *_: nullcontext(lambda *_: None))
        save_model(trained.model, model)
        specs = {name: f'hmm(model="{model}")' if name == "hmm" else name for name in FLOORS}
        found = shares(new, WORDS["topics"], tuple(specs.values()), PAGES // 4)
        return {name: found[spec] for name, spec in specs.items()}


@pytest.mark.parametrize("strategy", FLOORS)
def test_crawler_of_the_automata_paper_closes_its_share(gate: Gate, strategy: str) -> None:
    found = [measured(seed)[strategy] for seed in SEEDS]
    gate(f"{strategy} on topics", Mean.of(found), FLOORS[strategy])
