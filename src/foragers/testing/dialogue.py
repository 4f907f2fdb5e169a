"""A crawl as a transcript of `ask` and `tell` that can be replayed.

`converse` crawls with hosts that close and open at random, stores the transcript, and checks every
answer of the strategy.  `replay` repeats the same calls with another strategy and compares.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass, field
from math import isfinite
from random import Random
from typing import Literal

from foragers.core.loop import seed_visit
from foragers.core.pace import Closed
from foragers.core.protocols import Judge, Strategy, World
from foragers.core.types import Choice, HostId, Page, UrlId, Visit


@dataclass(frozen=True)
class Asked:
    """A call of `ask` and its answer."""

    n: int
    closed: frozenset[HostId]
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class ToldVisits:
    """Visits passed to `tell`."""

    visits: tuple[Visit, ...]


Transcript = list[Asked | ToldVisits]
Kind = Literal["plain", "log", "both"]
"""How closed hosts are passed: as a plain set, as the log of Pace, or alternating."""


@dataclass
class Doors:
    """Passes the same closed hosts as different kinds of sets."""

    kind: Kind
    _log: Closed = field(default_factory=Closed)
    _shown: int = 0

    def show(self, closed: frozenset[HostId]) -> AbstractSet[HostId]:
        """Return a set of these hosts."""
        self._shown += 1
        if self.kind == "plain" or (self.kind == "both" and self._shown % 3 == 0):
            return set(closed)
        for host in sorted(set(self._log) - closed):
            self._log.open(host)
        for host in sorted(closed - set(self._log)):
            self._log.close(host)
        return self._log


@dataclass
class AnswerChecker:
    """Checks each answer of a strategy."""

    name: str
    revisits: bool
    hosts: dict[UrlId, HostId] = field(default_factory=dict)
    _told: set[tuple[UrlId, int]] = field(default_factory=set)
    _done: set[UrlId] = field(default_factory=set)
    asked: int = 0

    def told(self, visits: Sequence[Visit]) -> None:
        """Record what the strategy was told."""
        for visit in visits:
            links = visit.page.links
            self.hosts.update(zip(links.targets.tolist(), links.hosts.tolist(), strict=True))
            self._told.add((visit.page.final, visit.page.choice.depth))
            self._done.add(visit.page.final)

    def answered(self, asked: Asked) -> None:
        """Check an answer."""
        name, choices = self.name, asked.choices
        assert len(choices) <= asked.n, f"{name} was asked for {asked.n} and chose {len(choices)}"
        self.asked += len(choices)
        for choice in choices:
            url = choice.url
            assert url in self.hosts, f"{name} chose URL {url}, of which it was never told"
            assert choice.host == self.hosts[url], (
                f"{name} chose URL {url} on host {choice.host}, but it is on {self.hosts[url]}"
            )
            assert choice.host not in asked.closed, f"{name} chose a page of a closed host"
            assert isfinite(choice.promise), f"{name} gave URL {url} the promise {choice.promise}"
            assert (choice.parent, choice.depth - 1) in self._told, (
                f"{name} chose URL {url} at depth {choice.depth} because of URL {choice.parent},"
                f" which it was never told at depth {choice.depth - 1}"
            )
            assert self.revisits or url not in self._done, f"{name} chose URL {url} twice"
            self._done.add(url)


@dataclass
class Speaker:
    """Calls a strategy, and names it if a call fails."""

    strategy: Strategy
    name: str

    def ask(self, n: int, closed: AbstractSet[HostId]) -> tuple[Choice, ...]:
        """Ask for choices."""
        try:
            return tuple(self.strategy.ask(n, closed))
        except Exception as error:
            raise AssertionError(f"{self.name} failed when asked: {error!r}") from error

    def tell(self, visits: Sequence[Visit]) -> None:
        """Tell visits."""
        try:
            self.strategy.tell(visits)
        except Exception as error:
            raise AssertionError(f"{self.name} failed when told: {error!r}") from error

    def pickled(self) -> Speaker:
        """Return another speaker, with a pickled copy of the strategy."""
        try:
            return Speaker(pickle.loads(pickle.dumps(self.strategy)), self.name)
        except Exception as error:
            raise AssertionError(f"{self.name} cannot be pickled: {error!r}") from error


@dataclass
class Conversation:
    """A crawl by one strategy in one world, with hosts that close and open at random."""

    speaker: Speaker
    world: World
    judge: Judge
    watch: AnswerChecker
    doors: Doors
    rng: Random
    transcript: Transcript = field(default_factory=list)

    def run(self, downloads: int) -> None:
        """Crawl until nothing is left or enough pages were chosen."""
        self.tell([seed_visit(self.world.seeds, self.world.now)])
        while self.start(downloads) or self.world.running:
            if pages := self.world.finished():
                self.tell([self.visit(page) for page in pages])

    def start(self, downloads: int) -> int:
        """Start the choices of the strategy; return their number."""
        before = self.watch.asked
        while (free := min(self.world.free, downloads - self.watch.asked)) > 0:
            n, closed = self.rng.randint(0, free), self.closed()
            choices = self.ask(n, closed)
            if not choices and n > 0 and not closed:
                break
            for choice in choices:
                self.world.start(choice)
        return self.watch.asked - before

    def closed(self) -> frozenset[HostId]:
        """Return the hosts that are closed now: none, some or all."""
        share = self.rng.choice([0.0, 0.5, 1.0])
        hosts = sorted(set(self.watch.hosts.values()))
        return frozenset(host for host in hosts if self.rng.random() < share)

    def ask(self, n: int, closed: frozenset[HostId]) -> tuple[Choice, ...]:
        """Ask, check and record."""
        asked = Asked(n, closed, self.speaker.ask(n, self.doors.show(closed)))
        self.watch.answered(asked)
        self.transcript.append(asked)
        return asked.choices

    def tell(self, visits: Sequence[Visit]) -> None:
        """Tell and record."""
        self.watch.told(visits)
        self.speaker.tell(visits)
        self.transcript.append(ToldVisits(tuple(visits)))

    def visit(self, page: Page) -> Visit:
        """Judge a page."""
        relevance = self.judge.relevance(page)
        return Visit(page, relevance, relevance >= self.judge.threshold)


def converse(
    strategy: Strategy,
    world: World,
    judge: Judge,
    *,
    seed: int = 0,
    doors: Kind = "plain",
    revisits: bool = False,
    downloads: int = 300,
) -> Transcript:
    """Crawl, check every answer, and return the transcript."""
    name = type(strategy).__name__
    talk = Conversation(
        Speaker(strategy, name),
        world,
        deepcopy(judge),
        AnswerChecker(name, revisits),
        Doors(doors),
        Random(seed),
    )
    talk.run(downloads)
    return talk.transcript


def replay(
    strategy: Strategy,
    transcript: Transcript,
    why: str,
    *,
    doors: Kind = "plain",
    pickle_at: int | None = None,
) -> None:
    """Repeat the calls with another strategy, which must answer the same; `why` says why."""
    speaker = Speaker(strategy, type(strategy).__name__)
    shown = Doors(doors)
    for number, said in enumerate(transcript):
        if number == pickle_at:
            speaker = speaker.pickled()
        if isinstance(said, ToldVisits):
            speaker.tell(said.visits)
            continue
        choices = speaker.ask(said.n, shown.show(said.closed))
        assert choices == said.choices, (
            f"{speaker.name} chose {choices} at step {number} where {why} had it"
            f" choose {said.choices}"
        )
