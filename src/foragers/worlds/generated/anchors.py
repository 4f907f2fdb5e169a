"""Writing links: the anchor, and the words before and after it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foragers.types import Outlink
from foragers.worlds.generated.chance import STRIDE, Hashes, mix, mix_one, strides
from foragers.worlds.generated.columns import Ground, Marks
from foragers.worlds.generated.kinds import Headline
from foragers.worlds.generated.pages import TITLE_WORDS, salt
from foragers.worlds.generated.roles import PATHS, Role
from foragers.worlds.generated.style import Style
from foragers.worlds.generated.vocabulary import WIDTH, Vocabulary

VAGUE = ("click here", "more", "read more", "here", "next", "back", "link", "details", "go", "this")
"""Anchors that say nothing of where they lead."""

AROUND = 8
"""How many words stand around a link."""

WORDS = TITLE_WORDS + AROUND

_GO_BETWEEN = (Role.NAVIGATION, Role.FOOTER)


class LinkWriter:
    """Makes up the words of links."""

    def __init__(self, style: Style, vocabulary: Vocabulary, marks: Marks, ground: Ground) -> None:
        self._style = style
        self._marks = marks
        self._ground = ground
        self._vocabulary = vocabulary
        self._flat = vocabulary.tables.reshape(-1)
        self._letters = memoryview(ground.letters)
        self._lanes = strides(WORDS + 1)
        self._named = np.array([kind.headline is Headline.NAME for kind in style.kinds])
        self._salt = salt(style.seed)

    def write(self, version: int, url: int) -> list[Outlink]:
        """Return the links of a version, worded."""
        ground = self._ground
        first, last = ground.link_starts[version : version + 2].tolist()
        targets = ground.targets[first:last]
        if not len(targets):
            return []
        keys = np.multiply(targets + 1, np.uint64(STRIDE), dtype=np.uint64, casting="unsafe")
        keys = mix(keys + np.uint64(self._salt))
        hashes = self._hashes(keys, mix_one(self._salt - (url + 1) * STRIDE))
        rows = self._rows(targets, hashes, int(self._marks.topics[url]))
        places = rows * WIDTH + (hashes[:, :WORDS] & np.uint64(WIDTH - 1)).astype(np.int64)
        words: list[list[str]] = self._vocabulary.words[self._flat[places]].tolist()
        roles = self._marks.roles[first:last].tolist()
        kinds = self._marks.kinds[targets].tolist()
        links = zip(
            self._hrefs(targets), words, roles, kinds, keys.tolist(), hashes[:, WORDS].tolist(),
            strict=True,
        )
        return [self._link(at, *link) for at, link in enumerate(links)]

    def _hashes(self, keys: Hashes, source: int) -> Hashes:
        """Draw the chance of each link: its title's lanes are those of the target page."""
        hashes = np.empty((len(keys), WORDS + 1), np.uint64)
        hashes[:, :TITLE_WORDS] = keys[:, None]
        hashes[:, TITLE_WORDS:] = (keys ^ np.uint64(source))[:, None]
        hashes += self._lanes
        return mix(hashes)

    def _rows(
        self, targets: NDArray[np.int32], hashes: Hashes, source_topic: int
    ) -> NDArray[np.int64]:
        """Choose the vocabulary of each word: the title's as on the target, and around it by chance."""
        marks = self._marks
        topics = marks.topics[targets]
        kinds = marks.kinds[targets]
        rows = np.empty((len(targets), WORDS), np.int64)
        rows[:, :TITLE_WORDS] = topics[:, None]
        rows[:, 2] = marks.seconds[targets]
        rows[:, TITLE_WORDS - 1] = 0
        rows[self._named[kinds], :2] = self._vocabulary.names_row
        noise = self._style.noise
        bounds = np.array([0.6 * noise, noise, noise + 0.45 * (1 - noise)]) * 256
        pick = (hashes[:, TITLE_WORDS:WORDS] >> np.uint64(56)).astype(np.uint8)
        about = np.where(pick < bounds[2], 1 + self._vocabulary.topics + kinds[:, None].astype(np.int64), topics[:, None])
        rows[:, TITLE_WORDS:] = np.where(pick < bounds[1], np.where(pick < bounds[0], 0, source_topic), about)
        return rows

    def _hrefs(self, targets: NDArray[np.int32]) -> list[str]:
        starts, letters = self._ground.letter_starts, self._letters
        spans = zip(starts[targets].tolist(), starts[targets + 1].tolist(), strict=True)
        return [str(letters[first:last], "utf-8") for first, last in spans]

    def _link(
        self, at: int, href: str, words: list[str], role: int, kind: int, key: int, chance: int
    ) -> Outlink:
        if (chance & 0xFFFF) >= self._style.fidelity * 0x10000:
            anchor = VAGUE[(chance >> 16) % len(VAGUE)]
        else:
            anchor = self._informative(words, role, kind, key, chance)
        if role in _GO_BETWEEN:
            return Outlink(href, anchor, anchor, PATHS[role], at)
        half = TITLE_WORDS + AROUND // 2
        around = f"{' '.join(words[TITLE_WORDS:half])} {anchor} {' '.join(words[half:])}"
        return Outlink(href, anchor, around, PATHS[role], at)

    def _informative(self, words: list[str], role: int, kind: int, key: int, chance: int) -> str:
        """Return the lead of the target's title, or some of its headline, or both."""
        plan = self._style.kinds[kind]
        lead = plan.leads[(key >> 16) % len(plan.leads)]
        if plan.headline is Headline.NONE or (role in _GO_BETWEEN and lead):
            return lead
        shown = 2 if plan.headline is Headline.NAME else 2 + (chance >> 20) % 3
        headline = " ".join(words[:shown])
        return f"{lead} {headline}" if lead and chance & 0x80000 else headline
