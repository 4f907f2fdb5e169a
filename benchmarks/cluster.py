"""A crawl with nodes over loopback HTTP: pages a second, and the CPU of crawl and nodes a page.

    createdb bench && python -m benchmarks.cluster --database postgresql://me@127.0.0.1/bench

The database must be empty; each run has a schema of its own, which is dropped after it.  The first
run has no nodes: the crawl fetches by itself, with its ledger in the same database.  What the runs
with nodes take more than it is the cost of coordination.  Each process is measured from the time at
which the ledger has a number of pages (`--warm`), so its start does not count.  PostgreSQL must run
on the same machine, so that its CPU can be read; other work there counts as its own.

With `--killed-after PAGES`, the crawl is killed instead, and the time is measured until another has
told its first page: the same command, which has the checkpoint, and a standby with another folder,
which replays the ledger.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import psycopg

COMMAND = (sys.executable, "-m", "foragers.cli.main")


FLUSHED = 1.2
"""Seconds after which PostgreSQL has counted a transaction."""
TICKS = os.sysconf("SC_CLK_TCK")


def fields_of(process: int) -> list[int]:
    """Return the numbers that Linux tells of a process, from its parent (4) on."""
    told = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return [0, 0, 0, 0, *map(int, told[1:20])]


def used(process: int, *, with_ended: bool = False) -> float:
    """Return the CPU seconds of a process, perhaps with those of its children that have ended."""
    told = fields_of(process)
    return sum(told[14:18] if with_ended else told[14:16]) / TICKS


def used_by_server(server: int) -> float:
    """Return the CPU seconds of all processes of PostgreSQL."""
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    return used(server, with_ended=True) + sum(map(used, map(int, children)))


def ended(process: subprocess.Popen[bytes]) -> float:
    """Wait for the end of a process, and return its CPU seconds."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


class Spent(NamedTuple):
    """What a crawl took: CPU in ms a page, and transactions a page."""

    pages: int
    speed: float
    crawl: float
    nodes: float
    server: float
    transactions: float

    def told(self, nodes: int, alone: Spent | None) -> str:
        """Return it as a line; `alone` is what a crawl without nodes took."""
        line = (
            f"   {nodes} nodes: {self.pages:6,} pages, {self.speed:6.1f} a second, CPU ms a page:"
            f" crawl {self.crawl:5.2f}, nodes {self.nodes:5.2f}, PostgreSQL {self.server:5.2f};"
            f" {self.transactions:5.2f} transactions a page"
        )
        if alone is None or not nodes:
            return line
        own = 1 - alone.crawl / (self.crawl + self.nodes)
        whole = 1 - (alone.crawl + alone.server) / (self.crawl + self.nodes + self.server)
        return f"{line}; coordination {own:4.0%}, {whole:4.0%} with PostgreSQL"


