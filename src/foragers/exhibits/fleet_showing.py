"""What both papers on fleets share: reading the worlds, and putting what came of it together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from foragers.exhibits.exhibit import Exhibits, Figure, Table, Verdict
from foragers.exhibits.fleet_kinds import FleetKind
from foragers.exhibits.request import Progress, Request
from foragers.exhibits.terrain import Terrain
from foragers.text.state import states_of
from foragers.worlds.store import open_world

RUNS = 3
NOTE = (
    "A claim holds, or does not, if Student's paired t-test over runs that share their seeds gives"
    " p < 0.05; else it cannot be told from so many runs. All choices that the paper leaves open,"
    " and why a claim does not hold: docs/reproducing-{}.md."
)


def read_pages(worlds: Mapping[str, Path], progress: Progress) -> None:
    """Make the states of all pages, which are kept with their world."""
    with progress("reading pages", len(worlds)) as meter:
        for number, path in enumerate(worlds.values()):
            states_of(open_world(path))
            meter(number + 1, path.name)


def terrain_of(name: str, path: Path, variant: str, request: Request) -> Terrain:
    """Return a world with or without something done to it."""
    return Terrain(
        name, path, variant, request.seed, relevant=request.relevant, topic=request.topic
    )


def seeds_of(kind: FleetKind, request: Request) -> range:
    """Return the seeds of the runs; what leaves nothing to chance is run once."""
    runs = (request.runs or RUNS) if kind.by_chance else 1
    return range(request.seed, request.seed + runs)


def keeps_ledger(request: Request, by_paper: bool, in_tables: bool = True) -> bool:
    """Say whether a run is written down download by download."""
    return request.ledgers == "all" or by_paper or (in_tables and request.ledgers == "tables")


@dataclass
class Shown:
    """The exhibits so far."""

    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)

    def exhibits(
        self, paper: str, title: str, settings: Mapping[str, str], notes: Sequence[str] = ()
    ) -> Exhibits:
        """Return them as a whole."""
        told = (*notes, NOTE.format(paper))
        return Exhibits(paper, title, settings, self.tables, self.figures, self.verdicts, told)


def settings_of(
    request: Request, worlds: Mapping[str, Path], simulated: str, cost: str
) -> dict[str, str]:
    """Return how exhibits were made, and what that cost."""
    return {
        "worlds": ", ".join(f"{name} ({path})" for name, path in worlds.items()),
        "simulated": simulated,
        "runs": f"{request.runs or RUNS}, seeds from {request.seed}",
        "states": "50 clusters, made of the pages of the world's start",
        "ledgers": f"{request.out / 'ledgers'} (docs/fleet-ledgers.md)",
        "wanted": request.relevant or request.topic or "whatever is new",
        "cost": cost,
    }
