"""The agents of a crawl, read from `agents.npz` and the ledger, and figures of their population."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.core.models import DAMAGED
from foragers.core.population import ForagerStanding
from foragers.evaluation.plots.chart import (
    COLOURS,
    Axis,
    Bars,
    EndNames,
    Line,
    Panel,
    chart,
    commas,
)
from foragers.evaluation.plots.widths import WIDE
from foragers.reports.crawl_folder import CrawlFolder

FILE = "agents.npz"
MOST_BYTES = 1 << 28
"""The largest size of the unpacked file, in bytes."""
COLUMNS = ("times", "members", "births", "parents", "kind", "kinds")
SCORES = ("score_pages", "score_members", "score_values")
SAMPLES = ("pulse_pages", "pulse_times", "pulse_held", "pulse_left")
WORK = """
SELECT agent, count(*), count(CASE WHEN relevant AND status = 'ok' THEN 1 END)
FROM visits WHERE number <= ? AND agent != '' AND status != 'skipped' GROUP BY agent
"""

Column = NDArray[np.generic]


@dataclass
class Life:
    """An agent: its birth, its death (None: it lives), its parent, and its downloads."""

    name: str
    born: float
    parent: int
    died: float | None = None
    downloads: int = 0
    relevant: int = 0
    children: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Agents:
    """The events of a population in the order of their time, and samples of its energy."""

    columns: dict[str, Column]
    work: dict[str, tuple[int, int]]

    @property
    def times(self) -> NDArray[np.float64]:
        """The times of births and deaths."""
        return self.columns["times"].astype(np.float64)

    @property
    def births(self) -> NDArray[np.bool_]:
        """Which events are births."""
        return self.columns["births"].astype(np.bool_)

    @property
    def first(self) -> NDArray[np.bool_]:
        """Which events are births of agents without a parent."""
        return self.births & (self.columns["parents"].astype(np.int64) < 0)

    @property
    def population(self) -> NDArray[np.int64]:
        """The size of the population after each event."""
        return np.cumsum(np.where(self.births, 1, -1))

    @property
    def has_energy(self) -> bool:
        """Whether there are samples of the energy."""
        return all(name in self.columns for name in SAMPLES)

    @property
    def has_scores(self) -> bool:
        """Whether there are samples of the agents' scores."""
        return all(name in self.columns for name in SCORES) and len(self.columns[SCORES[0]]) > 0

    @cached_property
    def lives(self) -> dict[int, Life]:
        """All agents, by number."""
        found: dict[int, Life] = {}
        kinds = [str(name) for name in self.columns["kinds"]]
        rows = (self.columns[name].tolist() for name in COLUMNS[:-1])
        for time, member, is_birth, parent, kind in zip(*rows, strict=True):
            if not is_birth:
                if member in found:
                    found[member].died = time
                continue
            name = f"{kinds[kind]}-{member}"
            found[member] = Life(name, time, parent, None, *self.work.get(name, (0, 0)))
            if parent in found:
                found[parent].children.append(member)
        return found


def agents_of(folder: CrawlFolder) -> Agents | None:
    """Return the agents of a crawl; None if it had no population, or the file is damaged."""
    columns = read(folder.path / FILE)
    if columns is None:
        return None
    rows = folder.connection.execute(WORK, (folder.length,))
    work: dict[str, tuple[int, int]] = {}
    for signed, downloads, found in rows:
        # A description may follow the name of an agent.
        name = signed.partition(" ")[0]
        before = work.get(name, (0, 0))
        work[name] = before[0] + downloads, before[1] + found
    return Agents(columns, work)


def read(file: Path) -> dict[str, Column] | None:
    """Return the columns of a file, or None if they are damaged."""
    if not file.is_file():  # a pipe would never end
        return None
    try:
        with zipfile.ZipFile(file) as packed:
            if sum(part.file_size for part in packed.infolist()) > MOST_BYTES:
                return None
        with np.load(file, allow_pickle=False) as held:
            columns = {name: held[name] for name in held.files}
    except (OSError, *DAMAGED):
        return None
    if any(name not in columns or columns[name].ndim != 1 for name in COLUMNS):
        return None
    lengths = {len(columns[name]) for name in COLUMNS[:-1]}
    samples = {len(columns[name]) for name in SAMPLES if name in columns}
    scores = {columns[name].shape for name in SCORES if name in columns}
    if len(lengths) != 1 or 0 in lengths or len(samples) > 1 or len(scores) > 1:
        return None
    kinds = columns["kind"]
    if kinds.min() < 0 or kinds.max() >= len(columns["kinds"]):
        return None
    return columns


FORAGERS = "foragers.json"


