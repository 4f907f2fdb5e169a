"""Error pages that say they are none: status 200 for an address that does not exist.

A page whose first words speak of an error is compared with others of its host, without
the words of the address, which such pages like to repeat, and without those of its links,
which may be made up.  From the third address with the same text on it is an error page; at
once where a made-up address gave it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from foragers.filters.traps.bounded import Recent
from foragers.filters.traps.duplicates import ALIKE, Sketch, likeness, sketch_of
from foragers.filters.traps.fingerprint import fingerprint
from foragers.text.words import url_words, words

Anchors = Callable[[], Sequence[str]]
"""Gives the words of a page's links, if they are asked for."""
ADDRESSES = 3
"""From how many addresses on a text that speaks of an error is one."""
_MAX_TEXTS = 4
_MAX_ANCHORS = 500
_BEGINNING = 2000
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
    """The texts that may be error pages, by host: sketch and number of addresses."""

    hosts: Recent[str, dict[Sketch, int]] = field(default_factory=lambda: Recent(2048))

    def recognise(
        self,
        host: str,
        url: str,
        text: str,
        title: str,
        again: bool,
        anchors: Anchors = tuple,
    ) -> bool:
        """Say whether a page is its host's error page; `again` if its address was counted."""
        known = self.hosts.get(host)
        speaks = speaks_of_error(f"{title}\n{text[:_BEGINNING]}")
        # The start page of a host that shows it for every error is no error itself.
        if (
            not (known or speaks)
            or url.partition("/")[2].count("/") < 2
            or url.endswith(f"{host}/")
        ):
            return False
        if known and not speaks and max(known.values()) < ADDRESSES:
            return False
        bare = without_anchors(text, anchors())
        if speaks and bare != text:
            speaks = speaks_of_error(f"{title}\n{bare[:_BEGINNING]}")
        sketch = sketch_without_address(url, bare)
        same = _same(known, sketch) if known else None
        if same is None:
            if speaks:
                self.note(host, sketch, 1)
            return False
        assert known is not None
        if speaks and not again:
            known[same] += 1
        return known[same] >= ADDRESSES

    def learn(self, host: str, url: str, text: str) -> None:
        """Take in what a host gave for a made-up address."""
        self.note(host, sketch_without_address(url, text), ADDRESSES)

    def note(self, host: str, sketch: Sketch, addresses: int) -> None:
        """Remember a text that may be an error page, in place of the least seen if need be."""
        known = self.hosts.get(host)
        if known is None:
            known = {}
            self.hosts.put(host, known)
        if len(known) >= _MAX_TEXTS:
            del known[min(known, key=known.__getitem__)]
        known[sketch] = addresses


def speaks_of_error(text: str) -> bool:
    """Say whether a text says that something is not there."""
    small = text.lower()
    return any(hint in small for hint in _HINTS) and _SPEAKS_OF_ERROR.search(text) is not None


def without_anchors(text: str, anchors: Sequence[str]) -> str:
    """Return a text without the words of its links, which stand in it in this order."""
    parts, place = [], 0
    for anchor in anchors[:_MAX_ANCHORS]:
        found = text.find(anchor, place) if anchor else -1
        if found >= 0:
            parts.append(text[place:found])
            place = found + len(anchor)
    return " ".join([*parts, text[place:]]) if parts else text


def _same(known: dict[Sketch, int], sketch: Sketch) -> Sketch | None:
    """Return the known text that is like a sketch."""
    return next((one for one in known if likeness(one, sketch) >= ALIKE), None)


def sketch_without_address(url: str, text: str) -> Sketch:
    """Return the sketch of a text without the words of the address."""
    rest = words(text, frozenset(url_words(url)))
    return sketch_of(fingerprint(" ".join(rest), url).phrases)
