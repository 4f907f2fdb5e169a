"""What to fetch when news is wanted: a page seen before, a new link, or any other link.

All three have a promise in the same unit, news per download, and the largest promise goes first:

- the value of another visit to a page (`page_history`);
- the share of earlier new links on the same page that led to news (`new_links`);
- the score that auto gives to any other link.

Promises of links are scaled by the recent outcomes of such promises (`Trust`).  News found through
links costs further downloads.  Their `price` is the news per download in the recent past.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.core.display import counted
from foragers.core.protocols import Part, Reasons
from foragers.core.types import NO_PARENT, Choice, HostId, Ids, Page, Purpose, Status, UrlId, Visit
from foragers.frontier.frontier import Frontier
from foragers.strategies.auto.change_rates import Places
from foragers.strategies.auto.new_links import FRESH, FreshLinks
from foragers.strategies.auto.page_history import LINKS, NEWS, THROUGH, Watched
from foragers.strategies.auto.settings import REVISIT_DEFAULTS, RevisitSettings
from foragers.urls.shapes import path_shape

HOUR = 3600.0
AGAIN, ANY, ON_SEED = "revisit", "", "link of a seed"
"""Agents in the ledger: a page that may have changed, any link, a link of a seed."""
WATCHED = (Status.OK, Status.UNCHANGED, Status.MISSING, Status.FAILED)
"""Visit again if there was a page, or may be one later; other statuses are final."""


class SeedLink(NamedTuple):
    """The host of a link of a seed, and the page on which it was found."""

    host: HostId
    parent: UrlId
    depth: int


@dataclass
class Trust:
    """Compares the promises of a kind of links with their outcomes."""

    settings: RevisitSettings = REVISIT_DEFAULTS
    kept: float = field(init=False)
    promised: float = field(init=False)

    def __post_init__(self) -> None:
        self.kept = self.promised = self.settings.first_promises

    def learn(self, promise: float, relevance: float) -> None:
        """Add a promise and its outcome; older ones count less."""
        memory = self.settings.trust_memory
        self.kept = memory * self.kept + relevance
        self.promised = memory * self.promised + min(1.0, promise)

    @property
    def share(self) -> float:
        """Outcomes divided by promises, at most 1."""
        least = self.settings.least_promises
        return min(1.0, (self.kept + least) / (self.promised + least))


@dataclass
class Revisits:
    """Chooses between pages visited before, links that were new on them, and all other links."""

    watched: Watched
    settings: RevisitSettings = field(init=False)
    fresh: FreshLinks = field(init=False)
    now: float = -inf
    price: float = field(init=False)
    _trust: dict[str, Trust] = field(init=False, repr=False)
    _seeds: list[int] = field(default_factory=list, repr=False)
    _next_seed: int = 0
    _seed_links: dict[UrlId, SeedLink] = field(default_factory=dict, repr=False)
    _count_links: int = 0
    _next_link: int = 0
    _answers: int = 0
    _next_look: int = 0
    _near: Places = field(default_factory=lambda: np.empty(0, np.intp), repr=False)

    def __post_init__(self) -> None:
        self.settings = settings = self.watched.settings
        self.fresh, self.price = FreshLinks(settings), settings.first_price
        self._trust = {ANY: Trust(settings), FRESH: Trust(settings)}

    def ask(self, n: int, closed: AbstractSet[HostId], frontier: Frontier) -> Sequence[Choice]:
        """Choose the n pages with the largest promise: seen before, behind new links, or others."""
        choices: list[Choice] = []
        again = self._again(n, closed)
        if n > 0 and (seed := self._due(closed)) is not None:
            again = [(worth, place) for worth, place in again if place != seed]
            choices.append(self._visit(self._worth(seed), seed))
        if len(choices) < n and (link := self._link(closed, frontier)) is not None:
            choices.append(link)
        any_, new = self._trust[ANY].share, self._trust[FRESH].share
        while len(choices) < n:
            other = any_ * min(1.0, frontier.best(closed))  # a seed may promise anything
            fresh = new * self.fresh.best(closed, frontier, self.now, self.watched)
            visit = again[-1][0] if again else -inf
            if max(other, fresh, visit) == -inf:
                break
            if fresh >= max(other, visit):
                choices.append(self.fresh.take(frontier))
            elif visit > other:
                choices.append(self._visit(*again.pop()))
            elif popped := frontier.pop(1, closed):
                choices += popped
            else:
                break  # better to wait for a closed host
        return choices

    def _due(self, closed: AbstractSet[HostId]) -> int | None:
        """Return the seed with the oldest last visit, if that is too long ago."""
        pages = self.watched.all
        if self._answers < self._next_seed or not self._waits(np.array(self._seeds, np.intp)).all():
            return None
        open_ = [place for place in self._seeds if pages["host"].item(place) not in closed]
        longest = min(open_, key=lambda place: pages["seen"].item(place), default=None)
        if longest is None or self.now - pages["seen"].item(longest) < self.seed_due:
            return None
        return longest

    def _link(self, closed: AbstractSet[HostId], frontier: Frontier) -> Choice | None:
        """Choose a link of a seed that was not followed yet, if it is time for the next."""
        if self._answers < self._next_link:
            return None
        for url in [url for url in self._seed_links if not frontier.wants(url)]:
            del self._seed_links[url]
        for url, link in self._seed_links.items():
            if link.host not in closed:
                frontier.take(url)
                self._next_link = self._answers + self.settings.link_rest
                return Choice(url, link.host, self.price, ON_SEED, link.parent, link.depth)
        return None

    @property
    def seed_due(self) -> float:
        """Seconds after which a seed is visited again in any case."""
        return self.settings.seed_due * self.watched.within

    def is_seed(self, place: int) -> bool:
        """Return whether a page is a seed."""
        return place in self._seeds

    def is_seed_link(self, url: UrlId) -> bool:
        """Return whether a URL is among the links of seeds that wait to be followed once."""
        return url in self._seed_links

    def _worth(self, place: int) -> float:
        return self.watched.worth(np.array([place]), self.now, self.price).item()

    def _visit(self, worth: float, place: int) -> Choice:
        """Choose a page to visit again."""
        page = self.watched.all[place]
        page["asked"], page["turn"] = self.now, self._answers
        url, host, parent, depth = (int(page[name]) for name in ("url", "host", "parent", "depth"))
        return Choice(url, host, worth, AGAIN, parent, depth, Purpose.REVISIT)

    def _again(self, n: int, closed: AbstractSet[HostId]) -> list[tuple[float, int]]:
        """Return the n pages on open hosts that are most worth a visit, in ascending order."""
        pages, near = self.watched.all, self._near
        places = near[self._waits(near)]
        worth = self.watched.worth(places, self.now, self.price)
        found: list[tuple[float, int]] = []
        for at in np.argsort(-worth, kind="stable").tolist():
            if len(found) >= n:
                break
            place = places.item(at)
            if pages["host"].item(place) not in closed:
                found.append((worth.item(at), place))
        return found[::-1]

    def _waits(self, places: Places) -> NDArray[np.bool_]:
        """Return which pages may be requested: no response is pending, or it seems lost."""
        pages = self.watched.all
        answered = pages["asked"][places] <= pages["seen"][places]
        waits: NDArray[np.bool_] = answered | (
            self._answers - pages["turn"][places] > self.settings.lost
        )
        return waits

    def tell(self, visit: Visit, fresh: Ids, hosts: Ids) -> bool:
        """Learn from a visit, and return whether the page has changed and has new links.

        `fresh` are the targets of links to URLs that were unknown, `hosts` their hosts.
        """
        page = visit.page
        self.now = max(self.now, page.time)
        if page.choice.url == NO_PARENT:
            return False
        self._answers += 1
        self._credit(visit)
        place = self.watched.place(page.choice.url)
        changed = place >= 0 and self.watched.learn(place, visit)
        if place in self._seeds:
            self._next_seed = self._answers + self.settings.seed_rest
        if page.choice.agent == ON_SEED:
            self._next_link = self._answers + self.settings.link_rest
        if place < 0:
            if page.status in WATCHED:
                self._begin(page)
        elif len(fresh):
            self.fresh.add(place, page, fresh, hosts)
        if self._answers >= self._next_look:
            self._look()
        return changed and len(fresh) > 0

    def _begin(self, page: Page) -> None:
        """Add a page that was visited for the first time."""
        if page.choice.parent == NO_PARENT and len(self._seeds) < self.settings.most_seeds:
            self._seeds.append(len(self.watched))
            links = page.links
            for url, host in zip(links.targets.tolist(), links.hosts.tolist(), strict=True):
                if (
                    self._count_links < self.settings.most_seed_links
                    and url not in self._seed_links
                ):
                    self._seed_links[url] = SeedLink(host, page.final, page.choice.depth + 1)
                    self._count_links += 1
        self.watched.begin(page, self._group(page))

    def _credit(self, visit: Visit) -> None:
        """Learn from the outcome of a download: the price, trust, and the page with the link."""
        choice = visit.page.choice
        self.price += self.settings.price_step * (visit.relevance - self.price)
        if choice.agent in self._trust and choice.parent != NO_PARENT:
            self._trust[choice.agent].learn(choice.promise, visit.relevance)
        source = self.fresh.source(choice.url)
        if source is not None:
            self.watched.credit(source, visit.relevance)

    def _group(self, page: Page) -> int:
        """Return the group of a page: pages on the same host whose URLs have the same shape."""
        group, host = self.watched.hazards.group, page.choice.host
        there = page.version >= 0
        return group(
            (host, there, path_shape(page.links.addresses.href(page.choice.url))),
            group((host, there)),
        )

    def _look(self) -> None:
        """Find the pages that `ask` compares: the best of all, and the best of each host."""
        self._next_look = self._answers + max(3, self._answers // self.settings.rescore_share)
        self.watched.hazards.refresh()
        worth = self.watched.worth(np.arange(len(self.watched)), self.now, self.price)
        order = np.argsort(-worth, kind="stable")
        _, firsts = np.unique(self.watched.all["host"][order], return_index=True)
        best = np.sort(firsts)[: self.settings.nearest_hosts]
        self._near = order[np.union1d(np.arange(min(self.settings.nearest, len(order))), best)]


def why_now(revisits: Revisits, url: UrlId) -> Reasons | None:
    """Explain why to visit a page again, or to follow a new link."""
    place = revisits.watched.place(url)
    if place >= 0:
        return why_again(revisits, place)
    source = revisits.fresh.on(url)
    return None if source is None else why_new(revisits, source)


def why_seed_link(revisits: Revisits, url: UrlId, reasons: Reasons) -> Reasons:
    """Put first that a link is followed because a seed has it, if that is so."""
    if not revisits.is_seed_link(url):
        return reasons
    most = revisits.settings.most_seed_links
    said = f"it is among the first {most} links of the seeds, each of which is followed once"
    return msgspec.structs.replace(reasons, says=f"{said}; by itself {reasons.says}")


def why_again(revisits: Revisits, place: int) -> Reasons:
    """Explain the value of another visit to a page."""
    watched, now = revisits.watched, revisits.now
    row = watched.all[place]
    worth = watched.worth(np.array([place]), now, revisits.price).item()
    rate, due = watched.rate(place, now) * HOUR, revisits.seed_due / HOUR
    trust = float(watched.hazards.table["trust"][int(row["group"])])
    parts: tuple[Part, ...] = (
        Part("hours since it was last seen", ((now - float(row["seen"])) / HOUR,)),
        Part("changes an hour, as it and pages like it have changed", (rate,)),
        Part("share of its changes that are news", (watched.share(place, NEWS),)),
        Part("news through new links, a change", (watched.share(place, THROUGH),)),
        Part("news found by visits to pages like it, of the news expected", (trust,)),
        Part("news a download brings elsewhere", (revisits.price,)),
    )
    brings = "hardly any" if f"{worth:.3f}" == "0.000" else f"{worth:.3f}"
    said = f"another visit was expected to bring {brings} pages of news, {history(row)}"
    if revisits.is_seed(place):
        parts += (Part("hours after which a seed is always visited again", (due,)),)
        away = (now - float(row["seen"])) / HOUR
        if away >= due:
            said = (
                f"it is a seed that was last seen {away:.1f} hours before, and a seed is visited"
                f" again after {due:g} hours in any case; {said}"
            )
    return Reasons(said, ("is",), parts, "older observations of a page count less")


def history(row: np.void) -> str:
    """Say in words what earlier visits to a page found."""
    visits, led_to = int(row["visits"]), int(row["led_to"])
    if not visits:
        return "judged by similar pages of its host, since it was visited only once"
    changed = f"this page changed in {row['changed']} of {counted(visits, 'visit')}"
    return f"mainly because {changed} and its new links led to {counted(led_to, 'new page')}"


def why_new(revisits: Revisits, place: int) -> Reasons:
    """Explain the promise of a link that is new on its page."""
    row = revisits.watched.all[place]
    chance = revisits.watched.promise(place)
    parts = (
        Part("new links of the page that were followed", (float(row["cases"][LINKS]),)),
        Part("of these led to news", (float(row["good"][LINKS]),)),
    )
    followed, led = round(float(row["cases"][LINKS])), round(float(row["good"][LINKS]))
    why = f"about {led} of the last {counted(followed, 'new link')} of that page led to news"
    said = f"the link is new on its page, which gave it a probability of {chance:.3f} of being news"
    if followed:
        said += f", mainly because {why}"
    return Reasons(said, ("is",), parts, "links followed longer ago count less")
