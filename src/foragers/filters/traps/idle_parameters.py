"""Parts of addresses that make no difference, whatever a site calls them.

A part is a parameter, or an id among the folders.  When addresses that differ in one
part alone keep giving the same words, in whatever order, the part is idle on that
host: session ids, sort orders, print switches.  One value of it is then enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from foragers.filters.traps.bounded import Recent, RecentNumbers
from foragers.filters.traps.reputation import PatternRecord, PatternRecords
from foragers.urls.shapes import ID

_MAX_PARTS = 8
_FOLDER_ID = re.compile(rf"(?<=/)(?:{ID.pattern})(?=[/?#]|$)", re.IGNORECASE)


@dataclass(slots=True)
class Idle:
    """What addresses said, whole and with one part left out: 24,576 to 49,152 of them."""

    standings: PatternRecords
    said: RecentNumbers = field(default_factory=lambda: RecentNumbers(24_576))
    names: Recent[str, PatternRecord] = field(default_factory=lambda: Recent(4096))

    def record(self, url: str, bag: int) -> None:
        """Take in the words that an address gave."""
        for name, rest in parts(url):
            others = rest()
            before = self.said.get(others)
            if before is not None:
                standing = self.standings.of(name)
                standing.record(before != bag, before == bag)
                if standing.dull:
                    self.names.put(name, standing)
            self.said.put(others, bag)
        self.said.put(url, bag)

    def refusing(self, url: str) -> str | None:
        """Return the idle part of an address of which another value is known."""
        # Most crawls meet no idle part, and most addresses have none.
        if not self.names or ("?" not in url and _FOLDER_ID.search(url) is None):
            return None
        for name, rest in parts(url):
            known = self.names.get(name)
            if known is not None and known.dull and self.said.get(rest()) is not None:
                return None if known.admit() else name
        return None


def parts(url: str) -> Iterator[tuple[str, Callable[[], str]]]:
    """Return the parts of an address that may be idle, each with how to leave it out."""
    path, _, query = url.partition("#")[0].partition("?")
    host = path[: path.find("/", 8) + 1] or path
    for found in _FOLDER_ID.finditer(path):
        yield f"{host}{{id}}", partial(_without_folder, path, query, found.span())
    if not query:
        return
    parameters = query.split("&")
    if len(parameters) <= _MAX_PARTS:
        for i, parameter in enumerate(parameters):
            name = f"{host}?{parameter.partition('=')[0]}="
            yield name, partial(_without_parameter, path, parameters, i)


def _without_folder(path: str, query: str, span: tuple[int, int]) -> str:
    return f"{path[: span[0]]}{path[span[1] :]}?{query}"


def _without_parameter(path: str, parameters: list[str], place: int) -> str:
    rest = "&".join(parameters[:place] + parameters[place + 1 :])
    return f"{path}?{rest}" if rest else path
