"""Faults of a cluster at random: processes, cables, disks and the database, several at a time."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from support.clusters import HURRIED, SHORT, ClusterProcesses, Place, sites
from support.hostile_server import HostileServer
from support.machines import WEB, Disk, Machines, can_isolate, inside
from support.postgres import PostgresServer, running_postgres

MOST = 5
"""Nodes at a time."""
RESTART = 0.3
"""Seconds between two looks for processes that have ended."""
CLOCKS = (0.0, 3600.0, -3600.0)
"""How far the clocks of machines are off."""
Undo = Callable[[], None]


@dataclass
class FaultyCluster(ClusterProcesses):
    """The processes of a crawl, each on a machine of its own if there are `machines`."""

    server: PostgresServer = field(kw_only=True)
    draw: random.Random = field(kw_only=True)
    machines: Machines | None = None
    disks: dict[str, Disk] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)
    _restarted: float = 0.0
    _undo: list[tuple[float, str, Undo]] = field(default_factory=list)

    def place(self, name: str) -> Place:
        log, ahead = self.folder / f"{name}.log", self.draw.choice(CLOCKS)
        if self.machines is None:
            return Place(self.url, self.folder / name, log, ahead=ahead, settings=HURRIED)
        number = number_of(name)
        schema = self.url.partition("?")[2]
        url = f"{self.server.url('postgres', self.machines.database(number))}?{schema}"
        if name not in self.disks:
            self.disks[name] = Disk(self.folder / "disks" / name, 3)
        folder = self.disks[name].folder / "out"
        machine = self.machines.machine(number)
        return Place(url, folder, log, machine, ahead, settings=HURRIED)

    @property
    def nodes(self) -> list[str]:
        return [name for name in self.running if name.startswith("node")]

    def faults(self) -> list[str]:
        """Return the faults that are possible here."""
        local = ["kill node", "stop node", "kill crawl", "stop crawl", "join", "leave"]
        local += ["kill database", "stop database"]
        cut = ["cut node from database", "cut node from web", "cut crawl from database"]
        full = ["full disk of node", "full disk of crawl", "full disk of database"]
        return local if self.machines is None else local + cut + full

    def harm(self, fault: str) -> None:
        """Do something bad, which is undone a while later; not twice to the same at once."""
        what, _, cable = fault.partition(" from ")
        kind, _, part = what.rpartition(" ")
        name = self.draw.choice(self.nodes) if part in ("node", "leave") else part
        seconds = self.draw.uniform(0.1, 2.5) * SHORT.lease
        suffering = f"{kind} {name} {cable}" if kind in ("cut", "full disk of") else name
        if any(suffering == other for _, other, _ in self._undo):
            return
        if part == "join" and len(self.nodes) >= MOST:
            return
        self.done[fault] += 1
        undo: Undo | None = None
        if part == "join":
            self.start(f"node{len(self.nodes)}")
        elif part == "leave":
            self.signal(name, signal.SIGTERM)
        elif kind == "cut":
            undo = self.cut(name, "web" if cable == "web" else "db")
        elif kind == "full disk of":
            self.disks[name].fill()
            undo = self.make_room if name == "database" else self.disks[name].empty
        elif name == "database":
            undo = self.harm_database(kind)
            seconds /= 4 if kind == "kill" else 2
        elif kind == "kill":
            self.kill(name)
        else:
            self.signal(name, signal.SIGSTOP)
            undo = partial(self.signal, name, signal.SIGCONT)
        if undo is not None:
            self._undo.append((time.monotonic() + seconds, suffering, undo))

    def harm_database(self, kind: str) -> Undo:
        """Kill or stop PostgreSQL, and return what undoes that."""
        if kind == "kill":
            self.server.signal(signal.SIGKILL)
            return self.revive
        self.server.signal(signal.SIGSTOP)
        return partial(self.server.signal, signal.SIGCONT)

    def make_room(self) -> None:
        self.disks["database"].empty()
        if not self.server.runs and not any(name == "database" for _, name, _ in self._undo):
            self.revive()

    def revive(self) -> None:
        """Start PostgreSQL again, as soon as nothing is left of its processes."""
        until = time.monotonic() + 30
        if "database" in self.disks:
            self.disks["database"].empty()
        while True:
            try:
                self.server.start()
            except AssertionError:
                if time.monotonic() > until:
                    raise
                self.server.kill_rest()
                time.sleep(0.1)
            else:
                return

    def cut(self, name: str, cable: str) -> Undo:
        """Cut a cable of a machine, and return what undoes that."""
        assert self.machines is not None
        self.machines.cut(number_of(name), cable)
        return partial(self.machines.cut, number_of(name), cable, False)

    def remove_disks(self) -> None:
        for name in self.disks.keys() - {"database"}:
            self.disks[name].close()

    def mend(self, everything: bool = False) -> None:
        """Undo what has lasted long enough, and start again what has ended, like systemd."""
        now = time.monotonic()
        due = [entry for entry in self._undo if everything or entry[0] <= now]
        self._undo = [entry for entry in self._undo if entry not in due]
        for _, _, undo in due:
            undo()
        if now < self._restarted + RESTART and not everything:
            return
        self._restarted = now
        for name in self.nodes:
            # A node that has left comes again: with fewer and fewer the crawl would end.
            if self.running[name].exitcode == 0:
                self.running[name].close()
                self.start(name)
        self.restart()

    def suffer(self, faults: Sequence[str], pause: tuple[float, float]) -> None:
        """Let faults happen, until the crawl is done."""
        for fault in faults:
            until = time.monotonic() + self.draw.uniform(*pause)
            while time.monotonic() < until:
                time.sleep(0.02)
                self.mend()
            if self.is_done:
                return
            self.harm(fault)


def number_of(name: str) -> int:
    """Return the number of the machine of a process: crawl, nodes, standby."""
    if name == "standby":
        return MOST + 1
    return int(name.removeprefix("node")) + 1 if name.startswith("node") else 0


@dataclass
class Arena:
    """A database, and as many machines as a test needs, if they can be made here."""

    server: PostgresServer
    machines: Machines | None
    disk: Disk | None

    @contextmanager
    def sites(self, hosts: int, pages: int) -> Iterator[list[HostileServer]]:
        """Serve some sites that all machines can reach."""
        if self.machines is None:
            with sites(hosts, pages) as running:
                yield running
            return
        with ExitStack() as stack:
            with inside(self.machines.hub):
                running = stack.enter_context(sites(hosts, pages, network=WEB))
            yield running

    @contextmanager
    def crawl(
        self, folder: Path, servers: Sequence[HostileServer], draw: random.Random
    ) -> Iterator[FaultyCluster]:
        """Run a crawl with three nodes, and close it and its disks."""
        folder.mkdir(parents=True, exist_ok=True)
        seeds = [server.url() for server in servers]
        allowed = ("127.0.0.0/8", "10.0.0.0/8")
        options = {"budget": 10**6, "allow_private": allowed, "warc": True}
        disks = {} if self.disk is None else {"database": self.disk}
        processes = FaultyCluster(
            self.server.new_schema(),
            folder,
            seeds,
            options,
            server=self.server,
            draw=draw,
            machines=self.machines,
            disks=disks,
        )
        with ExitStack() as stack:
            stack.callback(processes.remove_disks)
            stack.callback(processes.close)
            stack.callback(processes.mend, everything=True)
            processes.start("crawl")
            for number in range(3):
                processes.start(f"node{number}")
            yield processes

    def ledger(self, processes: FaultyCluster) -> str:
        """Return the URL of the ledger for this process, which is on no machine."""
        return f"{self.server.socket}&{processes.url.partition('?')[2]}"


@contextmanager
def arena(hosts: int) -> Iterator[Arena]:
    """Run a database, on machines of its own if that is possible."""
    with ExitStack() as stack:
        machines, disk = None, None
        if can_isolate():
            machines = Machines(MOST + 2, hosts + 2)
            stack.callback(machines.close)
            short = Path(stack.enter_context(TemporaryDirectory(prefix="disk-")))
            short.chmod(0o755)  # PostgreSQL runs as another user
            disk = Disk(short / "db", 900)
            stack.callback(disk.close)
            running = running_postgres(disk.folder, partial(inside, machines.hub))
        else:
            running = running_postgres()
        yield Arena(stack.enter_context(running), machines, disk)
