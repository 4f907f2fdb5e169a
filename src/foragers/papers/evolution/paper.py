"""`evolution`: a fleet of news foragers that multiplies and divides the work, made again.

One fleet of WLRL foragers for two weeks, on a news site or on recorded webs, with the
controls of `selection`.  docs/reproducing-evolution.md tells what came of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from foragers.evaluation.graph.structure import Structure, structure
from foragers.evaluation.tables import Cell, Exhibits, Figure, Measured, Table, Verdict
from foragers.papers.claims import less, more
from foragers.papers.evolution.conditions import (
    COST_FLEETS,
    COSTS,
    POOR,
    POOR_FLEETS,
    cost_claims,
    cost_jobs,
    cost_label,
    costs_figure,
    costs_table,
    poor_claims,
    poor_jobs,
    poor_label,
    poor_table,
)
from foragers.papers.evolution.figures import (
    division_figures,
    efficiency_figure,
    population_figure,
    starting_figure,
    territory_figure,
)
from foragers.papers.evolution.measures import (
    alone,
    apart,
    daily_rhythm,
    efficiency,
    friday_news,
    linearity,
    lowest_score,
    pairs_apart,
    rhythm_shift,
    starts_a_day,
    time_lag,
    totals,
)
from foragers.papers.fleets.kept_runs import perform_all
from foragers.papers.fleets.kinds import KINDS, FleetKind
from foragers.papers.fleets.measures import mean
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
from foragers.papers.fleets.webs import AS_IT_IS, days_of, made_up, stretch_of, worlds_of
from foragers.papers.request import PaperRequest, Progress
from foragers.papers.selection.figures import degree_figure
from foragers.strategies.fleet.settings import FleetSettings
from foragers.worlds.store import open_world

DAYS = 14.0
SECONDS_PER_PAGE = 1.11
"""Two weeks divided by the 1,090,074 downloads of the paper."""

TERRITORY_WINDOW = 75 * 60.0
MOST = 22
"""The paper states no cap; at its end it had so many foragers."""

MAIN = "WLRL"
PAPER: Mapping[str, float] = {
    "downloaded": 1_090_074,
    "sent": 94_226,
    "rewarded": 7_423,
    "rewarded / downloaded": 7_423 / 1_090_074,
    "rewarded / sent": 7_423 / 94_226,
    "foragers at the end": 22,
    "lowest score": 60,
    "new URLs a day": 1200,
    "downloads a step": 350 / 100 / 1.11,
    "pages visited by one forager only": 0.65,
}


def evolving(kind: FleetKind, most: int = MOST) -> FleetKind:
    """Return a kind of fleet with the rewards and the looks of this paper."""
    settings: tuple[FleetSettings, ...] = tuple(
        replace(one, scheme="evolution", looks="unvisited", most=max(most, one.least))
        for one in kind.settings
    )
    return replace(kind, settings=settings)


FLEETS: Mapping[str, FleetKind] = {
    MAIN: evolving(KINDS["WLRL"]),
    "no cap": evolving(replace(KINDS["WLRL"], name="no cap"), 1000),
    "WL": evolving(KINDS["WL"]),
    "RL": evolving(KINDS["RL"]),
    "no learning": evolving(KINDS["no learning"]),
    "random order": evolving(KINDS["random order"]),
    "home page": KINDS["home page"],
}


def reproduce(request: PaperRequest, progress: Progress) -> Exhibits:
    """Make all exhibits of the paper."""
    worlds = worlds_of(request, DAYS)
    sites = poor_sites(request)
    read_pages({**worlds, **sites}, progress)
    jobs = [job for name, path in worlds.items() for job in jobs_on(name, path, request)]
    first = next(job for job in jobs if job.kind.name == MAIN)
    seeds = seeds_of(FLEETS[MAIN], request)
    more_jobs = [*cost_jobs(first, FLEETS, seeds), *poor_jobs(first, sites, FLEETS, seeds)]
    outcomes = perform_all([*jobs, *more_jobs], request, progress)
    shown = FleetExhibits()
    for number, (name, path) in enumerate(worlds.items()):
        suffix = "" if number == 0 else f"-{name}"
        here = {kind: runs_of(outcomes, name, kind) for kind in FLEETS}
        found = structure(open_world(path))
        shown.tables.append(totals_table(suffix, name, here))
        shown.figures += figures_of(suffix, here[MAIN][0], found)
        shown.verdicts += claims(name, here, found)
    add_conditions(shown, first.terrain.name, outcomes, sites)
    return shown.exhibits(
        "evolution",
        "Computer study of the evolution of news foragers, made again",
        settings_of(request, worlds, *simulated(worlds, outcomes)),
        ["Figures show the first run."],
    )


def poor_sites(request: PaperRequest) -> dict[str, Path]:
    """Return sites with less and less news, made up; of recorded webs there are none."""
    if request.worlds:
        return {}
    return {
        name: made_up(request, f"news-{daily:g}-a-day", daily=daily) for name, daily in POOR.items()
    }


def add_conditions(
    shown: FleetExhibits,
    world: str,
    outcomes: Sequence[FleetOutcome],
    sites: Mapping[str, Path],
) -> None:
    """Show the sweep of costs, and the sites with little news."""
    swept = {
        times: {fleet: labelled(outcomes, cost_label(times), fleet) for fleet in COST_FLEETS}
        for times in COSTS
    }
    shown.tables.append(costs_table(swept))
    shown.figures.append(costs_figure(swept))
    shown.verdicts += cost_claims(world, swept)
    if not sites:
        return
    poor = {
        name: {fleet: labelled(outcomes, poor_label(name), fleet) for fleet in POOR_FLEETS}
        for name in sites
    }
    shown.tables.append(poor_table(poor))
    shown.verdicts += poor_claims("news", poor)


def labelled(outcomes: Sequence[FleetOutcome], label: str, kind: str) -> list[FleetOutcome]:
    """Return the runs of one kind of fleet under a condition."""
    return [one for one in outcomes if one.job.label == label and one.job.kind.name == kind]


def runs_of(outcomes: Sequence[FleetOutcome], world: str, kind: str) -> list[FleetOutcome]:
    """Return the runs of one kind of fleet on one world."""
    return [
        one
        for one in outcomes
        if one.job.terrain.name == world and one.job.kind.name == kind and not one.job.label
    ]


def jobs_on(name: str, path: Path, request: PaperRequest) -> list[FleetJob]:
    """Return all simulations on one world."""
    terrain = terrain_of(name, path, AS_IT_IS, request)
    days = days_of(request, open_world(path), DAYS)
    stretch = stretch_of(days, DAYS)

    def job(kind: FleetKind, seed: int) -> FleetJob:
        keep = keeps_ledger(request, by_paper=kind.name == MAIN)
        return FleetJob(
            terrain,
            kind,
            seed,
            days,
            territory=TERRITORY_WINDOW,
            ledger=ledger_file(request, terrain, kind.name, seed) if keep else None,
            seconds_per_page=SECONDS_PER_PAGE,
        ).stretched(stretch)

    return [job(kind, seed) for kind in FLEETS.values() for seed in seeds_of(kind, request)]


def totals_table(suffix: str, name: str, here: Mapping[str, Sequence[FleetOutcome]]) -> Table:
    """Return the totals of the paper's run beside ours and the controls."""
    found = {kind: totals(runs) for kind, runs in here.items()}
    others = [kind for kind in found if kind != MAIN]
    rows: list[tuple[Cell, ...]] = [
        (
            row,
            Measured.of(found[MAIN][row]),
            PAPER.get(row),
            *(Measured.of(found[kind][row]) for kind in others),
        )
        for row in found[MAIN]
    ]
    return Table(
        f"totals{suffix}",
        f"Totals of {here[MAIN][0].job.length} (Section 4; the paper: 14 days), {name}",
        ("measure", f"{MAIN} (ours)", "paper", *others),
        rows,
        f"At most {MOST} foragers, as many as the paper had at its end, but for the column without"
        " a cap. The paper's share of pages is read off its Fig. 4b; its downloads a step follow"
        " from 350 seconds for a path of 100 steps at 1.11 seconds a download.",
    )


