"""The contract of a ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import TypeVar

import numpy as np

from foragers.core.content import MemoryContent
from foragers.core.protocols import Ledger
from foragers.core.types import (
    NO_PARENT,
    Choice,
    Document,
    Link,
    Page,
    Purpose,
    Status,
    UrlId,
    Visit,
)
from foragers.storage.ledger.columns import Facts
from foragers.storage.ledger.crawl_ledger import CrawlLedger

L = TypeVar("L", bound=Ledger)


class NumberedAddresses:
    """A URL for every number, so that ledgers can be checked without a world."""

    def href(self, url: UrlId) -> str:
        """Return a URL made of the number."""
        return f"http://sample.test/{url}"

    def hrefs(self, urls: Sequence[UrlId]) -> list[str]:
        """Return the URLs of many numbers."""
        return list(map(self.href, urls))


def check_ledger(
    make: Callable[[], Ledger],
    reopen: Callable[[], Ledger] | None = None,
    *,
    words: bool = True,
) -> None:
    """Check that a ledger keeps its contract.

    `make` returns an empty ledger with `NumberedAddresses`.  `reopen` opens the ledger again
    after it was closed, if it is stored in a file.  `words` says whether the ledger stores
    documents and links.
    """
    visits = sample_visits()
    with closed(make()) as ledger:
        check_grows(ledger, visits, words)
    if reopen is not None:
        with closed(reopen()) as ledger:
            check_holds(ledger, visits, words)
            ledger.append(visits[:2])
            check_holds(ledger, [*visits, *visits[:2]], words)


def check_crawl_ledger(
    make: Callable[[], CrawlLedger], reopen: Callable[[], CrawlLedger] | None = None
) -> None:
    """Check that a ledger stores all that a live crawl needs, including documents and links.

    `make` and `reopen` are as for `check_ledger`.
    """
    check_ledger(make, reopen)
    added = sample_visits()
    with closed(make()) as ledger:
        held = list(ledger.read())
        ledger.append(added)
        check_lookups(ledger, [*held, *added])
        ledger.commit()
        check_lookups(ledger, [*held, *added])
    if reopen is not None:
        with closed(reopen()) as ledger:
            check_lookups(ledger, [*held, *added])


def check_lookups(ledger: CrawlLedger, visits: Sequence[Visit]) -> None:
    """Check the queries of a live crawl on a ledger with these visits."""
    last_choice: dict[UrlId, Choice] = {}
    received: dict[UrlId, Visit] = {}
    for number, visit in enumerate(visits, 1):
        page, choice = visit.page, visit.page.choice
        assert ledger.choice(number) == choice, f"visit {number} has another choice than was added"
        for url in {choice.url, page.final}:
            assert ledger.href(url) == NumberedAddresses().href(url), f"URL {url} has another name"
        last_choice.pop(choice.url, None)
        if page.retry_at is not None:
            last_choice[choice.url] = choice
        if page.status in (Status.OK, Status.UNWANTED):
            received[page.final] = visit
    assert ledger.deferred() == list(last_choice.values()), "other choices are deferred"
    lists = {visit.page.final for visit in visits if visit.page.choice.purpose.is_list}
    assert sorted(ledger.lists()) == sorted(lists), "other URLs are lists of pages"
    assert ledger.reasons() == [visit.page.reason for visit in visits], "the reasons are others"
    count = sum(visit.page.status is not Status.SKIPPED for visit in visits)
    assert ledger.downloads() == count, f"there were {count} downloads, not {ledger.downloads()}"
    for final, visit in received.items():
        found = ledger.last(final)
        assert found is not None, f"nobody knows when page {final} was received"
        check_same(len(visits), found, visit, words=True)
    assert ledger.last(10**6) is None, "a page was received that nobody asked for"


def check_grows(ledger: Ledger, visits: Sequence[Visit], words: bool) -> None:
    """Check that a new ledger is empty, and has what is added to it."""
    assert len(ledger) == 0, f"a new ledger has {len(ledger)} visits"
    assert not list(ledger.read()), "a new ledger holds visits"
    check_holds(ledger, [], words)
    written: list[Visit] = []
    for size in (1, 0, 2, len(visits) - 3):
        some = list(visits[len(written) : len(written) + size])
        written += some
        ledger.append(some)
        some.clear()  # later changes of the list must not change the ledger
        check_holds(ledger, written, words)


def check_holds(ledger: Ledger, visits: Sequence[Visit], words: bool) -> None:
    """Check that a ledger has these visits, in this order, and no others."""
    assert len(ledger) == len(visits), f"{len(visits)} visits were added, len is {len(ledger)}"
    for start in {0, 1, len(visits) // 2, len(visits), len(visits) + 5}:
        held = list(ledger.read(start))
        expected = visits[start:]
        assert len(held) == len(expected), (
            f"read({start}) of {len(visits)} visits gave {len(held)}, not {len(expected)}"
        )
        for number, (one, other) in enumerate(zip(held, expected, strict=True), start):
            check_same(number, one, other, words)
    check_facts(Facts.of(ledger.read()), Facts.of(visits))
    if callable(own := getattr(ledger, "facts", None)):
        check_facts(own(), Facts.of(visits))


def check_same(number: int, held: Visit, added: Visit, words: bool) -> None:
    """Check that a visit was read as it was written."""
    for name in ("relevance", "relevant"):
        one, other = getattr(held, name), getattr(added, name)
        assert (one, type(one)) == (other, type(other)), (
            f"visit {number} was added with {name} {other!r} and read with {one!r}"
        )
    for name in ("choice", "status", "reason", "final", "time", "born", "version", "retry_at"):
        one, other = getattr(held.page, name), getattr(added.page, name)
        assert one == other, f"visit {number} was added with {name} {other!r} and read with {one!r}"
    if words:
        assert held.page.document == added.page.document, f"visit {number} lost its words"
        assert list(held.links) == list(added.links), f"visit {number} lost its links"


def check_facts(ours: Facts, expected: Facts) -> None:
    """Check that two sets of columns are the same, types included."""
    for column in fields(Facts):
        one, other = getattr(ours, column.name), getattr(expected, column.name)
        assert one.dtype.kind == other.dtype.kind, (
            f"the column '{column.name}' of the facts has the type {one.dtype}, not {other.dtype}"
        )
        assert np.array_equal(one, other), (
            f"the column '{column.name}' of the facts is {one}, not {other}"
        )


@contextmanager
def closed(ledger: L) -> Iterator[L]:
    """Close a ledger at the end, also if a check failed."""
    try:
        yield ledger
    finally:
        if callable(shut := getattr(ledger, "close", None)):
            shut()


def sample_visits() -> list[Visit]:
    """Return visits of all kinds: relevant or not, failed, redirected, changed, with odd words."""
    first = Link(1, 0, "http://sample.test/1", "one", "before one after", "/ul/li", 0, "nofollow")
    odd = Link(2, 1, "http://sample.test/2", "zwei € — \U0001f578", "'; DROP TABLE visits; --")
    words = Document("A title", ("Heading",), "text \x00 and ünïcode", "en", 1.5, "http://c.test/")
    seed, child = Choice(0, 0, 1.0), Choice(1, 0, 0.1 + 0.2, "forager 1", 0, 1)
    return [
        sample(seed, words, (first, odd, first), relevance=1.0),
        sample(child, Document(), (), relevance=1 / 3, version=2**40),
        sample(Choice(2, 1, -1e-300, "ünï", 0, 1), status=Status.MISSING, reason="404"),
        sample(Choice(3, 1, 1e300, "", 1, 2), status=Status.REFUSED, reason="robots.txt"),
        sample(Choice(4, 0, 0.0, "", 1, 2), words, (odd,), final=7, time=2e9 + 1 / 7),
        sample(child, status=Status.UNCHANGED),
        sample(Choice(5, 2, 0.0, "", NO_PARENT, 0), status=Status.FAILED, reason="time out"),
        sample(seed, words, (first,), relevance=0.5, version=4),
        sample(
            Choice(6, 2, 0.0, "sitemap", 0, 0, Purpose.SITEMAP), status=Status.UNWANTED, final=8
        ),
        sample(Choice(9, 2, 0.5, "", 0, 1), status=Status.SKIPPED, retry_at=2e9 + 1 / 3),
        sample(Choice(0, 0, 0.5, "again", 0, 1, Purpose.REVISIT), status=Status.UNCHANGED),
    ]


def sample(
    choice: Choice,
    words: Document | None = None,
    links: tuple[Link, ...] = (),
    *,
    status: Status = Status.OK,
    reason: str = "",
    final: UrlId | None = None,
    time: float = 1e9,
    version: int | None = None,
    relevance: float = 0.0,
    retry_at: float | None = None,
) -> Visit:
    """Return one visit, complete."""
    content = MemoryContent(words or Document(), links)
    number = choice.url if version is None else version
    page = Page(
        choice=choice,
        status=status,
        reason=reason,
        final=choice.url if final is None else final,
        time=time,
        born=time - 0.1,
        version=number if status is Status.OK else -1,
        links=content.columns(),
        content=content,
        retry_at=retry_at,
    )
    return Visit(page, relevance, relevance >= 0.5)
