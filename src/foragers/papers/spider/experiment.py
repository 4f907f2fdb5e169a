"""Leave one site out: train on all others, crawl the one, for every site of a world in turn.

One world of the spider's experiment: all spiders on every site, trained on the others.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from foragers.core.display import counted
from foragers.core.models import save_model
from foragers.core.options import ReplayOptions, Target
from foragers.core.processes import in_processes
from foragers.core.types import Document, Ids, ParsedLink, UrlId
from foragers.errors import UsageError
from foragers.evaluation.comparison.run import crawl
from foragers.evaluation.comparison.study import Study, prepare
from foragers.evaluation.metrics import harvest
from foragers.judges.simple import LabelJudge
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
from foragers.text.link_counts import LinkCounts
from foragers.training.lesson import Lesson
from foragers.training.link_examples import LinkExamples
from foragers.training.spider import SpiderTrainer
from foragers.training.validation import Accuracy, accuracies
from foragers.worlds.archive import Archive, Body, Texts
from foragers.worlds.store import open_world

Counts = NDArray[np.int64]

FEWEST_PAGES = 15
"""Sites from whose seeds fewer pages can be reached are not crawled: there is nothing to choose."""


@dataclass(frozen=True)
class SomeTexts:
    """Texts of which only some links are shown."""

    texts: Texts
    shown: NDArray[np.bool_]
    starts: NDArray[np.int64]

    kind: ClassVar[str] = "some"

    def save(self, folder: Path) -> None:
        """Save the texts with all their links."""
        self.texts.save(folder)

    def document(self, version: int) -> Document:
        """Return what a version says."""
        return self.texts.document(version)

    def outlinks(self, version: int) -> Sequence[ParsedLink]:
        """Return those of a version's links that are shown."""
        shown = self.shown[self.starts[version] : self.starts[version + 1]].tolist()
        links = self.texts.outlinks(version)
        return [link for link, wanted in zip(links, shown, strict=True) if wanted]

    def body(self, version: int) -> Body:
        """Return the bytes of a version."""
        return self.texts.body(version)


def only(archive: Archive, urls: NDArray[np.bool_], seeds: tuple[UrlId, ...]) -> Archive:
    """Return a world in which links lead to some URLs only, as if there were no others."""
    shown = urls[archive.targets]
    starts = np.concatenate(([0], np.cumsum(shown)))[archive.link_starts]
    return replace(
        archive,
        link_starts=starts.astype(np.int64),
        targets=np.ascontiguousarray(archive.targets[shown]),
        texts=SomeTexts(archive.texts, shown, np.asarray(archive.link_starts)),
        seeds=seeds,
    )


@dataclass(frozen=True)
class SpiderSite:
    """A site to be crawled: its URLs by number, where a crawl begins, what is wanted, its model."""

    world: Path
    name: str
    number: int
    seeds: tuple[UrlId, ...]
    rewards: tuple[UrlId, ...]
    model: Path
    ledgers: Path


@dataclass(frozen=True)
class SiteRun:
    """One crawl of a site: how many wanted pages were found after each link that was followed.

    `links` is how many links there are to follow in all, each URL counted once; `targets` how
    many wanted pages can be found.
    """

    site: str
    spider: str
    found: Counts
    links: int
    targets: int

    def share_followed(self, share: float) -> float | None:
        """Return the share of the links that were followed before a share of targets was found."""
        wanted = max(1, int(np.ceil(share * self.targets - 1e-9)))
        followed = harvest.downloads_until(self.found, wanted)
        return None if followed is None else followed / self.links

    def on(self, grid: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the share of targets found after each share of the links."""
        ends = np.minimum((grid * self.links).astype(np.int64), len(self.found))
        held = np.concatenate(([0], self.found))[ends]
        return held / max(self.targets, 1)


def sites_to_crawl(
    lesson: Lesson, passed_over: dict[str, str]
) -> Iterator[tuple[int, Study, tuple[UrlId, ...]]]:
    """Give the sites that can be crawled; note why the others are passed over."""
    for number in np.unique(lesson.sites[lesson.pages]).tolist():
        urls = lesson.sites == number
        seeds = tuple(url for url in lesson.archive.seeds if urls[url])
        if not seeds:
            passed_over[lesson.site_names[number]] = "no seed"
            continue
        study = study_of(lesson.archive, urls, seeds, lesson.rewards)
        reachable = study.reachable()
        starts = {study.oracle.final(seed) for seed in seeds}
        wanted = (study.rewards() & reachable) - starts
        if not wanted:
            passed_over[lesson.site_names[number]] = "nothing wanted within reach"
        elif len(reachable) < FEWEST_PAGES:
            passed_over[lesson.site_names[number]] = f"fewer than {FEWEST_PAGES} pages within reach"
        else:
            yield number, study, tuple(sorted(wanted))


def study_of(
    archive: Archive, urls: NDArray[np.bool_], seeds: tuple[UrlId, ...], rewards: Ids
) -> Study:
    """Return one site as a world of its own."""
    wanted = frozenset(rewards[urls[rewards]].tolist())
    return Study(only(archive, urls, seeds), LabelJudge(wanted), wanted, None)


def crawl_site(site: SpiderSite, sites: Ids, spiders: dict[str, str]) -> list[SiteRun]:
    """Let every spider loose on a site that its model knows nothing of."""
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
        runs.append(SiteRun(site.name, name, found, links, len(site.rewards)))
    return runs


def crawl_all(
    todo: Sequence[SpiderSite], sites: Ids, spiders: dict[str, str], processes: int
) -> Iterator[list[SiteRun]]:
    """Give the runs of each site, in processes of their own where there are several."""
    work = partial(crawl_site, sites=sites, spiders=spiders)
    for _, runs in in_processes(work, todo, processes, remedy="start the same command again"):
        yield runs


ONLINE, ALONE, LIMITED = "online", "online, no model", "words limited"
MANY = 3
"""With more wanted pages a site than this, on average, 75 % of them are looked for, else one."""
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
        effects(lesson, progress),
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
