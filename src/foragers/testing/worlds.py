"""The contract of a world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from random import Random

from foragers.core.protocols import World
from foragers.core.types import Choice, Page, Status, UrlId


def check_world(
    make: Callable[[], World],
    *,
    downloads: int = 60,
    deterministic: bool = True,
    tolerance: float = 0.0,
) -> None:
    """Check that a world keeps its contract.

    `make` returns a new world with seeds.  A live world is not deterministic, and may
    wait up to `tolerance` seconds too long.
    """
    traveller = Traveller(make(), tolerance, downloads)
    traveller.travel()
    if deterministic:
        again = Traveller(make(), tolerance, downloads)
        again.travel()
        first, second = map(facts, traveller.pages), map(facts, again.pages)
        for one, other in zip(first, second, strict=True):
            assert one == other, f"asked the same, two fresh worlds answered {one} and {other}"
    check_rest(make(), tolerance)
    check_again(make())


def facts(page: Page) -> tuple[object, ...]:
    """Return the facts that must be the same if the same requests are repeated."""
    links = page.links.targets.tolist(), page.links.hosts.tolist()
    return (page.choice.url, page.status, page.final, page.time, page.born, page.version, links)


@dataclass
class Traveller:
    """Fetches a world's pages in the order found, and checks every step."""

    world: World
    tolerance: float
    downloads: int
    pages: list[Page] = field(default_factory=list)
    _known: dict[UrlId, Choice] = field(default_factory=dict)
    _rng: Random = field(default_factory=lambda: Random(1))
    _answered: Counter[UrlId] = field(default_factory=Counter)
    _fetched: set[UrlId] = field(default_factory=set)

    def travel(self) -> None:
        """Fetch a number of pages, and wait for the last of them."""
        for link in self.world.seeds:
            self._known.setdefault(link.url, Choice(link.url, link.host))
        assert self._known, "the world has no seeds, so that nothing can be checked"
        while self.start() or self.world.running:
            self.wait()
        assert len(self.pages) == len(self._fetched), (
            f"{len(self._fetched)} downloads were started and {len(self.pages)} answered"
        )

    def start(self) -> int:
        """Start as many downloads as the world takes; return how many."""
        world, started = self.world, 0
        for choice in list(self._known.values()):
            if world.free < 1 or len(self._fetched) >= self.downloads:
                break
            free, running, now = world.free, world.running, world.now
            world.start(choice)
            started += 1
            self._fetched.add(choice.url)
            del self._known[choice.url]
            assert world.running == running + 1, "a download was started and 'running' did not grow"
            assert world.free == free - 1, "a download was started and 'free' did not shrink"
            assert world.now <= now + self.tolerance, "starting a download took time"
        return started

    def wait(self) -> None:
        """Wait a little or for the next pages, and check them."""
        world = self.world
        before, running = world.now, world.running
        until = inf if self._rng.random() < 0.5 else before + self._rng.uniform(-1.0, 2.0)
        pages = world.finished(until)
        assert world.now >= before, f"time ran backwards from {before} to {world.now}"
        assert world.now <= max(until, before) + self.tolerance, (
            f"finished({until}) let the time run on to {world.now}"
        )
        assert world.running == running - len(pages), (
            f"{running} downloads were running and {len(pages)} finished,"
            f" but 'running' says {world.running}"
        )
        assert until < inf or pages or not running, "finished() returned without an answer"
        for page in pages:
            self.look(page)

    def look(self, page: Page) -> None:
        """Check one page, and record its links."""
        url = page.choice.url
        self._answered[url] += 1
        assert url in self._fetched, f"URL {url} was answered but never started"
        assert self._answered[url] == 1, f"URL {url} was started once and answered twice"
        assert page.time <= self.world.now, f"URL {url} was answered in the future"
        check_content(page)
        self.pages.append(page)
        for target, host in zip(
            page.links.targets.tolist(), page.links.hosts.tolist(), strict=True
        ):
            if target not in self._fetched:
                self._known.setdefault(target, Choice(target, host, 0.0, "", page.final, 1))


def check_content(page: Page) -> None:
    """Check that a page is consistent."""
    url, links = page.choice.url, list(page.links)
    assert [link.url for link in links] == page.links.targets.tolist(), (
        f"the links of URL {url} are not its targets"
    )
    assert [link.host for link in links] == page.links.hosts.tolist(), (
        f"the hosts of the links of URL {url} are not its hosts"
    )
    assert len(page.content.outlinks()) == len(links), f"URL {url} shows other links than it has"
    if page.status is Status.OK:
        assert page.version >= 0, f"URL {url} has a page, but no version"
        assert page.born <= page.time, f"URL {url} showed what appeared only later"
    else:
        assert page.version < 0 or page.status is Status.UNCHANGED, (
            f"URL {url} has a version, but the status '{page.status}'"
        )
        assert not links or page.status in (Status.UNCHANGED, Status.UNWANTED), (
            f"URL {url} has links, but the status '{page.status}'"
        )


def check_rest(world: World, tolerance: float) -> None:
    """Check that an idle world lets time pass until the given moment."""
    before = world.now
    assert not world.finished(before - 1), "a world in which nothing runs gave an answer"
    assert world.now >= before, "waiting until a time that is past turned the clock back"
    before = world.now
    assert not world.finished(before + 0.25), "a world in which nothing runs gave an answer"
    assert before + 0.25 <= world.now <= before + 0.25 + tolerance, (
        f"with nothing running, finished({before + 0.25}) moved the time to {world.now}"
    )
    before = world.now
    assert not world.finished(), "a world in which nothing runs gave an answer"
    assert world.now - before <= tolerance, "finished() with nothing running took time"


def check_again(world: World) -> None:
    """Check that a page may be fetched again."""
    seed = world.seeds[0]
    choice = Choice(seed.url, seed.host)
    answers: list[Sequence[Page]] = []
    for _ in range(2):
        world.start(choice)
        pages: list[Page] = []
        while world.running:
            pages.extend(world.finished())
        answers.append(pages)
    counts = [len(pages) for pages in answers]
    assert counts == [1, 1], f"a URL fetched twice was answered {counts[0]} and {counts[1]} times"
