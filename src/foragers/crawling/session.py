"""One crawl in one folder.

    DIR/crawl.json      the order
    DIR/ledger.sqlite   every visit, with words and links
    DIR/warc/           what was received, as it was received
    DIR/addresses       the strings of all known URLs, compressed
    DIR/agents.npz      births and deaths, where the strategy is a population
    DIR/checkpoint      the strategy and what it stands on, some visits ago

Taking up a crawl is replaying the ledger: the checkpoint is loaded, and what the ledger
holds beyond it is told again.  Without a checkpoint all of it is.
"""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType, TracebackType
from typing import Self, TypeAlias

import numpy as np

from foragers.core.clock import steady
from foragers.core.files import check_own
from foragers.core.loop import Crawl
from foragers.core.pace import TAKE_ANY, Pace, WaitRule
from foragers.core.processes import give_back, keep_large_apart
from foragers.core.types import Visit
from foragers.crawling.build import (
    DEFAULT_SETTINGS,
    SessionSettings,
    recall,
    renderers_of,
    retain,
    traps_of,
    world_of,
)
from foragers.crawling.checkpoint import (
    Checkpoint,
    begin_anew,
    catch_up,
    keep_agents,
    load,
    nothing_came,
    save,
)
from foragers.crawling.options import CrawlOptions, order_in
from foragers.crawling.own_requests import OwnRequests
from foragers.crawling.progress import LeftAlone, left_alone, why_stopped
from foragers.crawling.stopping import RecallMonitor
from foragers.crawling.widening import ask_again, read_again
from foragers.errors import UsageError, WriteError
from foragers.evaluation.metrics.counts import CrawlCounts
from foragers.evaluation.metrics.recall import Estimate, law_of
from foragers.fetching.job import Again
from foragers.fetching.live import AWAY, Live
from foragers.http.messages import Limits
from foragers.judges.build import build_judge, topic_of, within_of
from foragers.storage.ledger.crawl_ledger import CrawlLedger
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.storage.warc.writer import Recorder, locked, series_for
from foragers.strategies.registry import StrategyInputs, build, guard_of, waiting_in
from foragers.urls.strings import STRINGS_FILE, StringsFile
from foragers.urls.table import UrlTable
from foragers.version import __version__
from foragers.worlds.budget import Budget

OWN = ("crawl.json", "ledger.sqlite", "warc", STRINGS_FILE, "agents.npz", "checkpoint")
"""How the names of the files begin that a crawl writes in its folder."""
MAX_SLEEP = 0.5
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
"""What the operating system says of a disk that is full or fails."""

Watch = Callable[[Sequence[Visit]], None]


