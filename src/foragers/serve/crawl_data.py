"""What the pages show of a crawl, read from its folder and remembered until the ledger grows.

A thread reads what is new.  So a page never waits for a large ledger, and fifty readers cost no
more than one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from pathlib import Path
from sys import intern
from typing import NamedTuple

import numpy as np

from foragers.core.display import host_name
from foragers.core.options import Target
from foragers.core.types import Status
from foragers.crawling.channel.now import CrawlNow, read_now
from foragers.crawling.feedback import Remark, remark
from foragers.errors import DamagedError, UsageError
from foragers.evaluation.metrics.counts import downloaded
from foragers.evaluation.metrics.recall import Estimate
from foragers.evaluation.metrics.summary import Summary, part, summarise
from foragers.evaluation.plots.widths import at_both_widths
from foragers.judges.build import build_judge, teachable
from foragers.judges.words import Standing
from foragers.reports import figures
from foragers.reports.crawl_folder import CrawlFolder, CrawlRecord, database_of, opened
from foragers.reports.explain import Explanation, Leaps, PathStep, steps
from foragers.reports.figures import estimate_of, standing_of, stored_estimate
from foragers.reports.retell import FromLedger, aim_of
from foragers.serve.explaining import Explainer
from foragers.serve.page_index import PageEntry, PageIndex, SearchIndex
from foragers.serve.postgres_index import search_in
from foragers.serve.settings import ServeSettings
from foragers.storage.ledger.checking import Checked
from foragers.storage.ledger.columns import FACT_COLUMNS, Facts

NEW_ROWS = f"""
SELECT number, host, reason, {", ".join(FACT_COLUMNS)} FROM visits
WHERE number > ? AND number <= ? ORDER BY number LIMIT ?
"""
NAME = """
SELECT urls.href FROM visits LEFT JOIN urls ON urls.id = visits.url WHERE number = ?
"""
STEP = 20_000
FIRST, LAST = 3, 12
"""The number of steps shown at each end of a long way."""


@dataclass(frozen=True)
class Snapshot:
    """A crawl at one moment."""

    length: int
    record: CrawlRecord
    summary: Summary
    facts: Facts
    now: CrawlNow | None = None
    estimate: Estimate | None = None
    standing: Standing | None = None

    @property
    def is_running(self) -> bool:
        """Whether the crawl seems to run."""
        return self.now is not None and self.now.is_alive(time.time())

    @cached_property
    def downloads(self) -> Facts:
        """The visits that cost budget."""
        return part(self.facts, downloaded(self.facts))

    @cached_property
    def leaps(self) -> Leaps:
        """From which page the crawl came to each."""
        facts = self.facts
        return Leaps(
            np.arange(1, len(facts) + 1),
            facts.urls.astype(np.int64),
            facts.finals.astype(np.int64),
            facts.parents.astype(np.int64),
            (facts.statuses == Status.SKIPPED.value).astype(np.int64),
        )

    @cached_property
    def harvest(self) -> str:
        """The picture of pages found over downloads, as SVG."""
        if not self.summary.downloads:
            return ""
        return at_both_widths(lambda width: figures.harvest(self.downloads, width))

    @cached_property
    def harvest_by_time(self) -> str:
        """The picture of pages found over the clock, as SVG."""
        if self.summary.downloads < 2:
            return ""
        return at_both_widths(lambda width: figures.harvest_by_time(self.downloads, width))

    @property
    def lessons(self) -> Sequence[str]:
        """What the strategy has learned, in words."""
        return self.now.lessons if self.now is not None else ()


class WayTo(NamedTuple):
    """The link through which a crawl came to a page, the page before, and the promise it had."""

    link: str
    before: str
    promise: float


@dataclass
class CrawlData:
    """A crawl folder, read again when it has grown."""

    path: Path
    settings: ServeSettings = field(default_factory=ServeSettings)
    _snapshot: Snapshot | None = None
    _index: SearchIndex | None = None
    _looked: float = -inf
    _facts: Facts = field(default_factory=lambda: Facts.from_rows([]))
    _hosts: list[str] = field(default_factory=list)
    _reasons: list[str] = field(default_factory=list)
    _names: dict[int, str] = field(default_factory=dict)
    _sound: Checked = field(default_factory=Checked)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _explainer: Explainer = field(init=False)
    _ways: dict[int, WayTo] = field(default_factory=dict)
    _estimated: tuple[int, Estimate | None] = (-1, None)
    _ended: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __post_init__(self) -> None:
        self._explainer = Explainer(self.reading, self.settings)

    @property
    def index(self) -> SearchIndex:
        """The pages that can be searched."""
        if self._index is None:
            raise UsageError("the crawl was not read yet")
        return self._index

    @property
    def latest(self) -> Snapshot:
        """The crawl as it was read last."""
        return self._snapshot if self._snapshot is not None else self.look()

    def open(self) -> None:
        """Read the crawl once, and go on reading what is new."""
        self.look(self.settings.at_first)
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Remove what was made for the pages."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        with self._lock:
            if self._index is not None:
                self._index.close()
                self._index = None

    def _follow(self) -> None:
        """Read what is new, until the server ends."""
        pause = self.settings.refresh
        while not self._ended.wait(pause):
            began = time.monotonic()
            try:
                self._looked = -inf
                self.look(self.settings.at_first)
            except UsageError:  # the ledger is being replaced, or was removed
                pause = self.settings.refresh
                continue
            took = time.monotonic() - began
            is_behind = self._index is not None and self._index.last < self.latest.length
            pause = 0.0 if is_behind else max(self.settings.refresh, took / self.settings.cost)

    def look(self, seconds: float = inf) -> Snapshot:
        """Return the crawl as it is now, at most a few seconds old; index for some seconds."""
        with self._lock:
            now = time.monotonic()
            if self._snapshot is not None and now - self._looked < self.settings.refresh:
                return self._snapshot
            self._looked = now
            try:
                with opened(self.path, self._sound) as folder:
                    return self._read(folder, seconds)
            except DamagedError as error:
                raise UsageError(str(error)) from error

    def _read(self, folder: CrawlFolder, seconds: float) -> Snapshot:
        if folder.length < len(self._facts):  # it has begun anew
            self._forget()
        if self._index is None:
            self._index = self._new_index()
        before, record, now = self._snapshot, folder.told(), read_now(folder.path)
        if before is None or before.length != folder.length or before.record != record:
            self._add(folder)
            summary = summarise(self._facts, self._hosts, self._reasons)
        else:
            summary = before.summary
        current = Snapshot(
            folder.length, record, summary, self._facts, now,
            self._estimate(folder, now), self._standing(folder, now),
        )  # fmt: skip
        if before is not None and before.facts is current.facts:  # the pictures are the same
            for name in ("downloads", "leaps", "harvest", "harvest_by_time"):
                if name in vars(before):
                    vars(current)[name] = vars(before)[name]
        self._snapshot = current
        self._index.add(folder, seconds)
        return current

    def _new_index(self) -> SearchIndex:
        """Return an empty index: in the database of the ledger if that is possible."""
        place = database_of(self.path)
        found = search_in(place, self.settings) if place else None
        return PageIndex(self.settings) if found is None else found

    def _forget(self) -> None:
        """Begin anew with a crawl that has."""
        if self._index is not None:
            self._index.close()
        self._index, self._snapshot = None, None
        self._facts = Facts.from_rows([])
        self._hosts, self._reasons = [], []
        self._names.clear()
        self._ways = {}
        self._sound.visits, self._sound.urls = 0, -1
        self._explainer = Explainer(self.reading, self.settings)

    def _add(self, folder: CrawlFolder) -> None:
        """Read the visits since the last time."""
        parts, last = [self._facts], len(self._facts)
        while rows := folder.connection.execute(NEW_ROWS, (last, folder.length, STEP)).fetchall():
            parts.append(Facts.from_rows([tuple(row)[3:] for row in rows]))
            for number, host, reason, *_ in rows:
                if host not in self._names:
                    (href,) = folder.connection.execute(NAME, (number,)).fetchone()
                    self._names[host] = host_name(href or "") or f"host {host}"
                self._hosts.append(self._names[host])
                self._reasons.append(intern(reason))
            last = rows[-1]["number"]
        if len(parts) > 1:
            self._facts = Facts.joined(parts)

    def _estimate(self, folder: CrawlFolder, now: CrawlNow | None) -> Estimate | None:
        """Return the estimate of the crawl itself; a small one without any is replayed."""
        if now is not None and now.is_alive(time.time()):
            return now.estimate
        known, estimate = stored_estimate(folder)
        if known:
            return estimate
        if folder.length > self.settings.estimated:
            return now.estimate if now is not None else None
        if self._estimated[0] != folder.length:
            self._estimated = folder.length, estimate_of(folder)
        return self._estimated[1]

    def _standing(self, folder: CrawlFolder, now: CrawlNow | None) -> Standing | None:
        stored = standing_of(folder)
        return now.judge if stored is None and now is not None else stored

    @contextmanager
    def reading(self) -> Iterator[CrawlFolder]:
        """Open the folder for a reader, whose rows were checked before."""
        with opened(self.path, replace(self._sound)) as folder:
            yield folder

    @property
    def learns(self) -> bool:
        """Whether the judge of the crawl learns from what readers say."""
        with self.reading() as folder:
            aim = aim_of(folder)
        return aim != Target() and teachable(build_judge(aim)) is not None

    def say(self, number: int, more: bool) -> PageEntry:
        """Tell the crawl that pages like one are wanted, or are not."""
        page = self.index.get(number)
        if page is None:
            raise UsageError("there is no such page")
        if not self.learns:
            raise UsageError("the judge of this crawl does not learn from pages")
        remark(self.path, Remark(page.url, number, more))
        return page

    def path_to(self, number: int) -> tuple[list[PathStep], int]:
        """Return the way of the crawl from a seed to a visit, and the number of steps left out."""
        leaps = self.latest.leaps
        if not 1 <= number <= len(leaps.numbers):
            return [], 0
        whole = leaps.path(number - 1)
        path = whole if len(whole) <= FIRST + LAST else whole[:FIRST] + whole[-LAST:]
        ordinals = leaps.ordinals
        counts = {one: int(ordinals[one - 1]) for one in path}
        with self.reading() as folder:
            found = list(steps(folder, path, FromLedger(folder), counts))
        return found, len(whole) - len(path)

    def ways(self, numbers: Sequence[int]) -> dict[int, WayTo]:
        """Return how the crawl came to each of some pages."""
        found = {number: self._ways[number] for number in numbers if number in self._ways}
        missing = [number for number in numbers if number not in found]
        if missing:
            leaps = self.latest.leaps
            with self.reading() as folder:
                telling = FromLedger(folder)
                for number in missing:
                    last = leaps.path(number - 1, 2)
                    *before, page = steps(folder, last, telling, dict.fromkeys(last, 0))
                    source = before[0].title or before[0].final_url if before else ""
                    found[number] = WayTo(page.anchor or "", source, page.promise)
        if len(self._ways) + len(missing) > self.settings.ways:
            self._ways = {}
        self._ways |= found
        return found

    def explained(self, url: str, wait: float = 0.0) -> Explanation | None:
        """Return why a page was fetched; None if that is still being worked out."""
        return self._explainer.ask(url, self.latest.length, wait)


def reasons_of(summary: Summary, statuses: Sequence[str]) -> list[tuple[str, int]]:
    """Return the reasons of some outcomes with their numbers, the most frequent first."""
    return [
        (one.reason or one.status, one.count) for one in summary.outcomes if one.status in statuses
    ]
