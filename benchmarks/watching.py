"""New pages of evolving webs: how many are seen within an hour, and for how many requests.

All strategies have the same 500 requests a day, and the same tenth (below).  A page is new if it
appeared at least a day after the start; its delay counts from when it exists and links lead to it.
Hourly polling of everything would take 24 requests a day for every page, and all also run with a
tenth of that.  A watch has seen an article when it tells of it by its link, at the latest a minute
after the look, or when it fetched it; all others have when they fetched it.
FORAGERS_WEBS and FORAGERS_REQUESTS (500, 2000 or 0, a tenth) name a part of the table.
"feed" reads a perfect feed of the 20 newest pages, which no recorded web has, as often as it can.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from heapq import heappop, heappush
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.revisits import webs
from foragers.core.loop import Crawl
from foragers.core.protocols import Strategy, World
from foragers.core.types import Status, UrlId, Visit
from foragers.judges.simple import Everything
from foragers.judges.topic import NoTopic
from foragers.strategies.registry import StrategyInputs, build
from foragers.strategies.watch.forecast import Forecast, forecast
from foragers.strategies.watch.strategy import Watch
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget, Period
from foragers.worlds.replay import Recorded
from foragers.worlds.store import open_world

HOUR, DAY = 3600.0, 86400.0
WATCH, FEED, TENTH = "watch", "feed", 0
STRATEGIES = (WATCH, FEED, "home-page", "uniform", "wl", "wlrl-refresh", "foragers", "auto")
USUAL, MORE = 500, 2000
BUDGETS = (USUAL, MORE, TENTH)
ENTRIES = 20
ARTICLES = {
    "hn": r"/item\?id=\d+$",
    "digitalgov": r"/\d{4}/\d\d/\d\d/[^/]+/?$",
    "forum": r"/topic/",
    "generated news": r"/\d{4}/\d\d/\d\d/.*\.html$",
}
"""The URLs of articles, as a reader of each web would name them; all pages of the others."""
Times = NDArray[np.float64]


class Job(NamedTuple):
    """One watch."""

    web: str
    path: Path
    strategy: str
    requests: int


class Seen(NamedTuple):
    """What a watch came to; `promised` after its first two days."""

    requests: float
    pages: int
    within: float
    median: float
    found: float
    articles: float = 0.0
    promised: Forecast | None = None
    kept: float = 0.0
    fetched: float = 0.0
    wrong: float = 0.0
    """Share of the links that were told and lead to no new article."""


@dataclass
class FirstSeen:
    """A ledger that keeps when each page was first seen."""

    told: dict[UrlId, float] = field(default_factory=dict)
    """When an article was told by its link, before it was fetched."""
    times: dict[UrlId, float] = field(default_factory=dict)
    downloads: int = 0

    def append(self, visits: Sequence[Visit]) -> None:
        """Note some visits."""
        self.downloads += len(visits)
        for visit in visits:
            if visit.page.status is Status.OK:
                self.times.setdefault(visit.page.final, visit.page.time)

    def tell(self, strategy: Strategy) -> None:
        """Note the new articles that a watch tells of by their links, at the latest."""
        if isinstance(strategy, Watch):
            for link in strategy.book.news:
                site = strategy.sites[strategy.site_of_host(link.host)]
                if site.is_news(link):
                    self.told.setdefault(link.url, link.found + site.every)

    def seen(self, urls: NDArray[np.intp]) -> Times:
        """Return when pages were told or fetched."""
        both = (self.told, self.times)
        return np.array([min(one.get(int(url), np.inf) for one in both) for url in urls])

    def read(self, start: int = 0) -> Iterator[Visit]:  # noqa: ARG002  nothing is kept
        """Return nothing: visits are not kept."""
        return iter(())

    def __len__(self) -> int:
        return self.downloads


def appeared(archive: Archive) -> Times:
    """Return for every URL when its page could first be seen; infinity if never.

    It exists then, and a path of links leads to it from the seeds, along which every page could be
    seen when its link was there.
    """
    times, starts = archive.times, archive.version_starts
    urls = np.repeat(np.arange(len(archive.book)), np.diff(starts))
    there = archive.codes // 100 == 2
    moved = archive.codes // 100 == 3
    born = np.full(len(archive.book), np.inf)
    np.minimum.at(born, urls[there | moved], times[there | moved])
    ends = np.append(times[1:], np.inf)
    ends[starts[1:][np.diff(starts) > 0] - 1] = np.inf
    since: Times = np.full(len(archive.book), np.inf)
    heap = [(float(archive.start), int(seed)) for seed in archive.seeds]
    while heap:
        time, url = heappop(heap)
        time = max(time, born.item(url))
        if since[url] <= time or time == np.inf:
            continue
        since[url] = time
        for version in range(starts[url], starts[url + 1]):
            if ends[version] > time:
                shown = max(time, float(times[version]))
                first, last = archive.link_starts[version : version + 2]
                for target in archive.targets[first:last].tolist():
                    if since[target] > max(shown, born[target]):
                        heappush(heap, (max(shown, born.item(target)), target))
    is_page = np.zeros(len(archive.book), bool)
    is_page[urls[there]] = True
    since[~is_page] = np.inf
    return since


def watched(job: Job) -> Seen:
    """Watch a web from its beginning to its end."""
    archive = open_world(job.path)
    since = appeared(archive)
    span = (archive.end - archive.start) / DAY
    pages = int(np.isfinite(since).sum())
    requests = job.requests or int(pages * 24 / 10)
    new = np.flatnonzero((since > archive.start + DAY) & (since < archive.end - HOUR))
    if job.strategy == FEED:
        return seen_in_feed(since[new], requests, archive)
    inputs = StrategyInputs(NoTopic(), np.random.default_rng(0), new_within=DAY)
    spec = f"{WATCH}(requests={requests})" if job.strategy == WATCH else job.strategy
    strategy, ledger = build(spec, inputs), FirstSeen()
    world: World = Period(Recorded(archive, archive.start, 1.0, 2), archive.end)
    if job.strategy != WATCH:
        downloads = int(requests * span)
        pace = (archive.end - archive.start) / downloads
        world = Budget(Recorded(archive, archive.start, pace), downloads)
    crawl = Crawl(strategy, world, Everything(), ledger)
    crawl.begin()
    promised = None
    while crawl.step() is not None:
        ledger.tell(strategy)
        if promised is None and world.now > archive.start + 2 * DAY and isinstance(strategy, Watch):
            promised = forecast(strategy, 0, requests)
    delays = ledger.seen(new) - since[new]
    fetched = np.array([ledger.times.get(int(url), np.inf) for url in new]) - since[new]
    is_article = articles_of(job.web, archive, new)
    later = is_article & (since[new] > archive.start + 2 * DAY)
    told = np.array(list(ledger.told), np.intp)
    wrong = ~articles_of(job.web, archive, told) | (since[told] <= archive.start)
    return Seen(
        ledger.downloads / span,
        len(new),
        float(np.mean(delays <= HOUR)),
        float(np.median(delays)) / 60,
        float(np.isfinite(delays).mean()),
        float(np.mean(delays[is_article] <= HOUR)),
        promised,
        float(np.mean(delays[later] <= HOUR)),
        float(np.mean(fetched[is_article] <= HOUR)),
        float(np.mean(wrong)) if len(told) else 0.0,
    )


def articles_of(web: str, archive: Archive, urls: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which of some URLs are those of articles."""
    pattern = re.compile(ARTICLES.get(web, ""))
    return np.array([bool(pattern.search(archive.book.href(int(url)))) for url in urls], bool)


