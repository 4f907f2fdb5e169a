"""The four seams: what a strategy, a world, a judge and a ledger must be able to do.

A crawl is a dialogue: *what next?* (`Strategy.ask`) and *this is what came back*
(`Strategy.tell`).  A strategy does no input or output, reads no clock and draws chance
from its own seeded generator, so that the same object crawls the live web, a recorded
one and a generated one, can be pickled at any moment, and run again gives the same.

Why a strategy expected of a link what it did, in a form that anything can show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from math import inf
from typing import Protocol, runtime_checkable

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
        """Learn what came back: late, out of order, or not at all are all legal.

        The first visit told is the *beginning*: a page that is nowhere, whose links
        are the seeds.
        """
        ...


@runtime_checkable
class Learns(Protocol):
    """A strategy that learns something worth keeping for the next crawl with the same aim.

    It takes that up in its field `model`.
    """

    def learned(self, addresses: Addresses) -> Model:
        """Return what it has learned; a URL's number is not the same in another crawl."""
        ...


class World(Protocol):
    """The web, or something like it: owns the clock and all concurrency."""

    @property
    def now(self) -> float:
        """The time, in seconds since 1970."""
        ...

    @property
    def free(self) -> int:
        """How many downloads may be started now."""
        ...

    @property
    def left(self) -> float:
        """How many downloads may still be started; infinity without a budget."""
        ...

    @property
    def running(self) -> int:
        """How many downloads are under way."""
        ...

    @property
    def seeds(self) -> Sequence[Link]:
        """Where a crawl begins."""
        ...

    def start(self, choice: Choice) -> None:
        """Begin a download."""
        ...

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Wait for the next answers, at the latest until a time, and return them."""
        ...


class Judge(Protocol):
    """Says how relevant a page is: to words, to examples, as news, by label, by your own rule."""

    @property
    def threshold(self) -> float:
        """The relevance from which on a page counts as relevant."""
        ...

    def relevance(self, page: Page) -> float:
        """Return a number from 0 to 1."""
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
    """One thing that was taken into account, and what it added in each column."""

    name: str
    adds: tuple[float, ...]


class Reasons(msgspec.Struct, frozen=True):
    """A sentence, and a small table of what spoke for what: a row a part, heaviest first.

    `worth` is the promise that comes of it, where it can be told.
    """

    says: str
    columns: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    note: str = ""
    worth: float | None = None


@runtime_checkable
class Explains(Protocol):
    """A strategy that can say why.

    One whose answer depends on what the crawl has found so far has an attribute `learns` that is
    true; it is told the crawl again up to the choice in question before it is asked.
    """

    def explain(self, page: Page, link: Link) -> Reasons | None:
        """Return why a link on a page promises what it does; None where there is no more to say."""
        ...
