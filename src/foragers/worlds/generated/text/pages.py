"""Texts of pages: title, headings and text."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import exp_of, log_of
from foragers.core.types import Document
from foragers.worlds.generated.text.seeded import STRIDE, Hashes, mix, mix_one, strides
from foragers.worlds.generated.text.style import Headline, PageKind, Style
from foragers.worlds.generated.text.vocabulary import WIDTH, Vocabulary

SPREAD = 0.6
"""The standard deviation of the logarithm of a text's length."""

LONGEST = 4000
TITLE_WORDS = 5
"""The number of words drawn for a title before those of the text; a headline shows four."""

SENTENCE, PARAGRAPH = 13, 100
"""The number of words of a sentence, and per heading."""

CHANGED = (1 << 64) // 11
"""A word whose hash is below this, one in eleven, changes when a page is revised."""

FAITHFUL = 0.75
"""The share of the topical words that are of the first topic and not of the second."""


class PageWriter:
    """Generates documents."""

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
        """Return the document of a revision of a page."""
        key = mix_one(self._salt + (url + 1) * STRIDE)
        hashes = self._hashes(key, TITLE_WORDS + self._lengths[kind][key & 255], revision)
        rows = self._rows(hashes, key, kind, *topics)
        rows *= WIDTH
        rows += (hashes & np.uint64(WIDTH - 1)).view(np.int64)
        words: list[str] = self._vocabulary.words[self._flat[rows]].tolist()
        title = title_of(self._style.kinds[kind], key, words)
        text = words[TITLE_WORDS:]
        below = [" ".join(text[at : at + 3]).capitalize() for at in range(0, len(text), PARAGRAPH)]
        return Document(title, (title, *below), sentences(text), "en", published)

    def _hashes(self, key: int, count: int, revision: int) -> Hashes:
        """Draw a hash for each word; a revision changes some, but not the title."""
        hashes = mix(self._strides[:count] + np.uint64(key))
        if revision:
            fresh = mix(self._strides[:count] + np.uint64(mix_one(key + revision)))
            fresh[:TITLE_WORDS] = CHANGED
            np.copyto(hashes, fresh * np.uint64(STRIDE), where=fresh < np.uint64(CHANGED))
        return hashes

    def _rows(
        self, hashes: Hashes, key: int, kind: int, topic: int, second: int
    ) -> NDArray[np.int64]:
        """Choose the vocabulary of each word."""
        plan = self._style.kinds[kind]
        own = self._vocabulary.kind_row(kind)
        # Some pages have more words of their topic than others.
        topical = plan.topical * (0.4 + 1.2 * (key >> 8 & 255) / 255)
        bounds = np.array([FAITHFUL * topical, topical, topical + plan.own]) * 2**32
        rows = np.array([topic, second, own, 0])[bounds.searchsorted(hashes >> np.uint64(32))]
        names = self._vocabulary.names_row
        row = topic or names
        rows[:TITLE_WORDS] = row, row, second, row, 0
        if plan.headline is Headline.NAME:
            rows[:2] = names
        return rows


def salt(seed: int) -> int:
    """Return the number that makes the words of one seed different from those of another."""
    return mix_one(seed * STRIDE + 1)


def lengths(kind: PageKind) -> list[int]:
    """Return 256 equally likely lengths: log-normal with the mean of the kind."""
    centre = NormalDist(log_of(kind.words) - SPREAD * SPREAD / 2, SPREAD)
    quantiles = [centre.inv_cdf((at + 0.5) / 256) for at in range(256)]
    return [min(int(exp_of(quantile)), LONGEST) for quantile in quantiles]


def title_of(kind: PageKind, key: int, words: list[str]) -> str:
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
