"""Writing pages: title, headings and text."""

from __future__ import annotations

from math import log
from statistics import NormalDist

import numpy as np

from foragers.types import Document
from foragers.worlds.generated.chance import STRIDE, mix, mix_one, strides
from foragers.worlds.generated.kinds import Headline, Kind
from foragers.worlds.generated.style import Style
from foragers.worlds.generated.vocabulary import WIDTH, Vocabulary

SPREAD = 0.6
"""The standard deviation of the logarithm of a text's length."""

TITLE_WORDS = 5
LONGEST = 4000
SENTENCE = 13
"""How many words a sentence has."""

CHANGED = 0x1800000000000000
"""A word whose hash is below this, one in eleven or so, changes when a page is revised."""


class PageWriter:
    """Makes up documents."""

    def __init__(self, style: Style, vocabulary: Vocabulary) -> None:
        self._style = style
        self._vocabulary = vocabulary
        self._flat = vocabulary.tables.reshape(-1)
        self._lengths = [lengths(kind) for kind in style.kinds]
        self._strides = strides(TITLE_WORDS + LONGEST)
        self._salt = salt(style.seed)

    def write(
        self,
        url: int,
        kind: int,
        topics: tuple[int, int],
        revision: int,
        published: float | None,
    ) -> Document:
        """Return what a revision of a page says."""
        key = mix_one(self._salt + (url + 1) * STRIDE)
        count = self._lengths[kind][key & 255]
        hashes = mix(self._strides[: TITLE_WORDS + count] + np.uint64(key))
        if revision:
            other = mix_one(key + revision)
            fresh = mix(self._strides[: TITLE_WORDS + count] + np.uint64(other))
            fresh[:TITLE_WORDS] = CHANGED
            hashes = np.where(fresh < CHANGED, fresh * np.uint64(STRIDE), hashes)
        rows = np.empty(len(hashes), np.int64)
        rows[:TITLE_WORDS] = self._title_rows(kind, *topics)
        rows[TITLE_WORDS:] = self._text_rows(hashes[TITLE_WORDS:], key, kind, *topics)
        places = rows * WIDTH + (hashes & np.uint64(WIDTH - 1)).astype(np.int64)
        words: list[str] = self._vocabulary.words[self._flat[places]].tolist()
        title = title_of(self._style.kinds[kind], key, words)
        text = words[TITLE_WORDS:]
        headings = (title, *(" ".join(text[at : at + 3]).capitalize() for at in range(0, len(text), 100)))
        return Document(title, headings, sentences(text), "en", published)

    def _title_rows(self, kind: int, topic: int, second: int) -> tuple[int, ...]:
        if self._style.kinds[kind].headline is Headline.NAME:
            names = self._vocabulary.names_row
            return names, names, topic, topic, 0
        return topic, topic, second, topic, 0

    def _text_rows(
        self, hashes: np.ndarray, key: int, kind: int, topic: int, second: int
    ) -> np.ndarray:
        """Draw for each word the row that it comes from."""
        plan = self._style.kinds[kind]
        # Some pages keep to their topic more than others do.
        topical = plan.topical * (0.4 + 1.2 * ((key >> 8) & 255) / 255)
        bounds = np.array([0.75 * topical, topical, topical + plan.own])
        own = self._vocabulary.kind_row(kind)
        which = np.searchsorted((bounds * 2**32).astype(np.uint32), (hashes >> np.uint64(32)).astype(np.uint32))
        return np.array([topic, second, own, 0])[which]


def salt(seed: int) -> int:
    """Return the number that sets the words of one seed apart from those of another."""
    return mix_one(seed * STRIDE + 1)


def lengths(kind: Kind) -> list[int]:
    """Return 256 lengths that are equally likely: log-normal with the mean of the kind."""
    centre = NormalDist(log(kind.words) - SPREAD**2 / 2, SPREAD)
    quantiles = [centre.inv_cdf((at + 0.5) / 256) for at in range(256)]
    return [min(int(np.exp(quantile)), LONGEST) for quantile in quantiles]


def title_of(kind: Kind, key: int, words: list[str]) -> str:
    """Return the title of a page from its lead and its headline."""
    lead = kind.leads[(key >> 16) % len(kind.leads)]
    if kind.headline is Headline.NONE:
        return lead
    headline = " ".join(words[: 2 if kind.headline is Headline.NAME else 4]).title()
    return f"{lead} {headline}" if lead else headline


def sentences(words: list[str]) -> str:
    """Join words to sentences."""
    parts = (words[at : at + SENTENCE] for at in range(0, len(words), SENTENCE))
    return " ".join([" ".join(part).capitalize() + "." for part in parts])
