"""A fleet as an environment, by PettingZoo's own checks."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import parallel_api_test, parallel_seed_test

from foragers.errors import UsageError
from foragers.gym.fleet_env import FleetEnv
from foragers.worlds.generated import generate

WORLD = generate("topics", pages=600, seed=2)


def fleet(**given: Any) -> FleetEnv:
    return FleetEnv(WORLD, "robot sensor actuator", **{"budget": 80, **given})


def test_pettingzoo_finds_no_fault() -> None:
    parallel_api_test(fleet(), num_cycles=50)


def test_the_same_seed_gives_the_same_crawl() -> None:
    parallel_seed_test(fleet, num_cycles=20)


def test_no_page_is_fetched_twice_and_the_budget_is_kept() -> None:
    env = fleet(agents=3)
    env.reset(seed=1)
    fetched: list[str] = []
    while env.agents:
        *_, infos = env.step({name: env.action_space(name).sample() for name in env.agents})
        fetched += [info["url"] for info in infos.values() if "url" in info]
    assert len(fetched) == len(set(fetched)) == 80
    assert infos["forager_0"]["downloads"] == 80


def test_every_agent_has_links_to_follow() -> None:
    env = fleet(agents=8)
    _, infos = env.reset(seed=1)
    for _ in range(4):
        actions = {name: env.action_space(name).sample() for name in env.agents}
        *_, infos = env.step(actions)
    assert all(info["action_mask"][0] == 1 for info in infos.values())


def test_a_fleet_without_agents_is_refused() -> None:
    with pytest.raises(UsageError, match="agents=0"):
        fleet(agents=0)
