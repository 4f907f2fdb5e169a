"""A crawl as an environment for reinforcement learning: Gymnasium and PettingZoo.

    import gymnasium
    import foragers.gym

    env = gymnasium.make("foragers/World-v0", world="web", topic="robot sensor")

The import registers the environment, as is usual with Gymnasium.  docs/gym.md describes
observations, actions and rewards.  `PolicyStrategy` lets a policy that was trained this way crawl
like every other strategy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foragers.core.plugins.loading import needed
from foragers.gym.policy import PolicyStrategy

if TYPE_CHECKING:
    from foragers.gym.fleet_env import FleetEnv
    from foragers.gym.world_env import WorldEnv

__all__ = ["FleetEnv", "PolicyStrategy", "WorldEnv"]


def __getattr__(name: str) -> type:
    """Load an environment when it is first asked for: only fleets need PettingZoo."""
    if name == "WorldEnv":
        from foragers.gym.world_env import WorldEnv

        return WorldEnv
    if name == "FleetEnv":
        needed("pettingzoo", "foragers.gym.FleetEnv")
        from foragers.gym.fleet_env import FleetEnv

        return FleetEnv
    raise AttributeError(f"module 'foragers.gym' has no attribute '{name}'")


needed("gymnasium", "foragers.gym").register("foragers/World-v0", "foragers.gym.world_env:WorldEnv")
