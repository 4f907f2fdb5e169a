"""The four interfaces: strategy, world, judge and ledger; and the optional parts of a strategy.

A crawl is a dialogue: *what next?* (`Strategy.ask`) and *this is what came back*
(`Strategy.tell`).  A strategy does no input or output, reads no clock, and draws random numbers
from its own seeded generator.  So the same object crawls the live web, a recorded web and a
generated one, can be pickled at any moment, and gives the same result when run again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from collections.abc import Set as AbstractSet
from math import inf
from typing import ClassVar, Protocol, runtime_checkable

import msgspec

from foragers.core.models import Model
from foragers.core.types import Addresses, Choice, HostId, Link, Page, Visit


@runtime_checkable
class Strategy(Protocol):
    """Decides which page to fetch next."""

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose at most n pages, none of them on a closed host; none means waiting, or done."""
        ...

    def tell(self, visits: Sequence[Visit]) -> None:
        """Learn from visits, which may come late, out of order, or not at all.

        The first visit is the seed visit: a page that does not exist, whose links
        are the seeds.
        """
        ...


@runtime_checkable
class Learns(Protocol):
    """A strategy that can save what it learns for the next crawl with the same target.

    The next crawl passes it to the field `model`, or to the one named by `learned_field`.
    """

    def learned(self, addresses: Addresses) -> Model:
        """Return what it has learned; a URL has another number in the next crawl."""
        ...


@runtime_checkable
class ChecksParameters(Protocol):
    """A strategy that checks its parameters."""

    def check(self) -> None:
        """Raise a UsageError for invalid parameters."""
        ...


@runtime_checkable
class HasFrontier(Protocol):
    """A strategy whose waiting pages can be counted."""

    @property
    def frontier(self) -> Sized:
        """The waiting pages."""
        ...


@runtime_checkable
class LearnsInCrawl(Protocol):
    """A strategy that knows whether its promises depend on the pages found so far."""

    @property
    def learns(self) -> bool:
        """Whether they do."""
        ...


@runtime_checkable
class SaysLessons(Protocol):
    """A strategy that can say in words what it has learned so far."""

    def lessons(self) -> Sequence[str]:
        """Return sentences, the most important first."""
        ...


@runtime_checkable
class KeepsTime(Protocol):
    """A strategy that may have nothing to ask now and something later."""

    def wake(self, now: float) -> float:
        """Take note of the time; return when it next has something new to ask, after now."""
        ...


@runtime_checkable
class FollowsWaitRule(Protocol):
    """A queue of pages that holds them back by the rule that comes with the closed hosts."""

    follows_wait_rule: ClassVar[bool]


@runtime_checkable
class KeepsOrder(Protocol):
    """A strategy whose choices are waited for one by one, where downloads are scarce.

    It has a `Frontier`, but what waits there was chosen already, or it depends on each page.
    """

    @property
    def keeps_order(self) -> bool:
        """Whether they are."""
        ...


class World(Protocol):
    """The web, or a replacement for it: owns the clock and all concurrency."""

    @property
    def now(self) -> float:
        """The time, in seconds since 1970."""
        ...

    @property
    def free(self) -> int:
        """The number of downloads that may be started now."""
        ...

    @property
    def left(self) -> float:
        """The number of downloads that may still be started; infinity without a budget."""
        ...

    @property
    def running(self) -> int:
        """The number of downloads in progress."""
        ...

    @property
    def seeds(self) -> Sequence[Link]:
        """The URLs where a crawl begins."""
        ...

    def start(self, choice: Choice) -> None:
        """Start a download."""
        ...

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Wait for the next pages, at the latest until a time, and return them."""
        ...


class Judge(Protocol):
    """Computes the relevance of a page: by words, examples, age, labels, or your own function."""

    @property
    def threshold(self) -> float:
        """The relevance from which on a page counts as relevant."""
        ...

    def relevance(self, page: Page) -> float:
        """Return a number from 0 to 1."""
        ...


@runtime_checkable
class JudgesTogether(Protocol):
    """A judge that is faster with several pages at once."""

    def relevances(self, pages: Sequence[Page]) -> Sequence[float]:
        """Return the relevance of each of some pages."""
        ...


class Ledger(Protocol):
    """The append-only record of a crawl, from which everything else is computed."""

    def append(self, visits: Sequence[Visit]) -> None:
        """Add visits, in the order in which they were told."""
        ...

    def read(self, start: int = 0) -> Iterator[Visit]:
        """Return the visits from a position on."""
        ...

    def __len__(self) -> int:
        """Return the number of visits."""
        ...


class Part(msgspec.Struct, frozen=True):
    """One part of an explanation, and what it adds in each column."""

    name: str
    adds: tuple[float, ...]


class Reasons(msgspec.Struct, frozen=True):
    """A sentence, and a small table with one row per part, the most important first.

    `worth` is the resulting promise, if it is known.
    """

    says: str
    columns: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    note: str = ""
    worth: float | None = None


@runtime_checkable
class Explains(Protocol):
    """A strategy that can explain its promises.

    Unless its attribute `learns` is false (`LearnsInCrawl`), its promises depend on the pages found
    so far: then the crawl is replayed up to the choice in question before it is asked.
    """

    def explain(self, page: Page, link: Link) -> Reasons | None:
        """Return why a link on a page has its promise; None if there is no more to say."""
        ...
