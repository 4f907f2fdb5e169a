"""Texts of links: the anchor, and the words before and after it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Ids, ParsedLink
from foragers.worlds.generated.text.columns import GeneratedColumns, WorldColumns
from foragers.worlds.generated.text.pages import TITLE_WORDS, salt
from foragers.worlds.generated.text.seeded import MASK, STRIDE, Hashes, mix, mix_one, strides
from foragers.worlds.generated.text.style import PATHS, Headline, Role, Style
from foragers.worlds.generated.text.vocabulary import WIDTH, Vocabulary

VAGUE = ("click here", "more", "read more", "here", "next", "back", "link", "details", "go", "this")
"""Anchors that say nothing about their target."""

AROUND = 8
"""The number of words around a link."""

WORDS = TITLE_WORDS + AROUND
HALF = TITLE_WORDS + AROUND // 2

TIMES_STRIDE, TOP_BYTE = np.uint64(STRIDE), np.uint64(56)

UNRELATED, OF_SOURCE, OF_KIND, OF_TOPIC = range(4)
"""The sources of a word around a link."""

OF_THE_UNRELATED, OF_THE_RELATED = 0.6, 0.45
"""The shares of the background and of the target's kind among those words."""


class LinkWriter:
    """Generates the texts of links."""

    def __init__(
        self, style: Style, vocabulary: Vocabulary, marks: GeneratedColumns, ground: WorldColumns
    ) -> None:
        self._marks = marks
        self._ground = ground
        self._vocabulary = vocabulary
        self._flat = vocabulary.tables.reshape(-1)
        self._letters = ground.letters.data
        self._lanes = strides(WORDS + 1)
        self._kinds = [(kind.leads, kind.headline, kind.name) for kind in style.kinds]
        self._named = np.array([kind.headline is Headline.NAME for kind in style.kinds])
        self._any_named = bool(self._named.any())
        self._around = around_by_chance(style.noise)
        self._clear = int(style.fidelity * 0x10000)
        self._salt = salt(style.seed)
        self._offset = np.uint64((self._salt + STRIDE) & MASK)
        self._place = np.uint64(WIDTH - 1)

    def write(self, version: int, url: int) -> list[ParsedLink]:
        """Return the links of a version, with their texts."""
        first, last = self._ground.link_starts[version : version + 2].tolist()
        targets = self._ground.targets[first:last]
        if not len(targets):
            return []
        kinds = self._marks.kinds[targets]
        keys = targets.astype(np.uint64)
        keys *= TIMES_STRIDE
        keys += self._offset
        mix(keys)
        hashes = self._hashes(keys, mix_one(self._salt - (url + 1) * STRIDE))
        words = self._words(targets, kinds, hashes, int(self._marks.topics[url]))
        links = zip(
            self._hrefs(targets),
            self._marks.roles[first:last].tolist(),
            kinds.tolist(),
            words,
            keys.tolist(),
            hashes[:, WORDS].tolist(),
            strict=True,
        )
        return [self._link(at, *link) for at, link in enumerate(links)]

    def _hashes(self, keys: Hashes, source: int) -> Hashes:
        """Draw a hash for each link; the title's is that of the target page."""
        hashes = np.empty((len(keys), WORDS + 1), np.uint64)
        hashes[:, :TITLE_WORDS] = keys[:, None]
        hashes[:, TITLE_WORDS:] = (keys ^ np.uint64(source))[:, None]
        hashes += self._lanes
        return mix(hashes)

    def _words(
        self, targets: Ids, kinds: NDArray[np.uint8], hashes: Hashes, source_topic: int
    ) -> list[list[str]]:
        """Draw the words of each link: those of the target's title, and those around it."""
        marks, names = self._marks, self._vocabulary.names_row
        topics = marks.topics[targets]
        options = np.zeros((len(targets), 4), np.int64)
        options[:, OF_SOURCE] = source_topic
        options[:, OF_KIND] = kinds
        options[:, OF_KIND] += self._vocabulary.kind_row(0)
        options[:, OF_TOPIC] = topics
        rows = np.zeros((len(targets), WORDS), np.int64)
        rows[:, : TITLE_WORDS - 1] = np.where(topics, topics, names)[:, None]
        rows[:, 2] = marks.seconds[targets]
        if self._any_named:
            rows[self._named[kinds], :2] = names
        which = self._around.take(hashes[:, TITLE_WORDS:WORDS] >> TOP_BYTE)
        which += np.arange(0, 4 * len(targets), 4)[:, None]
        rows[:, TITLE_WORDS:] = options.take(which)
        rows *= WIDTH
        rows += (hashes[:, :WORDS] & self._place).view(np.int64)
        words: list[list[str]] = self._vocabulary.words.take(self._flat.take(rows)).tolist()
        return words

    def _hrefs(self, targets: Ids) -> list[str]:
        starts, letters = self._ground.letter_starts, self._letters
        spans = zip(starts[targets].tolist(), starts[targets + 1].tolist(), strict=True)
        return [str(letters[first:last], "utf-8") for first, last in spans]

    def _link(
        self, at: int, href: str, role: int, kind: int, words: list[str], key: int, chance: int
    ) -> ParsedLink:
        aside = role in (Role.NAVIGATION, Role.FOOTER)
        if (chance & 0xFFFF) < self._clear:
            leads, headline, name = self._kinds[kind]
            lead = leads[(key >> 16) % len(leads)]
            if headline is Headline.NONE:
                anchor = lead
            elif aside:
                anchor = name
            else:
                anchor = partial_title(lead, headline, words, chance)
        else:
            anchor = VAGUE[(chance >> 16) % len(VAGUE)]
        if aside:
            return ParsedLink(href, anchor, anchor, PATHS[role], at)
        around = f"{' '.join(words[TITLE_WORDS:HALF])} {anchor} {' '.join(words[HALF:])}"
        return ParsedLink(href, anchor, around, PATHS[role], at)


def partial_title(lead: str, headline: Headline, words: list[str], chance: int) -> str:
    """Return part of a title's headline, with its lead or without."""
    shown = 2 if headline is Headline.NAME else 2 + (chance >> 20) % 3
    part = " ".join(words[:shown])
    return f"{lead} {part}" if lead and chance & 0x80000 else part


def around_by_chance(noise: float) -> NDArray[np.int64]:
    """Return for each of 256 equally likely values the source of a word around a link."""
    bounds = np.array([OF_THE_UNRELATED * noise, noise, noise + OF_THE_RELATED * (1 - noise)])
    return np.searchsorted(bounds, (np.arange(256) + 0.5) / 256).astype(np.int64)