def foragers_of(folder: CrawlFolder) -> list[ForagerStanding]:
    """Return how the foragers of a crawl stood when it last wrote it down; none if unknown."""
    file = folder.path / FORAGERS
    try:
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            return []
        return msgspec.json.decode(file.read_bytes(), type=list[ForagerStanding])
    except (OSError, ValueError, msgspec.MsgspecError):
        return []


WINDOWS = 60
BORN, DIED = COLOURS[2], COLOURS[1]


def lives(agents: Agents, times: NDArray[np.float64], width: int = WIDE) -> str:
    """Draw the size of the population, and below it births and deaths by windows of downloads."""
    order = np.sort(times)
    places = np.searchsorted(order, agents.times, side="right")
    edges = np.linspace(0, max(len(order), 1), min(WINDOWS, max(len(order), 1)) + 1)
    # The first agents would hide all later births.
    births, _ = np.histogram(places[agents.births & ~agents.first], edges)
    deaths, _ = np.histogram(places[~agents.births], edges)
    xs, living = thinned(places, agents.population)
    steps = np.repeat([*xs.tolist(), len(order)], 2)[1:]
    alive = np.repeat([*living.tolist(), int(living[-1])], 2)[:-1]
    x = Axis("downloads", 0, max(len(order), 1), whole=True)
    above = Panel(x, Axis("agents alive", 0, 1.05 * max(int(living.max()), 1), whole=True), share=3)
    above.marks.append(Line(steps, alive, COLOURS[0]))
    low, high = -1.2 * max(int(deaths.max()), 1), 1.2 * max(int(births.max()), 1)
    below = Panel(x, Axis("agents", low, high, show=unsigned, whole=True), share=2)
    below.marks.append(Bars(edges[:-1], np.diff(edges), births, BORN, "born"))
    below.marks.append(Bars(edges[:-1], np.diff(edges), -deaths, DIED, "died"))
    below.marks.append(Line([0, len(order)], [0, 0], "#444444", width=0.7))
    return chart([above, below], width, 460 if width == WIDE else 380, "population")


def unsigned(value: float) -> str:
    """Return a number without its sign: deaths are drawn downwards."""
    return commas(abs(value))


def energy(agents: Agents, times: NDArray[np.float64], width: int = WIDE) -> str:
    """Draw the energy of agents and of pages."""
    columns = agents.columns
    order = np.sort(times)
    places = np.searchsorted(order, columns["pulse_times"].astype(np.float64), side="right")
    held, left = columns["pulse_held"], columns["pulse_left"]
    both = np.concatenate(([0.0], held, left))
    low, high = float(both.min()), float(both.max())
    room = 0.1 * ((high - low) or 1.0)
    panel = Panel(
        Axis("downloads", 0, max(len(order), 1), whole=True),
        Axis("energy", low - room if low < 0 else 0.0, high + room),
    )
    panel.marks.append(Line(places, held, COLOURS[0], "held by agents"))
    panel.marks.append(Line(places, left, COLOURS[4], "left on pages"))
    return chart([panel], width, 280, "energy")


def scores(agents: Agents, downloads: NDArray[np.int64], most: int, width: int = WIDE) -> str:
    """Draw the scores of agents over downloads: those that were highest at any time.

    The score of an agent that lives on energy is its energy; drawn are those that lived longest.

    `downloads` has the number of downloads up to each visit.
    """
    pages, members, values = (agents.columns[name] for name in SCORES)
    places = downloads[np.clip(pages.astype(np.int64) - 1, 0, len(downloads) - 1)]
    known, samples = np.unique(members, return_counts=True)
    worth = samples if agents.has_energy else [values[members == one].max() for one in known]
    ranks = dict(zip(known.tolist(), worth, strict=True))
    shown = sorted(ranks, key=lambda member: (-ranks[member], member))[:most]
    last = max(1, int(downloads[-1]))
    low, high = min(0.0, float(values.min())), max(1.0, float(values.max()))
    room = 0.05 * (high - low)
    name = "energy" if agents.has_energy else "score"
    panel = Panel(Axis("downloads", 0, last, whole=True), Axis(name, low, high + room))
    colours = [COLOURS[number % len(COLOURS)] for number in range(len(shown))]
    ends = []
    for member, colour in zip(shown, colours, strict=True):
        rows = members == member
        panel.marks.append(Line(places[rows], values[rows], colour))
        ends.append(float(values[rows][-1]))
    names = [agents.lives[one].name if one in agents.lives else str(one) for one in shown]
    named = EndNames(ends, names, colours)
    panel.marks.append(named)
    panel.right = named.room
    return chart([panel], width, 360, "scores of agents")


def thinned(
    indexes: NDArray[np.int64], living: NDArray[np.int64], most: int = 2000
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the last population at each index, thinned out to at most `most` points."""
    last = np.append(np.flatnonzero(np.diff(indexes)), len(indexes) - 1)
    kept = last[:: max(1, -(-len(last) // most))]
    return indexes[kept], living[kept]
