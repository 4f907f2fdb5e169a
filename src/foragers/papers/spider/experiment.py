"""One world of the spider's experiment: all spiders on every site, trained on the others."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

import numpy as np

from foragers.core.display import counted
from foragers.core.models import save_model
from foragers.core.options import ReplayOptions, Target
from foragers.core.processes import in_processes
from foragers.core.types import Ids
from foragers.errors import UsageError
from foragers.evaluation.comparison.run import crawl
from foragers.evaluation.comparison.study import prepare
from foragers.evaluation.metrics import harvest
from foragers.papers.kept import kept, kept_file
from foragers.papers.request import PaperRequest, Progress
from foragers.papers.spider.future_work import Effects, effects
from foragers.papers.spider.numbers import (
    BREADTH_FIRST,
    FULL_PAGE,
    IMMEDIATE,
    OPTIMAL,
    RELATED,
    future,
)
from foragers.papers.spider.sites import (
    SiteRun,
    SpiderSite,
    has_many,
    share_wanted,
    sites_to_crawl,
    study_of,
)
from foragers.text.link_counts import LinkCounts
from foragers.training.lesson import Lesson
from foragers.training.link_examples import LinkExamples
from foragers.training.spider import SpiderTrainer
from foragers.training.validation import Accuracy, accuracies
from foragers.worlds.archive import Archive
from foragers.worlds.store import open_world

FORMAT = 1
"""Of what is kept of the crawls of a site; other formats are not read."""


class Kept(NamedTuple):
    """What is kept of a crawl, for a reproduction that is resumed."""

    spider: str
    found: list[int]
    links: int


def crawl_site(site: SpiderSite, sites: Ids, spiders: dict[str, str]) -> list[SiteRun]:
    """Let every spider loose on a site that its model knows nothing of, or read what it did."""
    model = blake2b(site.model.read_bytes(), digest_size=8).hexdigest()
    told = site.name, site.seeds, site.rewards, model, spiders
    file = kept_file(site.ledgers.parent.parent / "crawls", FORMAT, *told)

    def fits(_: list[Kept]) -> bool:
        return all((site.ledgers / f"{name}.sqlite").exists() for name in spiders)

    found = kept(file, list[Kept], lambda: crawls_of(site, sites, spiders), fits)
    return [
        SiteRun(site.name, one.spider, np.array(one.found, np.int64), one.links, len(site.rewards))
        for one in found
    ]


def crawls_of(site: SpiderSite, sites: Ids, spiders: dict[str, str]) -> list[Kept]:
    """Let every spider loose on a site."""
    archive = open_world(site.world)
    study = study_of(archive, sites == site.number, site.seeds, np.array(site.rewards, np.int32))
    known = len(np.unique(study.archive.targets)) + len(site.seeds)
    site.ledgers.mkdir(parents=True, exist_ok=True)
    runs, links = [], 0
    for name, spec in spiders.items():
        run = ReplayOptions(str(site.world), spec.replace("MODEL", str(site.model)), budget=known)
        ledger = site.ledgers / f"{name}.sqlite"
        ledger.unlink(missing_ok=True)
        facts = crawl(run, study, ledger)
        found = harvest.found(facts, study.truth)[facts.parents >= 0]
        # Breadth-first comes first and follows every link there is.
        links = links or max(len(found), 1)
        runs.append(Kept(name, found.tolist(), links))
    return runs


def crawl_all(
    todo: Sequence[SpiderSite], sites: Ids, spiders: dict[str, str], processes: int
) -> Iterator[list[SiteRun]]:
    """Give the runs of each site, in processes of their own where there are several."""
    work = partial(crawl_site, sites=sites, spiders=spiders)
    for _, runs in in_processes(work, todo, processes, remedy="start the same command again"):
        yield runs


ONLINE, ALONE, LIMITED = "online", "online, no model", "words limited"
NAMED, LONGEST = 5, 80
"""So many sites are named, and so many characters of their names are in those of files."""


def spiders() -> dict[str, str]:
    """Return all spiders by name, breadth-first first; MODEL stands for the file of a site."""
    found = {BREADTH_FIRST: "breadth-first", OPTIMAL: "optimal"}
    for text in (FULL_PAGE, RELATED):
        told = f"model='MODEL', text={text}"
        found[named(IMMEDIATE, text)] = f"rl-immediate({told})"
        for bins in (3, 4, 5):
            found[named(future(bins), text)] = f"rl-future({told}, bins={bins})"
        found[named(future(4), text, LIMITED)] = f"spider({told}, bins=4)"
        found[named(future(3), text, ONLINE)] = f"rl-future({told}, bins=3, online=true)"
        found[named(future(3), text, ALONE)] = f"rl-future(text={text}, bins=3)"
    return found


def named(spider: str, text: str, how: str = "") -> str:
    """Return the name of a spider that reads a text."""
    return ", ".join(part for part in (spider, text, how) if part)


@dataclass(frozen=True)
class Experiment:
    """What came of one world."""

    title: str
    runs: Sequence[SiteRun]
    accuracies: Sequence[Accuracy]
    tally: LinkCounts
    links: int
    pages: int
    passed_over: Mapping[str, str] = field(default_factory=dict)
    effects: Effects | None = None

    @property
    def sites(self) -> list[str]:
        """The sites that were crawled."""
        return list(dict.fromkeys(run.site for run in self.runs))

    @property
    def has_many(self) -> bool:
        """Whether there are many wanted pages a site, as among departments, or hardly any."""
        return has_many(run.targets for run in self.of(BREADTH_FIRST))

    @property
    def share(self) -> float:
        """The share of the wanted pages that is looked for: three quarters, or the first one."""
        return share_wanted(run.targets for run in self.of(BREADTH_FIRST))

    def of(self, spider: str) -> list[SiteRun]:
        """Return the runs of a spider, in the order of sites."""
        order = {site: place for place, site in enumerate(self.sites)}
        found = [run for run in self.runs if run.spider == spider]
        return sorted(found, key=lambda run: order[run.site])

    def followed(self, spider: str, share: float | None = None) -> list[float]:
        """Return per site the % of links followed before a share was found (nan: never)."""
        wanted = self.share if share is None else share
        found = [run.share_followed(wanted) for run in self.of(spider)]
        return [float("nan") if one is None else 100 * one for one in found]


def experiment(
    title: str,
    world: Path,
    archive: Archive,
    request: PaperRequest,
    aim: Target,
    progress: Progress,
) -> Experiment:
    """Train and crawl, site by site."""
    study = prepare(ReplayOptions(str(world), "", aim))
    with progress(f"{title}: judging", archive.pages) as meter:
        study.score(meter)
    lesson = Lesson.of(title, study)
    examples = SpiderTrainer().read([lesson], progress)
    passed_over: dict[str, str] = {}
    todo = prepared(lesson, world, examples, request.out / title, passed_over)
    if len(todo) < 2:
        why = f" ({told(passed_over)})" if passed_over else ""
        raise UsageError(
            f"--world {world}: {counted(len(todo), 'site')} can be crawled{why}, and one left out"
            " needs another to learn from; give a world with more"
        )
    runs: list[SiteRun] = []
    with progress(f"{title}: crawling sites", len(todo)) as meter:
        for done, found in enumerate(crawl_all(todo, lesson.sites, spiders(), request.jobs), 1):
            runs += found
            meter(done, found[0].site)
    names = [site.name for site in todo]
    runs.sort(key=lambda run: names.index(run.site))
    return Experiment(
        title,
        runs,
        accuracies(examples, (FULL_PAGE, RELATED)),
        examples.tally(),
        len(examples),
        len(lesson.pages),
        passed_over,
        effects(lesson, todo, progress),
    )


def told(passed_over: Mapping[str, str]) -> str:
    """Return which sites were passed over for which reasons, or how many."""
    by_reason: dict[str, list[str]] = {}
    for site, reason in passed_over.items():
        by_reason.setdefault(reason, []).append(site)
    return "; ".join(
        f"{reason}: {', '.join(sites) if len(sites) <= NAMED else counted(len(sites), 'site')}"
        for reason, sites in by_reason.items()
    )


def file_name(site: str, taken: Container[str]) -> str:
    """Return a name for the files of a site that no other site has."""
    plain = re.sub(r"[^\w.-]", "_", site).lstrip(".")[:LONGEST] or "site"
    names = chain([plain], (f"{plain}-{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def prepared(
    lesson: Lesson, world: Path, examples: LinkExamples, out: Path, passed_over: dict[str, str]
) -> list[SpiderSite]:
    """Train a model for each site that is to be crawled, on all the others."""
    found: list[SpiderSite] = []
    (out / "models").mkdir(parents=True, exist_ok=True)
    for number, study, wanted in sites_to_crawl(lesson, passed_over):
        name = file_name(lesson.site_names[number], [site.name for site in found])
        model = out / "models" / f"{name}.model"
        others = np.flatnonzero(examples.sites != number)
        save_model(examples.tally(others).model({"without": lesson.site_names[number]}), model)
        ledgers = out / "ledgers" / name
        seeds = study.archive.seeds
        found.append(
            SpiderSite(world.resolve(), name, number, seeds, wanted, model.resolve(), ledgers)
        )
    return found
