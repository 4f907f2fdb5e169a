"""One crawl of a world as an environment of Gymnasium: an action follows a link."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from foragers.core.loop import seed_visit
from foragers.core.options import Target
from foragers.core.protocols import Judge
from foragers.core.types import Choice, Visit
from foragers.errors import UsageError
from foragers.gym.candidates import FEATURES, Candidates
from foragers.judges.build import build_judge, topic_of
from foragers.judges.topic import Topic
from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded
from foragers.worlds.store import open_world

Observation = NDArray[np.float32]


class WorldEnv(gymnasium.Env[Observation, np.int64]):
    """A crawl of a recorded or generated world.

    An observation has a row for each candidate (`foragers.gym.candidates.FEATURES`).  An action
    is the row of the link to follow, and its reward is 1 if the page is relevant.  An episode is
    truncated after `budget` downloads, and ends when no link is left.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        world: str | Path | Archive | None = None,
        topic: str | None = None,
        relevant: str | None = None,
        threshold: float | None = None,
        budget: int = 200,
        candidates: int = 16,
    ) -> None:
        check_sizes(budget, candidates)
        self.archive, self.judge = opened(world, topic, relevant, threshold)
        self.budget = budget
        self.observation_space = spaces.Box(0.0, 1.0, (candidates, len(FEATURES)), np.float32)
        self.action_space = spaces.Discrete(candidates)
        self._most = candidates
        self._crawl = OneCrawl(self.archive, self.judge)
        self._links = Candidates(candidates, np.random.default_rng(0))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a new crawl at the seeds of the world."""
        super().reset(seed=seed, options=options)
        self._crawl = OneCrawl(self.archive, self.judge)
        self._links = Candidates(self._most, self.np_random, self._crawl.topic)
        self._links.learn(self._crawl.beginning)
        return self._links.observe(), self._info()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Follow a link."""
        visit = self._crawl.fetch(self._links.take(int(action)))
        self._links.learn(visit)
        observation = self._links.observe()
        over = not self._links.shown
        spent = self._crawl.downloads >= self.budget
        return observation, float(visit.relevant), over, spent and not over, self._info(visit)

    def _info(self, visit: Visit | None = None) -> dict[str, Any]:
        """Return what a learner may want to know besides."""
        mask = np.arange(self._most) < len(self._links.shown)
        told: dict[str, Any] = {"action_mask": mask.astype(np.int8)}
        told |= {"downloads": self._crawl.downloads, "relevant": self._crawl.relevant}
        if visit is not None:
            told |= {"url": self.archive.book.href(visit.url), "relevance": visit.relevance}
        return told


class OneCrawl:
    """A replay that fetches what it is told, and judges it."""

    def __init__(self, archive: Archive, judge: Judge) -> None:
        self._world = Recorded(archive)
        self._judge = deepcopy(judge)
        self.beginning = seed_visit(self._world.seeds, self._world.now)
        self.topic: Topic = topic_of(self._judge)
        self.downloads = self.relevant = 0

    def fetch(self, choice: Choice) -> Visit:
        """Fetch a page."""
        self._world.start(choice)
        (page,) = self._world.finished()
        relevance = self._judge.relevance(page)
        visit = Visit(page, relevance, relevance >= self._judge.threshold)
        self.downloads += 1
        self.relevant += visit.relevant
        return visit


def opened(
    world: str | Path | Archive | None,
    topic: str | None,
    relevant: str | None,
    threshold: float | None,
) -> tuple[Archive, Judge]:
    """Return a world and its judge; without any, a generated web and one of its topics."""
    if world is None:
        archive = generate("topics", pages=2000, seed=1)
        topic = topic or (None if relevant else "robot sensor actuator")
    else:
        archive = world if isinstance(world, Archive) else open_world(Path(world))
    if topic is None and relevant is None:
        raise UsageError("give topic= or relevant=: without them every page is relevant")
    return archive, build_judge(Target(topic, relevant=relevant, threshold=threshold), archive)


def check_sizes(budget: int, candidates: int) -> None:
    """Refuse numbers that make no crawl."""
    for name, value in (("budget", budget), ("candidates", candidates)):
        if value < 1:
            raise UsageError(f"{name}={value}: must be at least 1")
