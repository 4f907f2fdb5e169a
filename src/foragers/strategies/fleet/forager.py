"""A forager: walks from page to page, and learns where walks are worth it.

It learns the value of pages by temporal differences (`td_update`, Algorithm 4), and keeps in its
weblog the starting URLs that it knows, with the value of a path from each. The reinforcing agent
keeps its score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import dot
from foragers.core.types import Ids, UrlId
from foragers.frontier.columns import Marks, Places, States
from foragers.strategies.fleet.library import LIBRARY
from foragers.strategies.fleet.path import Path
from foragers.strategies.fleet.settings import DEFAULT_TUNING, FleetSettings

Floats = NDArray[np.float64]

DOUBLE = np.dtype(np.float64)


def td_update(
    weights: Floats,
    state: Floats,
    next_state: Floats,
    reward: float,
    settings: FleetSettings,
    max_error: float = DEFAULT_TUNING.max_error,
) -> float:
    """Correct the weights after a step from one state to the next, and return the error.

    error = r + γ v(next) - v(state);  weights += α error state.  With the papers' α the
    weights can diverge on states that have little in common; beyond an error of `max_error`
    they stay as they are.
    """
    if LIBRARY is not None:
        discount, rate, normalised = settings.gamma, settings.alpha, settings.normalised
        return float(
            LIBRARY.td(weights, state, next_state, reward, discount, rate, normalised, max_error)
        )
    error = reward + settings.gamma * dot(next_state, weights) - dot(state, weights)
    rate = settings.alpha
    if settings.normalised:
        rate /= max(dot(state, state), 1e-12)
    if abs(error) < max_error:
        weights += (rate * error) * state
    return error


@dataclass(slots=True)
class Weblog:
    """URLs with their values, the best first; the first `starts` are the starting list."""

    size: int = 100
    starts: int = 10
    values: dict[UrlId, float] = field(default_factory=dict)
    _is_ranked: bool = field(default=False, repr=False, compare=False)

    @classmethod
    def of(cls, urls: Iterable[UrlId], size: int = 100, starts: int = 10) -> Weblog:
        """Return a weblog of seeds, all of the value 0 (Algorithm 10)."""
        return cls(size, starts, dict.fromkeys(urls, 0.0))

    def __len__(self) -> int:
        return len(self.values)

    @property
    def starting(self) -> list[UrlId]:
        """The starting list."""
        return list(islice(self.values, self.starts))

    def update(
        self,
        urls: Sequence[UrlId],
        rewards: Sequence[float],
        beta: float,
        without: Container[UrlId] = (),
    ) -> None:
        """Learn from a path (Algorithm 1), but not that of the URLs `without` links.

        A URL's sum is that of the rewards from its step to the end of the path.  Of equal
        values, those known longer come first.
        """
        sums = list(accumulate(reversed(rewards)))[::-1]
        known = self.values
        path: dict[UrlId, float] = {}
        for url, total in zip(urls, sums, strict=True):
            if url not in without:
                path.setdefault(url, total)  # one that comes twice: what its first visit led to
        if (
            self._is_ranked
            and len(path) == 1
            and self._keeps_order(*next(iter(path.items())), beta)
        ):
            return
        for url, total in path.items():
            old = known.get(url)
            known[url] = total if old is None else (1 - beta) * old + beta * total
        best = sorted(known, key=known.__getitem__, reverse=True)  # stable, also when reversed
        self.values = {url: known[url] for url in best[: self.size]}
        self._is_ranked = True

    def _keeps_order(self, url: UrlId, total: float, beta: float) -> bool:
        """Update the value of one URL, if that changes no rank; return whether it is so.

        It mostly is where paths are short, and sorting is most of their cost.
        """
        values = self.values
        old = values.get(url)
        if old is None:
            return len(values) >= self.size and total <= next(reversed(values.values()))
        new = (1 - beta) * old + beta * total
        if new != old:
            urls = list(values)
            at = urls.index(url)
            if at and values[urls[at - 1]] < new:
                return False
            if at + 1 < len(urls) and values[urls[at + 1]] > new:
                return False
            values[url] = new
        return True

    def inherit(self, url: UrlId, value: float) -> None:
        """Take up a URL of an earlier crawl with its value."""
        known = {**self.values, url: value}
        best = sorted(known, key=known.__getitem__, reverse=True)
        self.values = {one: known[one] for one in best[: self.size]}

    def note(self, url: UrlId) -> None:
        """Add a page to a weblog that is not updated, until its starting list is full."""
        if len(self.values) < self.starts:
            self.values.setdefault(url, 0.0)

    def split(self, rng: np.random.Generator) -> Weblog:
        """Give half of the URLs away, drawn at random (Algorithm 6).

        Of an odd number the larger half stays.  One URL cannot be split: both keep it.
        """
        urls = list(self.values)
        if len(urls) < 2:
            return Weblog(self.size, self.starts, dict(self.values))
        leaving = set(rng.permutation(len(urls))[: len(urls) // 2].tolist())
        given = {url: self.values[url] for at, url in enumerate(urls) if at in leaving}
        self.values = {url: value for url, value in self.values.items() if url not in given}
        return Weblog(self.size, self.starts, given)


@dataclass(slots=True, eq=False)
class Forager:
    """One forager: `sent` are the pages that it has sent to the reinforcing agent.

    `lengths` counts finished paths by their number of pages, together with those of its fleet.
    `bare` are the pages of the path without links, if those are not to be started from.
    """

    number: int
    settings: FleetSettings
    weblog: Weblog
    weights: Floats
    score: float
    parent: int = -1
    path: Path = field(default_factory=Path)
    sent: Marks = field(default_factory=Marks)
    until: float = 0.0
    debt: float = 0.0
    paths: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    bare: set[UrlId] = field(default_factory=set)
    steps: int = field(init=False)
    _state: Floats | None = None

    def __post_init__(self) -> None:
        self.steps = self.settings.pages_a_path

    @property
    def name(self) -> str:
        """Its kind and number."""
        return f"{self.settings.kind}-{self.number}"

    @property
    def goes_on(self) -> bool:
        """Whether the path may have another step after those begun."""
        return len(self.path.urls) < self.steps

    @property
    def at_end(self) -> bool:
        """Whether a new path is to be started (Algorithm 11), since this one is done or stuck."""
        path = self.path
        return not path.waiting or len(path.urls) >= self.steps

    def end_path(self) -> None:
        """Learn from the path which URLs are good to start from (Algorithm 1), and end it."""
        path = self.path
        if path.urls:
            self.lengths[len(path.urls)] += 1
            if self.settings.weblog_update:
                self.weblog.update(path.urls, path.rewards, self.settings.beta, self.bare)
            if self.bare:
                self.bare = set()
        path.restart()
        self.paths += 1
        if not self.settings.td_across_paths:
            self._state = None

    def reach(self, url: UrlId, leads: bool) -> None:
        """Record a page that the path has come to, if starting points must have links."""
        if not leads:
            self.bare.add(url)
        elif not self.settings.weblog_update:
            self.weblog.note(url)

    def select(self, pages: Ids) -> Places:
        """Return the indexes of pages to be sent, and record that (Algorithm 5)."""
        unsent = self.sent.missing(pages).nonzero()[0]
        if len(unsent):
            self.sent.add(pages)
        return unsent

    def learn(self, states: States, number: int, profit: float) -> None:
        """Learn from the profit of the step to a page with this state number (Algorithm 4)."""
        self.path.rewards.append(profit)
        if not self.settings.learns_weights:
            return
        here = states[number]
        if here.dtype is not DOUBLE:
            here = here.astype(np.float64)
        if self._state is not None:
            td_update(self.weights, self._state, here, profit, self.settings)
            self.path.reweigh()
        self._state = here

    def child(self, number: int, rng: np.random.Generator) -> Forager:
        """Return another forager with part of this one's weblog (Algorithm 6)."""
        settings = self.settings
        weblog = self.weblog.split(rng) if settings.weblog_update else self.weblog
        weights = self.weights.copy()
        if not settings.learns_weights:
            weights = random_weights(len(weights), settings, rng)
        score, parent = settings.first_score, self.number
        return Forager(number, settings, weblog, weights, score, parent, lengths=self.lengths)


def random_weights(width: int, settings: FleetSettings, rng: np.random.Generator) -> Floats:
    """Draw a weight vector."""
    return (2 * rng.random(width) - 1) * settings.weight_scale
