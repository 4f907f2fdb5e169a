"""The numbers that tune a live crawl and that no option sets, each with its source."""

from __future__ import annotations

from dataclasses import dataclass, field

from foragers.fetching.settings import DEFAULT_FETCHING, FetchSettings
from foragers.filters.traps.settings import DEFAULT_TRAPS, TrapSettings


@dataclass(frozen=True)
class CheckpointSettings:
    """How often a checkpoint is written."""

    visits: int = 1000  # fewest between two checkpoints: a second to tell them again; guess
    share: float = 0.1  # and this share of all visits, since a checkpoint's cost grows with them
    at_interrupt: bool = True  # else the next start replays the ledger, unless a host wants a pause
    longest_pause: float = 60.0  # seconds of a pause that may be forgotten then; politeness, guess


@dataclass(frozen=True)
class OwnRequestSettings:
    """How many requests a crawl makes for itself."""

    max_deferred: int = 10_000  # pages waiting to be requested again; memory
    max_sitemaps: int = 200  # of one host; guess
    max_feeds: int = 10  # of one host, since some sites have a feed for every page; guess
    max_lists: int = 100_000  # of all hosts; memory
    hosts_tried: int = 32  # in search of an open host; CPU


@dataclass(frozen=True)
class NowSettings:
    """How often a crawl writes what it is doing, and how much of it."""

    every: float = 1.0  # seconds, at least; a person reads no faster
    cost: float = 0.01  # share of the time that it may take; CPU
    listed: int = 30  # requests and waiting hosts that are listed; guess
    lessons_every: int = 20  # writes until what the strategy has learned is said anew; CPU


@dataclass(frozen=True)
class SessionSettings:
    """The settings of all parts of a live crawl."""

    fetching: FetchSettings = DEFAULT_FETCHING
    traps: TrapSettings = DEFAULT_TRAPS
    checkpoints: CheckpointSettings = field(default_factory=CheckpointSettings)
    own_requests: OwnRequestSettings = field(default_factory=OwnRequestSettings)
    now: NowSettings = field(default_factory=NowSettings)
    patience: float = 600.0  # seconds: a crawl ends if all hosts are closed or down longer; guess
    max_sleep: float = 0.5  # seconds: longest wait without a look at interrupts; guess
    words_every: int = 25  # visits between two looks for words of the topic that are common; CPU
    max_browsers: int = 4  # for --render; memory
    warc_daily: bool = False  # whether every day has a WARC file of its own
    estimates: bool = True  # whether recall is estimated; a watch never ends
    warc_patience: float = 3.0  # seconds until the process of a killed crawl has ended; guess
    warc_bytes: int = 1_000_000_000  # of a WARC file; the WARC guidelines recommend 1 GB


DEFAULT_SETTINGS = SessionSettings()
