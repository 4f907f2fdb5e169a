"""Leave one site out: train on all others, crawl the one, for every site of a world in turn."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from foragers.comparison.study import Study
from foragers.comparison.work import crawl
from foragers.errors import UsageError
from foragers.measures import harvest
from foragers.processes import end_with
from foragers.run import Run
from foragers.topics.labels import LabelJudge
from foragers.training.lesson import Lesson
from foragers.types import Document, Ids, Outlink, UrlId
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

    def outlinks(self, version: int) -> Sequence[Outlink]:
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
class Site:
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

    `links` is how many links there are to follow in all, each address counted once; `targets` how
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


def crawl_site(site: Site, sites: Ids, spiders: dict[str, str]) -> list[SiteRun]:
    """Let every spider loose on a site that its model knows nothing of."""
    archive = open_world(site.world)
    study = study_of(archive, sites == site.number, site.seeds, np.array(site.rewards, np.int32))
    known = len(np.unique(study.archive.targets)) + len(site.seeds)
    site.ledgers.mkdir(parents=True, exist_ok=True)
    runs, links = [], 0
    for name, spec in spiders.items():
        run = Run(str(site.world), spec.replace("MODEL", str(site.model)), budget=known)
        ledger = site.ledgers / f"{name}.sqlite"
        ledger.unlink(missing_ok=True)
        facts = crawl(run, study, ledger)
        found = harvest.found(facts, study.truth)[facts.parents >= 0]
        # Breadth-first comes first and follows every link there is.
        links = links or max(len(found), 1)
        runs.append(SiteRun(site.name, name, found, links, len(site.rewards)))
    return runs


def crawl_all(
    todo: Sequence[Site], sites: Ids, spiders: dict[str, str], processes: int
) -> Iterator[list[SiteRun]]:
    """Give the runs of each site, in processes of their own where there are several."""
    if processes == 1 or len(todo) < 2:
        for site in todo:
            yield crawl_site(site, sites, spiders)
        return
    with ProcessPoolExecutor(
        min(processes, len(todo)), get_context("spawn"), end_with, (os.getpid(),)
    ) as pool:
        waiting = [pool.submit(crawl_site, site, sites, spiders) for site in todo]
        try:
            for future in as_completed(waiting):
                yield future.result()
        except BrokenProcessPool as error:
            raise UsageError("a worker process was killed; start the same command again") from error
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
