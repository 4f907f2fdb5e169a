"""All strategies on all webs: what share of the way from breadth-first to optimal each closes.

Crawls of recorded and generated webs for several labels each, for as many downloads as there are
pages within reach.  Three aims: `user` crawls by words, which judge pages; `words` is told of every
fetched page whether it has the label, and knows words for it; `label` is told without words.  The
words are those of `--topics`, else the name of the label.  Strategies in which
chance plays a part crawl with several seeds; of generated webs there are as many as seeds.
Crawls that were done are kept in `--out` and not done again, unless `--again` names their strategy.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product
from pathlib import Path
from tempfile import gettempdir

import msgspec
import numpy as np

from benchmarks.standings_runs import BEST, WORST, Aim, Extent, Kept, Task, perform
from benchmarks.standings_table import COLUMNS, Standings, by_world, overall, ranked
from benchmarks.standings_worlds import generated, labels_of, recorded, words_of
from foragers.core.files import write
from foragers.core.options import ReplayOptions
from foragers.evaluation.comparison.study import prepare

STRATEGIES = (
    "auto,best-first,shark-search,spider(online=true),random,lafc,energy,infospiders,foragers,wlrl"
)
GENERATED = "topics,departments,companies"
BEST_OTHER = 0.02
"""By so much auto may be behind the best of the others, on the mean over webs."""


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    reader = argparse.ArgumentParser("python -m benchmarks.standings", description=__doc__)
    there = Path(gettempdir()) / "foragers-standings"
    reader.add_argument("--out", type=Path, default=there, help=f"({there})")
    reader.add_argument("--strategies", default=STRATEGIES, metavar="A,B")
    reader.add_argument("--again", default="", metavar="A,B", help="forget their crawls")
    reader.add_argument("--worlds", default="", metavar="DIR,DIR", help="more imported webs")
    reader.add_argument("--only", default="", metavar="NAME,NAME", help="of the webs, these")
    reader.add_argument("--generated", default=GENERATED, metavar="A,B", help=f"({GENERATED})")
    reader.add_argument("--pages", type=int, default=2000, help="of generated webs (2000)")
    reader.add_argument("--labels", type=int, default=4, help="of a recorded web, at most (4)")
    reader.add_argument("--seeds", type=int, default=5)
    reader.add_argument("--aims", default="user,words,label", metavar="A,B", help="(all)")
    reader.add_argument("--topics", type=Path, help="JSON: words by web and label")
    reader.add_argument("--collected", action="store_true", help="no links to what is not there")
    reader.add_argument(
        "--until", type=float, default=1.0, metavar="SHARE", help="crawl this share of a web (1)"
    )
    reader.add_argument("--most", type=int, default=10**9, help="downloads of a crawl, at most")
    reader.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return reader.parse_args(arguments)


def worlds_of(chosen: argparse.Namespace) -> Iterator[tuple[str, Path, int]]:
    """Return name, place and number of every web; the recorded ones have the number 0."""
    there = Path(os.environ.get("FORAGERS_WORLDS", chosen.out / "worlds"))
    there.mkdir(parents=True, exist_ok=True)
    more = [Path(name) for name in chosen.worlds.split(",") if name]
    for name, path in {**recorded(there), **{path.name: path for path in more}}.items():
        yield name, path, 0
    made = chosen.out / "worlds"
    made.mkdir(parents=True, exist_ok=True)
    for kind in filter(None, chosen.generated.split(",")):
        for seed in range(1, chosen.seeds + 1):
            yield f"generated {kind}", generated(made, kind, seed, chosen.pages), seed


def tasks_of(chosen: argparse.Namespace) -> Iterator[Task]:
    """Return what is to be found where."""
    only = {name for name in chosen.only.split(",") if name}
    topics = topics_of(chosen.topics)
    for name, path, seed in worlds_of(chosen):
        if only and name not in only:
            continue
        labels = labels_of(prepare(ReplayOptions(str(path), "")), max(chosen.labels, seed))
        if seed:  # of many generated webs of a kind each is tried with one label, not always rare
            labels = [labels[seed % len(labels)]]
        for label in labels:
            topic = topics.get((name, label), words_of(label))
            for aim in map(Aim, chosen.aims.split(",")):
                yield Task(name, str(path), label, aim, topic, chosen.collected, seed)


def topics_of(file: Path | None) -> dict[tuple[str, str], str]:
    """Return what users might type, by web and label; one entry may name several webs."""
    given = {} if file is None else json.loads(file.read_text("utf-8"))
    return {
        (web, label if ":" in label else f"topic:{label}"): ", ".join(words)
        for webs, known in given.items()
        for web in webs.split(", ")
        for label, words in known.items()
    }


def forget(out: Path, names: str) -> None:
    """Remove the crawls of some strategies."""
    for name in filter(None, names.split(",")):
        for file in (out / "runs").glob(f"{name}-*.json"):
            if file.name.rpartition("-")[0] == name:
                file.unlink()


def crawls_of(chosen: argparse.Namespace) -> list[Kept]:
    """Do all crawls that are not done yet, side by side."""
    strategies = (WORST, BEST, *chosen.strategies.split(","))
    (chosen.out / "runs").mkdir(parents=True, exist_ok=True)
    found: dict[Task, list[Kept]] = {}
    with ProcessPoolExecutor(chosen.jobs) as pool:
        tasks = list(tasks_of(chosen))
        extent = Extent(chosen.until, chosen.most)
        rest = strategies, chosen.seeds, extent, chosen.out
        work = {pool.submit(perform, task, *rest): task for task in tasks}
        for future in as_completed(work):
            task = work[future]
            found[task] = future.result()
            said = f"{task.world} {task.label}, {task.aim}"
            print(f"   {len(found)}/{len(work)} {said}", file=sys.stderr, flush=True)
    return [kept for task in tasks for kept in found[task]]


def show(title: str, crawls: Sequence[Kept]) -> list[str]:
    """Return all tables of some crawls."""
    standings = Standings.of(crawls)
    lines = [f"**{title}**", "", *overall(standings)]
    for place in range(len(COLUMNS)):
        if any(not np.isnan(standings.mean(name)[place]) for name in standings.rows):
            lines += ["", *by_world(standings, place)]
    return [*lines, ""]


def main(arguments: Sequence[str]) -> bool:
    """Crawl, print and write the tables; say whether auto is about as good as the best."""
    chosen = options(arguments)
    forget(chosen.out, chosen.again)
    crawls = crawls_of(chosen)
    lines: list[str] = []
    for made, aim in product((False, True), Aim):
        some = [kept for kept in crawls if kept.task.aim is aim and bool(kept.task.seed) is made]
        if some:
            lines += show(f"{'generated' if made else 'recorded'} webs, {aim}", some)
    print("\n".join(lines))
    write(chosen.out / "standings.md", "\n".join(lines).encode())
    write(chosen.out / "standings.json", msgspec.json.encode(crawls))
    seconds = sum(kept.cpu_seconds for kept in crawls)
    print(f"   {len(crawls):,} crawls, {seconds / 60:.0f} CPU minutes; kept in {chosen.out}")
    return "auto" not in chosen.strategies.split(",") or holds(Standings.of(crawls))


def holds(standings: Standings) -> bool:
    """Say whether no other strategy is better than auto, on the mean over webs."""
    first = standings.mean("auto")[1]
    others = [standings.mean(name)[1] for name in ranked(standings) if name != "auto"]
    behind = max(others, default=-np.inf) - first
    print(f"   auto closes {first:.2f} at 25 %, the best other {first + behind:.2f}")
    return bool(behind <= BEST_OTHER)


def run() -> bool:
    """Run with the usual options."""
    return main(())


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
