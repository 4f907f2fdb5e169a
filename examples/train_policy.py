"""Train a policy outside of Foragers, and compare it with the strategies inside.

    python examples/train_policy.py

The policy is a weight for each feature of a link; the link with the largest sum is followed.
Training is plain hill climbing on one generated web: change the weights a little, keep them if an
episode finds more.  The comparison is on another web.  Needs `pip install 'foragers[gym]'`.
"""

import tempfile
from pathlib import Path

import gymnasium
import numpy as np
from numpy.typing import NDArray

import foragers
from foragers.gym import PolicyStrategy
from foragers.gym.candidates import FEATURES

TOPIC = "robot sensor actuator"
Env = gymnasium.Env[NDArray[np.float32], int]
Weights = NDArray[np.float64]


def reward_of(env: Env, weights: Weights) -> float:
    """Return what one episode finds."""
    observation, _ = env.reset(seed=1)
    total, over = 0.0, False
    while not over:
        observation, reward, ended, spent, _ = env.step(int((observation @ weights).argmax()))
        total += float(reward)
        over = ended or spent
    return total


def train(env: Env, rounds: int) -> Weights:
    """Climb: keep a change of the weights if it finds at least as much."""
    rng = np.random.default_rng(0)
    weights = np.zeros(len(FEATURES))
    weights[0] = 1.0  # rows without a candidate have 0 here
    best = reward_of(env, weights)
    for _ in range(rounds):
        changed = weights + rng.normal(0, 0.5, len(FEATURES))
        found = reward_of(env, changed)
        if found >= best:
            weights, best = changed, found
    return weights


def main(rounds: int = 30, pages: int = 1500) -> None:
    """Train on one web, and compare on another."""
    with tempfile.TemporaryDirectory() as folder:
        here, there = Path(folder) / "here", Path(folder) / "there"
        foragers.generate("topics", pages=pages, seed=1, out=here)
        foragers.generate("topics", pages=pages, seed=2, out=there)
        env = gymnasium.make("foragers/World-v0", world=here, topic=TOPIC, budget=150)
        weights = train(env, rounds)
        for name, weight in zip(FEATURES, weights, strict=True):
            print(f"{weight:6.2f}  {name}")
        trained = PolicyStrategy.of(lambda seen: int((seen @ weights).argmax()), "trained")
        strategies: list[str | type] = ["breadth-first", "best-first", trained, "auto"]
        print(foragers.compare(there, topic=TOPIC, strategies=strategies, budget=300))


if __name__ == "__main__":
    main()
