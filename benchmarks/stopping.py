"""How often the 90 % interval for the number of relevant pages holds, on webs it was not fitted on.

Crawls of recorded and generated webs by several strategies, judged by labels.  After 10, 25, 50,
75 and 100 % as many downloads as there are pages within reach, the estimate is compared with the
truth: all relevant pages that links lead to from the seeds.  The law is fitted anew for
each web on all the others, and so are the ends of its interval; auto has one of its own.  At the
end stand the laws fitted on all webs, which are those in `foragers.evaluation.metrics.recall`.

Webs are imported for the occasion; a folder of imported ones can be named with FORAGERS_WORLDS,
others to crawl besides with FORAGERS_MORE_WORLDS, and how many are crawled at once with
FORAGERS_PROCESSES.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from benchmarks.standings_worlds import generated, recorded
from benchmarks.stopping_law import Case, fitted, usable
from foragers.core.loop import Crawl, seed_visit
from foragers.core.options import ReplayOptions, Target
from foragers.core.types import Visit
from foragers.evaluation.comparison.study import Study, prepare
from foragers.evaluation.metrics.recall import (
    BY_STRATEGY,
    FITTED,
    Count,
    Law,
    RecallCounts,
    chao,
    chapman,
    combined,
    law_of,
    parts_of,
    samples,
)
from foragers.evaluation.metrics.sightings import Sightings
from foragers.judges.build import topic_of
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.registry import StrategyInputs, build
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded

MORE = os.environ.get("FORAGERS_MORE_WORLDS", "")
GENERATED = (("topics", 4000), ("departments", 4000), ("companies", 4000))
STRATEGIES = (
    "auto",
    "breadth-first",
    "random",
    "best-first",
    "spider(online=true)",
    "lafc",
    "wlrl",
)
AIMS = 3
KINDS = ("topic:", "class:", "target:", "kind:")
SHOWN = (0.1, 0.25, 0.5, 0.75, 1.0)
FITTED_AT = (0.03, 0.06, *SHOWN, 1.25)
LOOKS = tuple(sorted({*FITTED_AT, *(number / 20 for number in range(1, 31))}))
WANTED = (0.5, 0.8, 0.9)
"""The recalls at which a crawl is to stop."""
OWN = (False, True)
"""Whether a strategy has a law of its own."""
Laws = dict[tuple[str, bool], Law]
"""The law for a web, fitted on all others."""
HELD = 0.85
"""What share of intervals must hold on webs that the law was not fitted on, on the mean."""


@dataclass
class Looker:
    """Watches a crawl and looks at what can be told at fixed numbers of downloads."""

    truth: frozenset[int]
    at: dict[int, float]
    seen: Sightings = field(default_factory=Sightings)
    found: set[int] = field(default_factory=set)
    linked: Counter[int] = field(default_factory=Counter)
    looks: list[tuple[float, RecallCounts, int, Count, Count]] = field(default_factory=list)

    def watch(self, visits: Sequence[Visit]) -> None:
        """Take in visits, and look if it is time."""
        for visit in visits:
            self.seen.watch((visit,))
            if visit.page.final in self.truth and visit.page.version >= 0:
                self.found.add(visit.page.final)
            self.linked.update(set(visit.page.links.targets.tolist()))
            if self.seen.downloads in self.at:
                self.look(self.at[self.seen.downloads])

    def look(self, share: float) -> None:
        """Note what can be told now, and what is true."""
        met = Counter(self.linked[url] for url in self.seen.found)
        left = len(self.truth) - len(self.found)
        pair = chapman(*samples(self.seen)), chao(len(self.seen.found), met[1], met[2])
        self.looks.append((share, parts_of(self.seen), left, *pair))


def worlds(scratch: Path) -> dict[str, Path]:
    """Return the webs to crawl."""
    found = recorded(Path(os.environ.get("FORAGERS_WORLDS", scratch)))
    found |= {Path(name).name: Path(name) for name in MORE.split(",") if name}
    for kind, pages in GENERATED:
        found[f"generated {kind}"] = generated(scratch, kind, 1, pages)
    return found


def aims(study: Study, reach: frozenset[int]) -> list[str]:
    """Return a few labels of the pages within reach: a rare one, a frequent one, some between."""
    sizes = {}
    for name, urls in study.archive.labels.urls.items():
        size = len(reach & frozenset(urls.tolist()))
        if name.startswith(KINDS) and 15 <= size <= 0.5 * len(reach):
            sizes[name] = size
    ranked = sorted(sizes, key=lambda name: (sizes[name], name))
    places = np.linspace(0, len(ranked) - 1, min(AIMS, len(ranked))).astype(int)
    return [ranked[place] for place in places]


def cases_of(name: str, path: Path) -> list[Case]:
    """Crawl one web in all ways."""
    reach = prepare(ReplayOptions(str(path), "random")).reachable()
    found = []
    for aim in aims(prepare(ReplayOptions(str(path), "random")), reach):
        study = prepare(ReplayOptions(str(path), "random", aim=Target(relevant=aim)))
        truth = study.rewards() & reach
        for strategy in STRATEGIES:
            looker = Looker(truth, {round(share * len(reach)): share for share in LOOKS})
            crawl(strategy, study, looker)
            found += [Case(name, strategy, aim, *look) for look in looker.looks]
        print(f"   {name}: {aim}, {len(truth):,} pages", file=sys.stderr, flush=True)
    return found


def crawl(strategy: str, study: Study, looker: Looker) -> None:
    """Let a strategy crawl a web as long as the looker wants to look."""
    judge = deepcopy(study.judge)
    world = Budget(Recorded(study.archive), max(looker.at))
    brief = StrategyInputs(topic_of(judge), np.random.default_rng(0))
    work = Crawl(build(strategy, brief), world, judge, MemoryLedger())
    work.begin()
    looker.watch([seed_visit(world.seeds, world.now)])
    work.run(looker.watch)


class Held(NamedTuple):
    """Whether an interval held, by how much the estimate was wrong, and how wide it was."""

    held: bool
    above: bool
    error: float
    width: float


def tested(case: Case, law: Law) -> Held:
    """Compare an estimate with the truth."""
    told, truth = combined(case.parts, law), case.parts.found + case.left
    assert told.total is not None
    assert told.high is not None
    held = np.floor(told.low) <= truth <= np.ceil(told.high)
    error = abs(told.total - truth) / truth
    return Held(bool(held), truth > np.ceil(told.high), error, told.high / told.low)


def line(name: str, cases: Sequence[Case], laws: Laws, told: float) -> str:
    """Return a row of a table."""
    held = [tested(case, laws[case.world, case.strategy in BY_STRATEGY]) for case in cases]
    truths = [(case, case.parts.found + case.left) for case in cases]
    pair = np.mean([case.chapman.low <= truth <= case.chapman.high for case, truth in truths])
    chao_too_low = np.mean([case.chao.value <= truth for case, truth in truths])
    return (
        f"| {name} | {len(cases)} | {told:.0%} | {np.mean([one.held for one in held]):.0%}"
        f" | {np.mean([one.above for one in held]):.0%}"
        f" | {np.median([one.error for one in held]):.0%}"
        f" | {np.median([one.width for one in held]):.1f} | {pair:.0%} | {chao_too_low:.0%} |"
    )


def table(title: str, cases: Sequence[Case], key: Callable[[Case], str], laws: Laws) -> None:
    """Print how intervals held, by something."""
    columns = "estimates | given | held | truth above | error | width | Chapman | Chao"
    print(f"\n| {title} | {columns} |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name in [*dict.fromkeys(map(key, cases)), ""]:
        some = [case for case in cases if not name or key(case) == name]
        told = usable(some)
        if told:
            print(line(name or "all", told, laws, len(told) / len(some)))


def stops(cases: Sequence[Case], laws: Laws) -> None:
    """Print at what recall crawls would have stopped that were to stop at another."""
    print("\n| --until-recall | crawls | stopped | true recall: median | lowest tenth | reached |")
    print("|--:|--:|--:|--:|--:|--:|")
    crawls: dict[tuple[str, str, str], list[Case]] = {}
    for case in cases:
        crawls.setdefault((case.world, case.strategy, case.aim), []).append(case)
    for wanted in WANTED:
        recalls = []
        for looks in crawls.values():
            for case in looks:
                law = laws[case.world, case.strategy in BY_STRATEGY]
                told = combined(case.parts, law)
                if told.reaches(wanted, law_of(case.strategy)):
                    recalls.append(case.parts.found / max(1, case.parts.found + case.left))
                    break
        got = np.array(recalls)
        print(
            f"| {wanted:g} | {len(crawls)} | {len(got)} | {np.median(got):.0%}"
            f" | {np.quantile(got, 0.1):.0%} | {np.mean(got >= wanted):.0%} |"
        )


def processes() -> int:
    """Return how many webs are crawled at once."""
    return int(os.environ.get("FORAGERS_PROCESSES", os.cpu_count() or 1))


def run() -> bool:
    """Crawl all webs, and tell how often the interval held on each, fitted on the others."""
    with TemporaryDirectory() as folder, ProcessPoolExecutor(processes()) as pool:
        found = worlds(Path(folder))
        cases = [case for some in pool.map(cases_of, found, found.values()) for case in some]
    good = [case for case in usable(cases) if case.share in FITTED_AT]
    apart = {own: [case for case in good if (case.strategy in BY_STRATEGY) is own] for own in OWN}
    laws = {
        (name, own): fitted([case for case in some if case.world != name])
        for name in found
        for own, some in apart.items()
    }
    shown = [case for case in cases if case.share in SHOWN]
    table("web", shown, lambda case: case.world, laws)
    table("strategy", shown, lambda case: case.strategy, laws)
    table("downloads / pages", shown, lambda case: f"{case.share:.0%}", laws)
    stops(cases, laws)
    alone = [case for case in cases if case.strategy in BY_STRATEGY]
    table(
        "with auto", [case for case in alone if case.share in SHOWN], lambda case: case.world, laws
    )
    stops(alone, laws)
    print(f"\nfitted on all but auto: {fitted(apart[False])}\nin the package: {FITTED}")
    print(f"fitted on auto: {fitted(apart[True])}\nin the package: {BY_STRATEGY['auto']}")
    held = np.mean(
        [
            tested(case, laws[case.world, case.strategy in BY_STRATEGY]).held
            for case in usable(shown)
        ]
    )
    print(f"   intervals that held: {held:.1%}, aim >= {HELD:.0%}")
    return bool(held >= HELD)


if __name__ == "__main__":
    sys.exit(0 if run() else 1)
