"""The same fleets under harder conditions: dearer pages, and sites with less news.

Section 4.2 of the paper says, without numbers, that a larger ratio of cost to reward widened the
territories and suddenly raised the probability of extinction.  Its discussion supposes that where
news is scarce the division of work pays most, and leaves that open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from foragers.evaluation.plots.canvas import COLOURS
from foragers.evaluation.tables import Cell, Figure, Measured, Table, Verdict
from foragers.papers.claims import less, more
from foragers.papers.evolution.measures import alone, area, died_out
from foragers.papers.fleets.kinds import FleetKind
from foragers.papers.fleets.measures import PATHS, end_of, mean, news_in, path_lengths, share
from foragers.papers.fleets.runs import FleetJob, FleetOutcome
from foragers.strategies.fleet.simulation.web import NewsRules

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

COSTS = (1.0, 4.0, 8.0, 16.0, 32.0)
"""Times the paper's cost: −1 and −0.05 for every page sent, beside rewards of 100 and 1."""
COST_FLEETS = ("WLRL", "random order", "home page")
FOUNDERS = 2
POOR: Mapping[str, float] = {"1,200 a day": 1200.0, "120 a day": 120.0, "12 a day": 12.0}
"""New pages a day on a site of 33,000 pages; the first is as many as the paper's fleet found."""
POOR_RULES = NewsRules(changes=False)
POOR_FLEETS = ("WLRL", "WL", "RL", "no learning", "random order", "home page")


def dearer(kind: FleetKind, times: float) -> FleetKind:
    """Return a fleet that pays more for every page sent, and that may die out."""
    settings = tuple(
        replace(
            one,
            penalty=one.penalty * times,
            score_sent=one.score_sent * times,
            least=0,
            founders=FOUNDERS,
        )
        for one in kind.settings
    )
    return replace(kind, settings=settings)


def cost_label(times: float) -> str:
    """Return the name of the runs with a cost."""
    return f"cost times {times:g}"


def cost_jobs(job: FleetJob, kinds: Mapping[str, FleetKind], seeds: range) -> list[FleetJob]:
    """Return the simulations of the sweep; the job is that of the paper's fleet."""
    return [
        replace(
            job, kind=dearer(kinds[fleet], times), seed=seed, ledger=None, label=cost_label(times)
        )
        for times in COSTS
        for fleet in COST_FLEETS
        for seed in (seeds if kinds[fleet].by_chance else seeds[:1])
    ]


def poor_label(name: str) -> str:
    """Return the name of the runs on a site with so much news."""
    return f"site with {name}"


def poor_jobs(
    job: FleetJob, sites: Mapping[str, Path], kinds: Mapping[str, FleetKind], seeds: range
) -> list[FleetJob]:
    """Return the simulations on sites with less news."""
    return [
        replace(
            job,
            terrain=replace(job.terrain, path=path, rules=POOR_RULES),
            kind=kinds[fleet],
            seed=seed,
            ledger=None,
            label=poor_label(name),
        )
        for name, path in sites.items()
        for fleet in POOR_FLEETS
        for seed in (seeds if kinds[fleet].by_chance else seeds[:1])
    ]


Swept = Mapping[float, Mapping[str, Sequence[FleetOutcome]]]
"""The runs by the cost, and by the fleet."""


def costs_table(found: Swept) -> Table:
    """Return what becomes of the fleet, and of controls, as pages sent become dearer."""
    rows: list[tuple[Cell, ...]] = [
        (f"{times:g}", fleet, *costs_row(outcomes))
        for times, fleets in found.items()
        for fleet, outcomes in fleets.items()
    ]
    return Table(
        "table-costs",
        "Cost and reward: extinction and territory (Section 4.2)",
        ("times the cost", "fleet", "died out", "on day", "most foragers", "deaths",
         "pages a forager", "pages of one forager only", "rewarded", "rewarded / sent", *PATHS),
        rows,
        "Two foragers at first (one for the home page), that may die out. The paper's cost is 1: −1"
        " and −0.05 for each page sent, with rewards of 100 and 1. Pages a forager: different pages"
        " that one visited in a window of 75 minutes, its territory.",
    )  # fmt: skip


