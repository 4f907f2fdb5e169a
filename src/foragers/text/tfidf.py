"""tf·idf: words weighted by their count in a text and by their rarity elsewhere.

The weight of a word in a text is `tf · idf`: `tf` its count there, and

    idf = ln((1 + N) / (1 + df)) + 1

with `N` the number of known documents and `df` the number of those that contain the word.
The ones inside the logarithm act as one more document that contains every word, so that an
unseen word has a finite weight; the one outside keeps words of all documents from
vanishing.  These are scikit-learn's defaults (`smooth_idf`), and with all documents known
beforehand the cosines are those of its `TfidfVectorizer`.  Here documents may also be
added one by one, and one cosine needs no matrix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt

from foragers.core.exact import log_count
from foragers.text.words import words


@dataclass
class DocumentFrequencies:
    """The number of known documents that contain each word.

    When more than `limit` words are known, the rarest are dropped and then count as unseen:
    most words of a long crawl occur on one page only.
    """

    limit: int = 500_000
    documents: int = 0
    counts: dict[str, int] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, texts: Iterable[str]) -> DocumentFrequencies:
        """Return the frequencies in a corpus."""
        frequencies = cls()
        for text in texts:
            frequencies.add(set(words(text)))
        return frequencies

    def add(self, vocabulary: Iterable[str]) -> None:
        """Add a document, given each of its words once."""
        counts = self.counts
        for word in vocabulary:
            counts[word] = counts.get(word, 0) + 1
        self.documents += 1
        if len(counts) > self.limit:
            self._forget()

    def idf(self, word: str) -> float:
        """Return the idf of a word."""
        return log_count(1 + self.documents) + 1 - log_count(1 + self.counts.get(word, 0))

    def _forget(self) -> None:
        """Drop the rarest words until half of the limit is left, or all have the same frequency."""
        # The number of words of each frequency gives the next size.
        left, rare = len(self.counts), 0
        for frequency, words_of_it in sorted(Counter(self.counts.values()).items()):
            if left <= self.limit // 2:
                break
            left -= words_of_it
            rare = frequency
        self.counts = {word: count for word, count in self.counts.items() if count > rare}


def tfidf_cosine(
    query: Mapping[str, float], text: Mapping[str, int], frequencies: DocumentFrequencies
) -> float:
    """Return the cosine of the angle between two texts, given their words with their counts."""
    idf = frequencies.idf
    shared = [(word, idf(word)) for word in query if word in text]
    if not shared:
        return 0.0
    dot = sum(query[word] * text[word] * weight * weight for word, weight in shared)
    weights = [count * idf(word) for word, count in query.items()]
    query_square = sum(weight * weight for weight in weights)
    known, newest = frequencies.counts, log_count(1 + frequencies.documents) + 1
    text_square = 0.0
    for word, count in text.items():  # `idf` written out: this is most of the work
        weight = count * (newest - log_count(1 + known.get(word, 0)))
        text_square += weight * weight
    return dot / sqrt(query_square * text_square)
