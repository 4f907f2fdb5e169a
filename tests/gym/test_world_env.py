"""A crawl as an environment, by Gymnasium's own checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from foragers.core.options import ReplayOptions, Target  # noqa: E402
from foragers.errors import UsageError  # noqa: E402
from foragers.evaluation.comparison.run import crawl  # noqa: E402
from foragers.evaluation.comparison.study import prepare  # noqa: E402
from foragers.gym import PolicyStrategy  # noqa: E402
from foragers.gym.candidates import FEATURES  # noqa: E402
from foragers.worlds.generated import generate  # noqa: E402
from foragers.worlds.store import save  # noqa: E402

TOPIC = "robot sensor actuator"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("worlds") / "web"
    save(generate("topics", pages=600, seed=2), folder)
    return folder


@pytest.fixture
def env(world: Path) -> Any:
    return gymnasium.make("foragers/World-v0", world=str(world), topic=TOPIC, budget=40)


def test_gymnasium_finds_no_fault(env: Any) -> None:
    check_env(env.unwrapped)


def test_the_same_seed_gives_the_same_crawl(env: Any) -> None:
    def episode() -> list[tuple[str, float]]:
        observation, _ = env.reset(seed=3)
        steps, over = [], False
        while not over:
            action = int(observation[:, 1].argmax())
            observation, reward, ended, spent, info = env.step(action)
            over = ended or spent
            steps.append((info["url"], reward))
        return steps

    first = episode()
    assert len(first) == 40
    assert len({url for url, _ in first}) == 40
    assert first == episode()


def test_rewards_are_the_relevant_pages_of_the_judge(env: Any) -> None:
    env.reset(seed=1)
    rewards, info = 0.0, {}
    for _ in range(40):
        _, reward, _, _, info = env.step(0)
        rewards += reward
    assert rewards == info["relevant"] > 0


def test_rows_without_a_candidate_are_masked_and_mean_the_first(env: Any) -> None:
    observation, info = env.reset(seed=1)
    shown = int(info["action_mask"].sum())
    assert 0 < shown < 16
    assert not observation[shown:].any()
    assert observation.shape == (16, len(FEATURES))
    assert env.step(15)[4]["downloads"] == 1


def test_a_trained_policy_enters_a_comparison(world: Path) -> None:
    from foragers.strategies.registry import resolve

    like = PolicyStrategy.of(lambda seen: int(seen[:, 1].argmax()), "like")
    aim = Target(TOPIC)
    study = prepare(ReplayOptions(str(world), "", aim))
    ours, plain = (
        int(crawl(ReplayOptions(str(world), name, aim, 150), study, ":memory:").relevant.sum())
        for name in (resolve(like), "breadth-first")
    )
    assert ours > plain > 0


@pytest.mark.parametrize("wrong", [{"budget": 0}, {"candidates": 0}, {"topic": None}])
def test_wrong_arguments_are_named(world: Path, wrong: dict[str, Any]) -> None:
    from foragers.gym.world_env import WorldEnv

    with pytest.raises(UsageError, match=next(iter(wrong))):
        WorldEnv(**{"world": world, "topic": TOPIC, **wrong})


def test_numbers_of_a_link_are_what_the_pages_say() -> None:
    from foragers.core.types import Link
    from foragers.gym.candidates import Candidates

    links = Candidates(2, np.random.default_rng(0))
    links.add([Link(1, 0, "http://a/1", "x" * 50)], parent=0, depth=2, relevance=0.25)
    row = links.observe()[0]
    assert row.tolist() == pytest.approx([1, 0, 0.25, 0.2, 0.5, 0.5, 0, 0.5])
