"""The part of a web that a fleet has been told of: URLs, versions and states of pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import NO_PARENT, Choice, HostId, Ids, Page, Status, UrlId
from foragers.frontier.columns import StateTable
from foragers.text.hashed_state import hashed_state

STAYED = (Status.OK, Status.UNCHANGED)


class Stater(Protocol):
    """Turns texts into states, as `text.state.StateMap` does."""

    @property
    def k(self) -> int:
        """The number of dimensions of a state."""
        ...

    def states(self, texts: list[str]) -> NDArray[np.float32]:
        """Return a row for each text."""
        ...


@dataclass(slots=True)
class Atlas:
    """Numbers for versions and states, and how each URL was found.

    Without a `stater` the words of a page are hashed into `k` numbers.  If it `waits` for URLs of
    an earlier crawl, `met` are those that the page told last is the first to link to.
    """

    k: int
    stater: Stater | None = None
    needs_states: bool = True
    table: StateTable = field(init=False)
    hosts: set[HostId] = field(default_factory=set)
    waits: bool = False
    met: list[UrlId] = field(default_factory=list)
    _pages: dict[int, int] = field(default_factory=dict)
    _numbers: list[int] = field(default_factory=list)
    _ways: dict[UrlId, tuple[HostId, UrlId, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.table = StateTable(self.k)

    def chart(self, page: Page) -> Ids:
        """Record the links of a page, and return them: each once, and none to the page itself."""
        urls, hosts = page.links.targets.tolist(), page.links.hosts.tolist()
        depth = page.choice.depth + 1
        ways = self._ways
        for url, host in zip(urls, hosts, strict=True):
            known = ways.get(url)
            if known is None and self.waits:
                self.met.append(url)
            if known is None or depth < known[2]:
                ways[url] = (host, page.final, depth)
                self.hosts.add(host)
        distinct = dict.fromkeys(urls)
        distinct.pop(page.final, None)
        distinct.pop(page.choice.url, None)
        return np.fromiter(distinct, np.int32, len(distinct))

    def choice(self, url: UrlId, promise: float, agent: str) -> Choice:
        """Return the choice of a URL, with its parent and depth."""
        host, parent, depth = self._ways[url]
        return Choice(url, host, promise, agent, parent, depth)

    def look(self, url: UrlId, page: Page, promise: float, agent: str) -> Choice:
        """Return the choice of a URL that is linked from a page."""
        host = self._ways[url][0]
        return Choice(url, host, promise, agent, page.final, page.choice.depth + 1)

    def page(self, page: Page) -> int:
        """Return a number for the version of a page, -1 if there is none.

        A page that is not kept and has links (noindex, a sitemap) is one without words.
        """
        if page.final == NO_PARENT:
            return -1
        version = page.version if page.status in STAYED else -1
        if version < 0:
            if not len(page.links):
                return -1
            version = links_version(page)
        number = self._pages.get(version)
        if number is None:
            number = self._pages[version] = len(self._numbers)
            self._numbers.append(self._state(page) if version >= 0 else 0)
        return number

    def state(self, number: int) -> int:
        """Return the number of the state of a version, 0 for none."""
        return self._numbers[number] if number >= 0 else 0

    def _state(self, page: Page) -> int:
        if not self.needs_states:
            return 0
        document = page.document
        text = f"{document.title} {document.text}"
        if self.stater is None:
            return self.table.number(hashed_state(text, self.k))
        return self.table.number(self.stater.states([text])[0])


def links_version(page: Page) -> int:
    """Return a negative number for the links of a page without other content."""
    return -2 - (page.final << 32 | crc32(page.links.targets.tobytes()))
