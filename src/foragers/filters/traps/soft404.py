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
_SPEAKS_OF_ERROR = re.compile(
    r"\b404\b|not\s+(?:be\s+)?found|does(?:n.t|\s+not)\s+exist|no\s+longer\s+(?:available|exists?)"
    r"|no\s+such\s+(?:page|file)|page\s+(?:is\s+)?(?:missing|unavailable)"
    r"|nicht\s+gefunden|existiert\s+nicht|nicht\s+vorhanden|introuvable|n.existe\s+pas"
    r"|no\s+encontrad|no\s+se\s+(?:ha\s+)?encontr|no\s+existe|não\s+(?:foi\s+)?encontrad|não\s+existe"
    r"|non\s+(?:è\s+stata\s+)?trovat|non\s+esiste|niet\s+gevonden|bestaat\s+niet|hittades\s+inte"
    r"|ikke\s+f[uo]n[dn]et|ei\s+löyt|nie\s+znalezion|nie\s+istnieje|nebyl[ao]?\s+nalezen|nem\s+található"
    r"|не\s+найден|не\s+существует|не\s+знайден|δεν\s+βρέθηκε|bulunamadı|غير\s+موجود|לא\s+נמצא"
    r"|見つかりません|找不到|不存在|찾을\s+수\s+없",
    re.IGNORECASE,
)
# The pattern is slow; a page without any of these words cannot match it.
_HINTS = (
    *("404", "found", "exist", "longer", "such", "missing", "unavail", "gefund", "vorhand"),
    *("introuv", "encontr", "trovat", "esiste", "gevond", "bestaat", "hittad", "ikke", "löyt"),
    *("znalez", "istniej", "nalezen", "találh", "найден", "существ", "знайден", "βρέθηκε"),
    *("bulunam", "موجود", "נמצא", "見つか", "找不到", "不存在", "찾을"),
)


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
    return any(hint in small for hint in _HINTS) and _SPEAKS_OF_ERROR.search(text) is not None


def without_anchors(text: str, anchors: Sequence[str]) -> str:
    """Return a text without the texts of its links, which stand in it in this order."""
    parts, end = [], 0
    for anchor in anchors:
        start = text.find(anchor, end) if anchor else -1
        if start >= 0:
            parts.append(text[end:start])
            end = start + len(anchor)
    return " ".join([*parts, text[end:]]) if parts else text
