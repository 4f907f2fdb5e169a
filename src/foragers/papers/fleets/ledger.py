"""The record of a fleet in SQLite: every download, from which the exhibits can be recomputed.

docs/fleet-ledgers.md describes the tables and has the queries.  Rows are written in large
batches, so that memory does not grow with the downloads; the file takes its place when
the run is over.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from itertools import repeat
from pathlib import Path

import numpy as np

from foragers.core.types import UrlId
from foragers.strategies.fleet.simulation.replay import FleetRun, StepRecord
from foragers.strategies.fleet.simulation.web import SimulatedWeb
from foragers.worlds.archive import Archive

BATCH = 50_000
"""How many downloads are gathered before they are written."""

Row = tuple[int, float, int, int, int, int, int]

SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE downloads (
    number INTEGER PRIMARY KEY,   -- 1, 2, 3 … in order
    step INTEGER NOT NULL,        -- the step of the fleet that it belongs to: 1, 2, 3 …
    time REAL NOT NULL,           -- seconds since the start of the world
    url INTEGER NOT NULL,         -- urls.id
    version INTEGER NOT NULL,     -- versions.content, or -1 where there was no page
    forager INTEGER NOT NULL,
    sent INTEGER NOT NULL,        -- 1: sent to the reinforcing agent
    relevant INTEGER NOT NULL     -- 1: and found relevant
);
CREATE TABLE urls (id INTEGER PRIMARY KEY, href TEXT NOT NULL);
CREATE TABLE versions (
    id INTEGER PRIMARY KEY,
    url INTEGER NOT NULL,         -- urls.id
    time REAL NOT NULL,           -- when the URL began to show it, seconds since the start
    content INTEGER NOT NULL,     -- the first version of the URL with this content
    wanted INTEGER NOT NULL       -- 1: a page that is relevant while it is new
);
CREATE TABLE lives (
    time REAL NOT NULL,           -- seconds since the start
    event TEXT NOT NULL,          -- birth or death
    forager INTEGER NOT NULL,
    parent INTEGER NOT NULL       -- -1: none
);
CREATE TABLE paths (
    step INTEGER PRIMARY KEY,     -- downloads.step of its first step
    forager INTEGER NOT NULL
);
CREATE TABLE starts (             -- URLs that came new into a starting list, in order
    time REAL NOT NULL,           -- seconds since the start
    forager INTEGER NOT NULL,
    url INTEGER NOT NULL          -- urls.id
);
CREATE TABLE scores (             -- after the step under way when a window ended
    time REAL NOT NULL,           -- the end of the window, seconds since the start
    forager INTEGER NOT NULL,
    score REAL NOT NULL
);
"""


class FleetLedger:
    """Takes in the steps of a fleet, and writes them into a file, in so many `cpu_seconds`."""

    def __init__(self, file: Path, archive: Archive, ground: SimulatedWeb) -> None:
        self._file = file
        self._archive = archive
        self._ground = ground
        self._partial = file.with_name(f".{file.name}.partial")
        self._rows: list[Row] = []
        self._paths: list[tuple[int, int]] = []
        self._steps = 0
        self.cpu_seconds = 0.0

    def begin(self) -> None:
        """Make an empty file, and write down the world's own facts."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._partial.unlink(missing_ok=True)
        archive = self._archive
        ground = self._ground
        wanted = ground.is_page if ground.wanted is None else ground.is_page & ground.wanted
        versions = zip(
            range(archive.versions),
            ground.finals[:-1].tolist(),
            (archive.times - archive.start).tolist(),
            archive.same_as.tolist(),
            wanted[:-1].astype(np.int8).tolist(),
            strict=True,
        )
        with closing(self._open()) as connection, connection:
            connection.executescript(SCHEMA)
            connection.executemany("INSERT INTO versions VALUES (?, ?, ?, ?, ?)", versions)

    def path(self, forager: int) -> None:
        """Take in that the step to come is the first of a path."""
        self._paths.append((self._steps + 1, forager))

    def add(self, step: StepRecord) -> None:
        """Take in a step."""
        self._steps += 1
        flags = np.zeros((2, len(step.urls)), np.int8)
        flags[0, step.sent] = flags[1, step.relevant] = 1
        self._rows += zip(
            repeat(self._steps),
            (step.times - self._archive.start).tolist(),
            step.urls.tolist(),
            step.pages.tolist(),
            repeat(step.forager),
            *flags.tolist(),
            strict=False,
        )
        self._spill()

    def stand(self, forager: int, moment: float, url: UrlId, page: int) -> None:
        """Take in a step of one download, of which nothing was sent."""
        self._steps += 1
        self._rows.append((self._steps, moment - self._archive.start, url, page, forager, 0, 0))
        self._spill()

    def _spill(self) -> None:
        if len(self._rows) >= BATCH:
            self._flush()

    def end(self, run: FleetRun, about: Iterable[tuple[str, str | float]]) -> None:
        """Write what is left, and put the file in its place."""
        self._flush()
        began = time.process_time()
        lives = [
            (event.time - run.start, event.what, event.member, event.parent) for event in run.lives
        ]
        starts = [(one.time - run.start, one.forager, one.url) for one in run.starts]
        scores = [(one.time - run.start, one.forager, one.score) for one in run.scores]
        found = np.flatnonzero(run.discovered >= 0).tolist()
        href = self._archive.book.href
        with closing(self._open()) as connection, connection:
            connection.executemany("INSERT INTO about VALUES (?, ?)", about)
            connection.executemany("INSERT INTO lives VALUES (?, ?, ?, ?)", lives)
            connection.executemany("INSERT INTO starts VALUES (?, ?, ?)", starts)
            connection.executemany("INSERT INTO scores VALUES (?, ?, ?)", scores)
            connection.executemany(
                "INSERT INTO urls VALUES (?, ?)", ((url, href(url)) for url in found)
            )
        self._partial.replace(self._file)
        self.cpu_seconds += time.process_time() - began

    def _flush(self) -> None:
        began = time.process_time()
        with closing(self._open()) as connection, connection:
            connection.executemany(
                "INSERT INTO downloads (step, time, url, version, forager, sent, relevant)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                self._rows,
            )
            connection.executemany("INSERT INTO paths VALUES (?, ?)", self._paths)
        self._rows.clear()
        self._paths.clear()
        self.cpu_seconds += time.process_time() - began

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._partial)
        # What is not finished is made again: nothing needs to survive a crash.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        return connection
