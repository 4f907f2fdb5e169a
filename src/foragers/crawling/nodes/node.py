"""A node: it fetches for a crawl on another machine, over the database of the ledger.

A thread speaks with the database, so that a database that hangs holds up no download, and a lease
that runs out is noticed in time.  A node that has lost its lease drops its downloads, and joins
again under another number.  Pages that it has fetched by then are sent then.

    DIR/warc/           the responses as received
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from hmac import compare_digest
from pathlib import Path

import msgspec

from foragers.core.clock import steady
from foragers.core.files import check_own
from foragers.crawling.build import (
    TOKEN,
    CrawlRules,
    build_node,
    open_recorder,
    own_token,
    renderers_of,
)
from foragers.crawling.interrupts import Interrupts
from foragers.crawling.options import NODES, CrawlOptions, options_from
from foragers.crawling.settings import DEFAULT_SETTINGS, SessionSettings
from foragers.errors import DamagedError, DatabaseError, UsageError
from foragers.fetching.remote.messages import pack_answer, unpack_order
from foragers.fetching.remote.node_side import Leases, NodeDownloads, lease_clock
from foragers.fetching.remote.tables import News, NodeTables, Report, StaleError, Token
from foragers.http.messages import Limits
from foragers.storage.ledger.postgres import check_tables, connect
from foragers.storage.warc.writer import Recorder, locked
from foragers.version import __version__

SILENCE = 10
"""Seconds after which a node gives up a connection: sooner than its lease runs out."""
BEGUN = "SELECT to_regclass('crawl') IS NOT NULL AND to_regclass('tokens') IS NOT NULL"
Say = Callable[[str], None]


@dataclass
class Node:
    """A node of the crawl in a database, which lives until it is stopped."""

    url: str
    folder: Path
    say: Say = lambda line: None  # noqa: ARG005
    name: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}")
    limits: Limits = field(default_factory=Limits)
    settings: SessionSettings = DEFAULT_SETTINGS
    token: Token = field(default_factory=own_token)
    stopped: bool = False

    def run(self) -> None:
        """Fetch until it is stopped."""
        with Interrupts(self.stop):
            options = self._options()
            if options is None:
                return
            rules = CrawlRules.of(options)
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(f"--out {self.folder}: {error.strerror}") from error
            lock = locked(self.folder)
            try:
                check_own(self.folder, ("warc",))
                recorder = open_recorder(options, self.folder, self.settings)
                try:
                    self._stay(options, rules, recorder)
                finally:
                    if recorder is not None:
                        recorder.close()
            finally:
                os.close(lock)

    def stop(self) -> None:
        """Leave the crawl at the next opportunity."""
        self.stopped = True

    def _options(self) -> CrawlOptions | None:
        """Return the options of the crawl, for which it waits; None if it is stopped."""
        said = False
        while not self.stopped:
            database = connect(self.url, "--join")
            try:
                check_tables(database, "--join", may_be_empty=True)
                if database.execute(BEGUN).fetchone()[0]:
                    told = str(database.execute("SELECT options FROM crawl").fetchone()[0])
                    options = checked(told, database.place)
                    proof = database.execute("SELECT proof FROM tokens").fetchone()[0]
                    if not compare_digest(proof, self.token.proof):
                        raise UsageError(
                            f"--join {database.place}: the crawl has another token;"
                            f" set {TOKEN} to the same everywhere"
                        )
                    return options
            finally:
                database.close()
            if not said:
                self.say(f"waiting for a crawl with --cluster {NODES} in {database.place}")
            said = True
            time.sleep(self.settings.fetching.cluster.reconnect)
        return None

    def _stay(self, options: CrawlOptions, rules: CrawlRules, recorder: Recorder | None) -> None:
        """Be a member of the crawl, and a new one whenever the lease is lost."""
        ready: list[tuple[int, bytes]] = []
        while not self.stopped:
            leases = Leases(self.settings.fetching.cluster)
            renderers = renderers_of(options, self.limits, self.settings)
            live, downloads = build_node(
                options, rules, recorder, renderers, leases, self.limits, self.settings
            )
            member = Membership(self, options, downloads, leases, ready)
            try:
                member.join()
                if member.number:
                    self.say(f"node {member.number}: up to {options.concurrency} downloads at once")
                while not self.stopped and member.speak():
                    live.finished(steady() + leases.settings.tick)
            finally:
                live.close()  # no request outlives the lease
                ready = member.leave(self.stopped)
            if not self.stopped:
                self.say(f"node {member.number} was silent for too long; it joins again")


@dataclass
class Membership:
    """A node under one number: what it has said and heard, and what it is about to say."""

    node: Node
    options: CrawlOptions
    downloads: NodeDownloads
    leases: Leases
    ready: list[tuple[int, bytes]]
    number: int = 0
    _tables: NodeTables | None = None
    _pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))
    _talk: Future[News] | None = None
    _said: Report = field(default_factory=Report)
    _spoke_at: float = 0.0
    _asked_at: float = 0.0
    _renewed_at: float = 0.0
    _next: float = 0.0
    _again_at: float = 0.0
    _tick: float = 0.0
    _last_order: int = 0
    _unsent: list[tuple[int, int, bytes]] = field(default_factory=list)
    _count: int = 0
    _written: int = 0
    _widened: set[str] = field(default_factory=set)

    def join(self) -> None:
        """Get a number, as soon as the database can be reached."""
        settings = self.leases.settings
        while not self.node.stopped:
            asked = lease_clock()
            with suppress(DatabaseError, UsageError):
                self.number = self._connected().join(self.node.name, self.options.concurrency)
                self._renewed_at, self.leases.until = asked, asked + settings.lease
                return
            self._disconnect()
            time.sleep(settings.reconnect)

    def speak(self) -> bool:
        """Say and hear what there is; return False if the lease is lost."""
        if self.downloads.leaving:
            self.downloads.leave_idle()
        answers, self.downloads.answers = self.downloads.answers, []
        self.ready += [(order, pack_answer(answer)) for order, answer in answers]
        for order, body in self.ready:
            self._count += 1
            self._unsent.append((self._count, order, body))
        self.ready.clear()
        if self._talk is not None and self._talk.done():
            talk, self._talk = self._talk, None
            news = self._heard(talk)
            if news is not None:
                self._follow(news)
        # Many answers and orders share one exchange.
        has_news = self._unsent or self.leases.wanted
        soon = self._spoke_at + self.leases.settings.tick
        due = max(self._again_at, soon if has_news else self._next)
        if self._talk is None and steady() >= due:
            self._spoke_at = steady()
            self._asked_at, self._said = lease_clock(), self._report()
            self._talk = self._pool.submit(self._exchange, self._said, self._last_order)
        return self.leases.left > self.leases.settings.abort

    def leave(self, for_good: bool) -> list[tuple[int, bytes]]:
        """End the membership, and return the answers that were not sent."""
        with suppress(DatabaseError, UsageError, StaleError):
            if self._talk is not None and for_good:
                self._heard(self._talk)
            if self.number and for_good:
                self._exchange(self._report(), self._last_order)
                self._unsent.clear()
                self._connected().leave(self.number)
        self._pool.shutdown(wait=for_good, cancel_futures=True)
        self._disconnect()
        return [(order, body) for _, order, body in self._unsent]

    def _report(self) -> Report:
        leases = self.leases
        due = lease_clock() >= self._renewed_at + leases.settings.renew
        said = Report(tuple(self._unsent), leases.notes, tuple(leases.wanted), leases.released, due)
        leases.notes, leases.wanted, leases.released = {}, set(), {}
        return said

    def _exchange(self, said: Report, last: int) -> News:
        """Speak with the database, over a new connection if the old one has broken."""
        try:
            tables = self._connected()
            # The connection may have broken after answers were written.
            left = tuple(answer for answer in said.answers if answer[0] > self._written)
            said = said._replace(answers=left)
            return tables.exchange(self.number, self.options.concurrency, last, said)
        except DatabaseError:
            self._disconnect()
            raise

    def _connected(self) -> NodeTables:
        if self._tables is None:
            database = connect(self.node.url, "--join", SILENCE)
            delay, settings = self.options.delay, self.leases.settings
            self._tables = NodeTables(database, delay, settings, self.node.token)
            self._tables.open()
            self._written = self._tables.written(self.number)
        return self._tables

    def _disconnect(self) -> None:
        if self._tables is not None:
            self._tables.database.close()
            self._tables = None

    def _heard(self, talk: Future[News]) -> News | None:
        """Return what the database said; say everything again if it could not be reached."""
        leases, said, now = self.leases, self._said, steady()
        try:
            news = talk.result()
        except StaleError:
            leases.until = 0.0
            return None
        except (DatabaseError, UsageError):
            leases.wanted.update(said.wanted)
            leases.notes = {**said.notes, **leases.notes}
            leases.released = {**said.released, **leases.released}
            self._again_at = now + leases.settings.reconnect
            return None
        if news.renewed:
            self._renewed_at, leases.until = self._asked_at, self._asked_at + leases.settings.lease
        del self._unsent[: len(said.answers)]
        is_busy = news.orders or said.answers or said.wanted
        longer = min(max(2 * self._tick, leases.settings.tick), leases.settings.max_tick)
        self._tick = leases.settings.tick if is_busy else longer
        self._next = now + self._tick
        return news

    def _follow(self, news: News) -> None:
        """Use new leases, and begin with new orders."""
        leases, now = self.leases, steady()
        for key, wait in news.granted:
            leases.held.add(key)
            self.downloads.throttle.leave(key, now + wait)
        for key, node in news.elsewhere:
            leases.held.discard(key)
            leases.elsewhere[key] = node, now + leases.settings.remembered
        for url in set(news.widened) - self._widened:
            self._widened.add(url)
            self.downloads.widen(url)
        for number, body in news.orders:
            self._last_order = number
            with suppress(DamagedError, ValueError):
                self.downloads.take(number, unpack_order(body))


def checked(told: str, place: str) -> CrawlOptions:
    """Return the options of a crawl, if this node can work for it."""
    about = msgspec.json.decode(told or "{}", type=dict[str, object])
    if about.get("foragers") != __version__:
        raise UsageError(
            f"--join {place}: the crawl is by foragers {about.get('foragers')}, this is"
            f" {__version__}; install the same everywhere"
        )
    options = options_from(told)
    if not options.cluster:
        raise UsageError(
            f"--join {place}: the crawl there fetches by itself; start it with --cluster {NODES}"
        )
    return options
