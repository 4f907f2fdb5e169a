"""RL, WL and the controls on webs of which a growing share of the links is permuted.

The paper compares a small world with a web whose links are all permuted, and asks what happens in
between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from foragers.evaluation.metrics.significance import apart
from foragers.evaluation.plots.canvas import COLOURS
from foragers.evaluation.tables import Cell, Figure, Measured, Table, number
from foragers.papers.fleets.kinds import CONTROLS, KINDS, PAPERS_KINDS
from foragers.papers.fleets.measures import PATHS, path_lengths
from foragers.papers.fleets.runs import FleetJob, FleetOutcome, seeds_of, terrain_of
from foragers.papers.fleets.webs import AS_IT_IS, COHORTS, REWIRED, Terrain, days_of
from foragers.papers.request import PaperRequest
from foragers.worlds.store import open_world

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

SHARES = (0.0, 0.001, 0.01, 0.1, 1.0)
WAYS = {REWIRED: "across all times", COHORTS: "within six hours"}
FLEETS = (*PAPERS_KINDS, *CONTROLS)
MEASURES = {"relevant": "relevant documents", "sent efficiency": "relevant / sent"}

Found = Mapping[tuple[str, float, str], Sequence[FleetOutcome]]
"""The runs by the way of rewiring, the share, and the fleet."""


def rewired(name: str, path: Path, way: str, share: float, request: PaperRequest) -> Terrain:
    """Return a web of which a share of the links is permuted."""
    if share == 0.0:
        return terrain_of(name, path, AS_IT_IS, request)
    return replace(terrain_of(name, path, way, request), share=share)


def share_jobs(name: str, path: Path, request: PaperRequest) -> list[FleetJob]:
    """Return the simulations between the ends, which are made anyway."""
    days = days_of(request, open_world(path))
    return [
        FleetJob(rewired(name, path, way, share, request), KINDS[fleet], seed, days)
        for way in WAYS
        for share in SHARES[1:-1]
        for fleet in FLEETS
        for seed in seeds_of(KINDS[fleet], request)
    ]


def values(outcomes: Sequence[FleetOutcome], measure: str) -> list[float]:
    """Return a measure of every run."""
    if measure == "relevant":
        return [float(one.run.relevant) for one in outcomes]
    return [one.run.relevant / max(one.run.sent, 1) for one in outcomes]


def shares_table(suffix: str, found: Found) -> Table:
    """Return each fleet at each share, and the lead of RL over WL with its interval."""
    rows: list[tuple[Cell, ...]] = []
    for way, told in WAYS.items():
        for share in SHARES:
            for fleet in FLEETS:
                outcomes = found[way, share, fleet]
                columns = [values(outcomes, measure) for measure in MEASURES]
                columns += lengths_of(outcomes)
                rows.append((told, f"{share:g}", fleet, *map(Measured.of, columns)))
            leads = (
                lead(
                    values(found[way, share, "RL"], measure),
                    values(found[way, share, "WL"], measure),
                )
                for measure in MEASURES
            )
            rows.append((told, f"{share:g}", "RL − WL (95 %)", *leads, *(None for _ in PATHS)))
    return Table(
        f"table-rewiring{suffix}",
        "Rewiring by share: the paper's open question",
        ("links permuted", "share", "fleet", *MEASURES, *PATHS),
        rows,
        "A share of the links, drawn at random, is permuted among themselves (`foragers world"
        " rewire --share`); the others stay. Within six hours: only with links that appeared in the"
        " same six hours.",
    )


def lead(one: Sequence[float], other: Sequence[float]) -> str:
    """Return the interval of the difference of two means."""
    found = apart(one, other)
    if found.low is None or found.high is None:
        return "–"
    return f"{number(found.low)} to {number(found.high)}"


def lengths_of(outcomes: Sequence[FleetOutcome]) -> list[list[float]]:
    """Return what is told of the lengths of paths, of every run."""
    full = outcomes[0].job.kind.settings[0].pages_a_path
    runs = [path_lengths(one.run, full) for one in outcomes]
    return [[run[name] for run in runs] for name in PATHS]


def shares_figure(suffix: str, found: Found) -> Figure:
    """Return both measures along the share of links that are permuted."""

    def draw(drawing: Drawing) -> None:
        panels = drawing.subplots(2, 2, sharex=True, sharey="row")
        for column, (way, told) in enumerate(WAYS.items()):
            for row, (measure, label) in enumerate(MEASURES.items()):
                axes = panels[row][column]
                for fleet, colour in zip(FLEETS, COLOURS, strict=False):
                    runs = [values(found[way, share, fleet], measure) for share in SHARES]
                    axes.errorbar(
                        range(len(SHARES)),
                        [float(np.mean(one)) for one in runs],
                        [half_interval(one) for one in runs],
                        color=colour,
                        label=fleet,
                        marker="o",
                        markersize=4,
                        capsize=2,
                    )
                if column == 0:
                    axes.set_ylabel(label)
            panels[0][column].set_title(told)
            panels[1][column].set_xlabel("share of the links permuted")
            panels[1][column].set_xticks(range(len(SHARES)), [f"{share:g}" for share in SHARES])
        for first, _ in panels:
            first.set_ylim(0)  # of the row, and after all: it fixes the upper end
        handles, labels = panels[0][0].get_legend_handles_labels()
        drawing.legend(handles, labels, loc="outside lower center", ncols=len(FLEETS))

    rows = [
        (WAYS[way], share, fleet, run, outcome.run.relevant, outcome.run.sent)
        for (way, share, fleet), outcomes in found.items()
        for run, outcome in enumerate(outcomes)
    ]
    heads = ("links_permuted", "share", "fleet", "run", "relevant", "sent")
    return Figure(
        f"figure-rewiring{suffix}",
        "From the small world to the permuted web",
        dict(zip(heads, zip(*rows, strict=True), strict=True)),
        draw,
        "Means with intervals of 95 %. Left: links are permuted across all times, so that many lead"
        " to pages that do not exist yet; right: among links that appeared within six hours.",
        width=9.0,
        height=6.4,
    )


def half_interval(runs: Sequence[float]) -> float:
    """Return half of the 95 % interval of a mean."""
    if len(runs) < 2:
        return 0.0
    from scipy import stats

    error = float(np.std(runs, ddof=1) / np.sqrt(len(runs)))
    return float(stats.t.ppf(0.975, len(runs) - 1)) * error
