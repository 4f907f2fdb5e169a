"""Every kind of world keeps the promises of a world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path

import msgspec
import pytest

from foragers.core.protocols import World
from foragers.core.types import Choice, Page
from foragers.testing import Barren, Late, Lossy, Shuffled, Tangled, Vanished, check_world
from foragers.testing.faults import Around
from foragers.worlds.budget import Budget
from foragers.worlds.generated import PRESETS, generate
from foragers.worlds.replay import Recorded
from foragers.worlds.rewired import rewire
from foragers.worlds.store import open_world, save
from support.random_worlds import random_world

FROZEN = random_world(3)
EVOLVING = random_world(4, changes=30)

WORLDS: dict[str, Callable[[], World]] = {
    "frozen": lambda: Recorded(FROZEN),
    "frozen, wide": lambda: Recorded(FROZEN, connections=7, seconds_per_page=0.3),
    "evolving": lambda: Recorded(EVOLVING, 0.5, connections=2),
    "rewired": lambda: Recorded(rewire(FROZEN, 1), connections=3),
    "rewired, evolving": lambda: Recorded(rewire(EVOLVING, 1, cohort=20.0), 0.5),
    "budget": lambda: Budget(Recorded(FROZEN, connections=4), 50),
    "late": lambda: Late(Recorded(FROZEN, connections=4), 1),
    "shuffled": lambda: Shuffled(Recorded(FROZEN, connections=4), 1),
    "missing": lambda: Vanished(Recorded(FROZEN)),
    "barren": lambda: Barren(Recorded(FROZEN, connections=4)),
    "tangled": lambda: Tangled(Recorded(FROZEN, connections=4)),
}


@pytest.mark.parametrize("name", WORLDS)
def test_world_keeps_its_promises(name: str) -> None:
    check_world(WORLDS[name])


@pytest.mark.parametrize("preset", PRESETS)
def test_generated_world_keeps_its_promises(preset: str) -> None:
    archive = generate(preset, seed=1, pages=2000)
    check_world(lambda: Recorded(archive, connections=4))
    middle = (archive.start + archive.end) / 2
    check_world(lambda: Recorded(archive, middle if archive.evolving else None))


def test_world_opened_from_disk_keeps_its_promises(tmp_path: Path) -> None:
    save(EVOLVING, tmp_path / "world")
    opened = open_world(tmp_path / "world")
    check_world(lambda: Recorded(opened, 0.5, connections=3))


class Backwards(Around):
    @property
    def now(self) -> float:
        return -self.world.now


class Hasty(Around):
    def finished(self, until: float = inf) -> Sequence[Page]:
        return self.world.finished()


class Stuttering(Around):
    def finished(self, until: float = inf) -> Sequence[Page]:
        pages = self.world.finished(until)
        return [*pages, *pages]


class Miscounting(Around):
    @property
    def running(self) -> int:
        return max(0, self.world.running - 1)


class Prophetic(Around):
    def changed(self, page: Page) -> Page:
        return msgspec.structs.replace(page, time=self.now + 5)


class Versionless(Around):
    def changed(self, page: Page) -> Page:
        return msgspec.structs.replace(page, version=-1)


@pytest.mark.parametrize(
    ("kind", "complaint"),
    [
        (Backwards, "time ran backwards"),
        (Hasty, "let the time run on"),
        (Stuttering, "finished"),
        (Miscounting, "did not grow"),
        (Prophetic, "in the future"),
        (Versionless, "no version"),
        (Lossy, "finished"),
    ],
)
def test_check_notices_a_broken_world(kind: Callable[[World], World], complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_world(lambda: kind(Recorded(FROZEN, connections=4)))


def test_check_notices_a_world_that_answers_differently_each_time() -> None:
    worlds = iter([FROZEN, random_world(5)])
    with pytest.raises(AssertionError, match="two fresh worlds answered"):
        check_world(lambda: Recorded(next(worlds), connections=4), downloads=20)


def test_faulty_worlds_are_the_same_for_the_same_seed() -> None:
    def answers(kind: type[Late | Shuffled | Lossy], seed: int) -> list[int]:
        world = kind(Recorded(FROZEN, connections=8), seed)
        found = []
        for link in FROZEN.targets[:8].tolist():
            world.start(Choice(link, FROZEN.book.host(link)))
        while world.running:
            found += [page.choice.url for page in world.finished()]
        return found

    for kind in (Late, Shuffled, Lossy):
        assert answers(kind, 1) == answers(kind, 1)
        assert any(answers(kind, 1) != answers(kind, seed) for seed in range(2, 6))