class Bench:
    """The crawls of one benchmark, each in a schema of its own."""

    def __init__(self, options: argparse.Namespace, homes: list[str], scratch: Path) -> None:
        self.options = options
        self.homes = homes
        self.scratch = scratch

    def schema(self, name: str) -> str:
        """Create a schema, and return the URL of a ledger in it."""
        with psycopg.connect(self.options.database, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"{self.options.database}?options=-csearch_path%3D{name}"

    def drop(self, name: str) -> None:
        """Drop a schema."""
        with psycopg.connect(self.options.database, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA {name} CASCADE")

    def node(self, url: str, name: str) -> subprocess.Popen[bytes]:
        """Start a node."""
        command = [*COMMAND, "node", "--join", url, "--out", str(self.scratch / name)]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def crawl(self, url: str, name: str, *more: str) -> subprocess.Popen[bytes]:
        """Start a crawl of all pages."""
        command = [*COMMAND, "crawl", *self.homes, "--out", str(self.scratch / name)]
        command += ["--ledger", url, "--topic", "robot sensor actuator", "--scope", "host"]
        command += ["--strategy", self.options.strategy, "--delay", "0", "--budget", "100000"]
        command += ["--concurrency", str(len(self.homes)), "--allow-private", "127.0.0.0/8"]
        return subprocess.Popen([*command, *more], stdout=subprocess.DEVNULL)

    def measure(self, nodes: int) -> Spent:
        """Crawl with some nodes, and return what it took after the first pages."""
        name = f"bench_{nodes}_{int(time.time())}"
        url = self.schema(name)
        fetchers = [self.node(url, f"{name}-{i}") for i in range(nodes)]
        crawl = self.crawl(url, name, *(["--cluster", "nodes"] if nodes else []))
        with psycopg.connect(url, autocommit=True) as connection:
            server = fields_of(connection.info.backend_pid)[4]
            told_up_to(connection, self.options.warm)
            everybody = [process.pid for process in (crawl, *fetchers)]
            before, began = [*map(used, everybody), used_by_server(server)], time.perf_counter()
            pages_before, trips_before = count(connection), transactions(connection)
            brain = ended(crawl)
            seconds = time.perf_counter() - began
            for fetcher in fetchers:
                fetcher.send_signal(signal.SIGTERM)
            spent = [brain, *map(ended, fetchers), used_by_server(server)]
            pages = count(connection) - pages_before
            trips = transactions(connection) - trips_before
        self.drop(name)
        crawl_ms, *nodes_ms, server_ms = (
            1000 * (after - ago) / pages for after, ago in zip(spent, before, strict=True)
        )
        return Spent(pages, pages / seconds, crawl_ms, sum(nodes_ms), server_ms, trips / pages)

    def take_over(self, after: int, *, standby: bool) -> None:
        """Kill a crawl after some pages, and print when another has told its first."""
        name = f"kill_{int(standby)}_{int(time.time())}"
        url = self.schema(name)
        node = self.node(url, f"{name}-0")
        first = self.crawl(url, name, "--cluster", "nodes")
        with psycopg.connect(url, autocommit=True) as connection:
            told_up_to(connection, 1)
            waiting = ("--cluster", "nodes", "--standby")
            second = self.crawl(url, f"{name}-b", *waiting) if standby else None
            told_up_to(connection, after)
            first.kill()
            ended(first)
            began, pages = time.perf_counter(), count(connection)
            second = second or self.crawl(url, name, "--cluster", "nodes")
            told_up_to(connection, pages + 1)
            took = time.perf_counter() - began
        for process in (second, node):
            process.send_signal(signal.SIGTERM)
            ended(process)
        self.drop(name)
        who = "a standby without a checkpoint" if standby else "the same command"
        print(
            f"   killed after {pages:,} pages: {who} told the next after {took:.1f} s", flush=True
        )


def count(connection: psycopg.Connection[tuple[int]]) -> int:
    """Return the number of pages in a ledger, which may not exist yet."""
    try:
        row = connection.execute("SELECT coalesce(max(number), 0) FROM visits").fetchone()
    except psycopg.errors.UndefinedTable:
        return 0
    return row[0] if row else 0


def transactions(connection: psycopg.Connection[tuple[int]]) -> int:
    """Return the number of transactions of a database so far."""
    time.sleep(FLUSHED)
    query = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
    row = connection.execute(query).fetchone()
    return row[0] if row else 0


def told_up_to(connection: psycopg.Connection[tuple[int]], pages: int) -> None:
    """Wait until a ledger has some pages."""
    while count(connection) < pages:
        time.sleep(0.2)


def main() -> int:
    """Serve pages, and crawl them with more and more nodes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--database", required=True, metavar="URL")
    parser.add_argument("--nodes", default="0,1,2,4", metavar="N,N")
    parser.add_argument("--hosts", type=int, default=40, metavar="N")
    parser.add_argument("--pages", type=int, default=2000, metavar="N")
    parser.add_argument("--world", type=Path, metavar="FILE", help="a WARC file that is served")
    parser.add_argument("--warm", type=int, default=300, metavar="N")
    parser.add_argument("--strategy", default="auto", metavar="NAME")
    parser.add_argument("--killed-after", type=int, metavar="PAGES")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        origin = [sys.executable, "-m", "benchmarks.crawling_origin", folder]
        made_up = [str(options.hosts), str(options.pages)]
        origin += made_up if options.world is None else [str(options.world)]
        with subprocess.Popen(
            origin, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            _, _, *homes = server.stdout.readline().split()
            bench, alone = Bench(options, homes, Path(folder)), None
            if options.killed_after:
                bench.take_over(options.killed_after, standby=False)
                bench.take_over(options.killed_after, standby=True)
            else:
                for nodes in map(int, options.nodes.split(",")):
                    spent = bench.measure(nodes)
                    print(spent.told(nodes, alone), flush=True)
                    alone = alone if nodes else spent
            server.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
