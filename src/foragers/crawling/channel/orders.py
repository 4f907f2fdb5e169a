"""What users tell a running crawl: to pause, go on or stop, more seeds, another budget.

`foragers serve` adds a line to `orders.jsonl`, and the crawl reads it between two steps.  Seeds are
numbered when they are added, so `obeyed.jsonl` has after how many visits that was: a resumed crawl
numbers its URLs as before.  Seeds that were ordered while no crawl was running are added when it is
resumed; other orders are for a running crawl only.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import msgspec

from foragers.core.files import write
from foragers.core.types import NO_PARENT, Choice
from foragers.crawling.own_requests import OwnRequests
from foragers.errors import UsageError
from foragers.fetching.live import Live
from foragers.urls.parse import is_address, resolve

ORDERS, OBEYED = "orders.jsonl", "obeyed.jsonl"
MOST_SEEDS = 1000
"""Seeds in one order; more belong into a file."""


class Do(StrEnum):
    """What a crawl can be told to do."""

    PAUSE = "pause"
    GO_ON = "go on"
    STOP = "stop"
    BUDGET = "budget"
    SEEDS = "seeds"


class CrawlOrder(msgspec.Struct, frozen=True, omit_defaults=True):
    """One order; `after` how many visits its seeds were added."""

    do: Do
    budget: int = 0
    seeds: tuple[str, ...] = ()
    after: int = -1

    def check(self) -> None:
        """Raise a UsageError if a crawl could not obey it."""
        if self.do is Do.BUDGET and not 1 <= self.budget < 2**53:
            raise UsageError("budget: give a number of downloads, at least 1")
        if self.do is Do.SEEDS:
            seeds_in_order(self)


def seeds_in_order(order: CrawlOrder) -> list[str]:
    """Return the seeds of an order as absolute URLs; a UsageError names a wrong one."""
    if not 1 <= len(order.seeds) <= MOST_SEEDS:
        raise UsageError(f"seeds: give 1 to {MOST_SEEDS:,} URLs, one a line")
    found = []
    for given in order.seeds:
        try:
            url = resolve(given if "://" in given else f"http://{given}")
        except ValueError:
            url = ""
        if not is_address(url) or not url.startswith(("http://", "https://")):
            raise UsageError(f"seeds: {given} is not a URL; write https://host/path")
        found.append(url)
    return found


def give_order(folder: Path, order: CrawlOrder) -> None:
    """Tell a crawl something; a UsageError says why it cannot be told."""
    order.check()
    append_line(folder / ORDERS, order)


def append_line(file: Path, order: CrawlOrder) -> None:
    """Add a line to a file."""
    try:
        with file.open("ab") as stream:
            stream.write(msgspec.json.encode(order) + b"\n")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from error


def read_orders(file: Path) -> list[CrawlOrder]:
    """Return the orders of a file; lines that are incomplete or damaged are none."""
    try:
        lines = file.read_bytes().split(b"\n")[:-1]
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            order = msgspec.json.decode(line, type=CrawlOrder)
            order.check()
            found.append(order)
        except (msgspec.DecodeError, UsageError):
            continue
    return found


@dataclass
class CrawlOrders:
    """The orders to one crawl: those of before it was opened are old, except for their seeds."""

    folder: Path
    live: Live
    own_requests: OwnRequests
    _size: int = -1
    _taken: int = 0
    _old: int = 0
    _obeyed: list[CrawlOrder] = field(default_factory=list)
    _given: Path = field(init=False)
    _given_name: str = field(init=False)

    def __post_init__(self) -> None:
        self._given = self.folder / ORDERS
        self._given_name = str(self._given)  # looked at in every step of a crawl

    @classmethod
    def of(cls, folder: Path, live: Live, own_requests: OwnRequests) -> CrawlOrders:
        """Return the orders in the folder of a crawl."""
        return cls(folder, live, own_requests, _obeyed=read_orders(folder / OBEYED))

    def begin(self) -> None:
        """Forget what was said to an earlier run of the crawl, except seeds that it did not add."""
        known = {seed for one in self._obeyed for seed in one.seeds}
        given = read_orders(self.folder / ORDERS)
        left = [
            index
            for index, one in enumerate(given)
            if one.do is Do.SEEDS and not known.issuperset(one.seeds)
        ]
        # Other orders between them are old too.
        self._old = len(given)
        self._taken = left[0] if left else len(given)

    def restore(self, visits: int) -> None:
        """Number the seeds again that were added after some visits, and widen the scope."""
        for one in self._obeyed:
            if one.after == visits:
                self._number(one)

    def take(self) -> Sequence[CrawlOrder]:
        """Return the orders since the last time."""
        # This is asked in every step, and mostly nobody has said anything.
        if not os.access(self._given_name, os.F_OK):
            return ()
        try:
            size = self._given.stat().st_size
        except OSError:
            return ()
        if size == self._size:
            return ()
        self._size = size
        given = read_orders(self._given)
        new = [
            one
            for index, one in enumerate(given[self._taken :], self._taken)
            if index >= self._old or one.do is Do.SEEDS
        ]
        self._taken = len(given)
        return new

    def add_seeds(self, order: CrawlOrder, visits: int) -> None:
        """Request more seeds; their hosts are in scope from now on."""
        obeyed = msgspec.structs.replace(order, after=visits)
        append_line(self.folder / OBEYED, obeyed)
        self._obeyed.append(obeyed)
        self.own_requests.ask_again(self._number(obeyed))

    def settle(self, visits: int, fetched: set[int]) -> None:
        """Request the seeds again that a killed crawl had added and not fetched.

        If visits were lost with it, they are numbered later than they were.
        """
        if any(one.after > visits for one in self._obeyed):
            self._obeyed = [
                msgspec.structs.replace(one, after=min(one.after, visits)) for one in self._obeyed
            ]
            lines = (msgspec.json.encode(one) + b"\n" for one in self._obeyed)
            write(self.folder / OBEYED, b"".join(lines))
        for one in self._obeyed:
            missing = (choice for choice in self._number(one) if choice.url not in fetched)
            self.own_requests.ask_again(missing)

    def _number(self, order: CrawlOrder) -> list[Choice]:
        """Return the seeds as choices."""
        table, choices = self.live.table, []
        for url in seeds_in_order(order):
            number = table.intern(url)
            self.live.widen(url)
            choices.append(Choice(number, table.host(number), parent=NO_PARENT, depth=0))
        return choices
