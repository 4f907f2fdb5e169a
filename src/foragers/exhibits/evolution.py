"""`evolution`: a fleet of news foragers that multiplies and divides the work, made again.

One fleet of WLRL foragers for two weeks, on a news site or on recorded webs, with the
controls of `selection`.  docs/reproducing-evolution.md tells what came of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from foragers.exhibits.claims import less, more
from foragers.exhibits.evolution_figures import (
    division_figures,
    efficiency_figure,
    population_figure,
    starting_figure,
    territory_figure,
)
from foragers.exhibits.evolution_measures import (
    alone,
    apart,
    daily_rhythm,
    efficiency,
    linearity,
    lowest_score,
    starts_a_day,
    time_lag,
    totals,
)
from foragers.exhibits.exhibit import Cell, Exhibits, Figure, Measured, Table, Verdict
from foragers.exhibits.fleet_kinds import KINDS, FleetKind
from foragers.exhibits.fleet_measures import mean
from foragers.exhibits.fleet_runs import FleetJob, FleetOutcome, perform_all
from foragers.exhibits.request import Progress, Request
from foragers.exhibits.selection import seeds_of, terrain_of
from foragers.exhibits.selection_figures import degree_figure
from foragers.exhibits.terrain import AS_IT_IS, days_of, worlds_of
from foragers.fleet.settings import FleetSettings
from foragers.measures.structure import Structure, structure
from foragers.text.state import states_of
from foragers.worlds.store import open_world

RUNS = 3
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


def reproduce(request: Request, progress: Progress) -> Exhibits:
    """Make all exhibits of the paper."""
    worlds = worlds_of(request)
    with progress("reading pages", len(worlds)) as meter:
        for number, path in enumerate(worlds.values()):
            states_of(open_world(path))
            meter(number + 1, path.name)
    jobs = [job for name, path in worlds.items() for job in jobs_on(name, path, request)]
    outcomes = perform_all(jobs, request.jobs, progress)
    tables: list[Table] = []
    figures: list[Figure] = []
    verdicts: list[Verdict] = []
    for number, (name, path) in enumerate(worlds.items()):
        suffix = "" if number == 0 else f"-{name}"
        here = {
            kind: [
                one
                for one in outcomes
                if one.job.terrain.name == name and one.job.kind.name == kind
            ]
            for kind in FLEETS
        }
        found = structure(open_world(path))
        tables.append(totals_table(suffix, name, here))
        figures += figures_of(suffix, here[MAIN][0], found)
        verdicts += claims(name, here, found)
    return Exhibits(
        "evolution",
        "Computer study of the evolution of news foragers, made again",
        settings_of(request, worlds, outcomes),
        tables,
        figures,
        verdicts,
        NOTES,
    )


NOTES = (
    "Figures show the first run. A claim holds, or does not, if Student's paired t-test over runs"
    " gives p < 0.05; else it cannot be told from so many runs. All choices that the paper leaves"
    " open: docs/reproducing-evolution.md.",
)


def jobs_on(name: str, path: Path, request: Request) -> list[FleetJob]:
    """Return all simulations on one world."""
    terrain = terrain_of(name, path, AS_IT_IS, request)
    days = min(days_of(request, open_world(path)), DAYS)
    jobs = []
    for kind in FLEETS.values():
        for seed in seeds_of(kind, request):
            file = request.out / "ledgers" / f"{name}-{kind.name.lower()}-{seed}.sqlite"
            jobs.append(
                FleetJob(
                    terrain,
                    kind,
                    seed,
                    days,
                    territory=TERRITORY_WINDOW,
                    ledger=file if kind.name == MAIN else None,
                    seconds_per_page=SECONDS_PER_PAGE,
                )
            )
    return jobs


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
        f"Totals of two weeks (Section 4), {name}",
        ("measure", f"{MAIN} (ours)", "paper", *others),
        rows,
        f"At most {MOST} foragers, as many as the paper had at its end, but for the column without"
        " a cap. The paper's share of pages is read off its Fig. 4b.",
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
    run = outcome.run
    return [
        degrees,
        efficiency_figure(suffix, run),
        population_figure(suffix, run),
        *division_figures(suffix, run),
        starting_figure(suffix, run),
        territory_figure(suffix, outcome),
    ]


def claims(
    world: str, here: Mapping[str, Sequence[FleetOutcome]], found: Structure
) -> list[Verdict]:
    """Judge what the paper says."""
    main = here[MAIN]
    sent = [efficiency(one.run, "sent") for one in main]
    downloaded = [efficiency(one.run, "downloaded") for one in main]
    lags = [time_lag(one) for one in main]
    own = [mean(alone(one.run.territory)) for one in main]
    ways = [mean(apart(one.run.territory)) for one in main]
    starts = [starts_a_day(one.run) for one in main]
    return [
        slopes(world, found),
        more(
            f"{world}: rewarded / sent rises (second week against first)",
            [one.second for one in sent],
            [one.first for one in sent],
        ),
        more(
            f"{world}: rewarded / downloaded rises (second week against first)",
            [one.second for one in downloaded],
            [one.first for one in downloaded],
        ),
        less(
            f"{world}: news is found sooner (hours, second week against first)",
            [one.second for one in lags],
            [one.first for one in lags],
        ),
        more(
            f"{world}: rewards have a daily rhythm (correlation with the day before above 0)",
            [daily_rhythm(one.run) for one in main],
            [0.0],
        ),
        more(
            f"{world}: no score falls below 60",
            [lowest_score(one.run) for one in main],
            [60.0],
        ),
        more(f"{world}: most pages are visited by one forager only (above 0.6)", own, [0.6]),
        more(
            f"{world}: the work is divided better than without learning",
            own,
            [mean(alone(one.run.territory)) for one in here["no learning"]],
        ),
        more(f"{world}: trajectories from shared pages differ (above 0.9)", ways, [0.9]),
        more(
            f"{world}: URLs found grow about linearly (R² above 0.95)",
            [linearity(one.run) for one in main],
            [0.95],
        ),
        more(
            f"{world}: new starting points keep emerging (second week at least half of the first)",
            [one.second for one in starts],
            [one.first / 2 for one in starts],
        ),
    ]


def slopes(world: str, found: Structure) -> Verdict:
    """Judge the exponents of the degrees."""
    laws = found.out_degrees.bounded, found.in_degrees.bounded
    claim = f"{world}: both degree exponents are 2.0 ± 0.3"
    if laws[0] is None or laws[1] is None:
        return Verdict(claim, None, "no exponent can be fitted")
    out, into = laws[0].exponent, laws[1].exponent
    within = all(abs(exponent - 2.0) <= 0.3 for exponent in (out, into))
    reason = "" if within else "the world is what it is; a made-up one is tuned to `selection`"
    return Verdict(claim, within, f"out {out:.2f}, in {into:.2f}", reason)


def settings_of(
    request: Request, worlds: Mapping[str, Path], outcomes: Sequence[FleetOutcome]
) -> dict[str, str]:
    """Return how the exhibits were made, and what that cost."""
    days = ", ".join(
        f"{one.job.days:g} days on {one.job.terrain.name}"
        for one in outcomes
        if one.job.kind.name == MAIN and one.job.seed == request.seed
    )
    return {
        "worlds": ", ".join(f"{name} ({path})" for name, path in worlds.items()),
        "simulated": f"{days}, {SECONDS_PER_PAGE} s a page",
        "runs": f"{request.runs or RUNS}, seeds from {request.seed}",
        "ledgers": f"{request.out / 'ledgers'} (docs/fleet-ledgers.md)",
        "wanted": request.relevant or request.topic or "whatever is new",
        "cost": f"{len(outcomes)} simulations:"
        f" {sum(one.cpu_seconds for one in outcomes):.0f} CPU seconds",
    }
