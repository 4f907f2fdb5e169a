"""Sites as worlds of their own: what can be found on each, and what a crawl of it found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Document, Ids, ParsedLink, UrlId
from foragers.evaluation.comparison.study import Study
from foragers.evaluation.metrics import harvest
from foragers.judges.simple import LabelJudge
from foragers.training.lesson import Lesson
from foragers.worlds.archive import Archive, Body, Texts

Counts = NDArray[np.int64]

MANY = 3
"""With more wanted pages a site than this, on average, 75 % of them are looked for, else one."""
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


def has_many(targets: Iterable[int]) -> bool:
    """Return whether sites with so many wanted pages are like departments, or have hardly any."""
    return float(np.mean(list(targets))) > MANY


def share_wanted(targets: Iterable[int]) -> float:
    """Return the share of the wanted pages that is looked for: three quarters, or the first."""
    return 0.75 if has_many(targets) else 0.0


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
