"""The fleet does what the papers' algorithms say, word for word, on small webs of any shape."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest

from foragers.strategies.fleet.colony import Colony
from foragers.strategies.fleet.fleet import Fleet
from foragers.strategies.fleet.forager import Forager
from foragers.strategies.fleet.settings import (
    NO_LEARNING,
    RL,
    WL,
    WLRL,
    FleetSettings,
    Looks,
    Scheme,
)
from foragers.strategies.fleet.simulation.replay import Replay
from foragers.strategies.fleet.simulation.web import SimulatedWeb
from foragers.strategies.fleet.simulation.windows import WindowCounter
from foragers.worlds.archive import Archive
from support.literal_foragers import LiteralFleet, LiteralForager, Shown
from support.steps_kept import Steps
from support.worlds_by_hand import small_world

DAY = 86_400.0
SCHEMES: tuple[Scheme, ...] = ("selection", "evolution")
LOOKS: tuple[Looks, ...] = ("all", "all", "unvisited")


@dataclass
class Follower:
    """A guide who follows a real fleet, and refuses what must not be drawn."""

    url: int
    children: list[Forager]

    def one_of(self, urls: list[int]) -> int:
        assert self.url in urls
        return self.url

    def half_of(self, urls: list[int]) -> set[int]:
        half = set(self.children[-1].weblog.values)
        assert half < set(urls)
        assert len(half) == len(urls) // 2
        return half

    def weights(self) -> list[float]:
        found: list[float] = self.children.pop(0).weights.tolist()
        return found


def web_of(rng: np.random.Generator) -> Archive:
    """Draw a web whose pages change, go away, come back, and say again what they said before."""
    names = [f"p{number}" for number in range(int(rng.integers(6, 40)))]

    def links() -> list[str]:
        return [str(name) for name in rng.choice(names, int(rng.choice([0, 0, 1, 2, 3, 6])))]

    pages = {name: links() for name in names}
    pages["p0"] += names[1:4]
    ages = [0.0, -3 * DAY, 50.0 - DAY]
    born = {name: float(rng.choice([*ages, rng.uniform(0, 600)])) for name in names}
    later = [
        (float(time), str(rng.choice(names)), None if rng.random() < 0.1 else links())
        for time in rng.uniform(600, 2500, int(rng.integers(60)))
    ]
    archive = small_world(pages, born=born, later=later, end=3000.0)
    same = archive.same_as
    for first, last in pairwise(archive.version_starts):
        for version in range(first + 1, last):
            earlier = int(rng.integers(first, version))
            if rng.random() < 0.25 and archive.codes[earlier] == archive.codes[version]:
                same[version] = same[earlier]
    return archive


def versions_of(archive: Archive, states: np.ndarray) -> list[list[Shown]]:
    def shown(at: int) -> Shown:
        content = int(archive.same_as[at]) if archive.codes[at] == 200 else None
        targets = archive.targets[archive.link_starts[at] : archive.link_starts[at + 1]]
        return Shown(float(archive.times[at]), content, targets.tolist(), states[at].tolist())

    starts = archive.version_starts.tolist()
    return [[shown(at) for at in range(*ends)] for ends in pairwise(starts)]


def settings_of(kind: FleetSettings, rng: np.random.Generator) -> FleetSettings:
    return replace(
        kind,
        path_steps=int(rng.choice([1, 3, 7, 100])),
        start_size=int(rng.choice([1, 3, 10])),
        weblog_size=int(rng.choice([10, 13, 100])),
        scheme=SCHEMES[int(rng.integers(2))],
        start_is_step=bool(rng.random() < 0.7),
        td_across_paths=bool(rng.random() < 0.3),
        looks=LOOKS[int(rng.integers(3))],
        score_sent=float(rng.choice([0.05, 0.2, 0.5, 0.8])),
        multiply_at=float(rng.choice([101, 103])),
        delete_at=float(rng.choice([0, 99, 99.9])),
        most=int(rng.choice([3, 5])),
        new_within=float(rng.choice([DAY, 600])),
    )


def check_step(replay: Replay, one: Forager, literal: LiteralFleet, other: LiteralForager) -> None:
    replay.step(one)
    assert isinstance(literal.guide, Follower)
    assert isinstance(replay.record, Steps)
    literal.guide.url = one.path.urls[-1]
    urls, sent, relevant = literal.step(other)
    step = replay.record.steps[-1]
    documents = list(zip(step.urls.tolist(), step.pages.tolist(), strict=True))
    assert step.urls.tolist() == urls
    assert [documents[at] for at in step.sent] == sent
    assert [documents[at] for at in step.relevant] == relevant
    assert replay.now == pytest.approx(literal.now)
    assert one.score == pytest.approx(other.score)
    assert one.path.urls == other.visited
    assert one.path.rewards == pytest.approx(other.profits)
    assert one.weights == pytest.approx(other.weights)
    check_weblog(one, other)


def check_weblog(one: Forager, other: LiteralForager) -> None:
    assert list(one.weblog.values) == list(other.weblog)
    assert list(one.weblog.values.values()) == pytest.approx(list(other.weblog.values()))


@pytest.mark.parametrize("kind", [WL, RL, WLRL, NO_LEARNING], ids=lambda kind: kind.kind)
@pytest.mark.parametrize("seed", range(6))
def test_a_fleet_lives_by_the_letter_of_the_algorithms(kind: FleetSettings, seed: int) -> None:
    rng = np.random.default_rng([seed, len(kind.kind)])
    archive, settings = web_of(rng), settings_of(kind, rng)
    some = rng.choice([-1.0, -0.5, 0.0, 0.25, 1.0], (int(rng.choice([2, 5, 30])), 3))
    states = some[rng.integers(len(some), size=archive.versions)].astype(np.float32)
    ground = SimulatedWeb.of(archive, states)
    fleet = Fleet(settings)
    colony = Colony([fleet], 3, np.random.default_rng(seed))
    tally = WindowCounter(ground, ground.start, DAY)
    replay = Replay(ground, colony, ground.start, 2.6, tally, record=Steps())
    colony.begin(ground.seeds, replay.now)
    follower = Follower(-1, colony.foragers)
    literal = LiteralFleet(versions_of(archive, states), settings, 2.6, follower, ground.start)
    literal.begin(list(ground.seeds))
    turns = list(literal.foragers)
    while replay.now < ground.start + 2000.0:
        one, other = colony.start_turn(replay.now), turns.pop(0)
        assert one is not None
        assert one.number == other.number
        while replay.now < one.until:
            check_step(replay, one, literal, other)
        born = colony.born
        colony.end_turn(one, replay.now)
        follower.children = colony.foragers[-1:] if colony.born > born else []
        literal.manage(other)
        alive = [other] if other in literal.foragers else []
        turns += alive + [child for child in literal.foragers if child.number >= born]
        check_weblog(one, other)
        check_weblog(colony.foragers[-1], literal.foragers[-1])
    lives = [(event.what, event.member, event.parent) for event in fleet.population.events]
    assert lives == literal.lives
