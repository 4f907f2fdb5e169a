"""Words that the best pages share and others lack, learned while crawling.

Who types `faculty` wants pages that seldom say it, but say `professor` and `office`.  These words
stand on the pages that say `faculty` most.  At 50, 100, 200, … pages the words of the best 5 % are
compared with those of the pages that did not pass: a word's gain is the likelihood ratio of the two
shares, and the 40 words that gain most get the weight ln(share among the best / share of others).

    support of a page = sum of the weights of its words / sum of all weights / (1 + words / 400)

Weights are small beside the topic's own words: support orders pages that say little of
the topic, and makes none of them relevant alone.

Who gives examples, or says of pages that they are wanted, teaches: from two such pages on, words
are learned from them alone, and weigh more.  A single one counts as three of the best pages, which
is enough for its words to be learned.  Pages that are not wanted count as ten others.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from dataclasses import dataclass, field

from foragers.core.exact import log_of
from foragers.judges.words.page_words import PageWords


@dataclass(frozen=True)
class LearningSettings:
    """How words are learned: `python -m benchmarks judging` measures it."""

    first: int = 50  # pages before words are learned for the first time; 25 does as well
    growth: int = 2  # and again when there are so many times as many; 1.2 to 2 do as well
    best_share: float = 0.05  # of all pages are learned from; .01 to .05, better with more
    fewest_best: int = 5  # pages; of 5 to 20
    most_best: int = 100  # pages, to limit memory; 50 to 200 do as well
    words: int = 40  # of 20 to 200
    least_share: float = 0.05  # of the best pages have a word that is learned; of .05 to .3
    fewest_pages: int = 3  # among the best have it; guess
    usual_words: int = 400  # a page of so many words needs twice as many of them; of 0 to all
    most_known: int = 100_000  # words are counted, to limit memory; rare ones are then forgotten
    first_taught: int = 20  # pages before words are learned from examples; guess
    fewest_taught: int = 2  # examples to learn from; with five F1 of bare names rises by a third
    refused: int = 10  # other pages for which one counts that is not wanted; guess
    counted: int = 500  # first pages whose words are all counted; then one in 2, in 3, …


DEFAULT_LEARNING = LearningSettings()


@dataclass
class LearnedWords:
    """Counts the words of pages, and learns which are typical of the best."""

    settings: LearningSettings = DEFAULT_LEARNING
    pages: int = 0
    next: int = 0
    counted: int = 0
    pages_with: Counter[bytes] = field(default_factory=Counter, repr=False)
    best: list[tuple[float, int, tuple[bytes, ...]]] = field(default_factory=list, repr=False)
    weights: dict[bytes, float] = field(default_factory=dict)
    taught: list[tuple[bytes, ...]] = field(default_factory=list, repr=False)

    @property
    def is_taught(self) -> bool:
        """Whether there are examples enough to learn from them alone."""
        return len(self.taught) >= self.settings.fewest_taught

    def teach(self, page: PageWords, wanted: bool) -> None:
        """Learn from a page of which somebody says whether it is wanted."""
        found = page.vocabulary
        if wanted:
            self.taught.append(tuple(sorted(found)))
        else:
            self.counted += self.settings.refused
            self.pages_with.update(dict.fromkeys(found, self.settings.refused))
        if self.pages >= self.settings.first_taught and (self.taught or self.weights):
            self.learn()

    def support(self, page: PageWords) -> float:
        """Return how typical the words of a page are of the best pages, from 0 to 1."""
        if not self.weights:
            return 0.0
        found = self.weights.keys() & page.vocabulary
        # In the order of the weights, since sums differ by it.
        total = sum(weight for word, weight in self.weights.items() if word in found)
        return total / (1 + page.length / self.settings.usual_words)

    def add(self, evidence: float, page: PageWords, passes: bool = False) -> None:
        """Count the words of one more page, unless it passes, and learn if it is time."""
        given = self.settings
        self.pages += 1
        if not passes and self.pages % (1 + self.pages // given.counted) == 0:
            self.counted += 1
            self.pages_with.update(page.vocabulary)
            if len(self.pages_with) > given.most_known:
                self._forget()
        if evidence > 0 and (len(self.best) < given.most_best or evidence > self.best[0][0]):
            # Of equal pages the first one is kept.
            insort(self.best, (evidence, -self.pages, tuple(sorted(page.vocabulary))))
            if len(self.best) > given.most_best:
                del self.best[0]
        if self.pages >= (self.next or (given.first_taught if self.taught else given.first)):
            self.learn()
            self.next = self.pages * given.growth

    def learn(self) -> None:
        """Learn from the pages so far."""
        given = self.settings
        number = max(given.fewest_best, int(given.best_share * self.pages))
        best = [found for _, _, found in self.best[-min(number, given.most_best) :]]
        least = given.fewest_pages
        if self.is_taught:
            best, least = self.taught, given.fewest_taught
        else:
            best = best + given.fewest_pages * self.taught
        counts = Counter(word for found in best for word in found)
        fewest = max(least, given.least_share * len(best))
        gains = {
            word: gain
            for word, count in counts.items()
            if count >= fewest
            and is_telling(word)
            and (gain := self._gain(word, count, len(best))) > 0
        }
        chosen = sorted(gains, key=lambda word: (-gains[word], word))[: given.words]
        weights = {word: self._weight(word, counts[word], len(best)) for word in chosen}
        total = sum(weights.values())
        self.weights = {word: weight / total for word, weight in weights.items()}

    def _shares(self, word: bytes, count: int, best: int) -> tuple[float, float]:
        """Return on which share of the best pages a word stands, and of the others."""
        return (count + 0.5) / (best + 1), (self.pages_with[word] + 0.5) / (self.counted + 1)

    def _weight(self, word: bytes, count: int, best: int) -> float:
        inside, overall = self._shares(word, count, best)
        return log_of(inside / overall)

    def _gain(self, word: bytes, count: int, best: int) -> float:
        """Return how much better two shares than one tell where a word stands; 0 for a rare one."""
        inside, overall = self._shares(word, count, best)
        if inside <= overall:
            return 0.0
        lacking = log_of((1 - inside) / (1 - overall))
        return count * log_of(inside / overall) + (best - count) * lacking

    def _forget(self) -> None:
        """Forget the words of the fewest pages."""
        least = min(self.pages_with.values())
        while len(self.pages_with) > self.settings.most_known // 2:
            kept = {word: count for word, count in self.pages_with.items() if count > least}
            self.pages_with = Counter(kept)
            least += 1


def is_telling(word: bytes) -> bool:
    """Say whether a word may be learned: no number, and no single letter."""
    return len(word) > 1 and not word.isdigit()
