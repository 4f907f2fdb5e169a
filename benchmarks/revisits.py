"""News found by auto, fleets, polling and uniform revisiting, on evolving webs.

All have the same downloads, spread evenly over the recording.  News is a version of a page
that is at most a day old when it is fetched and was not fetched before; its delay is its age then.
Strategies in which chance plays a part crawl with several seeds (FORAGERS_SEEDS, 5); recorded
webs are imported for the occasion, unless FORAGERS_WORLDS has them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import NamedTuple

import numpy as np

from benchmarks.recordings import SHARED
from foragers.core.loop import Crawl
from foragers.core.types import Visit
from foragers.judges.novelty import DAY, Novelty
from foragers.judges.topic import NoTopic
from foragers.strategies.registry import StrategyInputs, build
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.generated import generate
from foragers.worlds.importing.importer import ImportOptions, import_world
from foragers.worlds.labels import read_seeds
from foragers.worlds.replay import Recorded
from foragers.worlds.store import open_world, save

HN = ("hn-frontpage", "https://news.ycombinator.com/news", "2022-05-15", "2022-06-05", 1.0)
DIGITALGOV = ("digitalgov-news", "https://digital.gov/", "2014-09-01", "2016-06-30", 32.0)
OPENBSD = ("openbsd-site", "http://www.openbsd.org/index.html", "2005-03-01", "2005-04-12", 1.0)
FORUM = (
    "forum",
    "https://leanprover-community.github.io/archive/index.html",
    "2024-10-01",
    "2024-10-22",
    1.0,
)
WEBS = {"hn": HN, "digitalgov": DIGITALGOV, "openbsd": OPENBSD, "forum": FORUM}
"""Recordings: their file, where they begin, from when to when, and how much faster than it was."""
GENERATED = "generated news"
PAGES = 6000
STRATEGIES = {
    "auto": 1,
    "foragers": 5,
    "wlrl-refresh": 5,
    "home-page": 1,
    "uniform": 1,
    "random-order": 5,
}
"""With how many seeds; one, where chance plays no part."""
BUDGETS = (2000, 8000)
WORST = 0.9
"""What auto must find everywhere at least of what the best of the others does."""


class Job(NamedTuple):
    """One crawl."""

    web: str
    path: Path
    budget: int
    strategy: str
    seed: int


class Found(NamedTuple):
    """News found, of all there was, and the median of its age when found, in hours."""

    news: int
    all: int
    delay: float
    cpu_ms: float


@dataclass
class Tally:
    """A ledger that keeps the ages of news."""

    ages: list[float] = field(default_factory=list)
    downloads: int = 0

    def append(self, visits: Sequence[Visit]) -> None:
        """Count some visits."""
        self.downloads += len(visits)
        self.ages += [visit.page.time - visit.page.born for visit in visits if visit.relevant]

    def read(self, start: int = 0) -> Iterator[Visit]:  # noqa: ARG002  nothing is kept
        """Return nothing: visits are not kept."""
        return iter(())

    def __len__(self) -> int:
        return self.downloads


def webs(scratch: Path) -> dict[str, Path]:
    """Return the evolving webs."""
    there = Path(os.environ.get("FORAGERS_WORLDS", scratch))
    found = {}
    for name, (stem, home, first, last, scale) in WEBS.items():
        warc = SHARED / "worlds" / f"{stem}.warc.gz"
        if not (there / name).exists() and warc.exists():
            days = tuple(datetime.fromisoformat(day).replace(tzinfo=UTC) for day in (first, last))
            window = days[0].timestamp(), days[1].timestamp()
            options = ImportOptions(evolving=True, window=window, time_scale=scale)
            import_world(scratch / name, [warc], options, partial(seeded, home=home))
            found[name] = scratch / name
        elif (there / name).exists():
            found[name] = there / name
    found[GENERATED] = scratch / "generated-news"
    save(generate("news", seed=1, pages=PAGES), found[GENERATED])
    return found


def seeded(archive: Archive, home: str) -> Archive:
    """Let a recording begin at its home page."""
    return replace(archive, seeds=read_seeds([home], archive.book, "seeds"))


def crawled(job: Job) -> Found:
    """Crawl a web from its beginning to its end."""
    archive = open_world(job.path)
    pace = (archive.end - archive.start) / job.budget
    brief = StrategyInputs(NoTopic(), np.random.default_rng(job.seed), new_within=DAY)
    tally = Tally()
    world = Budget(Recorded(archive, archive.start, pace), job.budget)
    before = process_time()
    crawl = Crawl(build(job.strategy, brief), world, Novelty(DAY), tally)
    crawl.begin()
    crawl.run()
    cost = 1000 * (process_time() - before) / max(1, len(tally))
    young = (archive.times > archive.start - DAY) & (archive.codes // 100 == 2)
    there = len(np.unique(archive.same_as[young]))
    delay = float(np.median(tally.ages)) / 3600 if tally.ages else np.nan
    return Found(len(tally.ages), there, delay, cost)


def line(name: str, found: Sequence[Found], best: float) -> str:
    """Return a row of the table."""
    news = np.array([one.news for one in found])
    spread = f" ± {news.std(ddof=1):,.0f}" if len(news) > 1 else ""
    return (
        f"| {name} | {news.mean():,.0f}{spread} | {news.mean() / found[0].all:.0%}"
        f" | {news.mean() / best:.2f} | {np.mean([one.delay for one in found]):.1f}"
        f" | {np.mean([one.cpu_ms for one in found]):.2f} |"
    )


def run() -> bool:
    """Crawl all webs in all ways, and print what was found."""
    most = int(os.environ.get("FORAGERS_SEEDS", 5))
    processes = int(os.environ.get("FORAGERS_PROCESSES", os.cpu_count() or 1))
    with TemporaryDirectory() as folder:
        jobs = [
            Job(web, path, budget, strategy, seed)
            for web, path in webs(Path(folder)).items()
            for budget in BUDGETS
            for strategy, seeds in STRATEGIES.items()
            for seed in range(min(seeds, most))
        ]
        with ProcessPoolExecutor(processes) as pool:
            found = dict(zip(jobs, pool.map(crawled, jobs), strict=True))
    return told(found)


def told(found: dict[Job, Found]) -> bool:
    """Print the tables, and say whether auto is nowhere much worse than the best of the others."""
    ratios = []
    for web, budget in dict.fromkeys((job.web, job.budget) for job in found):
        title = f"{web}, {budget:,} downloads"
        print(f"\n| {title} | news | of all | of the best other | delay h | ms |")
        print("|---|--:|--:|--:|--:|--:|")
        rows: dict[str, list[Found]] = {}
        for job, one in found.items():
            if (job.web, job.budget) == (web, budget):
                rows.setdefault(job.strategy, []).append(one)
        means = {name: np.mean([one.news for one in some]) for name, some in rows.items()}
        best = max(mean for name, mean in means.items() if name != "auto")
        for name in sorted(rows, key=lambda name: -means[name]):
            print(line(name, rows[name], float(best)))
        ratios.append(float(means["auto"] / best))
    mean = float(np.exp(np.mean(np.log(ratios))))
    said = f"{mean:.2f} times the best other on the mean, {min(ratios):.2f} at worst"
    print(f"\n   auto: {said}, aim >= {WORST}")
    return min(ratios) >= WORST


if __name__ == "__main__":
    sys.exit(0 if run() else 1)
