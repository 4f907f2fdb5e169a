"""Polite replays beside live crawls of the same web: how well `compare` predicts `crawl`.

Each row crawls a recorded web several times live, over HTTP on this machine, and several times in
replays with the same politeness (`compare --delay 0 --concurrency 16 --latency 0.05-0.1`).  Random
seeds of the replays change the latencies of hosts and so the order in which pages arrive.  Live
crawls differ among themselves too, since no answer takes as long as the time before.  So means are
compared, and all results are printed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import numpy as np

from benchmarks.recordings import SHARED
from foragers.core.options import ReplayOptions, Target
from foragers.crawling.options import CrawlOptions
from foragers.crawling.session import Session
from foragers.evaluation.comparison.run import crawl
from foragers.evaluation.comparison.study import Study, prepare
from foragers.evaluation.metrics import harvest
from foragers.worlds.importing.importer import import_world
from foragers.worlds.serving.server import WorldServer

BUDGET, CONNECTIONS, LATENCY = 400, 16, (0.05, 0.1)
WITHIN = 0.1
"""The mean of the live crawls is to be this near to that of the replays."""
TOPICS = (
    ("organisations", "ldap, authentication, directory, login, kerberos"),
    ("organisations", "news literacy, journalism, journalist, classroom, students, teachers"),
    ("university-news", "nursing, medicine, patient, health"),
    ("university-news", "football, athletics, stadium"),
    ("openoffice", "test case, testcase, regression, quality assurance"),
    ("openoffice", "spreadsheet, calc, cell, pivot, formula"),
    ("departments", "operating system, kernel, file system"),
    ("departments", "robot, robots, robotics, mobile robot, manipulator"),
    ("wiki", "string theory, superstring, brane, M-theory"),
    ("wiki", "philosophy, Hegel, metaphysics, dialectic"),
)


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    reader = argparse.ArgumentParser("python -m benchmarks.predicting", description=__doc__)
    reader.add_argument("--only", default="", metavar="WEB,WEB", help="of the webs, these")
    reader.add_argument("--strategies", default="auto;best-first", metavar="A;B")
    reader.add_argument("--runs", type=int, default=5, metavar="N")
    return reader.parse_args(arguments)


def run() -> bool:
    """Run with the usual options."""
    return main(())


def main(arguments: Sequence[str]) -> bool:
    """Measure; return whether every mean of live crawls is near that of the replays."""
    chosen = options(arguments)
    only = set(filter(None, chosen.only.split(",")))
    print("   web, topic, strategy: live mean (each); replay mean (each); live / replay")
    met = True
    with TemporaryDirectory() as scratch:
        for web, study, base in tasks(Path(scratch), only):
            for strategy in chosen.strategies.split(";"):
                task = replace(base, strategy=strategy)
                replays = [replayed(replace(task, seed=seed), study) for seed in range(chosen.runs)]
                live = [lived(task, study, Path(scratch)) for _ in range(chosen.runs)]
                ratio = sum(live) / max(sum(replays), 1)
                met &= bool(abs(ratio - 1) <= WITHIN)
                print(
                    f"   {web}, {task.aim.topic}, {strategy}: {np.mean(live):.4g} {sorted(live)};"
                    f" {np.mean(replays):.4g} {sorted(replays)}; {ratio:.2f}",
                    flush=True,
                )
    return met


def tasks(scratch: Path, only: set[str]) -> Iterator[tuple[str, Study, ReplayOptions]]:
    """Return recorded webs, each with its topics."""
    for web, topic in TOPICS:
        warc = SHARED / "worlds" / f"{web}.warc.gz"
        if (only and web not in only) or not warc.exists():
            continue
        if not (scratch / web).exists():
            import_world(scratch / web, [warc])
        seeds = tuple((SHARED / "worlds" / f"{web}.seeds.txt").read_text().split())
        base = ReplayOptions(str(scratch / web), "", Target(topic), BUDGET, seeds=seeds)
        yield web, prepare(base), base


def replayed(task: ReplayOptions, study: Study) -> int:
    """Return what the judge counts in a polite replay."""
    polite = replace(task, connections=CONNECTIONS, delay=0.0, latency=LATENCY)
    return int(harvest.found(crawl(polite, study, ":memory:"))[-1])


def lived(task: ReplayOptions, study: Study, scratch: Path) -> int:
    """Return what the judge counts in a live crawl over HTTP."""
    archive, folder = study.archive, Path(mkdtemp(dir=scratch))
    with WorldServer(archive, latency=LATENCY[0]) as server:
        order = CrawlOptions(
            seeds=tuple(server.address(archive.book.href(seed)) for seed in archive.seeds),
            aim=task.aim,
            strategy=task.strategy,
            budget=task.budget,
            delay=0.0,
            concurrency=CONNECTIONS,
            within="any",
            allow_private=("127.0.0.0/8",),
            warc=False,
        )
        session = Session.open(order, folder)
        try:
            session.run()
            facts = session.ledger.facts()
            return int(np.count_nonzero(facts.relevant & facts.ok))
        finally:
            session.close()


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
