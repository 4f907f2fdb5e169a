"""`selection`: weblog foragers against reinforcement learning, made again.

Three webs: a news site (or recorded webs that were given), the same with its links permuted at
random, and permuted only among links of the same six hours, since a permutation of an
evolving web leaves little of its news within reach.  On each, the paper's two kinds of
foragers, three controls, and what goes beyond the paper.  docs/reproducing-selection.md
tells what came of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from foragers.exhibits.exhibit import Exhibits, Figure, Table, Verdict
from foragers.exhibits.fleet_kinds import KINDS, PAPERS_KINDS, FleetKind
from foragers.exhibits.fleet_measures import by_kind, news_in
from foragers.exhibits.fleet_runs import SECONDS_PER_PAGE, FleetJob, FleetOutcome, perform_all
from foragers.exhibits.request import Progress, Request
from foragers.exhibits.selection_claims import our_claims, rewired_claims, small_world_claims
from foragers.exhibits.selection_figures import degree_figure, efficiency_figure, freshness_figure
from foragers.exhibits.selection_tables import (
    Values,
    choices_table,
    structure_table,
    table_2,
    table_beyond,
)
from foragers.exhibits.terrain import AS_IT_IS, VARIANTS, Terrain, days_of, worlds_of
from foragers.fleet.ground import NewsRules
from foragers.fleet.settings import FleetSettings
from foragers.measures.structure import structure
from foragers.text.state import states_of
from foragers.worlds.store import open_world

RUNS = 3
COSTS = ("cpu", "ledger")

CHOICES: Mapping[str, Mapping[str, object]] = {
    "as we read it": {},
    "101 pages a path": {"start_is_step": False},
    "TD also from path to path": {"td_across_paths": True},
    "random weights ten times as large": {"weight_scale": 10.0},
    "random weights a tenth": {"weight_scale": 0.1},
    "work beyond a slice is charged": {"charge_overshoot": True},
    "turns at random": {"turns": "random"},
    "rewards as in `evolution`": {"scheme": "evolution"},
    "only unvisited pages are looked at": {"looks": "unvisited"},
    "no steps to pages without links": {"leaves": False},
}
RULES: Mapping[str, NewsRules] = {
    "changed hubs are no news": NewsRules(changed_hubs=False),
    "changed links alone are no news": NewsRules(links_are_news=False),
}


def reproduce(request: Request, progress: Progress) -> Exhibits:
    """Make all exhibits of the paper."""
    worlds = worlds_of(request)
    with progress("reading pages", len(worlds)) as meter:
        for number, path in enumerate(worlds.values()):
            states_of(open_world(path))
            meter(number + 1, path.name)
    jobs = [job for name, path in worlds.items() for job in jobs_on(name, path, request)]
    jobs += choice_jobs(*next(iter(worlds.items())), request)
    outcomes = perform_all(jobs, request.jobs, progress)
    show = Showing(request, outcomes)
    with progress("measuring", len(worlds)) as meter:
        for number, (name, path) in enumerate(worlds.items()):
            show.add_world(name, path, "" if number == 0 else f"-{name}")
            meter(number + 1, name)
    return Exhibits(
        "selection",
        "Selection in Scale-Free Small World, made again",
        settings_of(request, worlds, outcomes),
        show.tables,
        show.figures,
        show.verdicts,
        NOTES,
    )


NOTES = (
    "A claim holds, or does not, if Student's paired t-test over runs that share their seeds gives"
    " p < 0.05; else it cannot be told from so many runs. All choices that the paper leaves open,"
    " and why a claim does not hold: docs/reproducing-selection.md.",
)


def jobs_on(name: str, path: Path, request: Request) -> list[FleetJob]:
    """Return all simulations on one world."""
    days = days_of(request, open_world(path))
    jobs = []
    for variant in VARIANTS:
        terrain = terrain_of(name, path, variant, request)
        for kind in KINDS.values():
            keep = variant == AS_IT_IS and kind.name in PAPERS_KINDS
            for seed in seeds_of(kind, request):
                file = request.out / "ledgers" / f"{name}-{kind.name.lower()}-{seed}.sqlite"
                jobs.append(FleetJob(terrain, kind, seed, days, ledger=file if keep else None))
    return jobs


def terrain_of(name: str, path: Path, variant: str, request: Request) -> Terrain:
    """Return a world with or without something done to it."""
    return Terrain(
        name, path, variant, request.seed, relevant=request.relevant, topic=request.topic
    )


def seeds_of(kind: FleetKind, request: Request) -> range:
    """Return the seeds of the runs; what leaves nothing to chance is run once."""
    runs = (request.runs or RUNS) if kind.by_chance else 1
    return range(request.seed, request.seed + runs)


def choice_jobs(name: str, path: Path, request: Request) -> list[FleetJob]:
    """Return simulations on one world in which one thing is read otherwise."""
    terrain = terrain_of(name, path, AS_IT_IS, request)
    days = days_of(request, open_world(path))
    plans: list[tuple[str, Terrain, Mapping[str, object]]] = [
        (label, terrain, change) for label, change in CHOICES.items() if change
    ]
    plans += [(label, replace(terrain, rules=rules), {}) for label, rules in RULES.items()]
    return [
        FleetJob(where, changed(KINDS[kind], change), seed, days, label=f"{kind}, {label}")
        for label, where, change in plans
        for kind in PAPERS_KINDS
        for seed in seeds_of(KINDS[kind], request)
    ]


def changed(kind: FleetKind, change: Mapping[str, object]) -> FleetKind:
    """Return a kind of fleet with some settings changed."""
    settings: tuple[FleetSettings, ...] = tuple(
        replace(one, **change)  # type: ignore[arg-type]
        for one in kind.settings
    )
    return replace(kind, settings=settings)


class Showing:
    """Tables, figures and verdicts, world by world."""

    def __init__(self, request: Request, outcomes: Sequence[FleetOutcome]) -> None:
        self._request = request
        self._outcomes = outcomes
        self.tables: list[Table] = []
        self.figures: list[Figure] = []
        self.verdicts: list[Verdict] = []

    def add_world(self, name: str, path: Path, suffix: str) -> None:
        """Show everything on one world, as it is and rewired."""
        terrains = [terrain_of(name, path, variant, self._request) for variant in VARIANTS]
        structures = {terrain: structure(terrain.archive()) for terrain in terrains}
        self.tables.append(structure_table(suffix, structures))
        self.figures.append(degree_figure(suffix, structures))
        for terrain in terrains:
            self._add_terrain(terrain, suffix + (f"-{terrain.variant}" if terrain.variant else ""))
        if not suffix:
            self.tables.append(choices_table(self._choices(terrains[0])))

    def _add_terrain(self, terrain: Terrain, suffix: str) -> None:
        found = self._of(terrain)
        values = self._values(found)
        title = terrain.title
        self.tables += [table_2(suffix, title, values), table_beyond(suffix, title, values)]
        self.figures += [
            efficiency_figure(suffix, title, found),
            freshness_figure(suffix, title, found),
        ]
        if terrain.variant == AS_IT_IS:
            self.verdicts += small_world_claims(title, values, found)
            self.verdicts += our_claims(title, values)
        else:
            self.verdicts += rewired_claims(title, values)

    def _of(self, terrain: Terrain, label: str = "") -> list[FleetOutcome]:
        return [
            one for one in self._outcomes if one.job.terrain == terrain and one.job.label == label
        ]

    def _values(self, found: Sequence[FleetOutcome]) -> Values:
        job = found[0].job
        news = news_in(job.terrain.ground(), job.days, job.kind.settings[0].new_within)
        return by_kind(found, news)

    def _choices(self, terrain: Terrain) -> dict[str, Values]:
        found: dict[str, Values] = {}
        for label in (*CHOICES, *RULES):
            where = replace(terrain, rules=RULES.get(label, terrain.rules))
            runs = [
                one
                for kind in PAPERS_KINDS
                for one in self._of(where, f"{kind}, {label}" if label != "as we read it" else "")
                if one.job.kind.name == kind
            ]
            found[label] = self._values(runs)
        return found


def settings_of(
    request: Request, worlds: Mapping[str, Path], outcomes: Sequence[FleetOutcome]
) -> dict[str, str]:
    """Return how the exhibits were made, and what that cost."""
    first = next(iter(worlds))
    paper = [
        one for one in outcomes if one.job.ledger is not None and one.job.terrain.name == first
    ]
    cost, writing = (sum(getattr(one, f"{what}_seconds") for one in paper) for what in COSTS)
    downloads = sum(one.run.downloaded for one in paper)
    return {
        "worlds": ", ".join(f"{name} ({path})" for name, path in worlds.items()),
        "simulated": f"{paper[0].job.days:g} days on {first}, {SECONDS_PER_PAGE} s a page",
        "runs": f"{request.runs or RUNS}, seeds from {request.seed}",
        "states": "50 clusters, made of the pages of the world's start",
        "ledgers": f"{request.out / 'ledgers'} (docs/fleet-ledgers.md)",
        "wanted": request.relevant or request.topic or "whatever is new",
        "cost": f"{len(paper)} simulations of the paper on {first}: {cost:.1f} CPU seconds for"
        f" {downloads:,} downloads, and {writing:.1f} for their ledgers; all {len(outcomes)}"
        f" simulations: {sum(one.cpu_seconds for one in outcomes):.0f}",
    }
