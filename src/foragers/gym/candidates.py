"""The links that a policy chooses from, and the numbers that describe them.

A frontier has thousands of links, and a policy needs inputs of a fixed size.  So it sees a few
candidates: half of them the links that a best-first crawl would follow next, the others drawn at
random from all waiting links.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.core.loop import OPEN
from foragers.core.types import NO_PARENT, Choice, HostId, Link, UrlId, Visit
from foragers.judges.topic import NoTopic, Topic

FEATURES = (
    "waits",
    "likeness of the link",
    "relevance of the page",
    "depth",
    "relevant share of the page's links",
    "relevant share of the host",
    "pages of the host",
    "length of the link text",
)
"""What each column of an observation says; all are between 0 and 1."""
DEEP, MANY, LONG = 10, 1000, 100
"""Depths, pages and characters from which on a feature is 1."""


@dataclass(slots=True)
class CandidateLink:
    """A link that was not followed yet."""

    choice: Choice
    likeness: float
    relevance: float
    length: int

    @property
    def promise(self) -> float:
        """What a best-first crawl goes by."""
        return (self.likeness + self.relevance) / 2


@dataclass
class Candidates:
    """Waiting links, and counts of pages and hosts.

    `most` candidates are shown at a time.  `known` are the URLs that need not be offered again;
    several sets of candidates may share them.
    """

    most: int
    rng: np.random.Generator
    topic: Topic = field(default_factory=NoTopic)
    known: set[UrlId] = field(default_factory=set)
    shown: list[UrlId] = field(default_factory=list)
    _waiting: dict[UrlId, CandidateLink] = field(default_factory=dict)
    _hosts: dict[HostId, tuple[int, int]] = field(default_factory=dict)
    _pages: dict[UrlId, tuple[int, int]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, links: Sequence[Link], parent: UrlId, depth: int, relevance: float) -> None:
        """Add the links of a page that were not known."""
        for link in links:
            if link.url not in self.known:
                self.known.add(link.url)
                choice = Choice(link.url, link.host, parent=parent, depth=depth)
                likeness = self.topic.likeness(link.anchor)
                waiting = CandidateLink(choice, likeness, relevance, len(link.anchor))
                self._waiting[link.url] = waiting

    def learn(self, visit: Visit) -> None:
        """Count a visit, and add its links."""
        page, choice = visit.page, visit.page.choice
        self._waiting.pop(choice.url, None)
        self.known.add(choice.url)
        self.known.add(page.final)
        self._hosts[choice.host] = counted(self._hosts.get(choice.host), visit.relevant)
        self._pages[choice.parent] = counted(self._pages.get(choice.parent), visit.relevant)
        if page.final != NO_PARENT:
            self.add(list(page.links), page.final, choice.depth + 1, visit.relevance)
        else:
            self.add(list(page.links), NO_PARENT, 0, 0.0)

    def observe(self, closed: AbstractSet[HostId] = OPEN) -> NDArray[np.float32]:
        """Draw candidates on open hosts, and return a row of features for each.

        Rows without a candidate are 0.
        """
        self.shown = self._drawn(closed)
        rows = np.zeros((self.most, len(FEATURES)), np.float32)
        for index, url in enumerate(self.shown):
            rows[index] = self._features(self._waiting[url])
        return rows

    def take(self, index: int) -> Choice:
        """Return a candidate as a choice; one that does not exist means the first."""
        url = self.shown[index if 0 <= index < len(self.shown) else 0]
        return self._waiting.pop(url).choice

    def take_over(self, other: Candidates) -> None:
        """Take the newer half of another's links."""
        for url in list(other._waiting)[len(other) // 2 :]:
            self._waiting[url] = other._waiting.pop(url)

    def _drawn(self, closed: AbstractSet[HostId]) -> list[UrlId]:
        """Return the best links on open hosts, and others at random."""
        urls = [url for url, link in self._waiting.items() if link.choice.host not in closed]
        if len(urls) <= self.most:
            return urls
        promises = np.array([self._waiting[url].promise for url in urls])
        best = np.argsort(-promises, kind="stable")[: self.most // 2].tolist()
        taken = set(best)
        others = [index for index in range(len(urls)) if index not in taken]
        drawn = self.rng.choice(len(others), self.most - len(best), replace=False).tolist()
        return [urls[index] for index in (*best, *(others[place] for place in drawn))]

    def _features(self, link: CandidateLink) -> list[float]:
        """Return the features of a link, in the order of `FEATURES`."""
        choice = link.choice
        fetched, _ = self._hosts.get(choice.host, (0, 0))
        return [
            1.0,
            min(1.0, link.likeness),
            link.relevance,
            min(choice.depth, DEEP) / DEEP,
            share(self._pages.get(choice.parent)),
            share(self._hosts.get(choice.host)),
            min(fetched, MANY) / MANY,
            min(link.length, LONG) / LONG,
        ]


def counted(before: tuple[int, int] | None, relevant: bool) -> tuple[int, int]:
    """Return the numbers of pages and of relevant pages, with one more."""
    pages, found = before or (0, 0)
    return pages + 1, found + relevant


def share(counts: tuple[int, int] | None) -> float:
    """Return the share of relevant pages, a half where none was seen."""
    pages, found = counts or (0, 0)
    return (found + 1) / (pages + 2)
