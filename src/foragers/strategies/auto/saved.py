"""What auto keeps for the next crawl with the same target: words, groups, feature weights.

Groups of links are known by digests of their names, which contain the URLs of hosts and pages, so
that a directory or a position on a page is recognised in the next crawl of the same web.  What was
learned before counts as a few links and pages only, so that the new crawl soon weighs more.  A
crawl most of whose seeds are on unknown hosts starts from nothing, since the words of one web
mislead on another; what it learns is added to the file.

The weights of features are stored with the names of the features, and read by name.  A feature that
a file does not have keeps its prior.  A file may come from anybody: damaged columns are refused.

`PretrainedScorer` is a trained spider's model: its score of a link is one more feature.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foragers.core import exact
from foragers.core.models import Fact, Model
from foragers.core.types import Page
from foragers.errors import UsageError
from foragers.strategies.auto.combiner import FEATURES, NAMES, Combiner, Floats
from foragers.strategies.auto.features import host_group
from foragers.strategies.auto.group_rates import Before, Rates
from foragers.strategies.auto.settings import DEFAULTS, AutoSettings
from foragers.strategies.auto.word_weights import BUCKETS, RELEVANT, WordWeights
from foragers.strategies.spider.features import Lexicon, Said
from foragers.strategies.spider.scoring import Scorer, WordLimits, scorer_of
from foragers.text.link_counts import LinkCounts
from foragers.text.link_text import TEXTS
from foragers.urls.digests import digest

KIND = ("auto", 1)
TEXT = "related"
LIMITS = WordLimits(page_words=5.0, link_words=10.0)
"""As the spider itself has them by default."""
COLUMNS: Mapping[str, type[np.generic]] = {
    "groups": np.uint64,
    "followed": np.int64,
    "earned": np.float64,
    "tried": np.int64,
    "answered": np.int64,
    "words": np.int64,
    "weights": np.float64,
    "squares": np.float64,
    "others": np.int64,
    "relevant": np.int64,
    "pages": np.int64,
    "beliefs": np.float64,
}
"""Groups by digest, of which 0 is that of all links; words by number; `beliefs` are the weights
of the features named by the fact `advisers`: names of version 1 of the file."""

BY_GROUP = ("groups", "followed", "earned", "tried", "answered")
BY_WORD = ("weights", "squares", "others", "relevant")


@dataclass(frozen=True)
class Lore:
    """The columns of a model."""

    groups: NDArray[np.uint64]
    followed: NDArray[np.int64]
    earned: Floats
    tried: NDArray[np.int64]
    answered: NDArray[np.int64]
    words: NDArray[np.int64]
    weights: Floats
    squares: Floats
    others: NDArray[np.int64]
    relevant: NDArray[np.int64]
    pages: NDArray[np.int64]
    beliefs: Floats

    @classmethod
    def of(cls, model: Model) -> Lore:
        """Take up what a model holds, if it is whole."""
        try:
            columns = {name: whole(model.arrays[name], kind) for name, kind in COLUMNS.items()}
            columns["beliefs"] = by_feature(model.facts["advisers"], columns["beliefs"])
            lore = cls(**columns)
        except (KeyError, ValueError) as error:
            raise UsageError(
                f"--learned: the file has a missing or damaged part ({error})"
            ) from error
        if not lore.is_whole:
            raise UsageError("--learned: the parts of the file do not fit together; begin anew")
        return lore

    @property
    def is_whole(self) -> bool:
        """Whether the columns fit together and hold what they may."""
        by_group = [getattr(self, name) for name in BY_GROUP]
        by_word = [getattr(self, name) for name in BY_WORD]
        counts = (*by_group[1:], self.squares, self.others, self.relevant, self.pages)
        bounded = (self.weights, self.beliefs)
        return (
            all(len(column) == len(self.groups) for column in by_group)
            and all(len(column) == len(self.words) for column in by_word)
            and (len(self.pages), len(self.beliefs)) == (2, len(FEATURES))
            and rises(self.groups)
            and rises(self.words)
            and bool(((self.words >= 0) & (self.words < BUCKETS)).all())
            and all(
                bool(((column >= 0) & (column < DEFAULTS.largest_count)).all()) for column in counts
            )
            and all(bool((np.abs(column) <= DEFAULTS.loudest).all()) for column in bounded)
            and bool((self.earned <= self.followed).all() and (self.answered <= self.tried).all())
        )

    @classmethod
    def learned(cls, rates: Rates, words: WordWeights, combiner: Combiner) -> Lore:
        """Return what is known by now, of groups and words that were met."""
        groups, followed, earned, tried, answered = rates.counted()
        met = np.flatnonzero((words.counts != 0) | (words.weights[:BUCKETS] != 0))
        return cls(
            groups,
            followed,
            earned,
            tried,
            answered,
            met,
            np.clip(words.weights[met], -DEFAULTS.loudest, DEFAULTS.loudest),
            words.squares[met],
            words.counts[met] & (RELEVANT - 1),
            words.counts[met] >> 32,
            np.array(words.pages, np.int64),
            np.clip(combiner.weights, -DEFAULTS.loudest, DEFAULTS.loudest),
        )

    def model(self) -> Model:
        """Return the columns as a model."""
        facts: dict[str, Fact] = {
            "advisers": [*NAMES],
            "groups": len(self.groups),
            "words": len(self.words),
        }
        return Model(*KIND, facts, {name: getattr(self, name) for name in COLUMNS})

    def knows(self, hosts: Iterable[str], settings: AutoSettings = DEFAULTS) -> bool:
        """Say whether pages of most of some hosts were fetched before."""
        keys = np.array([digest(host_group(host)) for host in hosts], np.uint64)
        known = np.isin(keys, self.groups[self.answered > 0])
        return len(keys) > 0 and float(known.mean()) >= settings.known_seeds

    def and_before(self, before: Lore, taught: bool) -> Lore:
        """Return this with what was known before, of which words have been `taught` already."""
        old = ~np.isin(before.groups, self.groups)
        order = np.argsort(np.concatenate((self.groups, before.groups[old])), kind="stable")
        joined = {
            name: np.concatenate((getattr(self, name), getattr(before, name)[old]))[order]
            for name in BY_GROUP
        }
        if not taught:
            joined.update(self._words_and(before))
        return replace(self, **joined)

    def _words_and(self, before: Lore) -> dict[str, NDArray[Any]]:
        """Return the columns of words of two crawls of which neither knew of the other."""
        words = np.union1d(self.words, before.words)
        here, there = np.searchsorted(words, self.words), np.searchsorted(words, before.words)
        found: dict[str, NDArray[Any]] = {"words": words, "pages": self.pages + before.pages}
        for name in BY_WORD:
            column = np.zeros(len(words), COLUMNS[name])
            column[there] = getattr(before, name)
            own = getattr(self, name)
            column[here] = own + column[here] if name in ("others", "relevant") else own
            found[name] = column
        return found

    def before(self, most: int = DEFAULTS.saved_links) -> Before:
        """Return what groups have brought, as that of a few links each."""
        followed = np.minimum(self.followed, most)
        tried = np.minimum(self.tried, most)
        return Before(
            self.groups,
            followed,
            self.earned * followed / np.maximum(self.followed, 1),
            tried,
            np.rint(self.answered * tried / np.maximum(self.tried, 1)).astype(np.int64),
        )

    def teach(self, rates: Rates, words: WordWeights, combiner: Combiner) -> None:
        """Let those who judge links begin with what is known."""
        settings = rates.settings
        rates.begin(self.before(settings.saved_links))
        part = min(1.0, settings.saved_pages / max(1, int(self.pages.sum())))
        words.begin(self.words, self.weights, self.squares * part, self.scaled(part))
        words.pages[:] = [max(1, round(part * count)) if count else 0 for count in self.pages]
        combiner.begin(self.beliefs)

    def scaled(self, part: float) -> NDArray[np.int64]:
        """Return in how many pages words stand, both counts in one, as a part of all pages."""
        others = np.rint(self.others * part).astype(np.int64)
        relevant = np.rint(self.relevant * part).astype(np.int64)
        packed: NDArray[np.int64] = relevant * RELEVANT + others
        return packed


def whole(column: NDArray[Any], kind: type[np.generic]) -> NDArray[Any]:
    """Return a column of a kind, if it is one and holds nothing but numbers."""
    if column.ndim != 1 or not np.isfinite(column).all():
        raise ValueError("a column of something else than numbers")
    return column.astype(kind, copy=False)


def by_feature(names: Fact, weights: Floats) -> Floats:
    """Return the weights of a file in the order of `FEATURES`; others have their prior."""
    if not isinstance(names, list) or not len({*map(str, names)}) == len(names) == len(weights):
        raise ValueError("names and weights of features differ")
    known = dict(zip(map(str, names), weights.tolist(), strict=True))
    return np.array([known.get(feature.name, feature.prior) for feature in FEATURES])


def rises(column: NDArray[np.uint64] | NDArray[np.int64]) -> bool:
    """Say whether each number is larger than the one before."""
    return bool((column[1:] > column[:-1]).all())


@dataclass(frozen=True)
class PretrainedScorer:
    """A spider's model, ready to judge."""

    lexicon: Lexicon
    scorer: Scorer
    usual: float
    most: float

    @classmethod
    def of(cls, model: Model, most: float = DEFAULTS.most_trained) -> PretrainedScorer:
        """Take up what a model knows."""
        tally = LinkCounts.of(model)
        lexicon = Lexicon.of(TEXTS[TEXT], tally)
        scorer = replace(scorer_of(lexicon, tally, DEFAULTS.pretrained_bins), limits=LIMITS)
        usual = exact.dot(exact.exp(scorer.priors), scorer.values)
        return cls(lexicon, scorer, usual, most)

    def says(self, page: Page, places: list[int]) -> Floats:
        """Return the logarithm of how much more than usual each link of a page is worth."""
        said = Said.at(page.links, places, self.lexicon.reads_around)
        own = self.lexicon.of_links(said)
        worth = self.scorer.worth(self.scorer.scores(self.lexicon.of_page(page.document), own))
        more = exact.log(np.maximum(worth, 1e-9) / max(self.usual, 1e-9))
        return np.clip(more, -self.most, self.most)
