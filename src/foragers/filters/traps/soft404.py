"""Soft 404s: error pages with status 200.

A page whose first words speak of an error is compared with others of its host, without
the words of its URL, which such pages like to repeat, and without those of its links,
which may be random.  From the third URL with the same text on, it is an error page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from foragers.filters.traps.bounded import RecentDict
from foragers.filters.traps.duplicates import Sketch, similarity, sketch_of
from foragers.filters.traps.fingerprint import fingerprint
from foragers.filters.traps.settings import DEFAULT_TRAPS, TrapSettings
from foragers.text.words import url_words, words

Anchors = Callable[[], Sequence[str]]
"""Returns the texts of a page's links, on demand."""
_SPEAKS_OF_ERROR = {
    "404": r"\b404\b",
    "found": r"not\s+(?:be\s+)?found",
    "exist": r"does(?:n.t|\s+not)\s+exist|no\s+longer\s+exists?|existiert\s+nicht|n.existe\s+pas"
    r"|no\s+existe|não\s+existe",
    "longer": r"no\s+longer\s+available",
    "such": r"no\s+such\s+(?:page|file)",
    "missing": r"page\s+(?:is\s+)?missing",
    "unavail": r"page\s+(?:is\s+)?unavailable",
    "gefund": r"nicht\s+gefunden",
    "vorhand": r"nicht\s+vorhanden",
    "introuv": r"introuvable",
    "encontr": r"no\s+encontrad|no\s+se\s+(?:ha\s+)?encontr|não\s+(?:foi\s+)?encontrad",
    "trovat": r"non\s+(?:è\s+stata\s+)?trovat",
    "esiste": r"non\s+esiste",
    "gevond": r"niet\s+gevonden",
    "bestaat": r"bestaat\s+niet",
    "hittad": r"hittades\s+inte",
    "ikke": r"ikke\s+f[uo]n[dn]et",
    "löyt": r"ei\s+löyt",
    "znalez": r"nie\s+znalezion",
    "istniej": r"nie\s+istnieje",
    "nalezen": r"nebyl[ao]?\s+nalezen",
    "találh": r"nem\s+található",
    "найден": r"не\s+найден",
    "существ": r"не\s+существует",
    "знайден": r"не\s+знайден",
    "βρέθηκε": r"δεν\s+βρέθηκε",
    "bulunam": r"bulunamadı",
    "موجود": r"غير\s+موجود",
    "נמצא": r"לא\s+נמצא",
    "見つか": r"見つかりません",
    "找不到": r"找不到",
    "不存在": r"不存在",
    "찾을": r"찾을\s+수\s+없",
}
"""What error pages say, by a word without which they cannot say it: patterns are slow."""
_PATTERNS = {hint: re.compile(pattern, re.IGNORECASE) for hint, pattern in _SPEAKS_OF_ERROR.items()}


@dataclass(slots=True)
class ErrorPages:
    """The texts of each host that may be error pages: their sketch and number of URLs."""

    settings: TrapSettings = DEFAULT_TRAPS
    hosts: RecentDict[str, dict[Sketch, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.hosts = RecentDict(self.settings.soft_errors.hosts)

    def recognise(
        self,
        host: str,
        url: str,
        text: str,
        title: str,
        again: bool,
        anchors: Anchors = tuple,
    ) -> bool:
        """Return whether a page is its host's error page; `again` if its URL was counted."""
        settings = self.settings.soft_errors
        first, least = settings.first_chars, settings.min_urls
        counts = self.hosts.get(host)
        speaks = speaks_of_error(f"{title}\n{text[:first]}")
        # The home page of a host that shows it for every error is no error itself.
        if (
            not (counts or speaks)
            or url.partition("/")[2].count("/") < 2
            or url.endswith(f"{host}/")
        ):
            return False
        if counts and not speaks and max(counts.values()) < least:
            return False
        bare = without_anchors(text, anchors()[: settings.max_anchors])
        if speaks and bare != text:
            speaks = speaks_of_error(f"{title}\n{bare[:first]}")
        sketch = self._sketch(url, bare)
        same = self._same(counts, sketch) if counts else None
        if same is None:
            if speaks:
                self._add(host, sketch)
            return False
        assert counts is not None
        if speaks and not again:
            counts[same] += 1
        return counts[same] >= least

    def _sketch(self, url: str, text: str) -> Sketch:
        """Return the sketch of a text without the words of its URL."""
        rest = words(text, frozenset(url_words(url)))
        page = fingerprint(" ".join(rest), url, settings=self.settings.fingerprint)
        return sketch_of(page.phrases, self.settings.duplicates.sketch_size)

    def _same(self, counts: dict[Sketch, int], sketch: Sketch) -> Sketch | None:
        """Return the known text that is nearly the same as a sketch."""
        settings = self.settings.duplicates
        size, share = settings.sketch_size, settings.min_share
        return next((known for known in counts if similarity(known, sketch, size) >= share), None)

    def _add(self, host: str, sketch: Sketch) -> None:
        """Remember a text that may be an error page, and forget the rarest if there are many."""
        counts = self.hosts.get(host)
        if counts is None:
            counts = {}
            self.hosts.put(host, counts)
        if len(counts) >= self.settings.soft_errors.max_texts:
            del counts[min(counts, key=counts.__getitem__)]
        counts[sketch] = 1


def speaks_of_error(text: str) -> bool:
    """Return whether a text says that something does not exist."""
    small = text.lower()
    return any(hint in small and said.search(text) for hint, said in _PATTERNS.items())


def without_anchors(text: str, anchors: Sequence[str]) -> str:
    """Return a text without the texts of its links, which stand in it in this order."""
    parts, end = [], 0
    for anchor in anchors:
        start = text.find(anchor, end) if anchor else -1
        if start >= 0:
            parts.append(text[end:start])
            end = start + len(anchor)
    return " ".join([*parts, text[end:]]) if parts else text
