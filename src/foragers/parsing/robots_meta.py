"""The directives of a page for robots: its meta elements and X-Robots-Tag headers."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from foragers.parsing.dates import read_date
from foragers.parsing.robots_txt import products

_EVERYBODY = frozenset(("robots", "*"))
# A date has colons and perhaps a comma of its own, so it is matched as a whole.
_WORD = re.compile(
    r"unavailable_after\s*:\s*(?P<date>(?:[a-z]+,)?[^,]*)|(?P<word>[^\s,;:]+)(?P<colon>\s*:)?"
)


class Directives(msgspec.Struct, frozen=True):
    """What robots may not do with a page; after `unavailable_after`, in POSIX seconds, nothing."""

    noindex: bool = False
    nofollow: bool = False
    noarchive: bool = False
    unavailable_after: float | None = None

    @classmethod
    def parse(cls, values: Iterable[str], agent: str) -> Directives:
        """Combine the directives for all robots, and for an agent by name.

        A value is the content of a header or meta element; directives for one robot stand after its
        name and a colon, up to the next name.
        """
        values = list(filter(None, values))
        if not values:
            return NO_DIRECTIVES
        listeners = _EVERYBODY.union(products(agent))
        words: set[str] = set()
        dates: list[str] = []
        for value in values:
            _read(value.lower(), listeners, words, dates)
        moments = [seconds for date in dates if (seconds := read_date(date)) is not None]
        return cls(
            noindex=not words.isdisjoint(("noindex", "none")),
            nofollow=not words.isdisjoint(("nofollow", "none")),
            noarchive="noarchive" in words,
            unavailable_after=min(moments, default=None),
        )

    def not_to_be_kept(self, now: float) -> bool:
        """Return whether the text of a page may not be kept: at all, or no longer."""
        gone = self.unavailable_after
        return self.noindex or (gone is not None and gone < now)


NO_DIRECTIVES = Directives()


def _read(value: str, listeners: frozenset[str], words: set[str], dates: list[str]) -> None:
    """Collect the words and dates of one value that apply to some names."""
    is_meant = True
    for match in _WORD.finditer(value):
        word = match["word"]
        if word is None:
            if is_meant:
                dates.append(match["date"])
        elif not match["colon"]:
            if is_meant:
                words.add(word)
        elif not word.startswith("max-"):
            # A name; "max-snippet: 20" and the like are not.
            is_meant = word in listeners
