"""Quality floors of fleets: news found by the recommended ones, against the controls.

Each is a geometric mean over generated webs of how many times as much is found; each fleet forages
twice on a web.  A floor is about two standard errors below what was measured when it was set; it
may be raised, never lowered.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from foragers.judges.novelty import DAY
from foragers.strategies.fleet.settings import HOME_PAGE, RANDOM_ORDER, WL, WLRL, FleetSettings
from foragers.strategies.fleet.simulation.replay import simulate
from foragers.strategies.fleet.simulation.web import SimulatedWeb
from foragers.strategies.fleet.strategy import MixedFleet, WlrlRefresh
from foragers.text.hashed_state import hashed_state
from foragers.worlds.generated import generate
from gates.floors import Gate, Mean

WEBS, RUNS, DAYS = (11, 21, 31), (0, 1), 6.0
FLOORS = {
    ("foragers", "random-order"): 1.9,
    ("foragers", "home-page"): 4.9,
    ("foragers", "wl"): 2.2,
    ("wlrl-refresh", "wlrl"): 1.0,
}


@cache
def ground(seed: int) -> SimulatedWeb:
    """Return a generated newspaper."""
    archive = generate("news", seed=seed, pages=4000, days=DAYS)
    pages = map(archive.texts.document, range(archive.versions))
    states = [hashed_state(f"{page.title} {page.text}", 50) for page in pages]
    return SimulatedWeb.of(archive, np.array(states))


@cache
def found(name: str, web: int) -> float:
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
        simulate(ground(web), kinds[name], seed=seed, days=DAYS, seconds_per_page=100.0)
        for seed in RUNS
    ]
    return float(np.mean([run.relevant for run in runs]))


@pytest.mark.parametrize(("fleet", "control"), FLOORS)
def test_fleet_finds_more_than_its_control(gate: Gate, fleet: str, control: str) -> None:
    times = [found(fleet, web) / found(control, web) for web in WEBS]
    gate(f"{fleet} / {control}", Mean.of_ratios(times), FLOORS[fleet, control])
