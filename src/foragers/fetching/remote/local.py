"""Downloads by another process of this machine, which the crawl starts.

If that process ends before its time, all its connections are closed with it, but nobody knows which
requests had begun.  So nothing is requested for the delay of the crawl, and hosts that were to be
left alone longer still are.  Then another process gets the orders that were not answered, one at a
time: a page that ends the process again and again becomes one that failed.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from math import inf

from foragers.core.clock import steady
from foragers.core.types import Status
from foragers.errors import FetcherError
from foragers.fetching.job import FetchJob
from foragers.fetching.remote.messages import (
    Answer,
    AnswerBatch,
    Order,
    OrderBatch,
    pack_orders,
    unpack_answers,
)
from foragers.fetching.remote.ordering import OrderingDownloads
from foragers.fetching.remote.pipe import MessagePipe

ENDED = "the process that fetched it ended each time"
ANOTHER = "the process that fetches has ended; another goes on with its pages"
IN_VAIN = "--workers: the process that fetches does not start; leave the option out"


@dataclass(slots=True)
class FetchProcess:
    """A process that runs a module with the number of a socket, over which it gets a `setup`."""

    module: str
    setup: bytes
    pipe: MessagePipe | None = None
    _process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The id of the process, 0 if there is none."""
        return self._process.pid if self._process else 0

    def start(self) -> MessagePipe:
        """Start the process."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                # Without -P, modules in the current directory could shadow ours.
                [sys.executable, "-P", "-m", self.module, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                # Ctrl-C is for the crawl, which then ends this process.
                start_new_session=True,
            )
        self.pipe = MessagePipe(ours)
        self.pipe.send(self.setup)
        return self.pipe

    def end(self, patience: float = 0.0) -> None:
        """Let the process close its files and end; kill it if that takes too long."""
        if self.pipe is not None:
            self.pipe.close()
        if self._process is not None:
            try:
                self._process.wait(patience)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self.pipe = self._process = None


@dataclass(slots=True)
class LocalDownloads(OrderingDownloads):
    """Downloads by a process of this machine.

    `_given` has the job of each order that has no answer.  `_suspects` were under way when the
    process ended, one is `_alone`, and `_ended` counts how often the process ended with it.
    """

    process: FetchProcess = field(kw_only=True)
    _given: dict[int, FetchJob] = field(default_factory=dict)
    _suspects: list[FetchJob] = field(default_factory=list)
    _alone: bool = False
    _ended: Counter[int] = field(default_factory=Counter)
    _in_vain: int = 0
    _not_before: float = -inf
    _widened: list[str] = field(default_factory=list)
    _told_scope: int = 0
    _last: int = 0

    def send_due(self, now: float) -> None:
        """Give the orders of new jobs, or of one that may have ended a process."""
        if now < self._not_before or not (jobs := self._next_jobs()):
            return
        delays: dict[str, tuple[float, int]] = {}
        if (pipe := self.process.pipe) is None:
            pipe, delays = self.process.start(), self._delays(now)
            self._told_scope = 0
        widened, self._told_scope = self._widened[self._told_scope :], len(self._widened)
        orders = [self._give(job) for job in jobs]
        pipe.send(pack_orders(OrderBatch(orders, widened, delays)))

    def wait(self, until: float) -> None:
        """Wait for answers, not for long and at the latest until a time, and process them."""
        pipe, now = self.process.pipe, steady()
        rest = max(0.0, min(until - now, self.settings.throttle.max_poll))
        if pipe is None:
            time.sleep(max(0.0, min(rest, self._not_before - now)) if self._waits else rest)
        elif pipe.wait(rest):
            for message in pipe.received():
                self._hear(unpack_answers(message))
            if pipe.is_over:
                self._start_again()

    def widen(self, url: str) -> None:
        """Add the target of a seed's redirect to the scope, here and in the other process."""
        OrderingDownloads.widen(self, url)
        self._widened.append(url)

    def close(self) -> None:
        """End the process."""
        self.process.end(self.settings.process.closing)
        OrderingDownloads.close(self)

    @property
    def _waits(self) -> bool:
        """Whether there are jobs for which no order was given yet."""
        return bool(self._waiting or self._suspects)

    def _next_jobs(self) -> list[FetchJob]:
        """Take the jobs for which orders may be given now."""
        if self._alone and self._given:
            return []
        if self._suspects:
            self._alone = True
            return [self._suspects.pop(0)] if not self._given else []
        self._alone = False
        self._ended.clear()
        waiting, self._waiting = self._waiting, []
        return waiting

    def _give(self, job: FetchJob) -> tuple[int, Order]:
        """Return the numbered order for a job."""
        self._last += 1
        self._given[self._last] = job
        return self._last, self._order(job)

    def _hear(self, told: AnswerBatch) -> None:
        """Process answers, and what is said about the network."""
        if told.failed:
            raise FetcherError(told.failed)
        now = steady()
        self.outages.down_since = now - told.down_for if told.down_for else inf
        self.outages.probe_at = now + told.probe_in
        self.notices += told.notices
        self._in_vain = 0
        for number, answer in told.answers:
            self._take(self._given.pop(number), answer)

    def _take(self, job: FetchJob, answer: Answer) -> None:
        """Make a page of an answer, and remember the state of the host for the next process."""
        state = self.throttle.state(self.table.host_name(job.choice.host))
        state.busy, state.down = answer.busy, answer.down
        state.crawl_delay = answer.pause if answer.pause > self.throttle.delay else 0.0
        OrderingDownloads._take(self, job, answer)
        self.throttle.tidy(steady())

    def _delays(self, now: float) -> dict[str, tuple[float, int]]:
        """Return for how long hosts are to be left alone, and how often they were overloaded."""
        known = self.throttle.delays(now)
        return {host: (max(0.0, at - now), busy) for host, (at, busy) in known.items()}

    def _start_again(self) -> None:
        """Let the orders that were not answered be given to a new process, after the delay."""
        self.process.end()
        self._in_vain += 1
        if self._in_vain >= self.settings.process.ends:
            raise FetcherError(IN_VAIN)
        now, jobs = steady(), list(self._given.values())
        self.notices.append(ANOTHER)
        self._given.clear()
        self._not_before = now + self.throttle.delay
        for job in jobs:
            host = self.table.host_name(job.choice.host)
            pause = max(self.throttle.delay, self.throttle.state(host).crawl_delay)
            self.throttle.leave(host, now + pause)
        self._suspects += jobs
        if len(jobs) == 1:
            self._suspect(jobs[0])

    def _suspect(self, job: FetchJob) -> None:
        """Count that the process ended with a job alone; give the job up after some times."""
        self._ended[job.number] += 1
        if self._ended[job.number] >= self.settings.process.ends:
            self._suspects.remove(job)
            self._take(job, Answer(job.url, job.hops, 0.0, Status.FAILED, ENDED))
