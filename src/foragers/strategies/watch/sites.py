"""The sites of a watch: the requests each may make, and when its pages are looked at.

A bucket holds requests.  It is refilled evenly, and what it can hold and what flows in within a day
are together the requests of a day, so that no day has more.

How often each page is looked at follows from its rate of new pages (`looks`).  A profile of 24
hours and one of 7 weekdays are learned from the new pages found: at quiet hours requests are saved,
as far as the bucket holds them, and spent at busy ones.  In the first minutes nothing is known of
rates, so the seeds are looked at as often as is allowed.

New links are fetched in the order of their chance to be new articles, by the outcomes of earlier
new links whose URLs had the same shape, and the newest of them first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import exp_of
from foragers.core.types import HostId, Page, Status, UrlId
from foragers.errors import UsageError
from foragers.frontier.columns import Marks, Places
from foragers.strategies.watch.hearing import Heard, left_to_polling
from foragers.strategies.watch.looks import Looks
from foragers.strategies.watch.outcomes import Outcomes
from foragers.strategies.watch.revisits import retry_gap
from foragers.strategies.watch.settings import DEFAULT_WATCH, WatchSettings
from foragers.strategies.watch.sources import Floats, Kind, Sources
from foragers.strategies.watch.timing import Bucket, Profile, day_of


class Waiting(msgspec.Struct, frozen=True, gc=False):
    """A link that waits: the page it was found on, and since when it may be there.

    Tens of thousands wait, and a checkpoint is written when a watch is stopped: a struct is pickled
    without a Python call for each, as a dataclass with slots needs.
    """

    url: UrlId
    host: HostId
    parent: UrlId
    depth: int
    source: int = -1
    since: float = 0.0
    found: float = 0.0
    tries: int = 0
    likeness: float = 0.0
    sure: bool = True
    shape: str = ""
    headline: bool = False
    through: int = -1
    folder: bool = False
    pushed: bool = False
    """Whether it stood in a feed that a hub told of."""
    box: int = 0
    """The box that shows it, or 0."""
    title: str = ""
    """Its text if it is new on a page seen before and reads like the title of an article."""


@dataclass
class Delays:
    """How late new articles were seen: counts, the newest of which weigh most.

    The delay counts from the date of the page, or from the last look at which its link was not
    there, if that is later: before it was linked, nobody could see it.  The account of a watch
    counts alike.  An article whose link was told is seen then.  `very_late` are those whose date
    lies hours back, in time or not.
    """

    settings: WatchSettings = DEFAULT_WATCH
    in_time: float = 0.0
    late: float = 0.0
    very_late: float = 0.0
    dated: float = 0.0
    at: float = -inf

    @property
    def count(self) -> float:
        """All that were found."""
        return self.in_time + self.late

    def add(self, page: Page, link: Waiting | None, seen: float) -> None:
        """Note a new article that was seen at a time."""
        settings = self.settings
        is_dated = page.born < page.time - settings.dated
        absent = link.since if link is not None and link.source >= 0 else -inf
        begin = max(page.born, absent) if is_dated or absent == -inf else absent
        kept = exp_of(-max(0.0, page.time - self.at) / settings.delay_memory)
        self.at = max(self.at, page.time)
        if self.count >= settings.most_delays:
            kept /= 2
        self.in_time, self.late = kept * self.in_time, kept * self.late
        self.very_late, self.dated = kept * self.very_late, kept * self.dated
        is_early = seen - begin <= settings.within
        self.in_time += is_early
        self.late += not is_early
        self.very_late += is_dated and seen - page.born > settings.very_late
        self.dated += is_dated


@dataclass
class Site:
    """One site: its known pages, and the links that wait there."""

    number: int
    every: float
    requests: float
    began: float
    settings: WatchSettings = DEFAULT_WATCH
    changes: bool = False
    most_unseen: int = DEFAULT_WATCH.most_unseen
    all: Bucket = field(init=False)
    spare: Bucket = field(init=False)
    profile: Profile = field(init=False)
    fresh: list[tuple[float, int, Waiting]] = field(default_factory=list)
    late: list[tuple[float, int, Waiting]] = field(default_factory=list)
    unseen: dict[str, deque[Waiting]] = field(default_factory=dict)
    sections: deque[Waiting] = field(default_factory=deque)
    """Links of the seeds to folders that do not read like titles."""
    near_home: deque[Waiting] = field(default_factory=deque)
    """Other links of the seeds that do not read like titles."""
    unseen_count: int = 0
    popped: int = 0
    places: list[int] = field(default_factory=list)
    articles: int = 0
    lists: int = 0
    awaited: int = 0
    outcomes: Outcomes = field(default_factory=Outcomes)
    fetches: float = 0.0
    credited: float = 0.0
    missed: float = 0.0
    news: float = 0.0
    """New articles by their links, fetched or not."""
    delays: Delays = field(default_factory=Delays)
    looks: Looks = field(init=False)
    planned: Places = field(default_factory=lambda: np.empty(0, np.intp), repr=False)
    active: Places = field(default_factory=lambda: np.empty(0, np.intp), repr=False)
    rates: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    rooms: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    plan_at: float = -inf
    due_at: float = -inf
    rests_until: float = -inf
    hosts: set[HostId] = field(default_factory=set)
    in_row: int = 0
    refusals: int = 0
    resumes_at: float = -inf
    explored: int = 0
    _order: int = 0

    def __post_init__(self) -> None:
        settings = self.settings
        self.profile = Profile(settings)
        self.looks = Looks(self.every, settings)
        burst = settings.first_burst * self.requests
        rate = (self.requests - burst) / settings.day
        self.all = Bucket(rate, max(1.0, burst), max(1.0, burst))
        most = max(1.0, burst * (1 - settings.least_looks))
        self.spare = Bucket(rate * settings.explore, most, most)

    @property
    def full_level(self) -> float:
        """The level from which requests would be lost if none were made."""
        return max(1.0, self.settings.full * self.all.most)

    @property
    def is_full(self) -> bool:
        """Whether requests would be lost if none were made."""
        return self.all.level >= self.full_level

    @property
    def is_probing(self) -> bool:
        """Whether the watch has just begun, and learns how often its seeds change."""
        return self.all.at < self.began + self.settings.probe

    @property
    def kept_for_looks(self) -> float:
        """The level below which the requests of the first minutes are left for looks."""
        return 1.0 + self.settings.first_looks * self.all.most if self.is_probing else 1.0

    @property
    def saves_for_looks(self) -> bool:
        """Whether only looks are made now."""
        return self.all.level < self.kept_for_looks

    def is_news(self, link: Waiting) -> bool:
        """Return whether a new link most likely leads to a new article, which may be told.

        Boxes of what is read most show old articles, so it must be known that titles tell.
        """
        if not link.title or link.host not in self.hosts:
            return False
        return self.outcomes.titles_tell(link.box) and self.chance(link) >= self.settings.sure_news

    def turn_back(self, now: float, back: float) -> None:
        """Survive a clock that jumped back by some seconds."""
        self.late = [(due - back, order, link) for due, order, link in self.late]
        self.plan_at, self.began = now, min(self.began, now)
        self.rests_until = self.resumes_at = -inf
        self.all.at, self.spare.at = min(self.all.at, now), min(self.spare.at, now)

    def heard(self, page: Page) -> None:
        """Leave a site alone that refuses one request after the other, for twice as long each."""
        self.hosts.add(page.choice.host)
        self.began = min(self.began, page.time)  # one that is resumed is told of earlier visits
        if page.status in (Status.OK, Status.UNCHANGED):
            self.refusals, self.resumes_at = 0, -inf
        elif page.status is Status.REFUSED:
            self.refusals += 1
            above = min(self.refusals - self.settings.most_refusals, self.settings.most_doublings)
            if above >= 0:
                wait = min(self.every * 2.0**above, max(self.every, self.settings.hour))
                self.resumes_at = page.time + wait

    def push_fresh(self, link: Waiting) -> bool:
        """Let a new link wait, the best and newest first; return whether there is room."""
        if len(self.fresh) >= self.settings.most_fresh:
            return False
        self._order += 1
        heappush(self.fresh, (-link.likeness - self.chance(link), -self._order, link))
        return True

    def pop_fresh(
        self, closed: AbstractSet[HostId], is_waiting: Callable[[Waiting], bool]
    ) -> Waiting | None:
        """Remove and return the best new link on an open host."""
        aside, chosen = [], None
        for _ in range(self.settings.tries):
            if not self.fresh:
                break
            entry = heappop(self.fresh)
            if not is_waiting(entry[2]):
                continue
            if entry[2].host not in closed:
                chosen = entry[2]
                break
            aside.append(entry)
        for entry in aside:
            heappush(self.fresh, entry)
        return chosen

    def chance(self, link: Waiting) -> float:
        """Return the chance of a new link to lead to a new article."""
        return self.outcomes.chance(link.shape, link.host, link.box)

    def left_waiting(self, now: float, tells: bool) -> tuple[float, float]:
        """Return how many new articles wait for a request, and how many of them were in time.

        Those that are told by their links are in time if these were.  Others wait too long after
        an hour.  None counts for more than a day.
        """
        left = in_time = 0.0
        for _, _, link in self.fresh:
            waited, chance = now - link.found, self.chance(link)
            is_told = tells and self.is_news(link)
            is_left = is_told or (waited > self.settings.within and chance >= self.settings.likely)
            if is_left and waited < self.settings.day:
                left += chance
                was_early = link.found - link.since <= self.settings.within
                in_time += chance * (is_told and was_early)
        return left, in_time

    def push_late(self, due: float, link: Waiting) -> None:
        """Let a new page that is missing wait for its next try."""
        if len(self.late) < self.settings.most_fresh:
            self._order += 1
            heappush(self.late, (due, self._order, link))

    def release(self, now: float) -> None:
        """Let the missing pages that are due wait with the new links."""
        while self.late and self.late[0][0] <= now:
            self.push_fresh(heappop(self.late)[2])

    def push_unseen(self, shape: str, link: Waiting) -> bool:
        """Let a link wait that may be old; return whether there is room."""
        if self.unseen_count >= self.most_unseen:
            return False
        if link.depth == 1 and not link.headline and link.host in self.hosts:
            (self.sections if link.folder else self.near_home).append(link)
        else:
            self.unseen.setdefault(shape, deque()).append(link)
        self.unseen_count += 1
        return True

    def pop_unseen(
        self, worth: Callable[[str], float], closed: AbstractSet[HostId], fetched: Marks
    ) -> Waiting | None:
        """Remove and return a link on an open host.

        Sections go first.  Then it is in turn another link of a seed, and one of the shape that is
        worth most.
        """
        if link := self._pop(self.sections, closed, fetched):
            return link
        self.popped += 1
        if self.popped % 2 and (link := self._pop(self.near_home, closed, fetched)):
            return link

        def promise(shape: str) -> float:
            return worth(shape) * self.outcomes.there(self.unseen[shape][0].host)

        for shape in sorted(self.unseen, key=lambda one: -promise(one))[: self.settings.tries]:
            link = self._pop(self.unseen[shape], closed, fetched)
            self._tidy(shape)
            if link is not None:
                return link
        return self._pop(self.near_home, closed, fetched)

    def _pop(
        self, queue: deque[Waiting], closed: AbstractSet[HostId], fetched: Marks
    ) -> Waiting | None:
        """Remove and return the first link on an open host."""
        for _ in range(min(len(queue), self.settings.tries)):
            link = queue.popleft()
            if link.url not in fetched and link.host in closed:
                queue.append(link)
                continue
            self.unseen_count -= 1
            if link.url not in fetched:
                return link
        return None

    def _tidy(self, shape: str) -> None:
        if not self.unseen[shape]:
            del self.unseen[shape]

    def forget(self, places: set[int]) -> None:
        """Forget some pages."""
        self.articles -= len(places)
        self.places = [place for place in self.places if place not in places]
        active = [place for place in self.active.tolist() if place not in places]
        self.active = np.array(active, np.intp)

    def plan(self, sources: Sources, now: float, heard: Heard | None = None) -> None:
        """Set the price, and when each page is due; those that hubs told of may be sooner."""
        settings, rows = self.settings, sources.rows
        self.plan_at = now + settings.plan_every
        self.rates_of(sources, now)
        places = self.planned
        rest = self.looks.plan(self.rates, self._affordable(now), self.rooms)
        self.spare.fill(now)
        share = settings.explore + (settings.changes if self.changes else 0.0)
        self.spare.rate = self.all.rate * share + rest
        looks = self.looks.of(self.rates, self.rooms)
        with np.errstate(divide="ignore"):
            gaps = 1.0 / looks
        always = np.isin(rows["kind"][places], (Kind.SEED, Kind.LIST))
        gaps = np.where(always, np.minimum(gaps, settings.longest), gaps)
        if self.is_probing:
            is_list = rows["kind"][places] == int(Kind.LIST)
            gaps = np.where(is_list, np.minimum(gaps, settings.probe_lists * self.every), gaps)
            gaps = np.where(rows["kind"][places] == int(Kind.SEED), self.every, gaps)
        waits = gaps * 2.0 ** np.minimum(rows["misses"][places], settings.most_doublings)
        gaps = np.where(always, np.maximum(gaps, np.minimum(waits, settings.hour)), waits)
        gaps = np.maximum(gaps, self.every)
        rows["due"][places] = rows["seen"][places] + gaps
        self.active = np.union1d(places[gaps < inf], self._doubtful(sources))
        self.due_at = float(rows["due"][self.active].min(initial=inf))
        if heard is not None:
            self.look_at_heard(sources, heard)

    def look_at_heard(self, sources: Sources, heard: Heard) -> None:
        """Set when the pages that hubs told of are looked at."""
        for place in heard.of_site(sources, self.number):
            self.look_at(sources, place, heard.due(sources, place, self.every))

    def look_at(self, sources: Sources, place: int, due: float) -> None:
        """Look at a page at a time."""
        sources.rows["due"][place] = due
        if due < inf:
            self.due_at = min(self.due_at, float(due))
            if not (self.active == place).any():
                self.active = np.append(self.active, place)

    def _doubtful(self, sources: Sources) -> Places:
        """Return the pages that were missing once, and are looked at again soon."""
        rows, settings = sources.rows, self.settings
        places: Places = np.array(self.places, np.intp)
        misses: NDArray[np.int32] = rows["misses"][places]
        is_open = (misses > 0) & (misses < settings.gone_after)
        is_page = rows["report"][places] | (rows["kind"][places] == int(Kind.ARTICLE))
        places = places[is_open & is_page]
        rows["due"][places] = rows["seen"][places] + retry_gap(self.every, settings)
        return places

    def rates_of(self, sources: Sources, now: float) -> None:
        """Find the pages with the highest rates."""
        places = np.array(self.places, np.intp)
        sources.compare(places)
        rates = left_to_polling(sources, places, sources.rates(places, now), self.settings)
        order = np.argsort(-rates, kind="stable")[: self.settings.most_planned]
        self.planned, self.rates = places[order], rates[order]
        self.rooms = sources.rows["room"][self.planned]

    def clock(self, now: float) -> float:
        """Return the profile at a time."""
        hour = int(now // self.settings.hour)
        by_hour = self.profile.by_hour(self.began, now)
        by_day = self.profile.by_day(self.began, now)
        return float(by_hour.item(hour % 24) * by_day.item(day_of(hour)))

    def _affordable(self, now: float) -> float:
        """Return the looks a second that are planned now: quiet hours save for busy ones."""
        wanted, clock = self.looks_a_second(now, self.all.rate), self.clock(now)
        level, settings = self.all.fill(now), self.settings
        if clock >= 1:
            return wanted + max(0.0, level - settings.reserve * self.all.most) / settings.within
        return wanted if self.is_full else wanted * clock

    def gap(self, rate: float, kind: int, misses: int, room: float = inf) -> float:
        """Return the seconds to the next look at a page with a rate, infinity if it has none."""
        looks = self.looks.of(np.array([rate]), room).item()
        gap = 1.0 / looks if looks > 0 else inf
        if kind == Kind.SEED and self.is_probing:
            gap = self.every
        elif kind == Kind.LIST and self.is_probing:
            gap = min(gap, self.settings.probe_lists * self.every)
        doubled = 2.0 ** min(misses, self.settings.most_doublings)
        if kind in (Kind.SEED, Kind.LIST):
            gap = min(gap, self.settings.longest)
            return max(gap, min(gap * doubled, self.settings.hour), self.every)
        return max(gap * doubled, self.every)

    def published(self, now: float) -> float:
        """Return the new pages a second: by the links of the first day, then by the rates."""
        watched = now - self.began
        if watched >= self.settings.day and len(self.rates):
            return float(self.rates.sum())
        return max(self.news, self.credited) / max(watched, self.settings.every)

    def looks_a_second(self, now: float, rate: float, pages: float | None = None) -> float:
        """Return the looks a second that a rate of requests leaves after all else.

        `pages` are fetched a second; so many as before unless it is said.
        """
        settings = self.settings
        if pages is None:
            pages = self.fetches / max(now - self.began, settings.hour)
        share = 1 - settings.explore - (settings.changes if self.changes else 0.0)
        return max(rate * settings.least_looks, rate * share - pages)


APART = "SEED=EVERY/REQUESTS"


def limits_of(apart: str) -> dict[int, tuple[float, int]]:
    """Parse the limits of single seeds, such as `2=30/1000 5=600/100`."""
    limits = {}
    for part in apart.split():
        number, equals, rest = part.partition("=")
        every, slash, requests = rest.partition("/")
        try:
            limits[int(number)] = float(every), int(requests)
        except ValueError:
            equals = ""
        if not (equals and slash):
            raise UsageError(f"strategy 'watch': apart: '{part}' is not {APART}")
    return limits
