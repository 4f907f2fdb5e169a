"""A node: it fetches for a crawl on another machine, over the database of the ledger.

A node that has lost its lease drops its downloads, and joins again under another number.  Pages
that it has fetched by then are sent then.

    DIR/warc/           the responses as received
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from hmac import compare_digest
from math import inf
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
from foragers.crawling.nodes.talk import DatabaseTalk, Reply
from foragers.crawling.options import NODES, CrawlOptions, options_from
from foragers.crawling.settings import DEFAULT_SETTINGS, SessionSettings
from foragers.errors import DamagedError, DatabaseError, UsageError
from foragers.fetching.remote.messages import pack_answer, unpack_order
from foragers.fetching.remote.node_side import Leases, NodeDownloads, lease_clock
from foragers.fetching.remote.tables import News, NodeTables, Report, Token
from foragers.http.messages import Limits
from foragers.storage.ledger.postgres import Database, check_tables, connect
from foragers.storage.warc.writer import Recorder, locked
from foragers.version import __version__

SILENCE = 10
"""Seconds after which a node gives up a connection: sooner than its lease runs out."""
BEGUN = "SELECT to_regclass('crawl') IS NOT NULL AND to_regclass('tokens') IS NOT NULL"
TOLD = "SELECT options, (SELECT proof FROM tokens) FROM crawl"
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
        with Interrupts(self.stop), ExitStack() as stack:
            options = self._options()
            if options is None:
                return
            rules = CrawlRules.of(options)
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(f"--out {self.folder}: {error.strerror}") from error
            stack.callback(os.close, locked(self.folder))
            check_own(self.folder, ("warc",))
            recorder = open_recorder(options, self.folder, self.settings)
            if recorder is not None:
                stack.callback(recorder.close)
            self._stay(options, rules, recorder)

    def stop(self) -> None:
        """Leave the crawl at the next opportunity."""
        self.stopped = True

    def _options(self) -> CrawlOptions | None:
        """Return the options of the crawl, for which it waits; None if it is stopped."""
        said = False
        while not self.stopped:
            with closing(connect(self.url, "--join")) as database:
                check_tables(database, "--join", may_be_empty=True)
                if database.execute(BEGUN).fetchone()[0]:
                    return checked(database, self.token)
            if not said:
                self.say(f"waiting for a crawl with --cluster {NODES} in {database.place}")
            said = True
            time.sleep(self.settings.fetching.cluster.reconnect)
        return None

    def _stay(self, options: CrawlOptions, rules: CrawlRules, recorder: Recorder | None) -> None:
        """Be a member of the crawl, and a new one whenever the lease is lost."""
        unsent: list[tuple[int, bytes]] = []
        while not self.stopped:
            leases = Leases(self.settings.fetching.cluster)
            renderers = renderers_of(options, self.limits, self.settings)
            live, downloads = build_node(
                options, rules, recorder, renderers, leases, self.limits, self.settings
            )
            member = Membership(self, options, downloads, leases, unsent)
            try:
                member.join()
                if member.number:
                    self.say(f"node {member.number}: up to {options.concurrency} downloads at once")
                while not self.stopped and member.speak():
                    downloads.send_due(steady())
                    if not downloads.answers:
                        downloads.wait(member.wakes_at)
            finally:
                live.close()  # no request outlives the lease
                unsent = member.leave(for_good=self.stopped)
            if not self.stopped:
                self.say(f"node {member.number} was silent for too long; it joins again")


@dataclass
class Membership:
    """A node under one number: what it has said and heard, and what it is about to say.

    `unsent` are answers, each with its order, that are not known to be written; `_written` counts
    those that are.
    """

    node: Node
    options: CrawlOptions
    downloads: NodeDownloads
    leases: Leases
    unsent: list[tuple[int, bytes]] = field(default_factory=list)
    number: int = 0
    _talk: DatabaseTalk | None = None
    _said: Report | None = None
    _spoke_at: float = 0.0
    _asked_at: float = 0.0
    _again_at: float = 0.0
    _ready_since: float = inf
    _written: int = 0
    _widened: set[str] = field(default_factory=set)

    def join(self) -> None:
        """Get a number, as soon as the database can be reached."""
        settings, capacity = self.leases.settings, self.options.concurrency
        while not self.node.stopped:
            asked = lease_clock()
            with suppress(DatabaseError, UsageError):
                tables = self._connect()
                with closing(tables.database):
                    tables.open()
                    self.number = tables.join(self.node.name, capacity)
                self.leases.until = asked + settings.lease
                self._ready_since = 0.0 if self.unsent else inf
                self._talk = DatabaseTalk(self._connect, self.number, capacity, settings)
                self.downloads.scheduler.client.listen(self._talk.descriptor)
                self._talk.start()
                return
            time.sleep(settings.reconnect)

    def speak(self) -> bool:
        """Say and hear what there is; return False if the lease is lost."""
        for heard in self._talk.heard() if self._talk else ():
            self._hear(heard)
        if self.downloads.leaving:
            self.downloads.leave_idle()
        self._collect()
        if self._talk and self._said is None and steady() >= self._speaks_at:
            self._spoke_at, self._ready_since = steady(), inf
            self._asked_at, self._said = lease_clock(), self._report()
            self._talk.say(self._said)
        return self.leases.left > self.leases.settings.abort

    def _collect(self) -> None:
        """Pack the answers that are ready."""
        answers, self.downloads.answers = self.downloads.answers, []
        if answers:
            self._ready_since = min(self._ready_since, steady())
            self.unsent += [(order, pack_answer(answer)) for order, answer in answers]

    @property
    def wakes_at(self) -> float:
        """When to speak again at the latest, if nothing is heard until then."""
        loses_lease = steady() + self.leases.left - self.leases.settings.abort
        return loses_lease if self._said else min(loses_lease, self._speaks_at)

    @property
    def _speaks_at(self) -> float:
        """When there is something to say: many answers share one exchange."""
        leases, settings = self.leases, self.leases.settings
        due = inf
        if self.unsent:
            waits = len(self.unsent) < self.downloads.running
            due = self._ready_since + (settings.max_tick if waits else 0.0)
        if leases.wanted:
            due = self._spoke_at
        due = max(due, self._spoke_at + settings.tick)
        return max(self._again_at, min(due, steady() + self._renews_in))

    @property
    def _renews_in(self) -> float:
        """In how many seconds the lease is to be renewed."""
        return self.leases.left - (self.leases.settings.lease - self.leases.settings.renew)

    def leave(self, *, for_good: bool) -> list[tuple[int, bytes]]:
        """End the membership, and return the answers that were not sent."""
        self._collect()
        if self._talk is not None:
            if for_good:
                self._talk.say(self._report())
            self._talk.end(leave=for_good)
        return self.unsent

    def _report(self) -> Report:
        leases = self.leases
        numbered = ((i, *told) for i, told in enumerate(self.unsent, self._written + 1))
        due = self._renews_in <= 0
        said = Report(tuple(numbered), leases.notes, tuple(leases.wanted), leases.released, due)
        leases.notes, leases.wanted, leases.released = {}, set(), {}
        return said

    def _connect(self) -> NodeTables:
        database = connect(self.node.url, "--join", SILENCE)
        return NodeTables(database, self.options.delay, self.leases.settings, self.node.token)

    def _hear(self, heard: Reply) -> None:
        """Follow what the database said; say everything again if it could not be reached."""
        leases, said, news = self.leases, heard.report, heard.news
        if said is self._said:
            self._said = None
        if heard.is_stale:
            leases.until = 0.0
        elif news is None:
            leases.wanted.update(said.wanted)
            leases.notes = {**said.notes, **leases.notes}
            leases.released = {**said.released, **leases.released}
            self._again_at, self._ready_since = steady() + leases.settings.reconnect, 0.0
        else:
            if news.renewed:
                leases.until = self._asked_at + leases.settings.lease
            del self.unsent[: len(said.answers)]
            self._written += len(said.answers)
            self._follow(news)

    def _follow(self, news: News) -> None:
        """Use new leases, and begin with new orders."""
        leases, now = self.leases, steady()
        for key, wait in news.granted:
            leases.held.add(key)
            leases.wanted.discard(key)
            self.downloads.throttle.leave(key, now + wait)
        for key, node in news.elsewhere:
            leases.held.discard(key)
            leases.elsewhere[key] = node, now + leases.settings.remembered
        for url in set(news.widened) - self._widened:
            self._widened.add(url)
            self.downloads.widen(url)
        for number, body in news.orders:
            with suppress(DamagedError, ValueError):
                self.downloads.take(number, unpack_order(body))


def checked(database: Database, token: Token) -> CrawlOptions:
    """Return the options of the crawl in a database, if a node with this token can work for it."""
    told, proof = database.execute(TOLD).fetchone()
    wrong = ""
    about = msgspec.json.decode(told or "{}", type=dict[str, object])
    if about.get("foragers") != __version__:
        wrong = (
            f"the crawl is by foragers {about.get('foragers')}, this is {__version__};"
            " install the same everywhere"
        )
    elif not (options := options_from(told)).cluster:
        wrong = f"the crawl there fetches by itself; start it with --cluster {NODES}"
    elif not compare_digest(proof, token.proof):
        wrong = f"the crawl has another token; set {TOKEN} to the same everywhere"
    if wrong:
        raise UsageError(f"--join {database.place}: {wrong}")
    return options
