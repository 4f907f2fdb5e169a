"""Host bandit: a classifier ranks the URLs within each host, a bandit chooses the host.

Anthelion (Meusel, Mika and Blanco, *Focused Crawling for Structured Data*, CIKM 2014, and its
source code).  A naive Bayes classifier learns from every download which URLs are relevant, and
gives each new URL its score P(relevant).  Then, for every download,

    with probability lambda      a host drawn at random
    else                         the host with the largest
                                 best score of its URLs · (1 + relevant) / (1 + others)

where relevant and others count its pages fetched so far.  Of that host the URL with the best
score is fetched.  Lambda may decay: lambda / (1 + ⌊downloads / decay⌋).

The classifier sees the words of path and query with at least three characters, where all
numbers are one word, and whether a URL was found on a relevant or on another page, beside
relevant or other pages.  Features are hashed into 10,000 places.

Differences: Anthelion's classifier also counts the features that a URL lacks, so that it says
nothing before hundreds of relevant pages were found; ours is multinomial.  Anthelion's score is
the difference of two probabilities, which turns the order of hosts around where it is negative.
Anthelion scores a URL once, when it is found, or all URLs of a host when it is chosen; here all
URLs that wait are scored anew every `rescore` downloads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import IntEnum
from typing import ClassVar
from urllib.parse import unquote
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import log, log_counts, sigmoid
from foragers.core.types import NO_PARENT, Choice, HostId, Links, UrlId, Visit
from foragers.errors import UsageError
from foragers.frontier.columns import RowBlocks, UrlColumn
from foragers.strategies.peers.host_queues import Floats, HostQueues, Hosts

Numbers = NDArray[np.int32]


@dataclass(frozen=True)
class UrlBayesSettings:
    """The numbers that are no parameters of the strategy."""

    buckets: int = 10_000  # into which features are hashed; `classifier.hashtricksize` of Anthelion
    shortest: int = 3  # word in characters; the source code


URL_BAYES = UrlBayesSettings()
ALWAYS = URL_BAYES.buckets
"""The feature that every URL has, for how likely any page is relevant."""


class Known(IntEnum):
    """Whether a page was found relevant."""

    NOTHING = 0
    RELEVANT = 1
    OTHER = 2


NUMBER = "[number]"
SEPARATORS = re.compile("[^a-z0-9]+")


@dataclass(slots=True)
class UrlBayes:
    """Multinomial naive Bayes over the features of URLs, with Laplace's correction (`text.bayes`).

    P(c) = (1 + pages of c) / (2 + pages), P(f|c) = (1 + count of f in c) / (places + count in c).
    """

    _counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros((2, ALWAYS + 1), np.int64))

    def learn(self, features: Numbers, relevant: bool) -> None:
        """Count the features of a page that was fetched, each of which it has once."""
        self._counts[int(relevant), features] += 1

    def scores(self, rows: Sequence[Numbers]) -> Floats:
        """Return P(relevant) of URLs with these features."""
        counts, pages = self._counts[:, :ALWAYS], self._counts[:, ALWAYS]
        totals, logs = log(URL_BAYES.buckets + counts.sum(axis=1)), log_counts(1 + self._counts)
        weights = logs[1] - logs[0] - (totals[1] - totals[0])
        weights[ALWAYS] = log_counts(1 + pages)[1] - log_counts(1 + pages)[0]
        starts = np.cumsum([0, *map(len, rows[:-1])])
        return sigmoid(np.add.reduceat(weights[np.concatenate(rows)], starts))


@dataclass(slots=True)
class HostBandit:
    """Chooses a host by its success so far, and there the URL that a classifier likes best.

    `explore` is the share of hosts drawn at random.
    """

    needs_link_context: ClassVar[bool] = False

    rng: np.random.Generator
    explore: float = 0.1
    decay: int = 0
    rescore: int = 50
    frontier: HostQueues = field(default_factory=HostQueues)
    bayes: UrlBayes = field(default_factory=UrlBayes, init=False, repr=False)
    _good: UrlColumn[np.int64] = field(
        default_factory=lambda: UrlColumn(np.int64(0)), init=False, repr=False
    )
    _bad: UrlColumn[np.int64] = field(
        default_factory=lambda: UrlColumn(np.int64(0)), init=False, repr=False
    )
    _known: UrlColumn[np.int8] = field(
        default_factory=lambda: UrlColumn(np.int8(Known.NOTHING)), init=False, repr=False
    )
    _features: RowBlocks[np.int32] = field(
        default_factory=lambda: RowBlocks(np.int32), init=False, repr=False
    )
    _rows: dict[UrlId, tuple[int, int]] = field(default_factory=dict, init=False, repr=False)
    _downloads: int = field(default=0, init=False, repr=False)

    def check(self) -> None:
        """Refuse what makes no sense."""
        if not 0 <= self.explore <= 1:
            raise UsageError(f"host-bandit: explore={self.explore:g}: must be between 0 and 1")
        for name, value in (("decay", self.decay), ("rescore", self.rescore)):
            if value < 0:
                raise UsageError(f"host-bandit: {name}={value}: must be 0 (never) or more")

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose n times a host that is open, and its best URL."""
        choices: list[Choice] = []
        while len(choices) < n and (host := self._choose_host(closed)) is not None:
            choices += filter(None, [self.frontier.pop(host)])
        return choices

    def tell(self, visits: Sequence[Visit]) -> None:
        """Count what was found, and score new links."""
        for visit in visits:
            page, choice = visit.page, visit.page.choice
            self.frontier.fetched(page)
            for url in {choice.url, page.final} - {NO_PARENT}:
                self._known.reach(url)[url] = Known.RELEVANT if visit.relevant else Known.OTHER
            if choice.url != NO_PARENT and not choice.purpose.is_own:
                self._learn(visit)
            if len(page.links):
                self._find(page.links, page.final, choice.depth + 1)

    def values(self, hosts: Hosts) -> Floats:
        """Return what hosts are worth to the bandit."""
        last = int(hosts.max(initial=0))
        good, bad = self._good.reach(last)[hosts], self._bad.reach(last)[hosts]
        found: Floats = self.frontier.best(hosts) * (1 + good) / (1 + bad)
        return found

    def _choose_host(self, closed: AbstractSet[HostId]) -> HostId | None:
        """Choose an open host of which a URL waits: at random, or the most valuable."""
        hosts = self.frontier.waiting(closed)
        if not len(hosts):
            return None
        if self.rng.random() < self.share_at_random():
            return int(hosts[self.rng.integers(len(hosts))])
        return int(hosts[self.values(hosts).argmax()])

    def share_at_random(self) -> float:
        """Return the share of hosts that are drawn at random by now."""
        return self.explore / (1 + self._downloads // self.decay) if self.decay else self.explore

    def _learn(self, visit: Visit) -> None:
        """Count a page for its host and for the features of its URL."""
        choice, relevant = visit.page.choice, visit.relevant
        self._downloads += 1
        (self._good if relevant else self._bad).reach(choice.host)[choice.host] += 1
        row = self._rows.pop(choice.url, None)
        if row is not None:
            self.bayes.learn(self._features.view(*row), relevant)
        if self.rescore and self._downloads % self.rescore == 0:
            self._score_anew()

    def _find(self, links: Links, parent: UrlId, depth: int) -> None:
        """Score the links of a page that are not known yet."""
        beside = self._known.reach(int(links.targets.max()))[links.targets]
        above = self._known.values[parent : parent + 1] if parent >= 0 else beside[:0]
        found_by = found_by_of(set(above.tolist()), set(beside.tolist()))
        hosts = dict(zip(links.targets.tolist(), links.hosts.tolist(), strict=True))
        fresh = [url for url in hosts if url not in self.frontier]
        if not fresh:
            return
        rows = [features(href, found_by) for href in links.addresses.hrefs(fresh)]
        for url, row, score in zip(fresh, rows, self.bayes.scores(rows).tolist(), strict=True):
            self._rows[url] = self._features.add(row), len(row)
            self.frontier.push(url, hosts[url], score, parent, depth)

    def _score_anew(self) -> None:
        """Score all URLs that wait by what was learned since they were found."""
        if self._rows:
            rows = [self._features.view(*row) for row in self._rows.values()]
            urls = np.fromiter(self._rows, np.int32, len(self._rows))
            self.frontier.rescore(urls, self.bayes.scores(rows))


def found_by_of(above: AbstractSet[int], beside: AbstractSet[int]) -> list[str]:
    """Return the features of a link that stands on such a page, beside links to such pages."""
    return [
        f"{side} {known:d}"
        for side, pages in (("above", above), ("beside", beside))
        for known in (Known.RELEVANT, Known.OTHER)
        if known in pages
    ]


def features(href: str, found_by: Sequence[str]) -> Numbers:
    """Return the places of a URL's features: its words, and by what it was found."""
    behind_host = href.partition("://")[2].partition("/")[2]
    words = SEPARATORS.split(unquote(behind_host).lower())
    known = {
        NUMBER if word.isdigit() else word for word in words if len(word) >= URL_BAYES.shortest
    }
    known = {word for word in known if word == NUMBER or word.isalpha()}
    indexes = {crc32(word.encode()) % URL_BAYES.buckets for word in (*known, *found_by)}
    return np.array([*sorted(indexes), ALWAYS], np.int32)
