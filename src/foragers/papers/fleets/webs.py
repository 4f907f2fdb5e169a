"""Where the fleets of a paper forage: a web, as it is or rewired, and who is to be rewarded there.

A worker process is told only where a world lies and what is done to it; columns and states
it opens for itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from foragers.core.options import Target
from foragers.core.types import Choice, Links, Page, Status
from foragers.errors import UsageError
from foragers.judges.build import build_judge, truth
from foragers.papers.request import PaperRequest
from foragers.strategies.fleet.simulation.web import NewsRules, SimulatedWeb
from foragers.worlds.archive import Archive
from foragers.worlds.generated.news_pages import PAPER_DAYS, PAPER_PAGES
from foragers.worlds.generated.presets import generate
from foragers.worlds.oracle import final_urls, shown_versions
from foragers.worlds.replay import NO_IDS, VersionContent
from foragers.worlds.rewired import rewire
from foragers.worlds.states import states_of
from foragers.worlds.store import open_world, save

COHORT = 6 * 3600.0
"""In one of the rewired worlds links are exchanged only with links of the same six hours."""

FEWEST_PAGES, FEWEST_DAYS = 700, 0.25
"""A generated web is no smaller, however small the scale."""

LONGEST_DAYS = 45.0
"""Recordings that are longer are replayed at a slower pace."""

AS_IT_IS, REWIRED, COHORTS = "", "rewired", "cohorts"
VARIANTS = {
    AS_IT_IS: "as it is",
    REWIRED: "links permuted at random",
    COHORTS: "links permuted within six hours of their appearance",
}


AS_PAPERS = NewsRules()


@dataclass(frozen=True)
class Terrain:
    """A world on disk, what is done to its links, what counts as news, and what is wanted."""

    name: str
    path: Path
    variant: str = AS_IT_IS
    seed: int = 0
    rules: NewsRules = AS_PAPERS
    relevant: str | None = None
    topic: str | None = None
    share: float = 1.0

    @property
    def title(self) -> str:
        """The name of the world and what was done to it."""
        if not self.variant:
            return self.name
        part = "" if self.share == 1.0 else f"{self.share:g} of the "
        return f"{self.name}, {part}{VARIANTS[self.variant]}"

    @property
    def folder(self) -> str:
        """The name of a folder for what is found there."""
        return self.variant if self.share == 1.0 else f"{self.variant}-{self.share:g}"

    def archive(self) -> Archive:
        """Open the world, and rewire it if it is to be."""
        archive = open_world(self.path)
        if self.variant == AS_IT_IS:
            return archive
        return rewire(archive, self.seed, COHORT if self.variant == COHORTS else None, self.share)

    def ground(self) -> SimulatedWeb:
        """Make the world ready for fleets; the states are those of the texts, which stay."""
        return ground_of(self)


@lru_cache(maxsize=2)
def ground_of(terrain: Terrain) -> SimulatedWeb:
    """Make a world ready, once for all runs of a process that follow each other."""
    states = states_of(open_world(terrain.path))
    archive = terrain.archive()
    return SimulatedWeb.of(archive, states, terrain.rules, wanted=wanted_of(archive, terrain))


def wanted_of(archive: Archive, terrain: Terrain) -> NDArray[np.bool_] | None:
    """Return which versions are on topic, if new alone is not enough."""
    urls = np.repeat(np.arange(len(archive.book)), np.diff(archive.version_starts))
    if terrain.relevant is not None:
        return np.isin(urls, np.fromiter(truth(archive, terrain.relevant), np.int64))
    if terrain.topic is None:
        return None
    judge = build_judge(Target(topic=terrain.topic, similarity="keywords"))
    wanted = np.zeros(archive.versions, np.bool_)
    for version in np.flatnonzero(archive.same_as == np.arange(archive.versions)).tolist():
        page = page_of(archive, version, int(urls[version]))
        wanted[version] = judge.relevance(page) >= judge.threshold
    return np.asarray(wanted[archive.same_as])


def page_of(archive: Archive, version: int, url: int) -> Page:
    """Return a version as a judge sees it."""
    content = VersionContent(archive.texts, version)
    links = Links(NO_IDS, NO_IDS, archive.book, content)
    born = float(archive.times[version])
    choice = Choice(url, archive.book.host(url))
    return Page(choice, Status.OK, "", url, born, born, version, links, content)


def worlds_of(request: PaperRequest, most_days: float = inf) -> dict[str, Path]:
    """Return the worlds to work on by name; without any given, a news site is made up."""
    if not request.worlds:
        return {"news": made_up(request)}
    found: dict[str, Path] = {}
    for path in request.worlds:
        check(path, request, most_days)
        found[free_name(path.resolve().name, found)] = path
    return found


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return a name whose files are mistaken for no other world's, rewired or not."""
    others = {*VARIANTS, *(one for other in taken for one in names_of(other))}
    while not others.isdisjoint(names_of(name)):
        name += "-2"
    return name


def names_of(world: str) -> list[str]:
    """Return what a world and what is made of it are called in the names of files."""
    return [world, *(f"{world}-{variant}" for variant in VARIANTS if variant)]


def check(path: Path, request: PaperRequest, most_days: float) -> None:
    """Refuse a world in which nothing happens, or not where fleets start."""
    archive = open_world(path)
    if not archive.evolving:
        raise UsageError(
            f"--world {path}: does not change, and fleets look for news;"
            " import it with --evolving or --window"
        )
    if archive.end <= archive.start:
        raise UsageError(
            f"--world {path}: all of it was recorded at one moment, and fleets look for news;"
            " give a web that was recorded several times"
        )
    until = archive.start + days_of(request, archive, most_days) * 86_400.0
    finals = final_urls(archive, shown_versions(archive, until))
    if not any(finals[url] >= 0 for url in archive.seeds):
        raise UsageError(
            f"--world {path}: no seed has a page in the days that are replayed (the first is"
            f" {archive.book.href(archive.seeds[0])}); import it with other --seeds or a --window"
        )


def made_up(request: PaperRequest, name: str = "news", times: float = 1.0, **params: float) -> Path:
    """Generate the news site of the paper's size, or of a share of it, unless it is there.

    With other parameters it has another name; `times` is its size beside that of the usual one.
    """
    pages = max(FEWEST_PAGES, round(PAPER_PAGES * times * request.scale))
    days = max(FEWEST_DAYS, PAPER_DAYS * request.scale)
    path = request.out / "worlds" / f"{name}-{pages}-{days:g}d-seed{request.seed}"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        save(generate("news", seed=request.seed, pages=pages, days=days, **params), path)
    return path


def days_of(request: PaperRequest, archive: Archive, most: float = inf) -> float:
    """Return how many days of a world are replayed: all, or a share of a recorded one.

    Of a recording that is not replayed at a slower pace it is the first `most` days.
    """
    days = (archive.end - archive.start) / 86_400.0 * (request.scale if request.worlds else 1.0)
    return days if days > LONGEST_DAYS else min(days, most)


def stretch_of(days: float, paper_days: float) -> float:
    """Return how many times as long as the paper's everything takes that a fleet does.

    A recording of months or years is replayed with no more downloads than the paper made: they,
    slices and windows are stretched alike; what is new stays new for as long.
    """
    return 1.0 if days <= LONGEST_DAYS else days / paper_days
