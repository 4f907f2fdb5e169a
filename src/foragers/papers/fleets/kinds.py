"""The fleets that are compared: the papers', the controls, and what goes beyond the papers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from foragers.strategies.fleet.settings import (
    HOME_PAGE,
    NO_LEARNING,
    RANDOM_ORDER,
    RL,
    WL,
    WLRL,
    FleetSettings,
)
from foragers.strategies.fleet.strategy import FleetStrategy, MixedFleet, WlrlRefresh


@dataclass(frozen=True)
class FleetKind:
    """One or several fleets under one reinforcing agent, with a name and a description."""

    name: str
    about: str
    settings: tuple[FleetSettings, ...]
    by_chance: bool = True


def settings_of(strategy: type[FleetStrategy]) -> tuple[FleetSettings, ...]:
    """Return how the foragers of a strategy live, which is the same live and replayed."""
    return strategy(rng=np.random.default_rng(0), new_within=RL.new_within).settings()


KINDS: Mapping[str, FleetKind] = {
    "RL": FleetKind("RL", "learns the value of pages; starts from ten fixed pages", (RL,)),
    "WL": FleetKind("WL", "selects where to start; random fixed values", (WL,)),
    "no learning": FleetKind(
        "no learning", "random fixed values, ten fixed starting pages", (NO_LEARNING,)
    ),
    "random order": FleetKind(
        "random order", "any page of the frontier, ten fixed starting pages", (RANDOM_ORDER,)
    ),
    "home page": FleetKind(
        "home page",
        "one forager that only looks at the home page and all that it links to",
        (replace(HOME_PAGE, looks="all"),),
        by_chance=False,
    ),
    "WLRL": FleetKind("WLRL", "learns both", (WLRL,)),
    "refresh": FleetKind(
        "refresh",
        "the strategy wlrl-refresh: WLRL that starts where most new content is to be expected, and"
        " looks only at pages that are new or may have changed",
        settings_of(WlrlRefresh),
    ),
    "mixed": FleetKind(
        "mixed",
        "the strategy mixed-fleet: some watch, going where most news is to be expected now, RL"
        " foragers explore; what each earns decides how the time is shared",
        settings_of(MixedFleet),
    ),
    "WL watchers": FleetKind(
        "WL watchers",
        "mixed with weblog foragers in place of those that watch: WL that starts where most new"
        " content is to be expected, and looks only at pages that are new or may have changed",
        (
            replace(WL, least=1, most=8, looks="due", leaves=False, starts="refresh"),
            *settings_of(MixedFleet)[1:],
        ),
    ),
    "RL normalised": FleetKind(
        "RL normalised",
        "RL whose step of learning is divided by the squared length of the state",
        (replace(RL, kind="rl-normalised", normalised=True),),
    ),
}
PAPERS_KINDS = ("RL", "WL")
CONTROLS = ("no learning", "random order", "home page")
BEYOND = ("WLRL", "refresh", "mixed", "WL watchers", "RL normalised")
