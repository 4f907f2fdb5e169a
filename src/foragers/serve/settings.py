"""How much the pages show, and how often a folder is read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ServeSettings:
    """How much is shown, and how often the folder is read."""

    per_page: int = 20  # pages in a list
    snippet: int = 240  # characters of a page in a list
    refresh: float = 2.0  # seconds between two looks at a ledger; a person reads no faster
    cost: float = 0.2  # share of the time that looking may take; CPU
    at_first: float = 2.0  # seconds of indexing before the first page is shown; the rest follows
    searched: int = 100_000  # characters of a page that can be searched; memory
    hosts: int = 200  # in the list of hosts to choose from
    explained: int = 200  # explanations that are remembered; memory
    ways: int = 10_000  # pages of which it is remembered how the crawl came to them; memory
    replayed: int = 20_000  # visits that are read again for an explanation; half a minute of CPU
    questions: int = 8  # pages that wait to be explained; CPU
    fresh: float = 60.0  # seconds for which an explanation is kept while a crawl goes on
    glance: float = 0.1  # seconds that a page waits for what a thread reads, before it shows less
    patience: float = 10.0  # seconds that a program waits for it if there is no older answer
    estimated: int = 20_000  # visits up to which a killed crawl is replayed to estimate; CPU
    events: int = 30  # of a watch in a list
    sites: int = 8  # folders of a library that are kept open; memory
    replays: int = 20  # what-ifs of a crawl
    strategies: int = 6  # of a what-if
    agents: int = 12  # drawn on the map of a fleet; more lines cannot be told apart
    places: int = 16  # and hosts or directories
