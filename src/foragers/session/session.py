"""One crawl in one folder.

    DIR/crawl.json      the order
    DIR/ledger.sqlite   every visit, with words and links
    DIR/warc/           what was received, as it was received
    DIR/checkpoint      the strategy and what it stands on, some visits ago

Taking up a crawl is replaying the ledger: the checkpoint is loaded, and what the ledger
holds beyond it is told again.  Without a checkpoint all of it is.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

import numpy as np

from foragers import __version__
from foragers.errors import UsageError
from foragers.fetch.client import Client
from foragers.fetch.guard import Allowed, Guard
from foragers.fetch.reply import Limits
from foragers.files import write
from foragers.ledger.sqlite import SqliteLedger
from foragers.loop import Crawl
from foragers.pace import Pace
from foragers.protocols import Judge, Strategy
from foragers.scope import Scope
from foragers.session.order import Order
from foragers.strategies.registry import Brief, build
from foragers.topics.options import judge_from, topic_of
from foragers.traps import Traps
from foragers.types import Choice, Visit
from foragers.urls import UrlTable, resolve
from foragers.worlds.budget import Budget
from foragers.worlds.courtesy import Courtesy
from foragers.worlds.harvesting import Harvester, is_wanted
from foragers.worlds.live import Live
from foragers.worlds.recorder import Recorder

CHECKPOINT_VISITS, CHECKPOINT_SHARE = 500, 0.1
"""A checkpoint is written after so many visits, or this share of all: its cost grows with them."""

Watch = Callable[[Sequence[Visit]], None]


@dataclass
class Standing:
    """What a checkpoint holds: all that learns, and how much of the ledger it has learned from.

    The strategy has given away the `pending` choices and will not make them again.
    """

    visits: int
    strategy: Strategy
    judge: Judge
    traps: Traps | None
    table: UrlTable
    pending: list[Choice] = field(default_factory=list)


@dataclass
class Session:
    """A crawl of the live web, new or taken up again."""

    order: Order
    folder: Path
    crawl: Crawl = field(init=False)
    live: Live = field(init=False)
    ledger: SqliteLedger = field(init=False)
    recorder: Recorder | None = field(init=False, default=None)
    taken_up: int = field(init=False, default=0)
    stopped: str = field(init=False, default="")
    _before: tuple[int, int] = field(init=False, default=(0, 0))
    _next_checkpoint: int = field(init=False, default=CHECKPOINT_VISITS)

    def open(self) -> None:
        """Begin, or stand where the crawl stood when it ended."""
        order = self.order
        order.check()
        judge = judge_of(order)
        brief = Brief(topic_of(judge), np.random.default_rng(order.seed))
        fresh = Standing(0, build(order.strategy, brief), judge, traps_of(order), UrlTable())
        live = world_of(order, fresh)
        try:
            (self.folder / "warc").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--out {self.folder}: {error.strerror}; choose another") from error
        order.keep(self.folder)
        standing = self._load() or fresh
        self.live = live if standing is fresh else world_of(order, standing)
        self.ledger = SqliteLedger(self.folder / "ledger.sqlite", self.live.table)
        if order.warc:
            software = f"foragers/{__version__}"
            self.recorder = Recorder(self.folder / "warc", software, user_agent=order.agent)
            self.recorder.open()
            self.live.archivist = self.recorder
        self.taken_up = len(self.ledger)
        self._before = self.ledger.downloads(), self.ledger.relevant()
        world = Budget(self.live, order.budget, self.ledger.downloads())
        pace = Pace(order.delay)
        self.crawl = Crawl(standing.strategy, world, standing.judge, self.ledger, pace)
        self._catch_up(standing)

    @property
    def budget(self) -> int:
        """How many downloads the crawl may make."""
        return self.order.budget

    @property
    def waiting(self) -> int | None:
        """How many known pages wait to be fetched, if the strategy can tell."""
        frontier = getattr(self.crawl.strategy, "frontier", None)
        return None if frontier is None else len(frontier)

    @property
    def before(self) -> tuple[int, int]:
        """The downloads and relevant pages that the ledger held when the crawl was taken up."""
        return self._before

    def run(self, watch: Watch | None = None) -> str:
        """Crawl until it is done, and return why it stopped."""
        order = self.order
        deadline = inf if order.minutes is None else time.time() + 60 * order.minutes
        self.live.deadline = deadline
        try:
            while (visits := self.crawl.step()) is not None:
                if watch:
                    watch(visits)
                if len(self.ledger) >= self._next_checkpoint:
                    self.checkpoint()
                if time.time() >= deadline:
                    break
            self.stopped = self._reason(deadline)
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        return self.stopped

    def checkpoint(self) -> None:
        """Write down all that has learned from the visits so far."""
        crawl, harvester = self.crawl, self.live.harvester
        self.ledger.commit()
        visits = len(self.ledger)
        standing = Standing(
            visits,
            crawl.strategy,
            crawl.judge,
            harvester.traps,
            self.live.table,
            self.live.pending,
        )
        write(self.folder / "checkpoint", pickle.dumps(standing, pickle.HIGHEST_PROTOCOL))
        step = max(CHECKPOINT_VISITS, int(CHECKPOINT_SHARE * visits))
        self._next_checkpoint = visits + step

    def close(self) -> None:
        """Put everything on disk and let go."""
        self.checkpoint()
        self.order.keep(self.folder, self.stopped)
        self.ledger.close()
        if self.recorder is not None:
            self.recorder.close()
        self.live.close()

    def _reason(self, deadline: float) -> str:
        if isinstance(self.crawl.world, Budget) and self.crawl.world.spent:
            return f"the budget of {self.order.budget:,} downloads is spent"
        if time.time() >= deadline:
            return f"{self.order.minutes:g} minutes are over"
        return "there is nothing left to fetch"

    def _load(self) -> Standing | None:
        """Return the last checkpoint, if there is one that can be used."""
        try:
            found = pickle.loads((self.folder / "checkpoint").read_bytes())
        except FileNotFoundError:
            return None
        except Exception:  # whatever a damaged pickle raises: the ledger has it all
            return None
        return found if isinstance(found, Standing) else None

    def _catch_up(self, standing: Standing) -> None:
        """Learn what the ledger holds beyond the checkpoint."""
        if standing.visits == 0:
            self.crawl.begin()
        answered = set()
        for visit in self.ledger.read(standing.visits):
            answered.add(visit.url)
            self.live.restore(visit, self.ledger.href(visit.page.final))
            self.crawl.judge.relevance(visit.page)
            self.crawl.strategy.tell([visit])
        for choice in standing.pending:
            if choice.url not in answered:
                self.crawl.send(choice)
        self._next_checkpoint = len(self.ledger) + CHECKPOINT_VISITS


def judge_of(order: Order) -> Judge:
    """Return who judges the pages of an order."""
    aim = order.aim
    return judge_from(
        topic=aim.topic,
        similarity=aim.similarity,
        threshold=aim.threshold,
        examples=aim.examples,
        new_within=aim.new_within,
        judge=aim.judge,
    )


def traps_of(order: Order) -> Traps | None:
    """Return a look-out for traps, unless the user wants none."""
    return Traps() if order.traps else None


def world_of(order: Order, standing: Standing) -> Live:
    """Return the live web as an order wants it treated."""
    try:
        seeds = tuple(resolve(seed if "://" in seed else f"http://{seed}") for seed in order.seeds)
    except ValueError as error:
        raise UsageError(f"a seed is no address ({error}); write https://host/path") from error
    for seed in seeds:
        if not seed.startswith(("http://", "https://")):
            raise UsageError(f"{seed}: only http and https addresses can be crawled")
    scope = Scope(
        seeds,
        order.within,
        include=order.include,
        exclude=order.exclude,
        max_depth=order.max_depth,
    )
    guard = Guard(tuple(Allowed.parse(text) for text in order.allow_private))
    client = Client(order.agent, guard, Limits(), is_wanted, order.concurrency)
    harvester = Harvester(order.agent, scope, standing.traps)
    return Live(
        seeds,
        client,
        order.agent,
        harvester,
        Courtesy(order.delay),
        connections=order.concurrency,
        obey_robots=order.robots,
        table=standing.table,
    )
