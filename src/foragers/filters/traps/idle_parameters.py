"""Parts of URLs that have no effect, whatever a site calls them.

A part is a parameter, or an id among the directories.  When URLs that differ only in one
part keep returning the same words, in any order, the part is idle on that host: session ids,
sort orders, print switches.  One value of it is then enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from foragers.filters.traps.bounded import RecentDict, RecentIntegers
from foragers.filters.traps.reputation import PatternRecord, PatternRecords
from foragers.filters.traps.settings import DEFAULT_TRAPS, IdleParameterSettings
from foragers.urls.shapes import ID

_ID_SEGMENT = re.compile(rf"(?<=/)(?:{ID.pattern})(?=[/?#]|$)", re.IGNORECASE)


@dataclass(slots=True)
class IdleParameters:
    """The words of recent URLs, and of the same URLs without one part."""

    records: PatternRecords
    settings: IdleParameterSettings = DEFAULT_TRAPS.idle
    bags: RecentIntegers = field(init=False)
    idle: RecentDict[str, PatternRecord] = field(init=False)

    def __post_init__(self) -> None:
        self.bags = RecentIntegers(self.settings.urls)
        self.idle = RecentDict(self.settings.names)

    def record(self, url: str, bag: int) -> None:
        """Record the bag of words of a URL."""
        for name, without in self._parts(url):
            rest = without()
            before = self.bags.get(rest)
            if before is not None:
                record = self.records.of(name)
                record.record(before != bag, before == bag)
                if record.exhausted:
                    self.idle.put(name, record)
            self.bags.put(rest, bag)
        self.bags.put(url, bag)

    def refusing(self, url: str) -> str | None:
        """Return the idle part of a URL that was seen with another value."""
        # Most crawls meet no idle part, and most URLs have none.
        if not self.idle or ("?" not in url and _ID_SEGMENT.search(url) is None):
            return None
        for name, without in self._parts(url):
            record = self.idle.get(name)
            if record is not None and record.exhausted and self.bags.get(without()) is not None:
                return None if record.admit() else name
        return None

    def _parts(self, url: str) -> Iterator[tuple[str, Callable[[], str]]]:
        """Return the names of the parts of a URL that may be idle, each with how to omit it."""
        path, _, query = url.partition("#")[0].partition("?")
        host = path[: path.find("/", 8) + 1] or path
        for segment in _ID_SEGMENT.finditer(path):
            yield f"{host}{{id}}", partial(_without_segment, path, query, segment.span())
        if not query:
            return
        parameters = query.split("&")
        if len(parameters) <= self.settings.max_parameters:
            for i, parameter in enumerate(parameters):
                name = f"{host}?{parameter.partition('=')[0]}="
                yield name, partial(_without_parameter, path, parameters, i)


def _without_segment(path: str, query: str, span: tuple[int, int]) -> str:
    return f"{path[: span[0]]}{path[span[1] :]}?{query}"


def _without_parameter(path: str, parameters: list[str], index: int) -> str:
    rest = "&".join(parameters[:index] + parameters[index + 1 :])
    return f"{path}?{rest}" if rest else path
