"""Simulations of fleets, side by side in processes of their own.

What both papers on fleets share: reading the worlds, and putting what came of it together.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from foragers.evaluation.tables import Exhibits, Figure, Table, Verdict
from foragers.papers.fleets.kinds import FleetKind
from foragers.papers.fleets.ledger import FleetLedger
from foragers.papers.fleets.webs import Terrain
from foragers.papers.request import PaperRequest, Progress
from foragers.strategies.fleet.simulation.replay import FleetRun, simulate
from foragers.worlds.states import states_of
from foragers.worlds.store import open_world

SECONDS_PER_PAGE = 2.57
"""18 days divided by the mean of the two numbers of downloads in `selection`, 605,155."""

WINDOW = 3 * 3600.0


@dataclass(frozen=True)
class FleetJob:
    """One simulation to be made; with `territory` it is kept who went where, in such windows."""

    terrain: Terrain
    kind: FleetKind
    seed: int
    days: float
    window: float = WINDOW
    territory: float | None = None
    ledger: Path | None = None
    label: str = ""
    seconds_per_page: float = SECONDS_PER_PAGE

    def stretched(self, times: float) -> FleetJob:
        """Return the same at another pace: all takes so many times as long, but being new."""
        settings = tuple(
            replace(one, slice_seconds=one.slice_seconds * times) for one in self.kind.settings
        )
        return replace(
            self,
            kind=replace(self.kind, settings=settings),
            window=self.window * times,
            territory=None if self.territory is None else self.territory * times,
            seconds_per_page=self.seconds_per_page * times,
        )

    @property
    def pace(self) -> str:
        """How long is replayed, and how fast."""
        return f"{self.length} on {self.terrain.name}, {rounded(self.seconds_per_page)} s a page"

    @property
    def length(self) -> str:
        """How long is replayed."""
        return f"{rounded(self.days)} days"

    @property
    def name(self) -> str:
        """What it is shown as while it runs."""
        return f"{self.terrain.title}: {self.label or self.kind.name}, run {self.seed}"


@dataclass(frozen=True)
class FleetOutcome:
    """What came of a simulation, with the seconds of one core that it took, and its ledger."""

    job: FleetJob
    run: FleetRun
    cpu_seconds: float
    ledger_seconds: float = 0.0


def span(seconds: float) -> str:
    """Return a length of time in words."""
    known = {WINDOW: "three hours", 4500.0: "75 minutes"}
    return known.get(seconds, f"{rounded(seconds / 3600)} hours")


def rounded(value: float) -> str:
    """Return a number with three figures, or without decimals if it has more."""
    return f"{value:,.0f}" if value > 99 else f"{value:.3g}"


def ledger_file(request: PaperRequest, terrain: Terrain, *names: str | int) -> Path:
    """Return where the ledger of a run goes: those of webs that were changed lie apart."""
    name = "-".join(str(part).lower().replace(" ", "-") for part in names)
    return request.out / "ledgers" / terrain.folder / f"{terrain.name}-{name}.sqlite"


def perform(job: FleetJob) -> FleetOutcome:
    """Make a simulation; its ground is made ready beforehand and not counted."""
    ground = job.terrain.ground()
    ledger = None
    if job.ledger is not None:
        ledger = FleetLedger(job.ledger, job.terrain.archive(), ground)
        ledger.begin()
    cpu = time.process_time()
    run = simulate(
        ground,
        job.kind.settings,
        seed=job.seed,
        days=job.days,
        seconds_per_page=job.seconds_per_page,
        window=job.window,
        territory=job.territory,
        record=ledger,
    )
    if ledger is not None:
        ledger.end(run, about(job, run))
    writing = 0.0 if ledger is None else ledger.cpu_seconds
    return FleetOutcome(job, run, time.process_time() - cpu - writing, writing)


def about(job: FleetJob, run: FleetRun) -> list[tuple[str, str | float]]:
    """Return what a ledger says of its run."""
    return [
        ("world", job.terrain.title),
        ("fleet", job.kind.name),
        ("seed", job.seed),
        ("start", run.start),
        ("days", job.days),
        ("window", job.window),
        ("seconds_per_page", job.seconds_per_page),
        ("new_within", job.kind.settings[0].new_within),
    ]


RUNS = 10
NOTE = (
    "A claim holds, or does not, if a t-test gives p < 0.05 after Holm's correction for the number"
    " of tests on this page; else it cannot be told from so many runs. Welch's test compares"
    " different fleets, whose runs have nothing in common; the paired test compares parts of the"
    " same run. Intervals are of 95 %. All choices that the paper leaves open, and why a claim does"
    " not hold: docs/reproducing-{}.md."
)


def read_pages(worlds: Mapping[str, Path], progress: Progress) -> None:
    """Make the states of all pages, which are kept with their world."""
    with progress("reading pages", len(worlds)) as meter:
        for number, path in enumerate(worlds.values()):
            states_of(open_world(path))
            meter(number + 1, path.name)


def terrain_of(name: str, path: Path, variant: str, request: PaperRequest) -> Terrain:
    """Return a world with or without something done to it."""
    return Terrain(
        name, path, variant, request.seed, relevant=request.relevant, topic=request.topic
    )


def seeds_of(kind: FleetKind, request: PaperRequest, most: int | None = None) -> range:
    """Return the seeds of the runs, at most so many; what leaves nothing to chance is run once."""
    runs = (request.runs or RUNS) if kind.by_chance else 1
    return range(request.seed, request.seed + (runs if most is None else min(runs, most)))


def keeps_ledger(request: PaperRequest, by_paper: bool, in_tables: bool = True) -> bool:
    """Return whether a run is written down download by download."""
    return request.ledgers == "all" or by_paper or (in_tables and request.ledgers == "tables")


@dataclass
class FleetExhibits:
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
    request: PaperRequest, worlds: Mapping[str, Path], simulated: str, cost: str
) -> dict[str, str]:
    """Return how exhibits were made, and what that cost; paths begin at the folder of them."""

    def inside(path: Path) -> Path:
        return path.relative_to(request.out) if path.is_relative_to(request.out) else path

    return {
        "worlds": ", ".join(f"{name} ({inside(path)})" for name, path in worlds.items()),
        "simulated": simulated,
        "runs": f"{request.runs or RUNS}, seeds from {request.seed}",
        "states": "50 clusters, made of the pages of the world's start",
        "ledgers": "ledgers (docs/fleet-ledgers.md)",
        "wanted": request.relevant or request.topic or "whatever is new",
        "cost": cost,
    }
