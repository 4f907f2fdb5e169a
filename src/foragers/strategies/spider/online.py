"""Learning during a crawl: a link whose page was fetched is an example like a recorded one.

From time to time Q is computed for all links followed so far, on the known part of the web
(section 2.3 of the paper).  The links are put into bins, and their words are counted together
with the counts of the model.  So a link to a page behind which a reward is found later rises
with the next lesson.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Ids, Status, UrlId, Visit
from foragers.strategies.spider.features import NO_WORD, Lexicon, Numbers, WordColumn, flat
from foragers.strategies.spider.scoring import Scorer, counts_of
from foragers.strategies.spider.settings import DEFAULT_SPIDER, SpiderSettings
from foragers.strategies.spider.values import page_values
from foragers.text.link_counts import FINEST, LinkCounts, bins_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SpiderPage:
    """A fetched page: whether it is relevant, its links, and the words that its links share."""

    relevant: bool
    links: Ids
    words: Numbers


@dataclass(frozen=True, slots=True)
class Hint:
    """A link: the number of the page that it was seen on, and its own words."""

    source: int
    words: Numbers


@dataclass(frozen=True)
class Sums:
    """The counts of words in five bins (one column per word), the bins' links and sums of Q."""

    counts: Floats
    links: Floats
    worth: Floats


@dataclass
class Experience:
    """The links of a crawl with their words, and the pages behind those that were followed.

    A link of this crawl counts as much as `weight` links of the model's `counts`.
    """

    lexicon: Lexicon
    counts: LinkCounts | None = None
    weight: float = 1.0
    rewards: int = 0
    settings: SpiderSettings = field(default=DEFAULT_SPIDER, repr=False)
    _seen: list[SpiderPage] = field(default_factory=list, repr=False)
    _hints: dict[UrlId, list[Hint]] = field(default_factory=dict, repr=False)
    _page_of: dict[UrlId, int] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self._seen)

    def add(self, visit: Visit, shared: Numbers, own: WordColumn) -> None:
        """Add a page, and the words of all its links."""
        page = visit.page
        number, there = len(self._seen), page.status is Status.OK
        relevant = visit.relevant and there  # a copy does not count again
        self.rewards += relevant
        for url in (page.choice.url, page.final):
            if there or url not in self._page_of:
                self._page_of[url] = number if there else -1
        self._seen.append(SpiderPage(relevant, page.links.targets, shared))
        targets = page.links.targets.tolist()
        for url, text in zip(targets, own.apart() if targets else (), strict=True):
            hints = self._hints.setdefault(url, [])
            if len(hints) < self.settings.in_links:
                # A copy, since a view would keep the words of all links of the page.
                hints.append(Hint(number, text.copy()))

    def scorer(self, bins: int) -> Scorer:
        """Return a classifier learned from all links followed so far."""
        sums = self.sums()
        return Scorer.of(self.lexicon, sums.counts, sums.links, sums.worth, bins)

    def learned(self) -> LinkCounts:
        """Return the counts for a model."""
        sums, bag_of = self.sums(), np.array(self.lexicon.bag_of)
        words, counts = {}, {}
        for index, bag in enumerate(self.lexicon.bags):
            words[bag] = self.lexicon.words(bag)
            counts[bag] = np.rint(sums.counts[:, bag_of == index]).astype(np.int64)
        links = np.rint(sums.links).astype(np.int64)
        # A bin keeps its value although its number of links is rounded.
        held = np.maximum(sums.links, np.finfo(np.float64).tiny)
        return LinkCounts(words, counts, links, sums.worth / held * links)

    def sums(self) -> Sums:
        """Count the links followed so far together with those of the model."""
        size = len(self.lexicon)
        sums = Sums(np.zeros((FINEST, size)), np.zeros(FINEST), np.zeros(FINEST))
        if self.counts is not None:
            first = counts_of(self.lexicon, self.counts)
            sums.counts[:, : first.shape[1]] += first
            sums.links[:] += self.counts.links
            sums.worth[:] += self.counts.worth
        followed = [
            (hint, page) for url, page in self._page_of.items() for hint in self._hints.get(url, ())
        ]
        if followed:
            pages = np.array([page for _, page in followed])
            worth = np.where(pages >= 0, self.values()[pages], 0.0)
            self._count(sums, [hint for hint, _ in followed], worth)
        return sums

    def values(self) -> Floats:
        """Return Q of every page on the known part of the web."""
        starts = np.cumsum([0, *(len(page.links) for page in self._seen)])
        urls = np.concatenate([page.links for page in self._seen])
        page_of = np.full(max(int(urls.max(initial=0)), max(self._page_of)) + 2, -1, np.int64)
        # The seed visit has the URL NO_PARENT, -1, which is the last element.
        page_of[list(self._page_of)] = list(self._page_of.values())
        rewards = np.array([page.relevant for page in self._seen])
        gamma, depth = self.settings.gamma, self.settings.online_depth
        return page_values(starts.astype(np.int64), page_of[urls], rewards, gamma, depth)

    def _count(self, sums: Sums, hints: list[Hint], worth: Floats) -> None:
        bins, size = bins_of(worth), sums.counts.shape[1]
        sums.links[:] += self.weight * np.bincount(bins, minlength=FINEST)
        sums.worth[:] += self.weight * np.bincount(bins, worth, minlength=FINEST)
        words, lengths = joined([hint.words for hint in hints])
        counted = np.bincount(np.repeat(bins * size, lengths) + words, minlength=FINEST * size)
        sums.counts[:] += self.weight * counted.reshape(FINEST, size)
        # The words of a page count once for each of its links.
        sources = np.array([hint.source for hint in hints])
        held = np.bincount(sources * FINEST + bins, minlength=len(self) * FINEST)
        shared, lengths = joined([page.words for page in self._seen])
        for number, times in enumerate(held.reshape(-1, FINEST).T):
            often = np.bincount(shared, np.repeat(times, lengths), minlength=size)
            sums.counts[number] += self.weight * often
        sums.counts[:, NO_WORD] = 0

    def judged(self, scorer: Scorer, waiting: Sequence[UrlId]) -> Floats:
        """Return the values of waiting URLs: the best promise of their links."""
        hints = [hint for url in waiting for hint in self._hints[url]]
        sources = np.array([hint.source for hint in hints])
        pages = scorer.evidence(flat([page.words for page in self._seen]))[sources]
        own = scorer.evidence(flat([hint.words for hint in hints]))
        worth = scorer.worth(scorer.total(pages, own))
        firsts = np.cumsum([0, *(len(self._hints[url]) for url in waiting[:-1])])
        best: Floats = np.maximum.reduceat(worth, firsts)
        return best

    def known(self) -> list[UrlId]:
        """Return the targets of all links."""
        return list(self._hints)


def joined(texts: Sequence[Numbers]) -> tuple[Numbers, Ints]:
    """Return texts as one column, and the length of each."""
    return np.concatenate(texts), np.array([len(text) for text in texts], np.int64)
