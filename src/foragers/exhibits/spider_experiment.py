"""One world of the spider's experiment: all spiders on every site, trained on the others."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path

import numpy as np

from foragers.comparison.study import prepare
from foragers.errors import UsageError
from foragers.exhibits.request import Progress, Request
from foragers.exhibits.spider_paper import (
    BREADTH_FIRST,
    FULL_PAGE,
    IMMEDIATE,
    OPTIMAL,
    RELATED,
    future,
)
from foragers.exhibits.spider_sites import Site, SiteRun, crawl_all, sites_to_crawl
from foragers.models import save_model
from foragers.reporting.plain import counted
from foragers.run import Aim, Run
from foragers.text.tally import Tally
from foragers.training.examples import Examples
from foragers.training.lesson import Lesson
from foragers.training.spider import Trainer
from foragers.training.validation import Accuracy, accuracies
from foragers.worlds.archive import Archive

ONLINE, ALONE, LIMITED = "online", "online, no model", "words limited"
MANY = 3
"""With more wanted pages a site than this, on average, 75 % of them are looked for, else one."""
NAMED, LONGEST = 5, 80
"""So many sites are named, and so many letters of their names are in those of files."""


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
    tally: Tally
    links: int
    pages: int
    passed_over: Mapping[str, str] = field(default_factory=dict)

    @property
    def sites(self) -> list[str]:
        """The sites that were crawled."""
        return list(dict.fromkeys(run.site for run in self.runs))

    @property
    def has_many(self) -> bool:
        """Whether there are many wanted pages a site, as among departments, or hardly any."""
        return float(np.mean([run.targets for run in self.of(BREADTH_FIRST)])) > MANY

    @property
    def share(self) -> float:
        """The share of the wanted pages that is looked for: three quarters, or the first one."""
        return 0.75 if self.has_many else 0.0

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
    title: str, world: Path, archive: Archive, request: Request, aim: Aim, progress: Progress
) -> Experiment:
    """Train and crawl, site by site."""
    study = prepare(Run(str(world), "", aim))
    with progress(f"{title}: judging", archive.pages) as meter:
        study.score(meter)
    lesson = Lesson.of(title, study)
    examples = Trainer().read([lesson], progress)
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
    )


def told(passed_over: Mapping[str, str]) -> str:
    """Say which sites were passed over for which reasons, or how many."""
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
    lesson: Lesson, world: Path, examples: Examples, out: Path, passed_over: dict[str, str]
) -> list[Site]:
    """Train a model for each site that is to be crawled, on all the others."""
    found: list[Site] = []
    (out / "models").mkdir(parents=True, exist_ok=True)
    for number, study, wanted in sites_to_crawl(lesson, passed_over):
        name = file_name(lesson.site_names[number], [site.name for site in found])
        model = out / "models" / f"{name}.model"
        others = np.flatnonzero(examples.sites != number)
        save_model(examples.tally(others).model({"without": lesson.site_names[number]}), model)
        ledgers = out / "ledgers" / name
        seeds = study.archive.seeds
        found.append(Site(world.resolve(), name, number, seeds, wanted, model.resolve(), ledgers))
    return found
