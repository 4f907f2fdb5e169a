"""Worlds that wrap another world and add a fault.

`Late`, `Shuffled` and `Lossy` change when pages arrive; `Vanished`, `Barren`, `Tangled`,
`Seedless`, `Unkept` and `ListedOnly` change their content.  URLs keep their numbers, so an oracle
of the wrapped world still fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf
from random import Random

import msgspec

from foragers.core.content import MemoryContent
from foragers.core.protocols import World
from foragers.core.types import NO_PARENT, Choice, Document, Link, Page, Purpose, Status, UrlId


@dataclass
class Around:
    """Another world, unchanged; the other classes change something."""

    world: World

    @property
    def now(self) -> float:
        """The time of the wrapped world."""
        return self.world.now

    @property
    def free(self) -> int:
        """How many downloads the wrapped world takes now."""
        return self.world.free

    @property
    def left(self) -> float:
        """How many downloads may still be started."""
        return self.world.left

    @property
    def running(self) -> int:
        """How many downloads are in progress."""
        return self.world.running

    @property
    def seeds(self) -> Sequence[Link]:
        """The seeds of the wrapped world."""
        return self.world.seeds

    def start(self, choice: Choice) -> None:
        """Begin a download in the wrapped world."""
        self.world.start(choice)

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Return the next pages of the wrapped world, each changed."""
        return [self.changed(page) for page in self.world.finished(until)]

    def changed(self, page: Page) -> Page:
        """Return the changed page."""
        return page


@dataclass
class Late(Around):
    """A world whose pages arrive up to `most` seconds late.

    The connection is free in the meantime, so many pages may be on their way.
    """

    seed: int = 0
    most: float = 20.0
    _held: list[tuple[float, int, Page]] = field(default_factory=list, repr=False)
    _rng: Random = field(init=False, repr=False)
    _count: int = 0

    def __post_init__(self) -> None:
        self._rng = Random(self.seed)

    @property
    def running(self) -> int:
        """How many downloads are in progress, including late pages."""
        return self.world.running + len(self._held)

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Return the pages that are due next."""
        while self.running:
            due = self._held[0][0] if self._held else inf
            for page in self.world.finished(min(until, due)):
                self._count += 1
                moment = page.time + self._rng.random() * self.most
                heappush(self._held, (moment, self._count, page))
            pages = []
            while self._held and self._held[0][0] <= self.now:
                page = heappop(self._held)[2]
                pages.append(msgspec.structs.replace(page, time=self.now))
            if pages or self.now >= until:
                return pages
        return self.world.finished(until)


@dataclass
class Shuffled(Around):
    """A world whose pages arrive in any order, some after many later ones."""

    seed: int = 0
    _held: list[Page] = field(default_factory=list, repr=False)
    _rng: Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._rng = Random(self.seed)

    @property
    def running(self) -> int:
        """How many downloads are in progress, including pages held back."""
        return self.world.running + len(self._held)

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Return some of the pages that have arrived, in any order."""
        if self.world.running or not self._held:
            self._held.extend(self.world.finished(until))
        self._rng.shuffle(self._held)
        some = self._rng.randint(min(1, len(self._held)), len(self._held))
        pages, self._held = self._held[:some], self._held[some:]
        return pages


@dataclass
class Lossy(Around):
    """A world that loses a share of its pages."""

    seed: int = 0
    share: float = 0.3
    _rng: Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._rng = Random(self.seed)

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Return the next pages that are not lost."""
        return [page for page in self.world.finished(until) if self._rng.random() >= self.share]


class Vanished(Around):
    """A world in which all pages are gone."""

    def changed(self, page: Page) -> Page:
        """Return a 404."""
        nothing = MemoryContent(Document())
        return msgspec.structs.replace(
            page,
            status=Status.MISSING,
            reason="404",
            version=-1,
            links=nothing.columns(),
            content=nothing,
        )


class Barren(Around):
    """A world whose pages link to nothing."""

    def changed(self, page: Page) -> Page:
        """Return the page without its links."""
        content = MemoryContent(page.document)
        return msgspec.structs.replace(page, links=content.columns(), content=content)


class Tangled(Around):
    """A world whose pages link to themselves, and to everything twice."""

    def changed(self, page: Page) -> Page:
        """Return the page with more links than it had."""
        if page.status is not Status.OK:
            return page
        choice = page.choice
        itself = Link(choice.url, choice.host, "http://itself.test/", "this page")
        links = tuple(page.links)
        content = MemoryContent(page.document, (itself, *links, *links, itself))
        return msgspec.structs.replace(page, links=content.columns(), content=content)


class Seedless(Around):
    """A world without seeds."""

    @property
    def seeds(self) -> Sequence[Link]:
        """No seeds."""
        return ()


class Unkept(Around):
    """A world whose pages must not be kept: each is unwanted and empty, but has its links."""

    def changed(self, page: Page) -> Page:
        """Return the page without its words."""
        if page.status is not Status.OK:
            return page
        content = MemoryContent(Document(), tuple(page.links))
        return msgspec.structs.replace(
            page,
            status=Status.UNWANTED,
            reason="noindex",
            version=-1,
            links=content.columns(),
            content=content,
        )


@dataclass
class ListedOnly(Around):
    """A world in which most pages that the seeds link to are known from a sitemap alone.

    The sitemap replaces the first page that a seed links to.  It is told with the seed, although
    the strategy did not choose it, as in a live crawl; if chosen, it is returned again.
    """

    _lists: dict[UrlId, Page] = field(default_factory=dict, repr=False)
    _asked: list[Choice] = field(default_factory=list, repr=False)

    @property
    def running(self) -> int:
        """How many downloads are in progress."""
        return self.world.running + len(self._asked)

    def start(self, choice: Choice) -> None:
        """Begin a download; a list does not need the wrapped world."""
        if choice.url in self._lists:
            self._asked.append(choice)
        else:
            self.world.start(choice)

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Return the next pages, each seed followed by its list."""
        if not self._asked:
            return [one for page in self.world.finished(until) for one in self._split(page)]
        asked, self._asked = self._asked, []
        return [
            msgspec.structs.replace(self._lists[choice.url], choice=choice, time=self.now)
            for choice in asked
        ]

    def _split(self, page: Page) -> list[Page]:
        """Return a seed without its links, and the list that has them; other pages as they are."""
        choice = page.choice
        own = {choice.url, page.final, *(seed.url for seed in self.seeds)}
        links = [link for link in page.links if link.url not in own]
        if choice.parent != NO_PARENT or page.status is not Status.OK or not links:
            return [page]
        first = links[0]
        content = MemoryContent(page.document, (first,))
        seed = msgspec.structs.replace(page, links=content.columns(), content=content)
        if first.url in self._lists:
            return [seed]
        purpose = Purpose.SITEMAP
        listed = Choice(
            first.url, first.host, 0.0, purpose.value, page.final, choice.depth, purpose
        )
        rest = tuple(link for link in links if link.url != first.url)
        self._lists[first.url] = told = listing(page, listed, rest)
        return [seed, told]


def listing(page: Page, choice: Choice, links: tuple[Link, ...]) -> Page:
    """Return a list of some pages, as the outcome of a choice with this parent."""
    content = MemoryContent(Document(), links)
    return msgspec.structs.replace(
        page,
        choice=choice,
        status=Status.UNWANTED,
        reason="sitemap",
        final=choice.url,
        version=-1,
        links=content.columns(),
        content=content,
    )
