"""`selection`: weblog foragers against reinforcement learning, made again.

Three webs: a news site (or recorded webs that were given), the same with its links permuted at
random, and permuted only among links of the same six hours, since a permutation of an
evolving web leaves little of its news within reach.  On each, the paper's two kinds of
foragers, three controls, and what goes beyond the paper.  Then the same fleets by other readings of
the paper (`readings`), and with a growing share of the links permuted (`rewiring`).
docs/reproducing-selection.md tells what came of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from foragers.evaluation.graph.structure import structure
from foragers.evaluation.tables import Exhibits
from foragers.papers.fleets.kept_runs import perform_all
from foragers.papers.fleets.kinds import KINDS, PAPERS_KINDS, FleetKind
from foragers.papers.fleets.measures import by_kind, end_of, news_in
from foragers.papers.fleets.runs import (
    FleetExhibits,
    FleetJob,
    FleetOutcome,
    keeps_ledger,
    ledger_file,
    read_pages,
    seeds_of,
    settings_of,
    terrain_of,
)
from foragers.papers.fleets.webs import AS_IT_IS, VARIANTS, Terrain, days_of, stretch_of, worlds_of
from foragers.papers.request import PaperRequest, Progress
from foragers.papers.selection.claims import (
    beyond_claims,
    control_claims,
    rewired_claims,
    small_world_claims,
)
from foragers.papers.selection.figures import degree_figure, efficiency_figure, freshness_figure
from foragers.papers.selection.readings import (
    USUAL,
    reading_jobs,
    readings_for,
    readings_table,
    site_of,
    terrain_under,
)
from foragers.papers.selection.rewiring import (
    FLEETS,
    SHARES,
    WAYS,
    rewired,
    share_jobs,
    shares_figure,
    shares_table,
)
from foragers.papers.selection.tables import (
    CHOICE_FLEETS,
    HOME_PAGE,
    Values,
    choices_table,
    structure_table,
    table_2,
    table_beyond,
)
from foragers.strategies.fleet.settings import FleetSettings
from foragers.strategies.fleet.simulation.web import NewsRules
from foragers.worlds.generated.news_pages import PAPER_DAYS
from foragers.worlds.store import open_world

SLOW, FEW_RUNS = ("refresh", "mixed", "WL watchers"), 3
"""Fleets that are slow to simulate run less often on rewired webs, where no claim is about them."""
AS_WE_READ_IT = "as we read it"
CHOICES: Mapping[str, Callable[[FleetSettings], FleetSettings]] = {
    "101 pages a path": lambda one: replace(one, start_is_step=False),
    "TD also from path to path": lambda one: replace(one, td_across_paths=True),
    "random weights ten times as large": lambda one: replace(one, weight_scale=10.0),
    "random weights a tenth": lambda one: replace(one, weight_scale=0.1),
    "work beyond a slice is charged": lambda one: replace(one, charge_overshoot=True),
    "turns at random": lambda one: replace(one, turns="random"),
    "rewards as in `evolution`": lambda one: replace(one, scheme="evolution"),
    "only unvisited pages are looked at": lambda one: replace(one, looks="unvisited"),
}
RULES: Mapping[str, NewsRules] = {
    "changed hubs are no news": NewsRules(changed_hubs=False),
    "changed links alone are no news": NewsRules(links_are_news=False),
}


def reproduce(request: PaperRequest, progress: Progress) -> Exhibits:
    """Make all exhibits of the paper."""
    worlds = worlds_of(request)
    sites = [site_of(one, path, request) for one in readings_for(request)
             for path in worlds.values()]  # fmt: skip
    read_pages({path.name: path for path in sites}, progress)
    jobs = [job for name, path in worlds.items() for job in jobs_on(name, path, request)]
    for name, path in worlds.items():
        jobs += stretched(reading_jobs(name, path, request))
        jobs += stretched(share_jobs(name, path, request))
    jobs += choice_jobs(*next(iter(worlds.items())), request)
    outcomes = perform_all(jobs, request, progress)
    show = Showing(request, outcomes)
    with progress("measuring", len(worlds)) as meter:
        for number, (name, path) in enumerate(worlds.items()):
            show.add_world(name, path, "" if number == 0 else f"-{name}")
            meter(number + 1, name)
    return show.shown.exhibits(
        "selection",
        "Selection in Scale-Free Small World, made again",
        settings_of(request, worlds, *simulated(next(iter(worlds)), outcomes)),
    )


def jobs_on(name: str, path: Path, request: PaperRequest) -> list[FleetJob]:
    """Return all simulations on one world."""
    days = days_of(request, open_world(path))
    jobs = []
    for variant in VARIANTS:
        terrain = terrain_of(name, path, variant, request)
        for kind in KINDS.values():
            by_paper = kind.name in PAPERS_KINDS
            keep = keeps_ledger(
                request, by_paper and variant == AS_IT_IS, by_paper or variant == AS_IT_IS
            )
            few = FEW_RUNS if variant != AS_IT_IS and kind.name in SLOW else None
            for seed in seeds_of(kind, request, few):
                file = ledger_file(request, terrain, kind.name, seed) if keep else None
                jobs.append(FleetJob(terrain, kind, seed, days, ledger=file))
    return stretched(jobs)


def choice_jobs(name: str, path: Path, request: PaperRequest) -> list[FleetJob]:
    """Return simulations on one world in which one thing is read otherwise."""
    terrain = terrain_of(name, path, AS_IT_IS, request)
    days = days_of(request, open_world(path))
    keep = keeps_ledger(request, by_paper=False, in_tables=False)
    jobs = []
    for number, label in enumerate((*CHOICES, *RULES), 1):
        where = replace(terrain, rules=RULES.get(label, terrain.rules))
        for key in CHOICE_FLEETS:
            kind = chosen(KINDS[key], label)
            for seed in seeds_of(kind, request):
                file = ledger_file(request, where, "choice", number, key, seed) if keep else None
                told = f"{key}, {label}"
                jobs.append(FleetJob(where, kind, seed, days, ledger=file, label=told))
    return stretched(jobs)


def chosen(kind: FleetKind, label: str) -> FleetKind:
    """Return a kind of fleet under a choice; polling the home page has none to make."""
    if label not in CHOICES or kind.name == HOME_PAGE:
        return kind
    return replace(kind, settings=tuple(map(CHOICES[label], kind.settings)))


def stretched(jobs: Sequence[FleetJob]) -> list[FleetJob]:
    """Return simulations with no more downloads than the paper's, however long the world is."""
    return [job.stretched(stretch_of(job.days, PAPER_DAYS)) for job in jobs]


