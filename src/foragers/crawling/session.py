"""One crawl in one folder.

    DIR/crawl.json      the options
    DIR/ledger.sqlite   every visit, with text and links
    DIR/warc/           the responses as received
    DIR/addresses       the strings of all known URLs, compressed
    DIR/agents.npz      births and deaths, if the strategy is a population
    DIR/foragers.json   scores, weblogs and territories, if it is a fleet of foragers
    DIR/checkpoint      the strategy and all other state, as of some visits ago
    DIR/now.json        what it is doing, for `foragers serve`
    DIR/orders.jsonl    what users tell it while it runs

Resuming a crawl is replaying the ledger: the checkpoint is loaded, and the strategy is told the
visits after it.  Without a checkpoint it is told all visits.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path

from foragers.core.clock import steady, to_system
from foragers.core.display import counted, spelled
from foragers.core.files import check_own
from foragers.core.loop import Crawl
from foragers.core.pace import TAKE_ANY, Pace, WaitRule
from foragers.core.processes import give_back, keep_large_apart
from foragers.core.types import Visit
from foragers.crawling.build import (
    CrawlRules,
    archive_of,
    build_live,
    new_checkpoint,
    own_recorder,
    renderers_of,
    retain,
)
from foragers.crawling.channel.now import NOW, NowFile
from foragers.crawling.channel.orders import OBEYED, ORDERS, CrawlOrder, CrawlOrders, Do
from foragers.crawling.checkpoint import Checkpoint, catch_up, is_wanted, keep_agents, load, save
from foragers.crawling.feedback import GIVEN, LEARNED, Feedback, page_of
from foragers.crawling.interrupts import Interrupts
from foragers.crawling.nodes.on_ray import nodes_on_ray, ray_of
from foragers.crawling.options import CrawlOptions, check_kind
from foragers.crawling.own_requests import OwnRequests
from foragers.crawling.progress import InVain, LeftAlone, common_words, left_alone, why_stopped
from foragers.crawling.settings import DEFAULT_SETTINGS, SessionSettings
from foragers.crawling.stopping import RecallMonitor
from foragers.crawling.widening import ask_again, is_widened, read_again
from foragers.errors import UsageError, WriteError
from foragers.evaluation.metrics.counts import CrawlCounts
from foragers.evaluation.metrics.fitted import law_of, plan_law_of
from foragers.evaluation.metrics.recall import Estimate
from foragers.fetching.downloads import NETWORK_DOWN
from foragers.fetching.job import Retry
from foragers.fetching.live import Live
from foragers.http.messages import Limits
from foragers.judges.build import standing_of
from foragers.judges.words import Standing
from foragers.storage.ledger.crawl_ledger import CrawlLedger
from foragers.storage.ledger.stores import LedgerStore, open_store
from foragers.storage.storing import quietly, remove_empty, storing
from foragers.storage.warc.writer import Recorder, locked
from foragers.strategies.registry import guard_of, waiting_in
from foragers.urls.strings import STRINGS_FILE, StringsFile
from foragers.urls.table import UrlTable
from foragers.worlds.budget import Budget

OWN = (
    *("crawl.json", "ledger.sqlite", "warc", STRINGS_FILE, "agents.npz", "foragers.json"),
    *("checkpoint", GIVEN, LEARNED, ORDERS, OBEYED, NOW),
)
"""Prefixes of the files that a crawl writes in its folder."""
WAIT = WaitRule()
"""Wait for better pages."""
Watch = Callable[[Sequence[Visit]], None]


@dataclass
class Session:
    """A crawl of the live web, new or resumed; `Session.open` makes one.

    `resumed_after` is the number of visits in the ledger when it was opened, `before` their counts.
    """

    options: CrawlOptions
    folder: Path
    settings: SessionSettings
    crawl: Crawl
    world: Budget
    live: Live
    store: LedgerStore
    ledger: CrawlLedger
    recorder: Recorder | None
    pace: Pace
    own_requests: OwnRequests
    monitor: RecallMonitor
    before: CrawlCounts
    lock: int
    resumed_after: int
    feedback: Feedback
    orders: CrawlOrders
    nodes: ExitStack = field(default_factory=ExitStack)
    stopped: str = ""
    _is_consistent: bool = field(init=False, default=True)
    _common: set[str] = field(init=False, default_factory=set)
    _said: list[str] = field(init=False, default_factory=list)
    _next_checkpoint: int = field(init=False)
    _next_words: int = field(init=False, default=0)
    _left_at_start: float = field(init=False, default=0.0)
    _told_to_stop: bool = field(init=False, default=False)
    _is_interrupted: bool = field(init=False, default=False)
    _now: NowFile = field(init=False)

    def __post_init__(self) -> None:
        self._now = NowFile(self.folder, self.settings.now)
        self._next_checkpoint = self.resumed_after + self.settings.checkpoints.visits

    @classmethod
    def open(
        cls,
        options: CrawlOptions,
        folder: Path,
        limits: Limits | None = None,
        settings: SessionSettings | None = None,
    ) -> Session:
        """Start a crawl in a folder, or resume the one in it."""
        limits, settings = limits or Limits(), settings or DEFAULT_SETTINGS
        options.check()
        keep_large_apart()
        fresh = new_checkpoint(options, folder, settings)
        check_kind(folder)
        rules = CrawlRules.of(options)
        renderers = () if options.cluster else renderers_of(options, limits, settings)
        with ExitStack() as opened:  # closes everything if the crawl cannot begin
            nodes = opened.enter_context(ExitStack())
            nodes.enter_context(ray_of(options))
            if not folder.exists():
                opened.callback(remove_empty, folder)
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(f"--out {folder}: {error.strerror}; choose another") from error
            store = open_store(folder, options.ledger, standby=options.standby)
            opened.callback(store.close)
            lock = locked(folder)
            opened.callback(os.close, lock)
            check_own(folder, OWN)
            for renderer in renderers:
                opened.callback(renderer.close)
            for renderer in renderers[:1]:  # the others start when they are needed
                renderer.open()
            widened = is_widened(options, folder, store)
            with storing(folder, "crawl.json"):
                if not widened:
                    options.keep(folder, store, wanted=options.wanted(fresh.judge.threshold))
            checkpoint = load(folder, store.visits()) or fresh
            with storing(folder):
                ledger = store.ledger(checkpoint.table)
                opened.callback(quietly, ledger.close)
                recorder = own_recorder(options, folder, settings)
                if recorder is not None:
                    opened.callback(quietly, recorder.close)
                live = build_live(
                    options, rules, checkpoint, ledger, recorder, renderers, limits, settings,
                    store, folder,
                )  # fmt: skip
                session = cls._resumed(
                    options, folder, settings, checkpoint, live, store, ledger, recorder, lock
                )
                if widened:
                    session._widen()
            nodes.enter_context(nodes_on_ray(options, folder, settings))
            session.nodes = nodes
            opened.pop_all()
        return session

    @classmethod
    def _resumed(
        cls,
        options: CrawlOptions,
        folder: Path,
        settings: SessionSettings,
        checkpoint: Checkpoint,
        live: Live,
        store: LedgerStore,
        ledger: CrawlLedger,
        recorder: Recorder | None,
        lock: int,
    ) -> Session:
        """Return the session with the state of a checkpoint and of the visits after it."""
        resumed_after = len(ledger)
        world = Budget(live, options.budget, ledger.downloads())
        # The live world returns with every page how long its host is to be left alone.
        pace = Pace(downloads=resumed_after)
        crawl = Crawl(
            checkpoint.strategy,
            world,
            checkpoint.judge,
            ledger,
            pace,
            settings.patience,
            guard=guard_of(options.strategy, live.table),
        )
        monitor = checkpoint.monitor
        monitor.law, monitor.plan_law = law_of(options.strategy), plan_law_of(options.strategy)
        monitor.wanted = options.wanted(checkpoint.judge.threshold)
        monitor.budget = options.budget
        feedback = Feedback(folder, checkpoint.judge, lambda number: page_of(ledger, number))
        orders = CrawlOrders.of(folder, live, checkpoint.own_requests)
        catch_up(crawl, live, ledger, checkpoint, feedback, orders)
        orders.begin()
        facts = ledger.facts()
        before = CrawlCounts.of(facts, [live.table.host(url) for url in facts.urls.tolist()])
        return cls(
            options,
            folder,
            settings,
            crawl,
            world,
            live,
            store,
            ledger,
            recorder,
            pace,
            checkpoint.own_requests,
            checkpoint.monitor,
            before,
            lock,
            resumed_after,
            feedback,
            orders,
        )

    def _widen(self) -> None:
        """Add the pages that are in scope now; only then is the new scope written."""
        ask_again(self.live, self.ledger, self.own_requests)
        if self.options.warc and not self.options.cluster:
            archive = archive_of(self.folder)
            read_again(self.crawl, self.live, self.ledger, archive, self.monitor)
        self.checkpoint()
        self.options.keep(self.folder, self.store, wanted=self.monitor.wanted)

    @property
    def table(self) -> UrlTable:
        """The numbers of all known URLs and hosts."""
        return self.live.table

    @property
    def budget(self) -> int:
        """The number of downloads that the crawl may make."""
        return self.options.budget

    @property
    def waiting(self) -> int | None:
        """The number of known pages that wait to be fetched, if the strategy knows it."""
        return waiting_in(self.crawl.strategy)

    @property
    def latest(self) -> Estimate | None:
        """The latest estimate of the number of relevant pages, made some downloads ago."""
        return None if self.options.aim.new_within else self.monitor.latest

    def estimate(self) -> Estimate | None:
        """Return an estimate of the number of relevant pages; None for news, which has no end."""
        return None if self.options.aim.new_within else self.monitor.estimate()

    @property
    def ends(self) -> float:
        """The deadline of the crawl."""
        return self.live.deadline

    def run(self, watch: Watch | None = None) -> str:
        """Crawl until it is done, and return why it stopped."""
        with Interrupts(self.live.stop) as interrupts:
            for visits in self.steps():
                if watch:
                    watch(visits)
        if interrupts.count:
            self._is_interrupted, self.stopped = True, "interrupted"
        return self.stopped

    def steps(self) -> Iterator[Sequence[Visit]]:
        """Crawl until it is done, and yield the visits as they come in."""
        minutes = self.options.minutes
        deadline = self.live.deadline = inf if minutes is None else steady() + 60 * minutes
        self._left_at_start = self.world.left
        rules = self.options.stop_rules
        self._said += rules.cautions(self.options.strategy)
        in_vain = InVain()
        while not (reason := rules.reason(self.monitor) or in_vain.reason):
            self._said += self.feedback.learn(len(self.ledger))
            for order in self.orders.take():
                self._said.append(self._obey(order))
            # In the middle of a step, the ledger may have visits that the strategy does not know.
            self._is_consistent = False
            self.crawl.rule, self.crawl.ahead = self._wait_rule(deadline), to_system(0.0)
            with storing(self.folder):
                self._send_own_requests()
                visits = self.crawl.step()
            self._add_own_requests(visits or ())
            self.monitor.watch(visits or ())
            in_vain.watch(visits or ())
            self._is_consistent = True
            yield visits or ()
            self._now.write(self)
            if len(self.ledger) >= self._next_checkpoint:
                self.checkpoint()
            if visits is None and self.world.paused:
                time.sleep(self.settings.max_sleep)
                ends = False
            else:
                ends = self._is_cut_off or (visits is None and not self._wait_for_own_requests())
            if ends or steady() >= self.live.deadline:
                break
        self.stopped = reason or self._reason(deadline)

    def _obey(self, order: CrawlOrder) -> str:
        """Do what a user says, and return it as a line."""
        if order.do is Do.STOP:
            self._told_to_stop = True
            self.live.stop()
        elif order.do is Do.BUDGET:
            self.options = replace(self.options, budget=order.budget)
            self.world.downloads = self.monitor.budget = order.budget
            self.options.keep(self.folder, self.store, wanted=self.monitor.wanted)
            return f"told: the budget is {order.budget:,} downloads"
        elif order.do is Do.SEEDS:
            self.orders.add_seeds(order, len(self.ledger))
            return f"told: {counted(len(order.seeds), 'seed')} more"
        else:
            self.world.paused = order.do is Do.PAUSE
        return f"told to {order.do.value}"

    def _wait_rule(self, deadline: float) -> WaitRule:
        """Return when to wait for better pages: not while time is scarcer than downloads."""
        if deadline == inf:
            return WAIT
        left = deadline - steady()
        passed = 60 * (self.options.minutes or 0.0) - left
        started = self._left_at_start - self.world.left
        return WAIT if started * left > passed * self.world.left else TAKE_ANY

    @property
    def awaited(self) -> int:
        """The number of closed hosts that are waited for, since they have better pages."""
        return self.pace.closed.awaited

    def _send_own_requests(self) -> None:
        """Send the crawl's own requests, before the strategy is asked."""
        now = steady()
        self.own_requests.release_due(now)
        self.pace.advance(now)
        while self.world.free > 0:
            choice = self.own_requests.next(self.pace.closed)
            if choice is None:
                return
            self.crawl.send(choice)
            if self.live.network_is_down:
                return  # the strategy may know another host, which has not failed yet

    def _add_own_requests(self, visits: Sequence[Visit]) -> None:
        """Add the deferred choices, and the lists that were found through visits."""
        for retry in self.live.take_retries():
            if retry.unanswered:
                self._set_aside(retry)
            else:
                self.own_requests.defer(retry.at, retry.choice, retry.most)
        if self.live.wants_lists:
            for visit in visits:
                self.own_requests.add_lists(visit)

    def _set_aside(self, retry: Retry) -> None:
        """Let a choice without a page wait, at no cost to the budget or to other hosts."""
        host = retry.choice.host
        self.own_requests.set_aside(retry.at, retry.choice)
        self.world.give_back(1)
        self.pace.finish(host, steady(), retry.pause)
        if retry.pause > 0:
            self.pace.closed.close_until(host, inf)  # when it opens is not known

    def _wait_for_own_requests(self) -> bool:
        """Wait a little for requests that are due soon; return whether there are any."""
        longest = self.settings.max_sleep
        if self.live.network_is_down:
            time.sleep(min(self.live.until_probe, longest))
            return True
        due = self.own_requests.due(self.pace.closed)
        if due > steady() + self.settings.patience or self.world.free <= 0:
            return False
        time.sleep(max(0.0, min(due - steady(), longest)))
        return True

    def checkpoint(self) -> None:
        """Write all that was learned from the visits so far."""
        crawl = self.crawl
        with storing(self.folder):
            self.ledger.commit()
        visits = len(self.ledger)
        checkpoint = Checkpoint(
            visits,
            crawl.strategy,
            crawl.judge,
            self.live.traps,
            self.table,
            self.live.pending + crawl.held,
            self.own_requests,
            self.live.delays(),
            self.monitor,
        )
        with storing(self.folder, "checkpoint"):
            save(self.folder, checkpoint)
            keep_agents(self.folder, crawl.strategy, self.ledger, self.table)
        give_back()
        settings = self.settings.checkpoints
        self._next_checkpoint = visits + max(settings.visits, int(settings.share * visits))

    def close(self) -> None:
        """Write everything to disk, as far as there is room, and close all files."""
        failed: UsageError | None = None
        # After an error the strategy may not have been told all visits; the ledger has them.
        if self._is_consistent:
            try:
                if is_wanted(self.settings.checkpoints, self.live, self._is_interrupted):
                    self.checkpoint()
                retain(self.options, self.crawl.strategy, self.table)
            except (OSError, sqlite3.Error, WriteError):
                pass  # no room
            except UsageError as error:  # of a strategy that cannot say what it has learned
                failed = error
        with suppress(OSError, UsageError):
            self._now.write(self, ended=True)
        with suppress(OSError, UsageError):
            estimate, wanted, told = self.estimate(), self.monitor.wanted, self.standing
            self.options.keep(self.folder, self.store, self.stopped, estimate, wanted, told)
        with suppress(sqlite3.Error, UsageError):
            self.ledger.close()
        self.store.close()
        if self.recorder is not None:
            with suppress(UsageError):
                self.recorder.close()
        self.live.close()
        self.nodes.close()
        if isinstance(self.table.store, StringsFile):
            self.table.store.close()
        os.close(self.lock)
        if failed is not None:
            raise failed

    @property
    def _is_cut_off(self) -> bool:
        """Whether the network has been down for too long to wait for it."""
        return self.live.is_cut_off(self.settings.patience)

    @property
    def condition(self) -> str:
        """What pauses the crawl, or ""."""
        live = self.live
        if self.world.paused:
            return "paused by a user"
        return f"{NETWORK_DOWN} for {live.down_for:,.0f} s: paused" if live.network_is_down else ""

    def notices(self) -> list[str]:
        """Return new lines for users about hosts and the network."""
        heard, self._said = self._said, []
        lines, visits = self.live.take_notices() + heard, len(self.ledger)
        if visits >= self._next_words:
            self._next_words = visits + self.settings.words_every
            lines += common_words(self.standing, self._common)
        return lines

    @property
    def standing(self) -> Standing | None:
        """What the judge accepts so far, if its threshold adapts."""
        return standing_of(self.crawl.judge)

    def _reason(self, deadline: float) -> str:
        if self._told_to_stop:
            return "a user stopped it; the same command goes on"
        if steady() >= deadline and not self.world.spent:
            return f"{spelled(60 * (self.options.minutes or 0))} are over"
        if self._is_cut_off:
            minutes = self.live.down_for / 60
            return f"{NETWORK_DOWN} for {minutes:.0f} minutes; the same command resumes it"
        return why_stopped(
            self.options, self.world, self.live, self.pace, self.own_requests, self.waiting
        )

    @property
    def left_alone(self) -> tuple[LeftAlone, ...]:
        """The hosts that ask for a long pause."""
        return left_alone(self.live, self.own_requests)
