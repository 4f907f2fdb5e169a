"""`watch`: the whole site, only what is new, first.

The seeds, feeds and sitemaps of a site are looked at first.  A link that is new on a page seen
before leads to a new page, which is fetched at once.  Where new pages turn up is learned, and each
page is looked at as often as that pays (`sites`).  A part of the requests goes to pages never seen,
among which may be better sources, and to the pages seen longest ago, by which a watch learns what
it missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import inf
from typing import ClassVar

import numpy as np
from msgspec.structs import replace

from foragers.core.protocols import Reasons
from foragers.core.types import (
    NO_PARENT,
    Choice,
    HostId,
    Link,
    Page,
    Purpose,
    Status,
    UrlId,
    Visit,
)
from foragers.errors import UsageError
from foragers.frontier.columns import Places
from foragers.judges.topic import NoTopic, Topic
from foragers.strategies.watch import revisits
from foragers.strategies.watch.articles import is_article, is_hub
from foragers.strategies.watch.hearing import HUB, Heard, left_to_polling
from foragers.strategies.watch.links import LinkBook, LinkOrigin
from foragers.strategies.watch.news import (
    credit,
    credit_ahead,
    is_new_page,
    room_of,
    seen_at,
    take_back,
)
from foragers.strategies.watch.settings import DEFAULT_WATCH
from foragers.strategies.watch.sites import Site, Waiting, limits_of
from foragers.strategies.watch.sources import Floats, Kind, Sources, shape_in, why
from foragers.urls.parse import host_of, site_of

LOOK, NEW, NEAR, UNSEEN, SWEEP, AGAIN = (
    *("look", "new link", "link of a new page", "unseen", "sweep", "changed?"),
)
"""Agents in the ledger: why a page was requested."""
THERE = (Status.OK, Status.UNCHANGED)


@dataclass(slots=True)
class Watch:
    """Looks at sites for new pages, at most every so many seconds and so many requests a day."""

    topic: Topic
    every: float = 60.0
    requests: int = 500
    changes: bool = False
    apart: str = ""
    now: float = field(init=False, default=-inf)
    sources: Sources = field(init=False, default_factory=Sources)
    sites: list[Site] = field(init=False, default_factory=list)
    links: dict[UrlId, Waiting] = field(init=False, default_factory=dict, repr=False)
    """The links through which the pages of the last tell were found."""
    book: LinkBook = field(init=False, default_factory=LinkBook, repr=False)
    heard: Heard = field(init=False, default_factory=Heard, repr=False)
    _absent: set[int] = field(init=False, default_factory=set, repr=False)
    _pending: dict[UrlId, float] = field(init=False, default_factory=dict, repr=False)
    _turn: int = field(init=False, default=0)

    revisits: ClassVar[bool] = True
    reads_lists: ClassVar[bool] = True
    needs_link_context: ClassVar[bool] = True

    @property
    def tells(self) -> bool:
        """Whether new pages may be told by their links: not if their texts must be judged."""
        return isinstance(self.topic, NoTopic)

    def check(self) -> None:
        """Raise a UsageError for invalid parameters."""
        if not self.every > 0 or self.requests < 1:
            raise UsageError("strategy 'watch': every and requests must be above 0")
        limits_of(self.apart)

    # What next?

    def wake(self, now: float) -> float:
        """Take note of the time, and return when something becomes due after it."""
        if now > self.now:
            self.now = now
        elif now < self.now - DEFAULT_WATCH.clock_back:
            self._turn_back(now)
        now = self.now
        times = (s.rests_until if s.rests_until > now else self._next(s) for s in self.sites)
        return min(times, default=inf)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose new pages, then looks that are due, then pages to explore, site by site."""
        choices: list[Choice] = []
        idle = 0
        while len(choices) < n and idle < len(self.sites):
            self._turn = (self._turn + 1) % len(self.sites)
            site = self.sites[self._turn]
            choice = self._choose(site, closed) if site.rests_until <= self.now else None
            if choice is None:
                if site.rests_until <= self.now and closed.isdisjoint(site.hosts):
                    site.rests_until = self._next(site)
                idle += 1
                continue
            idle = 0
            choices.append(choice)
        return choices

    def hear(self, url: UrlId) -> None:
        """Look at a feed that a hub told of, as soon as is allowed."""
        place = self.heard.call(self.sources, url)
        if place is not None:
            site = self.sites[int(self.sources.rows["site"][place])]
            site.rests_until = -inf
            site.look_at_heard(self.sources, self.heard)

    def _next(self, site: Site) -> float:
        """Return when a site next has something to ask, after now."""
        now = self.now
        if now >= site.plan_at:
            site.plan(self.sources, now, self.heard)
        site.all.fill(now)
        times = [site.plan_at]
        if site.fresh or site.due_at <= now:
            times += [site.all.full_at(level) for level in (1.0, site.kept_for_looks)]
        if site.unseen_count or site.places:
            site.spare.fill(now)
            saved = min(site.spare.full_at(1.0), site.all.full_at(site.full_level))
            times.append(max(site.all.full_at(site.kept_for_looks), saved))
            if self.changes:
                places = np.array(site.places, np.intp)
                places = places[self.sources.free(places, now)]
                times.append(max(times[-1], revisits.ripe_at(self.sources.rows, places, site)))
        times += [site.due_at, site.late[0][0] if site.late else inf]
        times = [max(time, site.resumes_at) for time in times]
        return min((time for time in times if time > now), default=inf)

    def _choose(self, site: Site, closed: AbstractSet[HostId]) -> Choice | None:
        """Choose one page of a site, if it may be requested and something is due."""
        now = self.now
        if site.all.fill(now) < 1.0 or now < site.resumes_at:
            return None
        if now >= site.plan_at:
            site.plan(self.sources, now, self.heard)
        site.release(now)
        due = site.due_at <= now
        choice = None
        if due and site.in_row >= DEFAULT_WATCH.looks_between:
            choice = self._look(site, closed)
        choice = choice or self._new(site, closed)
        if choice is None and due:
            choice = self._look(site, closed)
        may_explore = site.spare.fill(now) >= 1.0 or site.is_full
        if choice is None and may_explore and not site.saves_for_looks:
            choice = self._explore(site, closed)
            if choice is not None:
                site.spare.spend(now)
        if choice is not None:
            site.in_row = site.in_row + 1 if choice.agent in (NEW, NEAR) else 0
            site.all.spend(now)
            self._pending[choice.url] = now
        return choice

    def _new(self, site: Site, closed: AbstractSet[HostId]) -> Choice | None:
        """Choose a new link."""
        if site.saves_for_looks and self.tells and site.fresh and site.is_news(site.fresh[0][2]):
            return None
        chosen = site.pop_fresh(closed, self._is_waiting)
        if chosen is None:
            return None
        if chosen.url in self.book.lists:
            purpose = Purpose(self.book.lists[chosen.url])
            return Choice(chosen.url, chosen.host, 1.0, LOOK, chosen.parent, chosen.depth, purpose)
        promise = site.chance(chosen) if chosen.sure else site.outcomes.chance_near
        agent = NEW if chosen.sure else NEAR
        return Choice(
            chosen.url, chosen.host, promise + chosen.likeness, agent, chosen.parent, chosen.depth
        )

    def _is_waiting(self, link: Waiting) -> bool:
        """Return whether a new link is still to be fetched; a resumed watch may have fetched it."""
        return self.book.fresh.get(link.url) is link and link.url not in self._pending

    def _look(self, site: Site, closed: AbstractSet[HostId]) -> Choice | None:
        """Choose the page that is due and has most to show."""
        rows, now = self.sources.rows, self.now
        places = site.active
        waiting = np.where(self.sources.free(places, self.now), rows["due"][places], inf)
        due = places[waiting <= now]
        if not len(due):
            site.due_at = float(waiting.min(initial=inf))
            return None
        told = self.heard.among(due)
        due, agent = (told, HUB) if len(told) else (due, LOOK)
        expected = self.sources.rates(due, now) * (now - rows["seen"][due])
        return self._best_open(site, due, expected, closed, agent)

    def _explore(self, site: Site, closed: AbstractSet[HostId]) -> Choice | None:
        """Choose an article that may have changed, a page never seen, or one seen long ago."""
        site.explored += 1
        turn, rest = divmod(site.explored, DEFAULT_WATCH.change_turns if self.changes else 1)
        ways = [self._unseen, self._sweep]
        if turn % 2 and len(self.sources) > site.lists:
            ways.reverse()
        if self.changes:
            ways.insert(0 if rest else 2, self._changed)
        return next((choice for way in ways if (choice := way(site, closed))), None)

    def _unseen(self, site: Site, closed: AbstractSet[HostId]) -> Choice | None:
        """Choose a link that may be old: of a seed, or of the shape that shows most new pages."""

        def worth(shape: str) -> float:
            return self.sources.unseen_rate(site.number, shape)

        link = site.pop_unseen(worth, closed, self.book.fetched)
        if link is None:
            return None
        promise = worth(link.shape) * DEFAULT_WATCH.day
        return Choice(link.url, link.host, promise, UNSEEN, link.parent, link.depth)

    def _sweep(self, site: Site, closed: AbstractSet[HostId]) -> Choice | None:
        """Choose a page seen before that most new pages may have been missed on."""
        rows, now = self.sources.rows, self.now
        places = np.array(site.places, np.intp)
        old = now - rows["seen"][places] >= max(self.every, DEFAULT_WATCH.within)
        places = places[self.sources.free(places, self.now) & old]
        if not len(places):
            return None
        expected = self.sources.rates(places, now) * (now - rows["seen"][places])
        return self._best_open(site, places, expected, closed, SWEEP)

    def _changed(self, site: Site, closed: AbstractSet[HostId]) -> Choice | None:
        """Choose the article that has waited longest for a look, for its gap."""
        places = np.array(site.places, np.intp)
        places = places[self.sources.free(places, self.now)]
        waited = revisits.overdue(self.sources.rows, places, site)
        ripe = waited >= 1
        return self._best_open(site, places[ripe], waited[ripe], closed, AGAIN)

    def _best_open(
        self, site: Site, places: Places, worth: Floats, closed: AbstractSet[HostId], agent: str
    ) -> Choice | None:
        """Choose the page that is worth most, of those on open hosts; None until one opens."""
        shut = [host for host in site.hosts if host in closed]
        is_open = ~np.isin(self.sources.rows["host"][places], shut)
        places, worth = places[is_open], worth[is_open]
        if not len(places):
            return None
        at = int(worth.argmax())
        return self._again(places.item(at), worth.item(at), agent)

    def _again(self, place: int, promise: float, agent: str) -> Choice:
        """Choose a page seen before."""
        row = self.sources.rows[place]
        row["asked"], row["due"] = self.now, inf
        self.heard.places.discard(place)
        url, host, parent, depth = (int(row[name]) for name in ("url", "host", "parent", "depth"))
        purpose = Purpose(self.book.lists[url]) if url in self.book.lists else Purpose.REVISIT
        return Choice(url, host, promise, agent, parent, depth, purpose)

    def _turn_back(self, now: float) -> None:
        """Survive a clock that jumped back: nothing was seen later than now."""
        back, self.now = self.now - now, now
        self.sources.turn_back(now)
        for site in self.sites:
            site.turn_back(now, back)

    # This came back.

    def tell(self, visits: Sequence[Visit]) -> None:
        """Learn where new pages turn up."""
        self.links, self.book.news = {}, []
        for visit in visits:
            if visit.page.choice.url == NO_PARENT:
                self._begin(visit)
            else:
                self._learn(visit)

    def _begin(self, visit: Visit) -> None:
        """Begin with the seeds, those of one host as one site."""
        self.now = max(self.now, visit.page.time)
        limits = limits_of(self.apart)
        for number, link in enumerate(visit.links):
            site = self._site_at(link, *limits.get(number, (self.every, self.requests)))
            if link.url not in self.book.met:
                self.book.met.add(np.array([link.url], np.int32), self.now)
                self.book.push(site, Waiting(link.url, link.host, NO_PARENT, 0, likeness=2.0))
        most = DEFAULT_WATCH.all_unseen // max(1, len(self.sites))
        for site in self.sites:
            site.most_unseen = min(max(most, DEFAULT_WATCH.least_unseen), site.most_unseen)

    def _site_at(self, link: Link, every: float, requests: int) -> Site:
        number = self.book.of_host.setdefault(link.host, len(self.sites))
        if number == len(self.sites):
            site = Site(number, every, requests, self.now, changes=self.changes)
            self.sites.append(site)
            self.book.of_domain.setdefault(site_of(host_of(link.href)), number)
        return self.sites[number]

    def site_of_host(self, host: HostId) -> int:
        """Return the number of the site of a seed's host."""
        return self.book.of_host[host]

    def _site_of(self, choice: Choice) -> Site:
        """Return the site of a page, by its host."""
        return self.sites[self.book.of_host.get(choice.host, 0)]

    def _learn(self, visit: Visit) -> None:
        """Learn from one visit."""
        page, choice = visit.page, visit.page.choice
        site = self._site_of(choice)
        if choice.purpose is Purpose.SCOPE:
            self._take_links(site, page, None)
            return
        self.now = max(self.now, page.time)
        if page.final != choice.url:
            site.all.spend(page.time)  # a redirect is a request
        if self._pending.pop(choice.url, None) is None and page.status is not Status.SKIPPED:
            site.all.spend(page.time)  # of a watch that is resumed, or woken by a hub
            if choice.agent in (UNSEEN, SWEEP, AGAIN):
                site.spare.spend(page.time)
        self.book.met.add(np.array([choice.url, page.final], np.int32), page.time)
        self.book.fetched.add(np.array([choice.url], np.int32))
        site.rests_until = -inf
        site.heard(page)
        place, link = self.sources.places.get(choice.url), self.book.fresh.pop(choice.url, None)
        site.fetches += choice.agent in (NEW, NEAR)
        if link is not None:
            self.links[choice.url] = link
            take_back(self.sources, self.book, link)
        if place is None:
            self._meet(site, visit, link)
        else:
            self._see_again(site, place, page)

    def _plan_look(self, site: Site, place: int, time: float) -> None:
        """Set when a page is looked at next."""
        site.look_at(self.sources, place, time + self._gap(site, place))

    def _meet(self, site: Site, visit: Visit, link: Waiting | None) -> None:
        """See a page for the first time."""
        page, choice = visit.page, visit.page.choice
        is_list = choice.purpose.is_list or choice.url in self.book.lists
        is_there = page.status in THERE or (page.status is Status.UNWANTED and len(page.links) > 0)
        if choice.parent == NO_PARENT and not is_there:
            self._keep_seed(site, page)
            return
        is_missing = page.status is not Status.OK and not len(page.links)
        site.outcomes.answered(choice.host, not is_missing)
        if link is not None and link.tries:
            site.outcomes.retried(link.tries, not is_missing)
        if is_missing:
            self._miss(site, page, link)
            return
        is_new = page.status is Status.OK and is_new_page(site, page, link)
        headline = link is not None and link.headline
        is_told = page.status is Status.OK and is_article(page, headline=headline)
        is_report = is_new and is_told
        if is_told:
            site.outcomes.note_date(page, is_fresh=link is not None)
        if is_report:
            site.delays.add(page, link, seen_at(site, page, link, self.tells))
        if link is not None and choice.parent != NO_PARENT:
            credit(self.sources, site, visit, link, is_new, self.tells)
        elif is_new and choice.agent == UNSEEN and page.time - page.born > DEFAULT_WATCH.within:
            site.missed += 1
        if link is not None and not is_list:
            site.outcomes.fetched(link.shape, is_new, is_report, bool(link.title), link.box)
        kind = Kind.LIST if is_list else Kind.HUB if is_hub(page) else Kind.ARTICLE
        if choice.parent == NO_PARENT:
            kind = Kind.SEED
        if page.final != choice.url and page.final in self.sources.places:
            return  # a second name of a page
        shape = "" if kind in (Kind.LIST, Kind.SEED) else shape_in(page)
        place = self.sources.add(page, site.number, kind, shape)
        row = self.sources.rows[place]
        row["gap"] = revisits.first_gap(site.every, page.time - page.born)
        row["room"] = room_of(page, is_list)
        row["report"] = is_told and kind in (Kind.ARTICLE, Kind.HUB)
        site.places.append(place)
        if kind is Kind.LIST:
            site.lists, site.awaited = site.lists + 1, max(0, site.awaited - 1)
        self._plan_look(site, place, page.time)
        if kind is not Kind.ARTICLE:
            self.book.boxes.keep(place, page)
            soon = 0.0 if kind in (Kind.SEED, Kind.LIST) else DEFAULT_WATCH.every
            site.plan_at = min(site.plan_at, self.now + soon)
        site.articles += kind is Kind.ARTICLE
        if site.articles > DEFAULT_WATCH.most_pages:
            self._forget(site)
        origin = LinkOrigin(-1, through=-1 if link is None else link.through) if is_new else None
        self.book.take(site, page, origin, self.topic, self.now)

    def _keep_seed(self, site: Site, page: Page) -> None:
        """Look again at a seed that was not there: a watch never gives up a site."""
        place = self.sources.add(page, site.number, Kind.SEED, "")
        site.places.append(place)
        self._absent.add(place)
        self.sources.missed(place, page.time)
        self._plan_look(site, place, page.time)
        site.plan_at = min(site.plan_at, self.now)
        self._take_links(site, page, None)  # sitemaps that robots.txt names

    def _forget(self, site: Site) -> None:
        """Forget the articles through which least is to be found, a tenth of them at once."""
        places = np.array(site.places, np.intp)
        places = places[self.sources.rows["kind"][places] == Kind.ARTICLE]
        places = places[self.sources.free(places, self.now)]
        order = np.argsort(self.sources.rates(places, self.now), kind="stable")
        dropped = places[order[: DEFAULT_WATCH.most_pages // 10]].tolist()
        site.forget(set(dropped))
        for place in dropped:
            self.sources.drop(place)

    def _miss(self, site: Site, page: Page, link: Waiting | None) -> None:
        """Try a new page that is missing again later."""
        group = self.sources.group(site.number, Kind.DROPPED, shape_in(page))
        self.sources.groups[group]["pages"] += 1
        if page.choice.url in self.book.lists:
            site.awaited = max(0, site.awaited - 1)
            return
        if link is not None and not link.tries:
            site.outcomes.fetched(link.shape, False, False, box=link.box)
            if not link.sure:
                site.outcomes.followed(False)
        again = page.status in (Status.MISSING, Status.FAILED) and page.retry_at is None
        if link is None or not again or link.tries + 1 >= DEFAULT_WATCH.most_tries:
            return
        chance = site.outcomes.chance_of_page(link.shape, link.host)
        if not site.outcomes.is_worth_retrying(link.tries + 1, chance):
            return
        wait = DEFAULT_WATCH.first_retry * 2.0**link.tries
        later = self.book.fresh[link.url] = replace(link, tries=link.tries + 1)
        site.push_late(page.time + wait, later)

    def _see_again(self, site: Site, place: int, page: Page) -> None:
        """See a page again: its new links lead to new pages."""
        rows = self.sources.rows
        before = float(rows["seen"][place])
        gap, age = rows["gap"].item(place), page.time - rows["born"].item(place)
        if page.status not in THERE and not (page.status is Status.UNWANTED and len(page.links)):
            self.sources.missed(place, page.time)
            if page.status is Status.MISSING and rows["misses"][place] < DEFAULT_WATCH.gone_after:
                site.look_at(self.sources, place, page.time + revisits.retry_gap(site.every))
                return
            changed = False
        else:
            changed = self.sources.looked(place, page)
            revisits.prove(site, self.sources, place, before, changed)
            if place in self._absent:  # it is seen for the first time
                self._absent.discard(place)
                self.book.boxes.keep(place, page)
                self._take_links(site, page, None)
            else:
                self.sources.rows["calls"][place] += page.choice.agent == HUB
                self._take_links(site, page, place, before)
        rows["gap"][place] = revisits.next_gap(gap, changed, site.every, age)
        self._plan_look(site, place, page.time)

    def _gap(self, site: Site, place: int) -> float:
        """Return when a page is looked at next, at the price of the last plan."""
        one = np.array([place])
        rate = left_to_polling(self.sources, one, self.sources.rates(one, self.now)).item()
        kind, misses, room = (self.sources.rows[place][name] for name in ("kind", "misses", "room"))
        return site.gap(rate, int(kind), int(misses), float(room))

    def _take_links(self, site: Site, page: Page, source: int | None, since: float = -inf) -> None:
        """Queue the unknown links of a page, and those that prove to be new."""
        origin = None
        if source is not None:
            first, pushed = float(self.sources.rows["first"][source]), page.choice.agent == HUB
            origin = LinkOrigin(source, since, first, pushed=pushed)
            self.book.promote(site, page, origin, self.topic, self.now)
            if self.changes and page.choice.purpose.is_list:
                revisits.name_modified(self.sources, page)
        self.book.take(site, page, origin, self.topic, self.now)
        if self.tells:
            credit_ahead(self.sources, self.book, site)

    def explain(self, page: Page, link: Link) -> Reasons | None:
        """Say why a page is looked at."""
        del page
        place = self.sources.places.get(link.url)
        return None if place is None else why(self.sources, place, self.now)