class Showing:
    """Tables, figures and verdicts, world by world."""

    def __init__(self, request: PaperRequest, outcomes: Sequence[FleetOutcome]) -> None:
        self._request = request
        self._outcomes = outcomes
        self.shown = FleetExhibits()

    def add_world(self, name: str, path: Path, suffix: str) -> None:
        """Show everything on one world, as it is and rewired, by all readings."""
        shown = self.shown
        terrains = [terrain_of(name, path, variant, self._request) for variant in VARIANTS]
        self._add_terrain(terrains[0], suffix)
        self._add_readings(name, path, suffix)
        self._add_shares(name, path, suffix)
        for terrain in terrains[1:]:
            self._add_terrain(terrain, f"{suffix}-{terrain.variant}")
        structures = {terrain: structure(terrain.archive()) for terrain in terrains}
        shown.tables.append(structure_table(suffix, structures))
        shown.figures.append(degree_figure(suffix, structures))
        if not suffix:
            shown.tables.append(choices_table(self._choices(terrains[0])))

    def _add_terrain(self, terrain: Terrain, suffix: str) -> None:
        found, shown = self._of(terrain, ""), self.shown
        values = self._values(found)
        title = terrain.title
        shown.tables += [table_2(suffix, title, values), table_beyond(suffix, title, values)]
        shown.figures += [
            efficiency_figure(suffix, title, found),
            freshness_figure(suffix, title, found),
        ]
        if terrain.variant == AS_IT_IS:
            title = f"{title}, {USUAL.title}"
            shown.verdicts += small_world_claims(title, values, found)
            shown.verdicts += control_claims(title, values)
            shown.verdicts += beyond_claims(title, values)
        else:
            shown.verdicts += rewired_claims(title, values)

    def _add_readings(self, name: str, path: Path, suffix: str) -> None:
        """Show Table 2 by the other readings of the paper, and all of them side by side."""
        shown, side_by_side = self.shown, {}
        for reading in readings_for(self._request):
            terrain = terrain_under(reading, name, path, self._request)
            found = self._of(terrain, "" if reading is USUAL else reading.title)
            values = side_by_side[reading.key] = self._values(found)
            if reading is not USUAL:
                title = f"{name}, {reading.title}"
                shown.tables.append(table_2(f"-{reading.key}{suffix}", title, values))
                shown.verdicts += small_world_claims(title, values, found)
                shown.verdicts += control_claims(title, values)
        shown.tables.append(readings_table(suffix, side_by_side))

    def _add_shares(self, name: str, path: Path, suffix: str) -> None:
        """Show RL, WL and controls along the share of links that are permuted."""
        found = {
            (way, share, fleet): [
                one
                for one in self._of(rewired(name, path, way, share, self._request), "")
                if one.job.kind.name == fleet
            ]
            for way in WAYS
            for share in SHARES
            for fleet in FLEETS
        }
        self.shown.tables.append(shares_table(suffix, found))
        self.shown.figures.append(shares_figure(suffix, found))

    def _of(self, terrain: Terrain, label: str) -> list[FleetOutcome]:
        return [
            one for one in self._outcomes if one.job.terrain == terrain and one.job.label == label
        ]

    def _values(self, found: Sequence[FleetOutcome]) -> Values:
        job = found[0].job
        news = news_in(job.terrain.ground(), end_of(found), job.kind.settings[0].new_within)
        return by_kind(found, news)

    def _choices(self, terrain: Terrain) -> dict[str, Values]:
        usual = [one for one in self._of(terrain, "") if one.job.kind.name in CHOICE_FLEETS]
        found = {AS_WE_READ_IT: self._values(usual)}
        for label in (*CHOICES, *RULES):
            where = replace(terrain, rules=RULES.get(label, terrain.rules))
            runs = [one for kind in CHOICE_FLEETS for one in self._of(where, f"{kind}, {label}")]
            found[label] = self._values(runs)
        return found


def simulated(first: str, outcomes: Sequence[FleetOutcome]) -> tuple[str, str]:
    """Return what was simulated, and what it cost; the paper's own runs apart."""
    paper = [
        one
        for one in outcomes
        if one.job.terrain.title == first and one.job.kind.name in PAPERS_KINDS
        if not one.job.label
    ]
    cost = sum(one.cpu_seconds for one in paper)
    writing = sum(one.ledger_seconds for one in paper)
    downloads = sum(one.run.downloaded for one in paper)
    return (
        paper[0].job.pace,
        f"{len(paper)} simulations of the paper on {first}: {cost:.1f} CPU seconds for"
        f" {downloads:,} downloads, and {writing:.1f} for their ledgers; all {len(outcomes)}"
        f" simulations: {sum(one.cpu_seconds for one in outcomes):.0f}",
    )
