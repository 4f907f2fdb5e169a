"""Quality floors of fleets: news found by the recommended one, against the controls.

The fleet was measured on these worlds when its gate was set, at the floor or above.  A
floor may be raised, never lowered.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from foragers.fleet.ground import Ground
from foragers.fleet.replay import simulate
from foragers.fleet.settings import HOME_PAGE, RANDOM_ORDER, WL, WLRL, FleetSettings
from foragers.strategies.foragers import MixedFleet, WlrlRefresh
from foragers.text.hashing import hashed_state
from foragers.worlds.generated import generate

SEEDS = (0, 1, 2)
DAY = 86_400.0
FLOORS = {
    ("foragers", "random-order"): 1.7,
    ("foragers", "home-page"): 4.2,
    ("foragers", "wl"): 2.2,
    ("wlrl-refresh", "wlrl"): 1.1,
}


@lru_cache(maxsize=1)
def ground() -> Ground:
    archive = generate("news", seed=11, pages=4000, days=6.0)
    pages = map(archive.texts.document, range(archive.versions))
    states = [hashed_state(f"{page.title} {page.text}", 50) for page in pages]
    return Ground.of(archive, np.array(states))


@lru_cache(maxsize=8)
def found(name: str) -> float:
    """Return how many relevant pages a fleet finds in six days, on average."""
    rng = np.random.default_rng(0)
    kinds: dict[str, tuple[FleetSettings, ...]] = {
        "foragers": MixedFleet(rng, DAY).settings(),
        "wlrl-refresh": WlrlRefresh(rng, DAY).settings(),
        "wl": (WL,),
        "wlrl": (WLRL,),
        "random-order": (RANDOM_ORDER,),
        "home-page": (HOME_PAGE,),
    }
    runs = [
        simulate(ground(), kinds[name], seed=seed, days=6.0, seconds_per_page=100.0)
        for seed in SEEDS
    ]
    return float(np.mean([run.relevant for run in runs]))


@pytest.mark.parametrize(("fleet", "control"), FLOORS)
def test_fleet_finds_more_than_its_control(fleet: str, control: str) -> None:
    assert found(fleet) >= FLOORS[fleet, control] * found(control)


if __name__ == "__main__":
    for name in ("foragers", "wlrl-refresh", "wl", "wlrl", "random-order", "home-page"):
        print(name, found(name))
