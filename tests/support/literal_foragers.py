"""Algorithms 1 to 12 of `selection`, word for word, slow and without arrays.

Chance is a `guide`, who is asked for every draw: the real fleet is held against this one
by a guide that tells what the real one drew, and refuses what was not to be drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from foragers.strategies.fleet.settings import FleetSettings

Key = tuple[int, int]
"""A document: its URL and its content."""


class Shown(NamedTuple):
    """A version of a page: since when, its content (None for no page), links and state."""

    time: float
    content: int | None
    links: list[int]
    state: list[float]


class Guide(Protocol):
    """Draws by lot."""

    def one_of(self, urls: list[int]) -> int: ...
    def half_of(self, urls: list[int]) -> set[int]: ...
    def weights(self) -> list[float]: ...


@dataclass(eq=False)
class LiteralForager:
    """Algorithms 1 to 6 and 10 to 12."""

    number: int
    settings: FleetSettings
    weblog: dict[int, float]
    weights: list[float]
    score: float
    frontier: dict[int, list[float]] = field(default_factory=dict)
    visited: list[int] = field(default_factory=list)
    profits: list[float] = field(default_factory=list)
    sent: set[Key] = field(default_factory=set)
    before: list[float] | None = None

    def value(self, state: list[float]) -> float:
        return sum(weight * part for weight, part in zip(self.weights, state, strict=True))

    def update_weblog(self) -> None:
        if self.settings.weblog_update:
            beta = self.settings.beta
            for at, url in enumerate(self.visited):
                total, old = sum(self.profits[at:]), self.weblog.get(url)
                self.weblog[url] = total if old is None else (1 - beta) * old + beta * total
            best = sorted(self.weblog.items(), key=lambda item: -item[1])
            self.weblog = dict(best[: self.settings.weblog_size])

    def select(self, guide: Guide) -> int:
        pages = self.settings.path_steps + (not self.settings.start_is_step)
        if self.frontier and len(self.visited) < pages:
            values = {url: self.value(state) for url, state in self.frontier.items()}
            least = max(values.values()) - 1e-9 * max(map(abs, values.values()))
            return guide.one_of([url for url, value in values.items() if value >= least])
        self.update_weblog()
        self.frontier, self.visited, self.profits = {}, [], []
        if not self.settings.td_across_paths:
            self.before = None
        return guide.one_of(list(self.weblog)[: self.settings.start_size])

    def learn(self, here: list[float], profit: float) -> None:
        self.profits.append(profit)
        if self.settings.learns_weights and self.before is not None:
            value = self.value(self.before)
            error = profit + self.settings.gamma * self.value(here) - value
            rate = self.settings.alpha * error
            self.weights = [w + rate * s for w, s in zip(self.weights, self.before, strict=True)]
        self.before = here


@dataclass
class LiteralFleet:
    """Algorithms 7 to 9; `shown` are the versions of each URL in the order of time."""

    shown: list[list[Shown]]
    settings: FleetSettings
    seconds: float
    guide: Guide
    now: float = 0.0
    foragers: list[LiteralForager] = field(default_factory=list)
    relevants: set[Key] = field(default_factory=set)
    lives: list[tuple[str, int, int]] = field(default_factory=list)
    born: int = 0

    def begin(self, seeds: list[int]) -> None:
        common = dict.fromkeys(seeds, 0.0)
        for _ in range(self.settings.least):
            self.bear(dict(common) if self.settings.weblog_update else common, -1, None)

    def bear(self, weblog: dict[int, float], parent: int, weights: list[float] | None) -> None:
        drawn = self.guide.weights() if weights is None else list(weights)
        score = self.settings.first_score
        self.foragers.append(LiteralForager(self.born, self.settings, weblog, drawn, score))
        self.lives.append(("birth", self.born, parent))
        self.born += 1

    def download(self, url: int) -> Shown | None:
        self.now += self.seconds
        there = [one for one in self.shown[url] if one.time <= self.now]
        return there[-1] if there and there[-1].content is not None else None

    def step(self, one: LiteralForager) -> tuple[list[int], list[Key], list[Key]]:
        """Return the URLs downloaded, the documents sent, and those of them that are relevant."""
        url = one.select(self.guide)
        one.frontier.pop(url, None)
        one.visited.append(url)
        if not self.settings.weblog_update and len(one.weblog) < self.settings.start_size:
            one.weblog.setdefault(url, 0.0)
        page = self.download(url)
        urls, sent = [url], self.examine(one, url, page)
        for link in dict.fromkeys(page.links if page else ()):
            if link == url or (self.settings.looks == "unvisited" and link in one.visited):
                continue
            linked = self.download(link)
            urls.append(link)
            sent += self.examine(one, link, linked)
            if linked and link not in one.visited:
                one.frontier[link] = linked.state
        relevant = [key for key in sent if key not in self.relevants]
        self.reinforce(one, page.state if page else [0.0] * len(one.weights), sent, relevant)
        return urls, sent, relevant

    def examine(self, one: LiteralForager, url: int, page: Shown | None) -> list[Key]:
        if page is None or page.content is None or self.now - page.time > self.settings.new_within:
            return []
        key = url, page.content
        known = key in one.sent
        one.sent.add(key)
        return [] if known else [key]

    def reinforce(
        self, one: LiteralForager, here: list[float], sent: list[Key], relevant: list[Key]
    ) -> None:
        self.relevants.update(relevant)
        one.score += len(relevant) * self.settings.score_relevant
        one.score -= len(sent) * self.settings.score_sent
        punished = len(sent)
        if self.settings.scheme == "selection":
            punished -= len(relevant)
        one.learn(here, 100.0 * len(relevant) - punished)

    def manage(self, one: LiteralForager) -> None:
        settings = self.settings
        if one.score >= settings.multiply_at and len(self.foragers) < settings.most:
            self.multiply(one)
        elif one.score <= settings.delete_at and len(self.foragers) > settings.least:
            self.foragers.remove(one)
            self.lives.append(("death", one.number, -1))

    def multiply(self, one: LiteralForager) -> None:
        weblog = one.weblog
        if self.settings.weblog_update and len(weblog) > 1:
            given = self.guide.half_of(list(weblog))
            one.weblog = {url: value for url, value in weblog.items() if url not in given}
            weblog = {url: value for url, value in weblog.items() if url in given}
        elif self.settings.weblog_update:
            weblog = dict(weblog)
        one.score = self.settings.first_score
        self.bear(weblog, one.number, one.weights if self.settings.learns_weights else None)
