"""A crawl with nodes, each a process of its own, whose leases are short enough for tests."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from foragers.crawling.build import TOKEN
from foragers.crawling.nodes import node
from foragers.crawling.session import Session
from foragers.crawling.settings import SessionSettings
from foragers.errors import UsageError
from foragers.fetching.remote.crawl_side import ClusterWorld
from foragers.fetching.settings import (
    ClusterSettings,
    FetchSettings,
    OutageSettings,
    RetrySettings,
    ThrottleSettings,
)
from foragers.http.messages import Limits
from foragers.storage.ledger import postgres
from support.crawling import order_of
from support.hostile_server import ALLOW_ALL, Answer, Connection, HostileServer, page, redirect
from support.machines import enter
from support.waiting import LONG, until

DELAY = 0.1
SHORT = ClusterSettings(
    lease=1.5, renew=0.3, shortest=0.3, abort=0.1, watch=0.2, reconnect=0.1, remembered=0.3
)
LIMITS = Limits(connect=2.0, head=5.0, idle=5.0, total=10.0)
SETTINGS = SessionSettings(
    fetching=FetchSettings(
        cluster=replace(SHORT, lease=60.0),
        throttle=ThrottleSettings(backoff=0.05),
        outages=OutageSettings(give_up_new=10_000.0, give_up_known=10_000.0),
        # A cut cable looks like a slow or dead server; no page is given up for that.
        retries=RetrySettings(deferrals_after_timeout=1000, deferrals_after_loss=1000, pause=2.0),
    )
)
HURRIED = replace(SETTINGS, fetching=replace(SETTINGS.fetching, cluster=SHORT))
"""For nodes that are stopped; on a busy machine others lose such a short lease too."""
PROCESSES = get_context("forkserver")
PROCESSES.set_forkserver_preload(
    [
        "foragers.crawling.nodes.node",
        "foragers.crawling.session",
        "foragers.strategies.baselines",
        "psycopg",
    ]
)
"""Processes that need not import everything again."""


@dataclass(frozen=True)
class Place:
    """Where a process runs: the URL of the database there, its network, its clock.

    The clock is some seconds `ahead`, or `stopped` at a time.
    """

    url: str
    folder: Path
    log: Path
    network: str = ""
    ahead: float = 0.0
    stopped: float | None = None
    settings: SessionSettings = SETTINGS
    token: str = field(default_factory=lambda: os.environ.get(TOKEN, ""))

    def enter(self) -> None:
        """Let this process be there."""
        with self.log.open("ab") as log:
            for stream in (1, 2):
                os.dup2(log.fileno(), stream)
        if self.network:
            enter(self.network)
            postgres.SILENCE = node.SILENCE = 2
        os.environ[TOKEN] = self.token
        right, ahead, stopped = time.time, self.ahead, self.stopped
        time.time = lambda: right() + ahead if stopped is None else stopped


def run(what: str, place: Place, options: dict[str, Any]) -> None:
    """Be a crawl or a node, and write what it says to a file."""
    place.enter()
    url, folder = place.url, place.folder
    try:
        if what == "node":
            say = partial(print, flush=True)
            node.Node(url, folder, say, limits=LIMITS, settings=place.settings).run()
            return
        order = order_of(*options.pop("seeds"), ledger=url, cluster="nodes", **options)
        session = Session.open(order, folder, LIMITS, place.settings)
        try:
            print(session.run(), flush=True)
        finally:
            session.close()
            assert isinstance(session.live, ClusterWorld)
            print("late", session.live.ordered.late, flush=True)
    except UsageError as error:
        print(error, flush=True)
        sys.exit(1)


def slowly(body: bytes, seconds: float) -> Answer:
    """Return an answer that takes some time."""

    def answer(connection: Connection) -> None:
        time.sleep(seconds)
        connection.send(body)

    return answer


@contextmanager
def sites(
    hosts: int, pages: int, seconds: float = 0.01, network: str = "127.0.0"
) -> Iterator[list[HostileServer]]:
    """Serve some sites, each on an address of its own.

    Every link is redirected, so that a node often has a page whose next request must wait.
    """
    with ExitStack() as stack:
        running = []
        for i in range(hosts):
            site = {f"/{k}": page(f"/to-{k + 1}", words=f"host {i}, {k}") for k in range(pages)}
            site |= {f"/to-{k + 1}": redirect(f"/{k + 1}") for k in range(pages)}
            site |= {"/": page("/0"), f"/{pages}": page(words=f"host {i}, last")}
            whole = {path: slowly(body, seconds) for path, body in site.items()}
            server = HostileServer(
                {"/robots.txt": ALLOW_ALL, **whole}, address=f"{network}.{i + 2}"
            )
            running.append(stack.enter_context(server))
        yield running


@dataclass
class ClusterProcesses:
    """The processes of a crawl; `restart` starts those again that have ended, like systemd."""

    url: str
    folder: Path
    seeds: Sequence[str]
    options: dict[str, Any] = field(default_factory=dict)
    running: dict[str, ForkServerProcess] = field(default_factory=dict)
    stopped: float | None = None
    settings: SessionSettings = SETTINGS

    def start(self, name: str) -> None:
        standby = name == "standby"
        given = {"seeds": self.seeds, "delay": DELAY, "standby": standby, **self.options}
        what = "crawl" if name in ("crawl", "standby") else "node"
        process = PROCESSES.Process(target=run, args=(what, self.place(name), given))
        process.start()
        self.running[name] = process

    def place(self, name: str) -> Place:
        log = self.folder / f"{name}.log"
        folder = self.folder / name
        return Place(self.url, folder, log, stopped=self.stopped, settings=self.settings)

    def restart(self) -> None:
        for name, process in list(self.running.items()):
            if process.exitcode not in (None, 0):
                process.close()
                self.start(name)

    def signal(self, name: str, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.running[name].pid or 0, number)

    def kill(self, name: str) -> None:
        self.running[name].kill()
        self.running[name].join()

    @property
    def is_done(self) -> bool:
        return any(
            process.exitcode == 0
            for name, process in self.running.items()
            if name in ("crawl", "standby")
        )

    def said(self, name: str) -> str:
        log = self.folder / f"{name}.log"
        return log.read_text() if log.exists() else ""

    def finish(self) -> None:
        """Let the crawl come to its end, and start again what ends on the way."""
        end = time.monotonic() + LONG
        while not self.is_done:
            if time.monotonic() > end:
                said = (f"{name}: {self.said(name)[-1500:]}" for name in self.running)
                raise AssertionError("".join(said))
            self.restart()
            time.sleep(0.05)

    def await_nodes(self, nodes: int) -> None:
        """Wait until some nodes have joined."""
        names = [name for name in self.running if name.startswith("node")]
        until(lambda: sum("up to" in self.said(name) for name in names) >= nodes)

    def close(self) -> None:
        for name, process in self.running.items():
            if process.exitcode is None:
                self.signal(name, signal.SIGCONT)
                self.signal(name, signal.SIGTERM)
        for process in self.running.values():
            process.join(20)
            process.kill()
            process.join()
            process.close()


@contextmanager
def cluster(
    url: str,
    folder: Path,
    seeds: Sequence[str],
    nodes: int,
    stopped: float | None = None,
    settings: SessionSettings = SETTINGS,
    **options: Any,
) -> Iterator[ClusterProcesses]:
    """Run a crawl with some nodes, whose clocks may be stopped at a time."""
    processes = ClusterProcesses(url, folder, seeds, options, stopped=stopped, settings=settings)
    try:
        processes.start("crawl")
        for number in range(nodes):
            processes.start(f"node{number}")
        yield processes
    finally:
        processes.close()
