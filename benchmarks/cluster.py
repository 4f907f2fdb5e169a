"""A crawl with nodes over loopback HTTP: pages a second, and the CPU of crawl and nodes a page.

    createdb bench && python -m benchmarks.cluster --database postgresql://me@127.0.0.1/bench

The database must be empty; each run has a schema of its own, which is dropped after it.  The first
run has no nodes: the crawl fetches by itself, with its ledger in the same database.
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


def crawl(database: str, schema: str, homes: list[str], nodes: int, scratch: Path) -> None:
    """Crawl all pages with some nodes, and print what it took."""
    url = f"{database}?options=-csearch_path%3D{schema}"
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    join = [*COMMAND, "node", "--join", url, "--out"]
    quiet = subprocess.DEVNULL
    fetchers = [
        subprocess.Popen([*join, str(scratch / f"{schema}-{i}")], stdout=quiet)
        for i in range(nodes)
    ]
    command = [*COMMAND, "crawl", *homes, "--out", str(scratch / schema), "--ledger", url]
    command += ["--topic", "robot sensor actuator", "--strategy", "best-first", "--scope", "host"]
    command += ["--delay", "0", "--budget", "100000", "--allow-private", "127.0.0.0/8"]
    command += ["--cluster", "nodes"] if nodes else []
    brain = ended(subprocess.Popen(command, stdout=quiet))
    for fetcher in fetchers:
        fetcher.send_signal(signal.SIGTERM)
    spent = sum(map(ended, fetchers))
    with psycopg.connect(url, autocommit=True) as connection:
        query = "SELECT count(*), max(time) - min(time) FROM visits WHERE status <> 'skipped'"
        pages, seconds = connection.execute(query).fetchone() or (0, 1.0)
        connection.execute(f"DROP SCHEMA {schema} CASCADE")
    print(
        f"   {nodes} nodes: {pages:6,} pages, {pages / seconds:6.1f} a second,"
        f" CPU ms a page: crawl {1000 * brain / pages:5.2f}, nodes {1000 * spent / pages:5.2f}",
        flush=True,
    )


def main() -> int:
    """Serve pages, and crawl them with more and more nodes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--database", required=True, metavar="URL")
    parser.add_argument("--nodes", default="0,1,2,4", metavar="N,N")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        origin = [sys.executable, "-m", "benchmarks.crawling_origin", folder]
        with subprocess.Popen(
            origin, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            _, _, *homes = server.stdout.readline().split()
            for nodes in map(int, options.nodes.split(",")):
                schema = f"bench_{nodes}_{int(time.time())}"
                crawl(options.database, schema, homes, nodes, Path(folder))
            server.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