def costs_row(outcomes: Sequence[FleetOutcome]) -> tuple[Cell, ...]:
    """Return what became of a fleet at a cost."""
    runs = [one.run for one in outcomes]
    days = [end for run in runs if (end := died_out(run)) is not None]
    full = outcomes[0].job.kind.settings[-1].pages_a_path
    lengths = [path_lengths(run, full) for run in runs]
    return (
        f"{len(days)} of {len(runs)}",
        Measured.of(days) if days else None,
        Measured.of(most_alive(one) for one in outcomes),
        Measured.of(float(sum(event.what == "death" for event in run.lives)) for run in runs),
        Measured.of(area(run) for run in runs),
        Measured.of(mean(alone(run.territory)) for run in runs),
        Measured.of(float(run.relevant) for run in runs),
        Measured.of(share(run.relevant, run.sent) for run in runs),
        *(Measured.of(one[name] for one in lengths) for name in PATHS),
    )


def most_alive(outcome: FleetOutcome) -> float:
    """Return the largest number of foragers at the end of any window."""
    return float(max((window.foragers for window in outcome.run.windows), default=0))


def costs_figure(found: Swept) -> Figure:
    """Return extinction and territory over the cost."""
    costs = list(found)

    def draw(drawing: Drawing) -> None:
        left, right = drawing.subplots(1, 2)
        for fleet, colour in zip(COST_FLEETS[:-1], COLOURS, strict=False):
            runs = [found[times][fleet] for times in costs]
            left.plot(costs, list(map(extinct, runs)), marker="o", color=colour, label=fleet)
            areas = [[area(one.run) for one in outcomes] for outcomes in runs]
            right.plot(costs, [mean(row) for row in areas], marker="o", color=colour)
            for times, row in zip(costs, areas, strict=True):
                right.plot([times] * len(row), row, ".", color=colour, alpha=0.3)
        left.set(ylabel="share of runs that died out", ylim=(-0.03, 1.03))
        left.legend(loc="upper left")
        right.set(ylabel="pages a forager visits in a window", ylim=(0, None))
        for axes in (left, right):
            axes.set(xscale="log", xlabel="times the paper's cost of a page sent")
            axes.set_xticks(costs, [f"{times:g}" for times in costs])
            axes.minorticks_off()

    rows = [
        (
            times,
            fleet,
            run,
            area(one.run),
            mean(alone(one.run.territory)),
            died_out(one.run) is not None,
        )
        for times, fleets in found.items()
        for fleet, outcomes in fleets.items()
        for run, one in enumerate(outcomes)
    ]
    heads = ("times_the_cost", "fleet", "run", "pages_a_forager", "own_pages", "died_out")
    return Figure(
        "figure-costs",
        "Cost and reward: extinction and territory",
        dict(zip(heads, zip(*rows, strict=True), strict=True)),
        draw,
        "Dots are runs, lines on the right their means. A fleet that died out has the territory of"
        " the time when it lived.",
        width=8.4,
        height=3.8,
    )


def extinct(outcomes: Sequence[FleetOutcome]) -> float:
    """Return the share of runs in which all foragers died."""
    return sum(died_out(one.run) is not None for one in outcomes) / max(len(outcomes), 1)


