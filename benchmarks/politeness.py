"""Harvest under politeness: what waiting for good pages on closed hosts saves.

One download at a time from each host leaves most connections free.  Filling them with
whatever page is open spends the budget on bad pages; waiting keeps it for good ones.  Each row
replays a web with one connection and with sixteen, with and without `WaitRule`; the figures
are means over `--seeds` random seeds, by which hosts answer in another order.  Webs have
1, 4, 20 and 300 hosts, about so many; `--only` and `--strategies` choose among them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from benchmarks.recordings import SHARED
from foragers.core.options import ReplayOptions, Target
from foragers.core.pace import TAKE_ANY, WaitRule
from foragers.evaluation.comparison import run as work
from foragers.evaluation.comparison.study import Study, prepare
from foragers.evaluation.metrics import harvest
from foragers.worlds.generated import generate
from foragers.worlds.importing.importer import import_world
from foragers.worlds.store import save

BUDGET, CONNECTIONS, LATENCY = 400, 16, (0.05, 0.2)
STRATEGIES = ("auto", "best-first", "spider(online=true)", "shark-search", "lafc", "host-bandit")
LEAST = 0.9
"""The share of the harvest of one connection that is to be kept."""
GENERATED: tuple[tuple[str, int, dict[str, float], Target], ...] = (
    ("news", 6000, {}, Target("climate emission carbon", "keywords", threshold=0.5)),
    (
        "topics",
        5100,
        {"pages_per_host": 17},
        Target("robot sensor actuator", "keywords", threshold=0.5),
    ),
)
RECORDED = (
    ("openoffice", Target(relevant="topic:spreadsheet")),
    ("organisations", Target(relevant="topic:ldap-authentication")),
    ("departments", Target(relevant="class:student")),
)


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    reader = argparse.ArgumentParser("python -m benchmarks.politeness", description=__doc__)
    reader.add_argument("--only", default="", metavar="WEB,WEB", help="of the webs, these")
    reader.add_argument("--strategies", default=";".join(STRATEGIES), metavar="A;B")
    reader.add_argument("--seeds", type=int, default=1, metavar="N")
    return reader.parse_args(arguments)


def run() -> bool:
    """Run with the usual options."""
    return main(())


def main(arguments: Sequence[str]) -> bool:
    """Measure; return whether waiting keeps the harvest on the mean of all tasks."""
    chosen = options(arguments)
    only = set(filter(None, chosen.only.split(",")))
    kept: dict[float, list[float]] = {0.0: [], 1.0: []}
    print(
        "   web (hosts), strategy, delay: one connection; all filled (seconds); waiting (seconds)"
    )
    with TemporaryDirectory() as scratch:
        for name, study, base in tasks(Path(scratch), only):
            hosts = len({study.archive.book.host(url) for url in study.pages().tolist()})
            for strategy in chosen.strategies.split(";"):
                alone = replace(base, strategy=strategy)
                # With a delay, so that traps are detected here too.
                single = replace(alone, delay=0.0, latency=LATENCY)
                one, _ = mean_found(single, study, TAKE_ANY, chosen.seeds)
                for delay, shares in kept.items():
                    many = replace(alone, connections=CONNECTIONS, delay=delay, latency=LATENCY)
                    filled, quick = mean_found(many, study, TAKE_ANY, chosen.seeds)
                    waiting, slow = mean_found(many, study, WaitRule(), chosen.seeds)
                    print(
                        f"   {name} ({hosts}), {strategy}, {delay:g} s: {one:.4g};"
                        f" {filled:.4g} ({quick:.0f}); {waiting:.4g} ({slow:.0f})",
                        flush=True,
                    )
                    if one:
                        shares.append(min(1.0, waiting / one))
    met = True
    for delay, shares in kept.items():
        mean = sum(shares) / len(shares)
        print(f"   kept with a delay of {delay:g} s: {mean:.2f} of one connection's harvest")
        met &= mean >= LEAST
    return met


def tasks(scratch: Path, only: set[str]) -> Iterator[tuple[str, Study, ReplayOptions]]:
    """Return webs with something wanted in them."""
    for name, pages, parameters, aim in GENERATED:
        if only and name not in only:
            continue
        save(generate(name, seed=1, pages=pages, **parameters), scratch / name)
        yield prepared(name, scratch / name, ReplayOptions(str(scratch / name), "", aim, BUDGET))
    for name, aim in RECORDED:
        warc = SHARED / "worlds" / f"{name}.warc.gz"
        if only and name not in only:
            continue
        if not warc.exists():
            print(f"   {name} is left out: {warc} is not there")
            continue
        seeds = tuple((SHARED / "worlds" / f"{name}.seeds.txt").read_text().split())
        labels = SHARED / "worlds" / f"{name}.labels.jsonl"
        folder = scratch / f"recorded-{name}"
        import_world(folder, [warc])
        base = ReplayOptions(str(folder), "", aim, BUDGET, seeds=seeds, labels=str(labels))
        yield prepared(f"{name}, recorded", folder, base)


def prepared(name: str, folder: Path, base: ReplayOptions) -> tuple[str, Study, ReplayOptions]:
    """Judge every page once."""
    study = prepare(replace(base, world=str(folder)))
    study.score()
    return name, study, base


def mean_found(
    task: ReplayOptions, study: Study, rule: WaitRule, seeds: int
) -> tuple[float, float]:
    """Return the means over random seeds of what is found, and of how long it takes."""
    runs = [found(replace(task, seed=seed), study, rule) for seed in range(seeds)]
    pages, seconds = zip(*runs, strict=True)
    return sum(pages) / seeds, sum(seconds) / seeds


def found(task: ReplayOptions, study: Study, rule: WaitRule) -> tuple[int, float]:
    """Return how many relevant pages a crawl finds, and how long it takes by its own clock."""
    with mock.patch.object(work, "WaitRule", return_value=rule):
        facts = work.crawl(task, study, ":memory:")
    return int(harvest.found(facts, study.truth)[-1]), float(facts.times[-1] - facts.times[0])


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
