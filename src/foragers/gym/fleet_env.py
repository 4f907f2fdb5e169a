"""A fleet as an environment of PettingZoo: several agents share one web."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from foragers.core.types import UrlId
from foragers.errors import UsageError
from foragers.gym.candidates import FEATURES, Candidates
from foragers.gym.world_env import OneCrawl, check_sizes, opened
from foragers.worlds.archive import Archive

Observation = NDArray[np.float32]


class FleetEnv(ParallelEnv[str, Observation, np.int64]):
    """Agents that forage in one world, each with candidates of its own.

    The seeds are dealt out in turn; if there are fewer seeds than agents, agents share them.  Links
    of a page belong to the agent that fetched it.  No page is fetched twice.  In a step every
    agent follows one link, and its reward is 1 if the page is relevant.  An agent without links
    takes over the last half of those of the agent that has most.
    """

    metadata: dict[str, Any] = {"name": "foragers_fleet_v0", "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        world: str | Path | Archive | None = None,
        topic: str | None = None,
        relevant: str | None = None,
        threshold: float | None = None,
        budget: int = 400,
        agents: int = 4,
        candidates: int = 16,
    ) -> None:
        check_sizes(budget, candidates)
        if agents < 1:
            raise UsageError(f"agents={agents}: must be at least 1")
        self.archive, self.judge = opened(world, topic, relevant, threshold)
        self.budget = budget
        self.possible_agents = [f"forager_{number}" for number in range(agents)]
        self.agents: list[str] = []
        shape = (candidates, len(FEATURES))
        self.observation_spaces = {
            name: spaces.Box(0.0, 1.0, shape, np.float32) for name in self.possible_agents
        }
        self.action_spaces = {name: spaces.Discrete(candidates) for name in self.possible_agents}
        self._most = candidates
        self._rng = np.random.default_rng()
        self._crawl = OneCrawl(self.archive, self.judge)
        self._links: dict[str, Candidates] = {}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin a new crawl with all agents."""
        del options
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._crawl = OneCrawl(self.archive, self.judge)
        self.agents = list(self.possible_agents)
        known: set[UrlId] = set()
        self._links = {
            name: Candidates(self._most, rng, self._crawl.topic, known)
            for name, rng in zip(self.agents, self._rng.spawn(len(self.agents)), strict=True)
        }
        seeds = list(self._crawl.beginning.links)
        for number, name in enumerate(self.agents):
            self._links[name].add(seeds[number :: len(self.agents)], -1, 0, 0.0)
        self._share()
        observations = {name: self._links[name].observe() for name in self.agents}
        return observations, {name: self._info(name) for name in self.agents}

    def step(
        self, actions: dict[str, np.int64]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Let every agent follow a link."""
        agents, rewards = self.agents, dict.fromkeys(self.agents, 0.0)
        urls: dict[str, str] = {}
        for name in agents:
            links = self._links[name]
            if links.shown and self._crawl.downloads < self.budget:
                visit = self._crawl.fetch(links.take(int(actions[name])))
                links.learn(visit)
                rewards[name] = float(visit.relevant)
                urls[name] = self.archive.book.href(visit.url)
        self._share()
        over = not any(len(links) for links in self._links.values())
        spent = self._crawl.downloads >= self.budget
        observations = {name: self._links[name].observe() for name in agents}
        infos = {name: self._info(name) for name in agents}
        for name, url in urls.items():
            infos[name]["url"] = url
        if over or spent:
            self.agents = []
        ends, truncations = dict.fromkeys(agents, over), dict.fromkeys(agents, spent and not over)
        return observations, rewards, ends, truncations, infos

    def render(self) -> None:
        """Show nothing."""

    def close(self) -> None:
        """Keep nothing open."""

    def _share(self) -> None:
        """Give agents without links a part of those of the agent that has most."""
        for links in self._links.values():
            if not len(links):
                richest = max(self._links.values(), key=len)
                if len(richest) > 1:
                    links.take_over(richest)

    def _info(self, name: str) -> dict[str, Any]:
        """Return what a learner may want to know besides."""
        mask = np.arange(self._most) < len(self._links[name].shown)
        return {
            "action_mask": mask.astype(np.int8),
            "downloads": self._crawl.downloads,
            "relevant": self._crawl.relevant,
        }
