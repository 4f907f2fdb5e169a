"""A world and a target, prepared for crawling: the judge, and the relevant pages."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foragers.core.options import ReplayOptions
from foragers.core.protocols import Judge
from foragers.core.types import Choice, Ids, Page, UrlId
from foragers.errors import UsageError
from foragers.judges.build import build_judge, truth
from foragers.judges.novelty import Novelty
from foragers.worlds.archive import Archive, Labels
from foragers.worlds.labels import read_labels, read_seeds
from foragers.worlds.oracle import ArchiveOracle, final_urls, shown_versions
from foragers.worlds.replay import Recorded
from foragers.worlds.store import open_world

Scores = NDArray[np.float64]


@dataclass
class Scored:
    """A judge whose verdicts on most pages are computed beforehand."""

    judge: Judge
    scores: Scores

    @property
    def threshold(self) -> float:
        """The threshold of the judge behind it."""
        return self.judge.threshold

    def relevance(self, page: Page) -> float:
        """Return the relevance of a page, from the judge only if it was not computed."""
        score = self.scores[page.version] if page.version >= 0 else 0.0
        return self.judge.relevance(page) if np.isnan(score) else float(score)


@dataclass
class Study:
    """Everything that runs on the same world with the same target share.

    `judge` has learned from the world beforehand, so that all runs are judged alike.  `fresh` is
    the judge with which a live crawl begins, where that is another one: it learns as it goes.
    """

    archive: Archive
    judge: Judge
    truth: frozenset[UrlId] | None
    since: float | None
    scores: Scores | None = None
    fresh: Judge | None = None

    def __getstate__(self) -> dict[str, object]:
        """Leave out the archive, which another process opens itself."""
        kept = ("judge", "truth", "since", "scores", "fresh")
        archive = self.archive
        state = {name: getattr(self, name) for name in kept}
        path = None if archive.path is None else archive.path.resolve()
        return {**state, "place": (path, archive.seeds, archive.labels)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        path, seeds, labels = state.pop("place")
        self.archive = replace(open_world(path), seeds=seeds, labels=labels)
        self.__dict__.update(state)

    def judges_of(self, run: ReplayOptions) -> tuple[Judge, Judge]:
        """Return the judge of one run, and the same with what is computed beforehand.

        A polite run is judged as a live crawl would be.  A judge may have a state, so every run has
        its own.
        """
        if run.delay is not None and self.fresh is not None:
            judge = deepcopy(self.fresh)
            return judge, judge
        judge = deepcopy(self.judge)
        return judge, judge if self.scores is None else Scored(judge, self.scores)

    @property
    def open_ended(self) -> bool:
        """Whether the relevant pages depend on the time, so that no oracle can know them."""
        return self.since is not None

    def score(self, watch: Callable[[int], None] | None = None) -> None:
        """Judge every page that exists at the start, once for all runs."""
        if isinstance(self.judge, Novelty):
            return
        archive = self.archive
        scores = np.full(archive.versions, np.nan)
        world = Recorded(archive, self.since)
        pages = self.pages().tolist()
        for number, url in enumerate(pages):
            page = world.answer(Choice(url, archive.book.host(url)))
            scores[page.version] = self.judge.relevance(page)
            if watch:
                watch(number + 1)
        self.scores = scores

    def pages(self) -> Ids:
        """Return the URLs with a page at the start."""
        finals = final_urls(self.archive, shown_versions(self.archive, self.since))
        return np.flatnonzero(finals == np.arange(len(finals))).astype(np.int32)

    def rewards(self) -> frozenset[UrlId]:
        """Return the relevant pages, as far as they are known at the start."""
        if self.truth is not None:
            return self.truth & frozenset(self.pages().tolist())
        if self.scores is None:
            return frozenset()
        pages = self.pages()
        versions = self.archive.same_as[shown_versions(self.archive, self.since)[pages]]
        return frozenset(pages[self.scores[versions] >= self.judge.threshold].tolist())

    @cached_property
    def oracle(self) -> ArchiveOracle:
        """The oracle for the optimal strategy."""
        return ArchiveOracle(self.archive, self.rewards(), self.since)

    def reachable(self) -> frozenset[UrlId]:
        """Return the pages that can be reached from the seeds at the start."""
        oracle = self.oracle
        reached: dict[UrlId, None] = {}
        waiting: list[UrlId] = list(self.archive.seeds)
        seen = set(waiting)
        while waiting:
            final = oracle.final(waiting.pop())
            if final >= 0 and final not in reached:
                reached[final] = None
                fresh = [url for url in oracle.successors(final) if url not in seen]
                seen.update(fresh)
                waiting.extend(fresh)
        return frozenset(reached)


def prepare(run: ReplayOptions) -> Study:
    """Open the world of a run, with its seeds, labels and judge."""
    archive = open_world(Path(run.world))
    if run.labels:
        archive = replace(archive, labels=read_labels(Path(run.labels), archive.book))
    if run.seeds:
        archive = replace(archive, seeds=read_seeds(run.seeds, archive.book, "--seeds"))
    check_seeds(archive, run.since)
    archive = replace(archive, labels=settled(archive))
    relevant = truth(archive, run.aim.relevant) if run.aim.relevant else None
    judge = build_judge(run.aim, archive)
    learns = run.aim.topic is not None or run.aim.examples is not None
    fresh = build_judge(replace(run.aim, relevant=None)) if learns else None
    return Study(archive, judge, relevant, run.since, fresh=fresh)


def settled(archive: Archive) -> Labels:
    """Return the labels; one given to a URL that redirects belongs to the page behind it."""
    finals = final_urls(archive, archive.latest)
    return Labels(
        {
            name: np.unique(np.where(finals[urls] >= 0, finals[urls], urls))
            for name, urls in archive.labels.urls.items()
        }
    )


def first_moment(archive: Archive) -> str:
    """Say from when on a seed has a page, as a remedy."""
    for moment in seed_times(archive):
        finals = final_urls(archive, shown_versions(archive, moment))
        if any(finals[url] >= 0 for url in archive.seeds):
            return f"start with --since {datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return "give other --seeds"


def seed_times(archive: Archive) -> list[float]:
    """Return when versions of seeds appeared, in that order, up to whole seconds."""
    starts = archive.version_starts
    return sorted(
        {
            float(np.ceil(time))
            for url in archive.seeds
            for time in archive.times[starts[url] : starts[url + 1]].tolist()
        }
    )


def check_seeds(archive: Archive, since: float | None) -> None:
    """Raise a UsageError for a crawl that would end before it began."""
    finals = final_urls(archive, shown_versions(archive, since))
    if not any(finals[url] >= 0 for url in archive.seeds):
        first = archive.book.href(archive.seeds[0])
        if since is not None:
            raise UsageError(
                f"no seed has a page yet when the replay starts (the first is {first});"
                f" {first_moment(archive)}"
            )
        raise UsageError(
            f"no seed has a page in this world (the first is {first}); give others with --seeds"
        )
