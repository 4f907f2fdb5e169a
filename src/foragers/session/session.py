"""One crawl in one folder.

    DIR/crawl.json      the order
    DIR/ledger.sqlite   every visit, with words and links
    DIR/warc/           what was received, as it was received
    DIR/checkpoint      the strategy and what it stands on, some visits ago

Taking up a crawl is replaying the ledger: the checkpoint is loaded, and what the ledger
holds beyond it is told again.  Without a checkpoint all of it is.
"""

from __future__ import annotations

import os
import pickle
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from urllib.parse import quote

import numpy as np

from foragers import __version__
from foragers.errors import UsageError
from foragers.fetch.reply import Limits
from foragers.files import write
from foragers.ledger.sqlite import SqliteLedger
from foragers.loop import Crawl
from foragers.pace import Pace
from foragers.protocols import Judge, Strategy
from foragers.session.interrupting import Interrupts
from foragers.session.order import Order
from foragers.session.parts import judge_of, traps_of, world_of
from foragers.strategies.registry import Brief, build
from foragers.topics.options import topic_of
from foragers.traps import Traps
from foragers.types import Choice, Visit
from foragers.urls import UrlTable
from foragers.worlds.budget import Budget
from foragers.worlds.live import Live
from foragers.worlds.recorder import Recorder, locked

CHECKPOINT_VISITS, CHECKPOINT_SHARE = 500, 0.1
"""A checkpoint is written after so many visits, or this share of all: its cost grows with them."""
PATIENCE = 600.0
"""A crawl ends, and can go on later, if all hosts want to be left alone for longer than this."""

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
    limits: Limits = field(default_factory=Limits)
    crawl: Crawl = field(init=False)
    live: Live = field(init=False)
    ledger: SqliteLedger = field(init=False)
    recorder: Recorder | None = field(init=False, default=None)
    taken_up: int = field(init=False, default=0)
    stopped: str = field(init=False, default="")
    _before: tuple[int, int] = field(init=False, default=(0, 0))
    _lock: int = field(init=False, default=-1)
    _is_whole: bool = field(init=False, default=False)
    _next_checkpoint: int = field(init=False, default=CHECKPOINT_VISITS)

    def open(self) -> None:
        """Begin, or stand where the crawl stood when it ended."""
        order = self.order
        order.check()
        judge = judge_of(order)
        brief = Brief(topic_of(judge), np.random.default_rng(order.seed))
        fresh = Standing(0, build(order.strategy, brief), judge, traps_of(order), UrlTable())
        live = world_of(order, fresh.traps, fresh.table, self.limits)
        try:
            (self.folder / "warc").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--out {self.folder}: {error.strerror}; choose another") from error
        self._lock = locked(self.folder)
        try:
            order.keep(self.folder)
            standing = self._load() or fresh
            self.live = live
            if standing is not fresh:
                self.live = world_of(order, standing.traps, standing.table, self.limits)
            with storing(self.folder):
                self._begin(standing)
        except BaseException:
            os.close(self._lock)
            raise

    def _begin(self, standing: Standing) -> None:
        """Open the ledger and the recorder, and stand where the ledger ends."""
        order = self.order
        self.ledger = SqliteLedger(self.folder / "ledger.sqlite", self.live.table)
        if order.warc:
            software = f"foragers/{__version__}"
            self.recorder = Recorder(self.folder / "warc", software, user_agent=order.agent)
            self.recorder.open()
            self.live.archivist = self.recorder
        self.taken_up = len(self.ledger)
        self._before = self.ledger.downloads(), self.ledger.relevant()
        world = Budget(self.live, order.budget, self.ledger.downloads())
        # The live world knows best how long a host is to be left alone, and says so page by page.
        self.crawl = Crawl(standing.strategy, world, standing.judge, self.ledger, Pace(), PATIENCE)
        self._catch_up(standing)
        self._is_whole = True

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
        with Interrupts(self._interrupt) as interrupts:
            for visits in self.steps():
                if watch:
                    watch(visits)
        if interrupts.count:
            self.stopped = "interrupted"
        return self.stopped

    def _interrupt(self) -> None:
        """Let the step under way be the last, and wait for nothing more in it."""
        self.live.deadline = 0.0

    def steps(self) -> Iterator[Sequence[Visit]]:
        """Crawl until it is done, and yield the visits as they come in."""
        minutes = self.order.minutes
        deadline = self.live.deadline = inf if minutes is None else time.time() + 60 * minutes
        while True:
            # Stopped in the middle of a step, the strategy may not have been told what is written.
            self._is_whole = False
            with storing(self.folder):
                visits = self.crawl.step()
            self._is_whole = True
            if visits is not None:
                yield visits
            if len(self.ledger) >= self._next_checkpoint:
                self.checkpoint()
            if visits is None or time.time() >= self.live.deadline:
                break
        self.stopped = self._reason(deadline)

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
        """Put everything on disk and let go, as far as there is room."""
        # After an error the strategy may not have been told all; the ledger is taken up then.
        if self._is_whole:
            with suppress(OSError, sqlite3.Error):
                self.checkpoint()
        with suppress(OSError):
            self.order.keep(self.folder, self.stopped)
        with suppress(sqlite3.Error):
            self.ledger.close()
        if self.recorder is not None:
            with suppress(UsageError):
                self.recorder.close()
        self.live.close()
        os.close(self._lock)

    def _reason(self, deadline: float) -> str:
        if isinstance(self.crawl.world, Budget) and self.crawl.world.spent:
            return f"the budget of {self.order.budget:,} downloads is spent"
        if time.time() >= deadline:
            return f"{self.order.minutes:g} minutes are over"
        if self.crawl.pace and self.crawl.pace.next_opening < inf:
            minutes = (self.crawl.pace.next_opening - time.time()) / 60
            return f"all that is left asks to be left alone for {minutes:.0f} minutes or more"
        return "there is nothing left to fetch"

    def _load(self) -> Standing | None:
        """Return the last checkpoint, if there is one that can be used."""
        try:
            found = pickle.loads((self.folder / "checkpoint").read_bytes())
        except FileNotFoundError:
            return None
        except Exception:  # whatever a damaged pickle raises: the ledger has it all
            return None
        fits = isinstance(found, Standing) and found.visits <= written(self.folder)
        return found if fits else None

    def _catch_up(self, standing: Standing) -> None:
        """Learn what the ledger holds beyond the checkpoint."""
        if standing.visits == 0:
            self.crawl.begin()
        facts = self.ledger.facts()
        self.live.fetched.update(facts.finals[facts.ok].tolist())
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


def written(folder: Path) -> int:
    """Return how many visits the ledger of a crawl holds."""
    try:
        with closing(
            sqlite3.connect(f"file:{quote(str(folder))}/ledger.sqlite?mode=ro", uri=True)
        ) as ledger:
            return int(ledger.execute("SELECT count(*) FROM visits").fetchone()[0])
    except sqlite3.Error:
        return 0


@contextmanager
def storing(folder: Path) -> Iterator[None]:
    """Turn what goes wrong with the ledger into a line for the user."""
    try:
        yield
    except sqlite3.Error as error:
        raise UsageError(
            f"{folder / 'ledger.sqlite'} cannot be written: {error}; all before it is kept,"
            " mend that and start the same crawl again"
        ) from error
