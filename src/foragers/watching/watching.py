"""A watch in its folder: a crawl that does not end, and what is told about it.

    DIR/events.jsonl        new, changed and removed pages, and alarms, one a line
    DIR/feed.atom, .json    the newest events, for feed readers
    DIR/status.json         counts, delays, promises, next looks
    DIR/watch.json          how far the ledger was looked through, and how many events were told

and the files of a crawl (see `crawling.session`).
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Self

import msgspec
import numpy as np

from foragers.core.display import plain
from foragers.core.files import read, write
from foragers.core.options import Target
from foragers.core.types import Status, UrlId, Visit
from foragers.crawling.options import options_in_folder
from foragers.crawling.session import Session
from foragers.crawling.settings import SessionSettings
from foragers.errors import UsageError
from foragers.judges.build import build_judge
from foragers.judges.novelty import DAY
from foragers.judges.simple import Everything
from foragers.storage.storing import storing
from foragers.strategies.watch.forecast import Forecast, forecast
from foragers.strategies.watch.hearing import HUB
from foragers.strategies.watch.sites import Waiting
from foragers.strategies.watch.strategy import LOOK, Watch
from foragers.urls.parse import host_of, site_of
from foragers.watching.account import HOUR, account_of, today
from foragers.watching.alarms import Alarms, Trouble
from foragers.watching.differences import MainTexts
from foragers.watching.events import Event, EventKind, Findings, settled
from foragers.watching.feeds import MOST_ENTRIES, write_feeds
from foragers.watching.freshness import Freshness, SiteFreshness
from foragers.watching.outbox import Outbox, Schedule, Sent, channels_of, template_of
from foragers.watching.recent import RecentRequests
from foragers.watching.status import NextLook, SiteStatus, WatchStatus, write_status
from foragers.watching.watch_options import (
    SiteOptions,
    WatchOptions,
    crawl_options,
    session_settings,
    sites_of,
)
from foragers.watching.websub import WebSub, listening

EVENTS, STATE = "events.jsonl", "watch.json"
FEED_EVERY, STATUS_EVERY, SILENCE_EVERY = 2.0, 10.0, 300.0
"""Seconds between two feeds, two states and two searches for silent sites, at least."""
PRUNE_EVERY = 3600.0
MOST_REMEMBERED = 20_000
"""Events in memory, for the account."""
FIRST_PROMISE, FIRST_HOURS, PROBE = 5, 12, 300.0
"""New pages of a site, or hours, after which its promise is printed; seconds to wait at least."""
PATIENCE = 30.0
"""Seconds for which a new link waits to be fetched before it is reported, if there are requests."""
AT_ONCE = 10
"""Promises made anew at a time."""
NO_PROMISES = (None, None)


class WatchState(msgspec.Struct, frozen=True):
    """How far a watch has come: visits looked through, messages sent, and what is wrong."""

    visits: int = 0
    sent: dict[str, Sent] = {}
    troubles: dict[str, list[Trouble]] = {}


@dataclass
class Watching:
    """A watch, new or resumed; `Watching.open` makes one."""

    options: WatchOptions
    sites: list[SiteOptions]
    folder: Path
    session: Session
    strategy: Watch
    findings: Findings
    outbox: Outbox
    say: Callable[[str], None]
    emit: Callable[[Event], None]
    events: deque[Event] = field(default_factory=lambda: deque(maxlen=MOST_REMEMBERED))
    count: int = 0
    new: int = 0
    visits: int = 0
    alarms: Alarms = field(default_factory=Alarms)
    looks: SiteFreshness = field(default_factory=SiteFreshness)
    requests: deque[tuple[float, int]] = field(default_factory=deque)
    withdrawn: int = 0
    websub: WebSub | None = None
    recent: RecentRequests = field(default_factory=RecentRequests)
    _links: dict[UrlId, Waiting] = field(default_factory=dict)
    """New links that may be reported before they are fetched."""
    _promised: dict[int, Forecast] = field(default_factory=dict)
    _feed_at: float = 0.0
    _status_at: float = 0.0
    _silence_at: float = 0.0
    _prune_at: float = 0.0
    _is_dirty: bool = True
    _forecasts: dict[int, tuple[Forecast | None, Forecast | None]] = field(default_factory=dict)
    _forecast_at: dict[int, float] = field(default_factory=dict)

    @classmethod
    def open(
        cls,
        options: WatchOptions,
        folder: Path,
        say: Callable[[str], None],
        emit: Callable[[Event], None],
        settings: SessionSettings | None = None,
    ) -> Watching:
        """Start a watch in a folder, or resume the one in it."""
        options.check()
        sites = sites_of(options)
        channels, template = channels_of(options), template_of(options.template)
        crawl = crawl_options(options, sites)
        check_same(folder, crawl.strategy)
        topics = {
            host_of(site.site if "://" in site.site else f"http://{site.site}"): build_judge(
                Target(topic=site.topic)
            )
            for site in sites
            if site.topic
        }
        with ExitStack() as opened:  # stops to listen if the watch cannot begin
            websub = listening(options, folder, crawl.agent)
            if websub is not None:
                opened.callback(websub.close)
            session = Session.open(crawl, folder, settings=settings or session_settings())
            opened.pop_all()
        if websub is not None:
            session.live.take_hubs()
        strategy = session.crawl.strategy
        assert isinstance(strategy, Watch)
        state = state_in(folder)
        known = events_in(folder, repair=True)
        outbox = Outbox(channels, Schedule.of(options), template)
        outbox.restore(known, state.sent, time.time())
        facts = session.ledger.facts()
        began = float(facts.times[0]) if len(facts.times) else time.time()
        recorder = session.recorder
        texts = MainTexts(None if recorder is None else recorder.folder)
        findings = Findings(session.ledger, began, options.changes, topics, texts, session.table)
        watching = cls(
            options, sites, folder, session, strategy, findings, outbox, say, emit, websub=websub,
        )  # fmt: skip
        watching._restore(known, state)
        return watching

    def _restore(self, known: list[Event], state: WatchState) -> None:
        """Take up where the watch was left."""
        self.events.extend(known)
        self.count = len(known)
        self.new = sum(one.event is EventKind.NEW for one in known)
        self.withdrawn = sum(one.event is EventKind.WITHDRAWN for one in known)
        self._links.update(self.strategy.book.fresh)
        last = max([state.visits, *(one.visit for one in known[-1:])])
        last = min(last, len(self.session.ledger))
        facts = self.session.ledger.facts()
        before = facts.ok[:last]
        self.findings.seen.update(facts.finals[:last][before].tolist())
        self.findings.restore(known)
        self.findings.articles.update(self.strategy.sources.reports())
        for one in known:
            if one.event is EventKind.NEW:
                self.alarms.published(one.site, one.found)
        self.alarms.restore(state.troubles)
        for moment, status in zip(
            facts.times[-MOST_REMEMBERED:].tolist(), facts.statuses[-MOST_REMEMBERED:], strict=True
        ):
            self.alarms.wake(moment)
            if status != Status.SKIPPED.value:
                self.requests.append((moment, 0))
        self.visits = last
        for number, visit in enumerate(self.session.ledger.read(last), last + 1):
            self._look(number, visit)

    def run(self, view: Callable[[Watching], None] | None = None) -> str:
        """Watch until it is stopped, and return why."""

        def see(visits: Sequence[Visit]) -> None:
            self.see(visits)
            if view is not None:
                view(self)

        return self.session.run(see)

    def see(self, visits: Sequence[Visit]) -> None:
        """Look through some visits, and do what is due."""
        for visit in visits:
            self._look(self.visits + 1, visit)
        if self.tells:
            self._announce(time.time())
        for line in self.session.notices():
            self.say(line)
        for line in self.outbox.take_problems():
            self.say(line)
        now = time.time()
        if self.websub is not None:
            self._hear(self.websub, now)
        self._promise()
        self.outbox.send(now)
        if now >= self._silence_at or now < self._silence_at - 2 * SILENCE_EVERY:
            self._silence_at = now + SILENCE_EVERY
            for site, _, told in list(self.alarms.silent(now)):
                self._alarm(site, told, now)
        if self._is_dirty and abs(now - self._feed_at) >= FEED_EVERY:
            self.write_feeds(now)
        if abs(now - self._status_at) >= STATUS_EVERY:
            self._status_at = now
            self.write_status(now)
        if self.options.kept and abs(now - self._prune_at) >= PRUNE_EVERY:
            self._prune_at = now
            self._prune(now - self.options.kept)

    def _look(self, number: int, visit: Visit) -> None:
        """Look through one visit."""
        self.visits = number
        page = visit.page
        if page.status is not Status.SKIPPED:
            self.requests.append((page.time, 0))
        href = self.session.table.href(page.choice.url)
        site = site_of(host_of(href))
        if page.choice.agent in (LOOK, HUB):
            self.looks.see(site, visit)
        for _, told in list(self.alarms.see(site, visit)):
            self._alarm(site, told, page.time)
        event = self.findings.look(number, visit, self.strategy.links.get(page.choice.url))
        self.recent.see(visit, href, event, self.strategy.book.news)
        if event is not None:
            self._add(event)

    def _hear(self, websub: WebSub, now: float) -> None:
        """Subscribe at the hubs that feeds announce, and look at the feeds that hubs tell of."""
        table = self.session.table
        hubs = {table.href(url): hub for url, hub in self.session.live.take_hubs().items()}
        for feed in websub.step(hubs, now):
            if (url := table.find(feed)) is not None:
                self.strategy.hear(url)
        for line in websub.subscriptions.take_said():
            self.say(line)

    @property
    def tells(self) -> bool:
        """Whether new pages are reported by their links: not if their texts must be judged."""
        judge = self.session.crawl.judge
        return self.strategy.tells and isinstance(judge, Everything)

    def _announce(self, now: float) -> None:
        """Report the new articles that are known by their links and are not fetched at once."""
        self._links.update((link.url, link) for link in self.strategy.book.news)
        for url, link in list(self._links.items()):
            site = self.strategy.sites[self.strategy.site_of_host(link.host)]
            if not link.title or url not in self.strategy.book.fresh:
                del self._links[url]
            elif now - link.found >= PATIENCE or site.saves_for_looks:
                if not site.is_news(link) and now - link.found < HOUR:
                    continue
                del self._links[url]
                href = self.session.table.href(url)
                if not site.is_news(link) or host_of(href) in self.findings.topics:
                    continue
                event = self.findings.announce(self.visits, link, href, now)
                if event is not None:
                    self._add(event)

    def _alarm(self, site: str, told: str, now: float) -> None:
        url = next((one.site for one in self.sites if site in one.site), site)
        self.say(told)
        self._add(
            Event(
                event=EventKind.ALARM, url=url, site=site, found=now, visit=self.visits, title=told
            )
        )

    def _add(self, event: Event) -> None:
        """Write an event down, and let it be told; its visit first, or a kill would repeat it."""
        self.session.ledger.commit()
        with storing(self.folder, EVENTS), (self.folder / EVENTS).open("ab") as file:
            file.write(msgspec.json.encode(event) + b"\n")
        self.events.append(event)
        self.count += 1
        self.withdrawn += event.event is EventKind.WITHDRAWN
        if event.event is EventKind.NEW:
            self.new += 1
            self.alarms.published(event.site, event.found)
        self.outbox.add([event])
        self.emit(event)
        self._is_dirty = True

    def _promise(self) -> None:
        """Print what a site's requests will show, once it was seen for a while."""
        for number, site in enumerate(self.strategy.sites):
            watched, found = self.strategy.now - site.began, max(site.credited, site.news)
            ready = found >= FIRST_PROMISE and watched >= PROBE
            ready = bool(site.places) and (ready or watched > FIRST_HOURS * HOUR)
            before = self._promised.get(number)
            if not ready or (before is not None and not self._is_outdated(number, before)):
                continue
            now, more = self.promise(number), self.promise(number, 2)
            self._promised[number] = now
            name, again = self._site_names()[number], "" if before is None else "by now, "
            ahead = f"; {more.requests:,} would give {more.share:.0%}" if now.observed else ""
            self.say(f"{name}: {again}{now}{ahead}")
            if now.lack:
                self.say(f"{name}: {now.lack}")

    def _is_outdated(self, number: int, said: Forecast) -> bool:
        """Return whether the newest promise lies outside of what was said."""
        now = self._forecasts.get(number, NO_PROMISES)[0]
        return now is not None and not said.low <= now.share <= said.high

    def promise(self, number: int, times: int = 1) -> Forecast:
        """Return the promise for some times the requests of a site."""
        requests = int(self.strategy.sites[number].requests)
        return forecast(self.strategy, number, times * requests, self.tells)

    def _prune(self, before: float) -> None:
        """Remove old WARC files."""
        recorder = self.session.recorder
        if recorder is not None and (removed := recorder.prune(before)):
            self.say(f"removed {removed} WARC files (--keep {self.options.keep})")

    def write_feeds(self, now: float) -> None:
        """Write the feeds of the newest events."""
        self._feed_at, self._is_dirty = now, False
        first = site_of(host_of(self.session.table.href(self.session.live.seeds[0].url)))
        more = f" and {len(self.sites) - 1} more" if len(self.sites) > 1 else ""
        shown = list(self.events)[-4 * MOST_ENTRIES :]
        with storing(self.folder, "feed.atom"):
            write_feeds(self.folder, shown, f"New on {first}{more}", now)

    def write_status(self, now: float, running: bool = True) -> None:
        """Write the state of the watch."""
        with storing(self.folder, "status.json"):
            write_status(self.folder, self.status(now, running))
            self._keep_state()

    def _keep_state(self) -> None:
        """Write how far the watch has come; what is being sent counts as told."""
        self.session.ledger.commit()
        state = WatchState(self.visits, self.outbox.sent(self.count), self.alarms.troubles())
        write(self.folder / STATE, msgspec.json.encode(state))

    def status(self, now: float, running: bool = True) -> WatchStatus:
        """Return the state of the watch."""
        while self.requests and self.requests[0][0] < now - DAY:
            self.requests.popleft()
        recent = today(self.events, now)
        by_site: dict[str, list[Event]] = {}
        for one in settled(self.events):
            if one.event is EventKind.NEW:
                by_site.setdefault(one.site, []).append(one)
        names = self._site_names()
        self._refresh_forecasts(now, running)
        return WatchStatus(
            self.findings.began,
            now,
            running,
            self.visits,
            self.count,
            self.new - self.withdrawn,
            sum(one.event is EventKind.NEW for one in recent),
            len(self.requests),
            account_of(self.events),
            account_of(recent),
            self.looks.whole.freshness,
            self.looks.whole.age,
            self.count - self.outbox.untold,
            self.outbox.untold,
            plain(self.session.condition),
            len(self.findings.told),
            self.withdrawn,
            *(self.websub.subscriptions.counts(now) if self.websub is not None else (0, 0)),
            list(self.recent.requests),
            [
                self._site_status(number, name, by_site.get(name, []), now)
                for number, name in enumerate(names)
            ],
        )

    def _refresh_forecasts(self, now: float, running: bool) -> None:
        """Make the oldest promises anew, a few at a time: hundreds would hold up the watch."""
        if not running and self._forecasts:
            return
        sites = self.strategy.sites
        ready = [number for number, site in enumerate(sites) if site.places]
        for number in sorted(ready, key=lambda one: self._forecast_at.get(one, 0.0))[:AT_ONCE]:
            if abs(now - self._forecast_at.get(number, 0.0)) >= STATUS_EVERY:
                self._forecast_at[number] = now
                self._forecasts[number] = self.promise(number), self.promise(number, 2)

    def _site_names(self) -> list[str]:
        """Return the names of the sites, by the host of their first seed."""
        names: dict[int, str] = {}
        for link in self.session.live.seeds:
            number = self.strategy.site_of_host(link.host)
            names.setdefault(number, site_of(host_of(link.href)))
        return [names.get(number, "") for number in range(len(self.strategy.sites))]

    def _site_status(self, number: int, name: str, own: list[Event], now: float) -> SiteStatus:
        site, sources = self.strategy.sites[number], self.strategy.sources
        health, fresh = self.alarms.sites.get(name), self.looks.sites.get(name, Freshness())
        due = sources.rows["due"][site.active]
        upcoming = None
        if len(due) and np.isfinite(due.min()):
            place = int(site.active[int(due.argmin())])
            rate = sources.rates(np.array([place]), self.strategy.now).item() * DAY
            href = self.session.table.href(int(sources.rows["url"][place]))
            upcoming = NextLook(href, float(due.min()), rate)
        ready = bool(site.places) and self.strategy.now > -inf
        return SiteStatus(
            name,
            len(own),
            sum(one.found >= now - DAY for one in own),
            own[-1].found if own else None,
            len(site.places),
            len(site.fresh) + len(site.late),
            sorted(health.troubles) if health else [],
            *(self._forecasts.get(number, NO_PROMISES) if ready else NO_PROMISES),
            upcoming,
            fresh.freshness,
            fresh.age,
        )

    def close(self) -> None:
        """Write everything to disk, and close all files."""
        now = time.time()
        try:
            if self.websub is not None:
                self.websub.close()
            self.outbox.close()
            self.write_feeds(now)
            self.write_status(now, running=False)
        finally:
            self.session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def check_same(folder: Path, strategy: str) -> None:
    """Raise a UsageError if a folder holds a crawl, or a watch with other limits."""
    before = options_in_folder(folder)
    if before is not None and before.strategy.partition("(")[0] != strategy.partition("(")[0]:
        raise UsageError(f"--out {folder} holds a crawl, not a watch; choose another folder")
    if before is not None and before.strategy != strategy:
        raise UsageError(
            f"--out {folder} holds a watch with other --requests, --every, --changes or sites,"
            " which cannot change; give the same, or choose another folder"
        )


def events_in(folder: Path, repair: bool = False) -> list[Event]:
    """Read the events of a watch without a torn last line, which the watch itself cuts off."""
    file = folder / EVENTS
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return []
    whole = data.rpartition(b"\n")[0] + b"\n" if b"\n" in data else b""
    if repair and len(whole) < len(data):
        os.truncate(file, len(whole))
    events = []
    for number, line in enumerate(whole.split(b"\n")[:-1], 1):
        try:
            events.append(msgspec.json.decode(line, type=Event))
        except (msgspec.DecodeError, RecursionError) as error:
            raise UsageError(f"{file}, line {number}: {error}; remove the line") from error
    return events


def state_in(folder: Path) -> WatchState:
    """Read how far a watch had come; without a file it looks through the whole ledger."""
    try:
        return msgspec.json.decode(read(folder / STATE), type=WatchState)
    except (OSError, ValueError):
        return WatchState()
