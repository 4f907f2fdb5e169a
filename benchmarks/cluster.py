"""A crawl with nodes over loopback HTTP: pages a second, and the CPU of crawl and nodes a page.

    createdb bench && python -m benchmarks.cluster --database postgresql://me@127.0.0.1/bench

The database must be empty; each run has a schema of its own, which is dropped after it.  The first
run has no nodes: the crawl fetches by itself, with its ledger in the same database.  What the runs
with nodes take more than it is the cost of coordination.  With `--killed-after PAGES`, the crawl is
killed instead, and the time is measured until another has told its first page: the same command,
which has the checkpoint, and a standby with another folder, which replays the ledger.
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

import psycopg

COMMAND = (sys.executable, "-m", "foragers.cli.main")


def ended(process: subprocess.Popen[bytes]) -> float:
    """Wait for the end of a process, and return its CPU seconds."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


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

    def measure(self, nodes: int, alone: float) -> float:
        """Crawl with some nodes, print what it took, and return the CPU ms a page of all."""
        name = f"bench_{nodes}_{int(time.time())}"
        url = self.schema(name)
        fetchers = [self.node(url, f"{name}-{i}") for i in range(nodes)]
        brain = ended(self.crawl(url, name, *(["--cluster", "nodes"] if nodes else [])))
        for fetcher in fetchers:
            fetcher.send_signal(signal.SIGTERM)
        spent = sum(map(ended, fetchers))
        with psycopg.connect(url, autocommit=True) as connection:
            query = "SELECT count(*), max(time) - min(time) FROM visits WHERE status <> 'skipped'"
            pages, seconds = connection.execute(query).fetchone() or (0, 1.0)
        self.drop(name)
        took = 1000 * (brain + spent) / int(pages)
        share = f", coordination {1 - alone / took:4.0%}" if nodes and alone else ""
        print(
            f"   {nodes} nodes: {pages:6,} pages, {pages / seconds:6.1f} a second, CPU ms a page:"
            f" crawl {1000 * brain / pages:5.2f}, nodes {1000 * spent / pages:5.2f}{share}",
            flush=True,
        )
        return took

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
        row = connection.execute("SELECT count(*) FROM visits").fetchone()
    except psycopg.errors.UndefinedTable:
        return 0
    return row[0] if row else 0


def told_up_to(connection: psycopg.Connection[tuple[int]], pages: int) -> None:
    """Wait until a ledger has some pages."""
    while count(connection) < pages:
        time.sleep(0.05)


def main() -> int:
    """Serve pages, and crawl them with more and more nodes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--database", required=True, metavar="URL")
    parser.add_argument("--nodes", default="0,1,2,4", metavar="N,N")
    parser.add_argument("--hosts", type=int, default=40, metavar="N")
    parser.add_argument("--pages", type=int, default=2000, metavar="N")
    parser.add_argument("--strategy", default="auto", metavar="NAME")
    parser.add_argument("--killed-after", type=int, metavar="PAGES")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        origin = [sys.executable, "-m", "benchmarks.crawling_origin", folder]
        origin += [str(options.hosts), str(options.pages)]
        with subprocess.Popen(
            origin, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            _, _, *homes = server.stdout.readline().split()
            bench, alone = Bench(options, homes, Path(folder)), 0.0
            if options.killed_after:
                bench.take_over(options.killed_after, standby=False)
                bench.take_over(options.killed_after, standby=True)
            else:
                for nodes in map(int, options.nodes.split(",")):
                    took = bench.measure(nodes, alone)
                    alone = alone or (0.0 if nodes else took)
            server.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