def seen_in_feed(since: Times, requests: int, archive: Archive) -> Seen:
    """Read a perfect feed of the newest pages, and fetch each of them once."""
    span = (archive.end - archive.start) / DAY
    reads = max(1.0, requests - len(since) / span)
    times = np.sort(since)
    looks = np.arange(archive.start, archive.end, max(60.0, DAY / reads))
    at = looks[np.minimum(np.searchsorted(looks, times), len(looks) - 1)]
    later = np.arange(len(times)) + ENTRIES
    lost = (later < len(times)) & (times[np.minimum(later, len(times) - 1)] <= at)
    delays = np.where(lost, np.inf, at - times)
    within = float(np.mean(delays <= HOUR))
    return Seen(
        min(requests, len(looks) / span + len(since) / span),
        len(since),
        within,
        float(np.median(delays)) / 60,
        float(np.isfinite(delays).mean()),
        within,
        fetched=within,
    )


def line(job: Job, seen: Seen) -> str:
    """Return a row of the table."""
    median = f"{seen.median:,.0f} min" if np.isfinite(seen.median) else "–"
    promise = ""
    if seen.promised is not None:
        low, high = seen.promised.low, seen.promised.high
        kept = "kept" if low <= seen.kept <= 1.0 else "not kept"
        promise = f"{seen.promised.share:.0%} ({low:.0%} to {high:.0%}): {seen.kept:.0%}, {kept}"
    asked = f"{job.requests:,}" if job.requests else "a tenth"
    return (
        f"| {job.web} | {asked} | {job.strategy} | {seen.requests:,.0f}"
        f" | {seen.articles:.1%} | {seen.fetched:.1%} | {seen.within:.1%}"
        f" | {median} | {seen.found:.0%} | {seen.wrong:.1%} | {promise} |"
    )


def run() -> bool:
    """Watch all webs in all ways, and print what was seen."""
    only = os.environ.get("FORAGERS_WEBS", "").split(",")
    processes = int(os.environ.get("FORAGERS_PROCESSES", os.cpu_count() or 1))
    budgets = [int(one) for one in os.environ.get("FORAGERS_REQUESTS", "").split(",") if one]
    budgets = budgets or list(BUDGETS)
    kept = []
    with TemporaryDirectory() as folder:
        found = webs(Path(folder))
        jobs = [
            Job(web, path, strategy, requests)
            for web, path in found.items()
            if web in only or only == [""]
            for requests in budgets
            for strategy in ((WATCH, FEED) if requests == MORE else STRATEGIES)
        ]
        print(
            "| web | requests a day | strategy | used | articles within 1 h | fetched | pages"
            " | median | seen | told wrongly | promise |"
        )
        print("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|---|")
        with ProcessPoolExecutor(processes) as pool:
            for job, seen in zip(jobs, pool.map(watched, jobs), strict=True):
                print(line(job, seen), flush=True)
                if seen.promised is not None:
                    kept.append(seen.kept >= seen.promised.low)
    print(f"\n   promises kept: {sum(kept)} of {len(kept)}, aim 9 of 10")
    return sum(kept) >= 0.9 * len(kept)


if __name__ == "__main__":
    sys.exit(0 if run() else 1)