@dataclass
class Session:
    """A crawl of the live web, new or taken up again."""

    order: CrawlOptions
    folder: Path
    limits: Limits = field(default_factory=Limits)
    settings: SessionSettings = field(default_factory=lambda: DEFAULT_SETTINGS)
    crawl: Crawl = field(init=False)
    live: Live = field(init=False)
    ledger: CrawlLedger = field(init=False)
    recorder: Recorder | None = field(init=False, default=None)
    extras: OwnRequests = field(init=False, default_factory=OwnRequests)
    pace: Pace = field(init=False, default_factory=Pace)
    taken_up: int = field(init=False, default=0)
    stopped: str = field(init=False, default="")
    before: CrawlCounts = field(init=False, default_factory=CrawlCounts)
    lookout: RecallMonitor = field(init=False, default_factory=RecallMonitor)
    _lock: int = field(init=False, default=-1)
    _is_whole: bool = field(init=False, default=False)
    _next_checkpoint: int = field(init=False, default=0)
    _left_at_start: float = field(init=False, default=0.0)

    def open(self) -> None:
        """Begin, or stand where the crawl stood when it ended."""
        order = self.order
        order.check()
        keep_large_apart()
        judge = build_judge(order.aim)
        brief = StrategyInputs(
            topic_of(judge),
            np.random.default_rng(order.seed),
            None,
            recall(order),
            within_of(judge),
        )
        table = UrlTable(StringsFile(self.folder / STRINGS_FILE))
        fresh = Checkpoint(0, build(order.strategy, brief), judge, traps_of(order), table)
        renderers = renderers_of(order, self.limits)
        settings = self.settings
        live = world_of(order, fresh.traps, fresh.table, self.limits, renderers, settings)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--out {self.folder}: {error.strerror}; choose another") from error
        self._lock = locked(self.folder)
        try:
            check_own(self.folder, OWN)
            live.renderings.open()
            widened = self._is_widened()
            with storing(self.folder, "crawl.json"):
                if not widened:
                    order.keep(self.folder, wanted=order.wanted(judge.threshold))
            standing = load(self.folder) or fresh
            self.live = live
            if standing is not fresh:
                self.live = world_of(
                    order, standing.traps, standing.table, self.limits, renderers, settings
                )
            with storing(self.folder):
                self._begin(standing)
                if widened:
                    self._widen()
        except BaseException:
            self._let_go()
            live.renderings.close()
            os.close(self._lock)
            raise

    def _let_go(self) -> None:
        """Close what was opened of a crawl that cannot begin."""
        if hasattr(self, "ledger"):
            with suppress(sqlite3.Error):
                self.ledger.close()
        if self.recorder is not None:
            with suppress(OSError, UsageError):
                self.recorder.close()

    def _begin(self, standing: Checkpoint) -> None:
        """Open the ledger and the recorder, and stand where the ledger ends."""
        order = self.order
        self.ledger = SqliteLedger(self.folder / "ledger.sqlite", self.live.table)
        if order.warc:
            software = f"foragers/{__version__}"
            archive, series = self.folder / "warc", series_for(self.folder)
            self.recorder = Recorder(archive, software, series, user_agent=order.agent)
            self.recorder.open()
            self.live.archivist = self.recorder
        self.taken_up = len(self.ledger)
        world = Budget(self.live, order.budget, self.ledger.downloads())
        # The live world knows best how long a host is to be left alone, and says so page by page.
        self.extras = standing.extras
        self.lookout = standing.lookout
        judge = standing.judge
        self.lookout.law = law_of(order.strategy)
        self.lookout.wanted = order.wanted(judge.threshold)
        patience = self.settings.patience
        self.crawl = Crawl(standing.strategy, world, judge, self.ledger, self.pace, patience)
        self.crawl.guard = guard_of(order.strategy, self.live.table)
        catch_up(self.crawl, self.live, self.ledger, standing)
        facts = self.ledger.facts()
        self.before = CrawlCounts.of(
            facts, [self.live.table.host(url) for url in facts.urls.tolist()]
        )
        self._next_checkpoint = len(self.ledger) + self.settings.checkpoints.visits
        self._is_whole = True

    def _is_widened(self) -> bool:
        """Say whether the crawl goes on in another scope; refuse what it cannot go on with."""
        before = order_in(self.folder)
        changes = self.order.changes(before) if before else set()
        if before is None or not changes:
            return False
        if nothing_came(self.folder):
            begin_anew(self.folder)
            return False
        self.order.check_same(before, self.folder)
        return True

    def _widen(self) -> None:
        """Take in what is in scope now; only then is the new scope written down."""
        ask_again(self.live, self.ledger, self.extras)
        if self.recorder is not None:
            archive = self.recorder.folder
            read_again(self.crawl, self.live, self.ledger, archive, self.lookout)
        self.checkpoint()
        self.order.keep(self.folder, wanted=self.lookout.wanted)

    @property
    def budget(self) -> int:
        """How many downloads the crawl may make."""
        return self.order.budget

    @property
    def waiting(self) -> int | None:
        """How many known pages wait to be fetched, if the strategy can tell."""
        return waiting_in(self.crawl.strategy)

    @property
    def latest(self) -> Estimate | None:
        """How much there may be to find, as of a few downloads ago."""
        return None if self.order.aim.new_within else self.lookout.latest

    def estimate(self) -> Estimate | None:
        """Return how much there may be to find; of what is new there is no end."""
        return None if self.order.aim.new_within else self.lookout.estimate()

    @property
    def ends(self) -> float:
        """When the time of the crawl is over."""
        return self.live.deadline

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
        deadline = self.live.deadline = inf if minutes is None else steady() + 60 * minutes
        self._left_at_start = self.crawl.world.left
        enough = self.order.enough
        while not (reason := enough.reason(self.lookout)):
            # Stopped in the middle of a step, the strategy may not have been told what is written.
            self._is_whole = False
            self.crawl.rule = self._wait_rule(deadline)
            with storing(self.folder):
                self._send_extras()
                visits = self.crawl.step()
            self._take_extras(visits or ())
            self.lookout.watch(visits or ())
            self._is_whole = True
            yield visits or ()
            if len(self.ledger) >= self._next_checkpoint:
                self.checkpoint()
            ends = self._is_cut_off or (visits is None and not self._wait_for_extras())
            if ends or steady() >= self.live.deadline:
                break
        self.stopped = reason or self._reason(deadline)

    def _wait_rule(self, deadline: float) -> WaitRule:
        """Return how choosy to be: as long as time is scarcer than downloads, not at all."""
        if deadline == inf:
            return WaitRule()
        left = deadline - steady()
        passed = 60 * (self.order.minutes or 0.0) - left
        started = self._left_at_start - self.crawl.world.left
        return WaitRule() if started * left > passed * self.crawl.world.left else TAKE_ANY

    @property
    def awaited(self) -> int:
        """How many closed hosts are waited for, because their pages promise more than others."""
        return self.pace.closed.awaited

    def _send_extras(self) -> None:
        """Send for what the crawl wants on its own account, before the strategy is asked."""
        now = steady()
        self.extras.wake(now)
        self.pace.advance(now)
        while self.crawl.world.free > 0:
            choice = self.extras.next(self.pace.closed)
            if choice is None:
                return
            self.crawl.send(choice)
            if self.live.is_away:
                return  # another host may be asked by the strategy, which has failed nobody yet

    def _take_extras(self, visits: Sequence[Visit]) -> None:
        """Note what was put off, and the lists that were brought to light."""
        for one in self.live.take_again():
            if one.aside:
                self._set_aside(one)
            else:
                self.extras.put_off(one.until, one.choice, one.rounds)
        if self.live.wants_lists:
            for visit in visits:
                self.extras.add_lists(visit)

    def _set_aside(self, one: Again) -> None:
        """Let a choice wait that came to nothing yet: it costs nothing, and others go on."""
        host = one.choice.host
        self.extras.set_aside(one.until, one.choice)
        world = self.crawl.world
        assert isinstance(world, Budget)
        world.give_back(1)
        self.pace.finish(host, steady(), one.pause)
        if one.pause > 0:
            self.pace.closed.close_until(host, inf)  # nobody knows when it can be asked

    def _wait_for_extras(self) -> bool:
        """Wait a little, if nothing is left but what is due soon; say whether it is."""
        if self.live.is_away:
            time.sleep(min(self.live.until_probe, MAX_SLEEP))
            return True
        due = self.extras.due(self.pace.closed)
        if due > steady() + self.settings.patience or self.crawl.world.free <= 0:
            return False
        time.sleep(max(0.0, min(due - steady(), MAX_SLEEP)))
        return True

    def checkpoint(self) -> None:
        """Write down all that has learned from the visits so far."""
        crawl = self.crawl
        with storing(self.folder):
            self.ledger.commit()
        visits = len(self.ledger)
        standing = Checkpoint(
            visits,
            crawl.strategy,
            crawl.judge,
            self.live.harvester.traps,
            self.live.table,
            self.live.pending,
            self.extras,
            self.live.delays(),
            self.lookout,
        )
        with storing(self.folder, "checkpoint"):
            save(self.folder, standing)
            keep_agents(self.folder, crawl.strategy, self.ledger)
        give_back()
        apart = self.settings.checkpoints
        step = max(apart.visits, int(apart.share * visits))
        self._next_checkpoint = visits + step

    def close(self) -> None:
        """Put everything on disk and let go, as far as there is room."""
        # After an error the strategy may not have been told all; the ledger is taken up then.
        if self._is_whole:
            with suppress(OSError, sqlite3.Error, UsageError):
                self.checkpoint()
                retain(self.order, self.crawl.strategy, self.live.table)
        with suppress(OSError, UsageError):
            self.order.keep(self.folder, self.stopped, self.estimate(), self.lookout.wanted)
        with suppress(sqlite3.Error):
            self.ledger.close()
        if self.recorder is not None:
            with suppress(UsageError):
                self.recorder.close()
        self.live.close()
        if isinstance(self.live.table.store, StringsFile):
            self.live.table.store.close()
        os.close(self._lock)

    @property
    def _is_cut_off(self) -> bool:
        """Whether the network is away for too long to wait for it."""
        return self.live.is_cut_off(self.settings.patience)

    @property
    def condition(self) -> str:
        """What holds the crawl up, if something does."""
        live = self.live
        return f"{AWAY} for {live.away_for:,.0f} s: paused" if live.is_away else ""

    def notices(self) -> list[str]:
        """Return what there is to say about hosts and the network since the last time."""
        return self.live.take_notices()

    def _reason(self, deadline: float) -> str:
        world = self.crawl.world
        assert isinstance(world, Budget)
        if steady() >= deadline and not world.spent:
            return f"{self.order.minutes:g} minutes are over"
        if self._is_cut_off:
            minutes = self.live.away_for / 60
            return f"{AWAY} for {minutes:.0f} minutes; the same command resumes it"
        return why_stopped(self.order, world, self.live, self.pace, self.extras, self.waiting)

    @property
    def left_alone(self) -> tuple[LeftAlone, ...]:
        """The hosts that want to be left alone for a while."""
        return left_alone(self.live, self.extras)


@contextmanager
def storing(folder: Path, name: str = "") -> Iterator[None]:
    """Turn what goes wrong with the files of a crawl into a line for the user."""
    try:
        yield
    except sqlite3.Error as error:
        remedy = "make room" if "full" in str(error) else "repair it"
        if "locked" in str(error):
            remedy = "end the program that holds it"
        raise WriteError(folder / "ledger.sqlite", error, remedy) from error
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise WriteError(error.filename or folder / name, error.strerror) from error


Handler: TypeAlias = Callable[[int, FrameType | None], object] | int | None
"""What is done at a signal, as the standard library tells it."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""SIGHUP comes when the terminal is closed; who starts a crawl with nohup ignores it."""


class Interrupts:
    """Counts interrupts within a `with` block instead of breaking it off; the third does.

    Where signals cannot be caught, which is in all threads but the main one, none are.
    """

    def __init__(self, noticed: Callable[[], None]) -> None:
        self.count = 0
        self._noticed = noticed
        self._before: dict[int, Handler] = {}

    def __enter__(self) -> Self:
        if current_thread() is main_thread():
            for number in SIGNALS:
                if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._take)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _take(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.count += 1
        if self.count > 2:
            raise KeyboardInterrupt
        self._noticed()