def figures_of(suffix: str, outcome: FleetOutcome, found: Structure) -> list[Figure]:
    """Return all figures, from one run."""
    degrees = degree_figure(suffix, {outcome.job.terrain: found})
    degrees = replace(
        degrees,
        name=f"figure-2{suffix}",
        title="Fig. 2: scale-free properties",
        note="Strong marks are means over bins; solid lines are fitted to the tail, dashed ones"
        " to all degrees up to the largest. The paper's slopes: −2.0 ± 0.3.",
    )
    return [
        population_figure(suffix, outcome),
        degrees,
        efficiency_figure(suffix, outcome),
        *division_figures(suffix, outcome),
        starting_figure(suffix, outcome.run),
        territory_figure(suffix, outcome),
    ]


def claims(
    world: str, here: Mapping[str, Sequence[FleetOutcome]], found: Structure
) -> list[Verdict]:
    """Judge what the paper says."""
    return [
        slopes(world, found),
        *claims_over_time(world, here[MAIN]),
        *claims_of_division(world, here[MAIN], here["no learning"]),
    ]


def claims_over_time(world: str, main: Sequence[FleetOutcome]) -> list[Verdict]:
    """Judge how the fleet becomes better."""
    sent = [efficiency(one.run, "sent") for one in main]
    downloaded = [efficiency(one.run, "downloaded") for one in main]
    lags = [time_lag(one) for one in main]
    fridays = [weeks for one in main if len(weeks := friday_news(one)) > 1]
    return [
        more(
            "Rewarded / sent rises (second half against first)",
            [one.second for one in sent],
            [one.first for one in sent],
            world=world,
        ),
        more(
            "Rewarded / downloaded rises (second half against first)",
            [one.second for one in downloaded],
            [one.first for one in downloaded],
            world=world,
        ),
        less(
            "News is found sooner (hours, second half against first)",
            [one.second for one in lags],
            [one.first for one in lags],
            world=world,
        ),
        less(
            "Of Friday's news less is found on Saturday only (second weekend against first)",
            [weeks[1] for weeks in fridays],
            [weeks[0] for weeks in fridays],
            world=world,
        ),
        less(
            "The peaks of rewarded / sent shift to earlier hours (below 0; the paper: −6)",
            [rhythm_shift(one.run) for one in main],
            [0.0],
            world=world,
        ),
        more(
            "Rewards have a daily rhythm (correlation with the day before above 0)",
            [daily_rhythm(one.run) for one in main],
            [0.0],
            world=world,
        ),
        more(
            "No score falls below 60", [lowest_score(one.run) for one in main], [60.0], world=world
        ),
    ]


