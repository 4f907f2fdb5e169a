"""Foragers: fleets that find what is new (papers `selection` and `evolution`).

`wl` foragers select the URLs from which they start their walks, `rl` foragers learn by
temporal differences which pages are worth a step, `wlrl` foragers do both.  Controls that
anything which learns must beat: `no-learning`, `random-order` and `home-page`.  The fleet
itself is in `foragers.strategies.fleet`; docs/fleets.md says what the papers leave open.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import ClassVar, cast, get_args

import numpy as np

from foragers.core.models import Model
from foragers.core.population import Census, ForagerStanding, Scores
from foragers.core.types import Addresses, Choice, HostId, Visit
from foragers.errors import UsageError
from foragers.strategies.fleet.atlas import Atlas
from foragers.strategies.fleet.colony import Colony
from foragers.strategies.fleet.dialogue import FleetDialogue
from foragers.strategies.fleet.fleet import Fleet
from foragers.strategies.fleet.saved import KIND as SAVED_KIND
from foragers.strategies.fleet.saved import Inheritance, SavedFleets, saved_model, states_name
from foragers.strategies.fleet.settings import (
    HOME_PAGE,
    NO_LEARNING,
    RANDOM_ORDER,
    RL,
    WATCH,
    WL,
    WLRL,
    FleetSettings,
    Looks,
    Scheme,
    Turns,
)
from foragers.text.state import KIND, VERSION, StateMap


@dataclass(slots=True)
class FleetStrategy:
    """What all fleets share: the dialogue, and the parameters of docs/fleets.md.

    `new_within` is the largest age of news, in seconds; `model` a file of states of pages
    (`foragers train`), without which the words of pages are hashed; `abreast` the number of
    foragers that may work at the same time if a world takes many downloads at once; `before` the
    weblogs, weights and scores of an earlier crawl (`--learned`).
    """

    rng: np.random.Generator
    new_within: float
    model: Model | None = None
    before: Model | None = None
    path_steps: int = 100
    weblog_size: int = 100
    start_size: int = 10
    beta: float = 0.3
    alpha: float = 0.1
    gamma: float = 0.9
    normalised: bool = False
    scheme: str = "selection"
    least: int = 2
    most: int = 16
    slice_seconds: float = 180.0
    turns: str = "fixed"
    looks: str = "all"
    leaves: bool = True
    starts_with_links: bool = False
    weight_scale: float = 1.0
    start_is_step: bool = True
    td_across_paths: bool = False
    charge_overshoot: bool = False
    abreast: int = 16
    k: int = 50
    _work: FleetDialogue | None = None
    _states: str = ""
    _told: int = 0
    _scores: Scores = field(default_factory=Scores, repr=False)

    revisits: ClassVar[bool] = True
    model_kind: ClassVar[tuple[str, int]] = (KIND, VERSION)
    learned_kind: ClassVar[tuple[str, int]] = SAVED_KIND
    learned_field: ClassVar[str] = "before"
    kinds: ClassVar[tuple[FleetSettings, ...]] = (WLRL,)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Return the next choices of the foragers at work."""
        return [] if self._work is None else self._work.ask(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Pass each page to the forager that chose it."""
        for visit in visits:
            if self._work is None:
                self._work = self._begin()
                self._work.begin(visit)
            else:
                self._work.tell(visit)
            self._told += 1
            if self._scores.is_due(self._told):
                foragers = self._work.colony.foragers
                self._scores.note(self._told, [(one.number, one.score) for one in foragers])

    def check(self) -> None:
        """Raise a UsageError for invalid parameters, or for foragers that do not fit them."""
        self._check()
        if self.before is not None:
            SavedFleets.of(self.before).check(states_name(self.model, self.k))

    def learned(self, addresses: Addresses) -> Model:
        """Return the foragers for the next crawl."""
        if self._work is None:
            return self.before or saved_model((), Inheritance(), "", addresses)
        colony = self._work.colony
        return saved_model(colony.foragers, colony.inheritance, self._states, addresses)

    def standings(self, addresses: Addresses) -> list[ForagerStanding]:
        """Return the foragers alive with their scores, weblogs and territories."""
        return [] if self._work is None else standings_of(self._work, addresses)

    def census(self) -> Census | None:
        """Return the births and deaths of each fleet."""
        if self._work is None:
            return None
        fleets = self._work.colony.fleets
        lives = {fleet.settings.kind: fleet.population.events for fleet in fleets}
        return Census(lives, scores=self._scores)

    def settings(self) -> tuple[FleetSettings, ...]:
        """Return the settings of the fleets; raise a UsageError for a wrong parameter."""
        self._check()
        return tuple(
            replace(
                kind,
                path_steps=self.path_steps,
                weblog_size=self.weblog_size,
                start_size=self.start_size,
                beta=self.beta,
                alpha=self.alpha,
                gamma=self.gamma,
                normalised=self.normalised,
                scheme=cast(Scheme, self.scheme),
                least=self.least,
                most=self.most,
                slice_seconds=self.slice_seconds,
                turns=cast(Turns, self.turns),
                looks=cast(Looks, self.looks),
                leaves=self.leaves,
                starts_with_links=self.starts_with_links,
                weight_scale=self.weight_scale,
                start_is_step=self.start_is_step,
                td_across_paths=self.td_across_paths,
                charge_overshoot=self.charge_overshoot,
                new_within=self.new_within,
            )
            for kind in self.kinds
        )

    def _check(self) -> None:
        """Raise a UsageError for invalid parameters."""
        for name, allowed in (("scheme", Scheme), ("turns", Turns), ("looks", Looks)):
            if (value := getattr(self, name)) not in get_args(allowed):
                allowed_values = ", ".join(get_args(allowed))
                raise UsageError(f"{name}={value}: must be one of {allowed_values}")
        lowest = {"path_steps": 1, "weblog_size": 1, "start_size": 1, "least": 1, "k": 1}
        for name, least in {**lowest, "most": self.least, "abreast": 1}.items():
            if (value := getattr(self, name)) < least:
                raise UsageError(f"{name}={value}: must be at least {least}")
        if not self.slice_seconds > 0:
            raise UsageError(f"slice_seconds={self.slice_seconds:g}: must be above 0")

    def _begin(self) -> FleetDialogue:
        """Make the fleets."""
        kinds = self.settings()
        self._states = states_name(self.model, self.k)
        saved = None if self.before is None else SavedFleets.of(self.before)
        self.before = None
        stater = None
        if self.model is not None:
            stater = StateMap.of(int(str(self.model.facts["k"])), self.model.arrays)
            self.model = None
        width = self.k if stater is None else stater.k
        fleets = [Fleet(kind) for kind in kinds]
        needed = any(kind.ordering == "value" and kind.path_steps > 1 for kind in kinds)
        colony = Colony(fleets, width, self.rng, saved=saved)
        return FleetDialogue(colony, Atlas(width, stater, needed), self.abreast)


def standings_of(work: FleetDialogue, addresses: Addresses) -> list[ForagerStanding]:
    """Return how the foragers of a crawl stand."""
    pages, own = work.ground.areas()
    return [
        ForagerStanding(
            forager.name,
            forager.settings.kind,
            forager.parent,
            round(forager.score, 6),
            forager.paths,
            pages[forager.number],
            own[forager.number],
            len(forager.weblog),
            tuple(
                (addresses.href(url), forager.weblog.values[url]) for url in forager.weblog.starting
            ),
        )
        for forager in work.colony.foragers
    ]


@dataclass(slots=True)
class Wl(FleetStrategy):
    """A fleet whose foragers select their starting pages and walk by fixed preferences."""

    kinds: ClassVar[tuple[FleetSettings, ...]] = (WL,)


@dataclass(slots=True)
class Rl(FleetStrategy):
    """A fleet whose foragers learn by reinforcement which pages are worth a step."""

    kinds: ClassVar[tuple[FleetSettings, ...]] = (RL,)


@dataclass(slots=True)
class Wlrl(FleetStrategy):
    """A fleet that does both: selects starting pages and learns by reinforcement."""

    kinds: ClassVar[tuple[FleetSettings, ...]] = (WLRL,)


@dataclass(slots=True)
class NoLearning(FleetStrategy):
    """Control: a fleet that learns nothing."""

    kinds: ClassVar[tuple[FleetSettings, ...]] = (NO_LEARNING,)


@dataclass(slots=True)
class RandomOrder(FleetStrategy):
    """Control: a fleet that picks known pages at random."""

    kinds: ClassVar[tuple[FleetSettings, ...]] = (RANDOM_ORDER,)


@dataclass(slots=True)
class WlrlRefresh(FleetStrategy):
    """Like wlrl; starts where most news is expected and revisits pages when they are due.

    The starting URL is the one of the weblog for which, by its value, its estimated change rate
    and the time since it was fetched, new content is worth most.
    """

    looks: str = "due"
    leaves: bool = False
    kinds: ClassVar[tuple[FleetSettings, ...]] = (
        replace(WLRL, kind="wlrl-refresh", starts="refresh"),
    )


@dataclass(slots=True)
class MixedFleet(FleetStrategy):
    """A fleet for news: some foragers watch known pages, others explore.

    Watching foragers have no paths: each step goes to the known page that promises most news now.
    They also know the pages that the learners see on their paths.
    """

    most: int = 8
    normalised: bool = True
    looks: str = "due"
    leaves: bool = False
    kinds: ClassVar[tuple[FleetSettings, ...]] = (RL,)
    watch: ClassVar[FleetSettings] = WATCH

    def settings(self) -> tuple[FleetSettings, ...]:
        """Return the settings of the watching and of the exploring foragers."""
        watching = replace(self.watch, new_within=self.new_within, slice_seconds=self.slice_seconds)
        return watching, *FleetStrategy.settings(self)


@dataclass(slots=True)
class HomePage:
    """Control: polls the seeds and fetches new pages that they link to."""

    rng: np.random.Generator
    new_within: float
    abreast: int = 1
    _work: FleetDialogue | None = None

    revisits: ClassVar[bool] = True
    near_seeds: ClassVar[bool] = True

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose new pages that the seeds link to, or a seed again."""
        return [] if self._work is None else self._work.ask(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Record the links of the seeds."""
        for visit in visits:
            if self._work is None:
                settings = replace(HOME_PAGE, new_within=self.new_within)
                colony = Colony([Fleet(settings)], 1, self.rng)
                self._work = FleetDialogue(colony, Atlas(1, None, False), self.abreast)
                self._work.begin(visit)
            else:
                self._work.tell(visit)
