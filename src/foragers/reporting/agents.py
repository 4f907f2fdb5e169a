"""Who lived in a crawl, read from what it wrote down: `agents.npz` and the names in the ledger."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from foragers.models import DAMAGED
from foragers.reporting.folder import CrawlFolder

FILE = "agents.npz"
MOST_BYTES = 1 << 28
"""How many bytes the file may unpack to."""
COLUMNS = ("times", "members", "births", "parents", "kind", "kinds")
SAMPLES = ("pulse_pages", "pulse_times", "pulse_held", "pulse_left")
WORK = """
SELECT agent, count(*), coalesce(sum(relevant AND status = 'ok'), 0)
FROM visits WHERE number <= ? AND agent != '' AND status != 'skipped' GROUP BY agent
"""

Column = NDArray[np.generic]


@dataclass
class Life:
    """An agent: when it was born and died (None: it lives), of whom, and what it did."""

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
        """When somebody was born or died."""
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
        """How many lived after each event."""
        return np.cumsum(np.where(self.births, 1, -1))

    @property
    def has_energy(self) -> bool:
        """Whether it is known how energy went."""
        return all(name in self.columns for name in SAMPLES)

    @cached_property
    def lives(self) -> dict[int, Life]:
        """Everybody who ever lived, by number."""
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
    """Return who lived in a crawl; None if it was no population, or the file cannot be used."""
    columns = read(folder.path / FILE)
    if columns is None:
        return None
    rows = folder.connection.execute(WORK, (folder.length,))
    work: dict[str, tuple[int, int]] = {}
    for signed, downloads, found in rows:
        # What an agent was about may be said after its name.
        name = signed.partition(" ")[0]
        before = work.get(name, (0, 0))
        work[name] = before[0] + downloads, before[1] + found
    return Agents(columns, work)


def read(file: Path) -> dict[str, Column] | None:
    """Return the columns of a file, None if they are not what they should be."""
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
    if len(lengths) != 1 or 0 in lengths or len(samples) > 1:
        return None
    kinds = columns["kind"]
    if kinds.min() < 0 or kinds.max() >= len(columns["kinds"]):
        return None
    return columns