def claims_of_division(
    world: str, main: Sequence[FleetOutcome], still: Sequence[FleetOutcome]
) -> list[Verdict]:
    """Judge how the work is divided, and that it goes on."""
    own = [mean(alone(one.run.territory)) for one in main]
    ways = [mean(apart(one.run.territory)) for one in main]
    pairs = [mean(pairs_apart(one.run.territory)) for one in main]
    starts = [starts_a_day(one.run) for one in main]
    return [
        more("Most pages are visited by one forager only (above 0.6)", own, [0.6], world=world),
        more(
            "The work is divided better than without learning",
            own,
            [mean(alone(one.run.territory)) for one in still],
            world=world,
            pairs=False,
        ),
        more(
            "Trajectories from shared pages differ (above 0.9; a page and two steps)",
            ways,
            [0.9],
            world=world,
        ),
        more(
            "Trajectories from shared pages differ (above 0.9; a page and one step)",
            pairs,
            [0.9],
            world=world,
        ),
        more(
            "URLs found grow about linearly (R² above 0.95)",
            [linearity(one.run) for one in main],
            [0.95],
            world=world,
        ),
        more(
            "New starting points keep emerging (second half: at least half the first's)",
            [one.second for one in starts],
            [one.first / 2 for one in starts],
            world=world,
        ),
    ]


def slopes(world: str, found: Structure) -> Verdict:
    """Judge the exponents of the degrees."""
    laws = found.out_degrees.bounded, found.in_degrees.bounded
    claim = "Both degree exponents are 2.0 ± 0.3"
    if laws[0] is None or laws[1] is None:
        return Verdict(claim, None, "no exponent can be fitted", world=world)
    out, into = laws[0].exponent, laws[1].exponent
    within = all(abs(exponent - 2.0) <= 0.3 for exponent in (out, into))
    reason = "" if within else "the world is what it is; a made-up one is tuned to `selection`"
    return Verdict(claim, within, f"out {out:.2f}, in {into:.2f}", reason, world)


def simulated(worlds: Iterable[str], outcomes: Sequence[FleetOutcome]) -> tuple[str, str]:
    """Return what was simulated, and what it cost."""
    paces = [runs_of(outcomes, name, MAIN)[0].job.pace for name in worlds]
    return (
        ", ".join(paces),
        f"{len(outcomes)} simulations: {sum(one.cpu_seconds for one in outcomes):.0f} CPU seconds",
    )
