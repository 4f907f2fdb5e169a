"""A fleet: foragers of one kind that take turns, and are born and deleted by their scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from foragers.core.types import UrlId
from foragers.strategies.fleet.forager import Forager, Weblog, random_weights
from foragers.strategies.fleet.saved import SavedForager
from foragers.strategies.fleet.settings import FleetSettings
from foragers.strategies.population.population import Population


@dataclass(slots=True)
class Fleet:
    """Foragers with the same settings.

    `resting` are those that wait for their turn, in order, and `lengths` the numbers of pages of
    their finished paths.  `earned` and `spent` are relevant
    pages and downloads, older ones with less weight, and `credit` the downloads that it may still
    make of its share.
    """

    settings: FleetSettings
    population: Population[Forager] = field(init=False)
    resting: list[Forager] = field(default_factory=list)
    lengths: Counter[int] = field(default_factory=Counter)
    earned: float = 0.0
    spent: float = 0.0
    credit: float = 0.0

    def __post_init__(self) -> None:
        self.population = Population(self.settings.least, self.settings.most)

    def begin(
        self,
        seeds: Iterable[UrlId],
        first: int,
        width: int,
        now: float,
        rng: np.random.Generator,
        saved: Sequence[SavedForager] = (),
    ) -> int:
        """Make the first foragers, numbered from `first` on; return the next number.

        As many as were `saved` by an earlier crawl have their scores and weights.
        """
        settings = self.settings
        urls = list(dict.fromkeys(seeds))
        common = Weblog.of(urls, settings.weblog_size, max(settings.start_size, len(urls)))
        founders = settings.least if settings.founders is None else settings.founders
        founders = min(max(founders, len(saved)), settings.most)
        for number in range(first, first + founders):
            weblog = common
            if settings.weblog_update:
                weblog = Weblog.of(urls, settings.weblog_size, settings.start_size)
            weights = random_weights(width, settings, rng)
            score = settings.first_score
            if number - first < len(saved):
                score, weights = saved[number - first].score, saved[number - first].weights.copy()
            self._add(Forager(number, settings, weblog, weights, score, lengths=self.lengths), now)
        return first + founders

    def start_turn(self, now: float, rng: np.random.Generator) -> Forager:
        """Let the next forager work, until its slice of time is over."""
        fixed = self.settings.turns == "fixed"
        forager = self.resting.pop(0 if fixed else int(rng.random() * len(self.resting)))
        forager.until = now + self.settings.slice_seconds - forager.debt
        return forager

    def end_turn(self, forager: Forager, now: float, number: int, rng: np.random.Generator) -> bool:
        """Stop a forager, and multiply or delete it by its score (Algorithm 8).

        Returns whether a forager of the given number was born.
        """
        settings, population = self.settings, self.population
        forager.debt = max(0.0, now - forager.until) if settings.charge_overshoot else 0.0
        if forager.score <= settings.delete_at and population.may_shrink:
            population.remove(forager, now)
            return False
        self.resting.append(forager)
        if forager.score < settings.multiply_at or not population.may_grow:
            return False
        forager.score = settings.first_score
        self._add(forager.child(number, rng), now)
        return True

    def _add(self, forager: Forager, now: float) -> None:
        self.population.add(forager, now, forager.parent)
        self.resting.append(forager)