def cost_claims(world: str, found: Swept) -> list[Verdict]:
    """Judge what the paper says of a larger cost."""
    main = {times: found[times][COST_FLEETS[0]] for times in COSTS}
    low, high = main[COSTS[0]], main[COSTS[-1]]
    living = [times for times in COSTS if extinct(main[times]) < 1.0]
    largest = living[-1] if living else COSTS[0]
    shares = [extinct(main[times]) for times in COSTS]
    steps = np.diff(shares)
    told = ", ".join(f"{times:g}: {part:.0%}" for times, part in zip(COSTS, shares, strict=True))
    sudden = None if shares[-1] == shares[0] else bool(steps.max() > 0.5)
    return [
        more(
            f"A larger ratio of cost to reward widens the territories ({largest:g} times against"
            f" {COSTS[0]:g})",
            [area(one.run) for one in main[largest]],
            [area(one.run) for one in low],
            "pages a forager visits in 75 minutes, at the largest cost that some fleet survived",
            world=world,
            pairs=False,
        ),
        Verdict(
            "A larger ratio of cost to reward raises extinction",
            extinct(high) > extinct(low),
            f"died out at times the cost, {told}",
            world=world,
        ),
        Verdict(
            "and it does so suddenly (by more than half of the runs from one cost to the next)",
            sudden,
            f"died out at times the cost, {told}",
            world=world,
        ),
    ]


Poor = Mapping[str, Mapping[str, Sequence[FleetOutcome]]]


def news_share(outcomes: Sequence[FleetOutcome]) -> list[float]:
    """Return which share of the news each run found."""
    first = outcomes[0].job
    ground = first.terrain.ground()
    news = news_in(ground, end_of(outcomes), first.kind.settings[0].new_within)
    return [share(one.run.relevant, news) for one in outcomes]


def poor_table(found: Poor) -> Table:
    """Return the fleets on sites with less and less news."""
    rows: list[tuple[Cell, ...]] = []
    for site, fleets in found.items():
        for fleet, outcomes in fleets.items():
            runs = [one.run for one in outcomes]
            full = outcomes[0].job.kind.settings[-1].pages_a_path
            lengths = [path_lengths(run, full) for run in runs]
            rows.append(
                (
                    site,
                    fleet,
                    Measured.of(float(run.relevant) for run in runs),
                    Measured.of(news_share(outcomes)),
                    Measured.of(share(run.relevant, run.sent) for run in runs),
                    Measured.of(float(run.windows[-1].foragers if run.windows else 0)
                                for run in runs),
                    Measured.of(mean(alone(run.territory)) for run in runs),
                    *(Measured.of(one[name] for one in lengths) for name in lengths[0]),
                )
            )  # fmt: skip
    return Table(
        "table-poor",
        "Sites with little news",
        ("new pages", "fleet", "rewarded", "share of the news", "rewarded / sent", "foragers",
         "pages of one forager only", *PATHS),
        rows,
        "Generated sites that differ in the number of new pages a day (of 33,000 in all); only"
        " first versions are news here.",
    )  # fmt: skip


def poor_claims(world: str, found: Poor) -> list[Verdict]:
    """Judge what the paper supposes of regions with little news."""
    sites = list(found)
    rich, poor = sites[0], sites[-1]
    verdicts = [
        more(
            f"WLRL finds more of the news than {other}",
            news_share(found[site]["WLRL"]),
            news_share(found[site][other]),
            world=f"{world}, {site}",
            pairs=False,
        )
        for site in sites
        for other in ("no learning", "random order")
    ]
    verdicts.append(
        more(
            "Where news is scarce the work is divided further",
            [mean(alone(one.run.territory)) for one in found[poor]["WLRL"]],
            [mean(alone(one.run.territory)) for one in found[rich]["WLRL"]],
            "pages visited by one forager only",
            world=f"{world}, {poor} against {rich}",
            pairs=False,
        )
    )
    verdicts.append(
        less(
            "Where news is scarce foragers die",
            [float(one.run.windows[-1].foragers) for one in found[poor]["WLRL"] if one.run.windows],
            [float(one.run.windows[-1].foragers) for one in found[rich]["WLRL"] if one.run.windows],
            "foragers at the end",
            world=f"{world}, {poor} against {rich}",
            pairs=False,
        )
    )
    return verdicts
