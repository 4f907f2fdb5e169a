"""The figures of `selection`: degrees, efficiency over time, freshness and age over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from foragers.evaluation.graph.structure import Structure
from foragers.evaluation.plots import degrees
from foragers.evaluation.plots.canvas import COLOURS
from foragers.evaluation.tables import Figure
from foragers.papers.fleets.measures import STORES, share
from foragers.papers.fleets.runs import FleetOutcome, span
from foragers.papers.fleets.webs import Terrain
from foragers.strategies.fleet.simulation.windows import WindowTally

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

DAY = 86_400.0
FEW = 3
TOO_SHORT = "The simulation ended\nbefore a window\nwas over."
NOTHING_FOUND = "Nothing relevant\nwas found."
STYLES = ("-", "--", ":", "-.")
"""Of the lines of runs, when there are more than colours."""
COLOUR = {"RL": COLOURS[0], "WL": COLOURS[1]}


def degree_figure(name: str, found: Mapping[Terrain, Structure]) -> Figure:
    """Return the share of pages with k links, on logarithmic axes."""
    rows = [
        (terrain.variant or "as it is", way, k, count)
        for terrain, graph in found.items()
        for way, those in (("out", graph.out_degrees), ("in", graph.in_degrees))
        for k, count in those.histogram
    ]
    terrain, structure = next(iter(found.items()))

    def draw(drawing: Drawing) -> None:
        axes = drawing.subplots()
        axes.set(xscale="log", yscale="log")
        axes.set_title(terrain.title, parse_math=False)
        axes.set(xlabel="links of a page, $k$", ylabel="share of pages, $P(k)$")
        drawn = degrees.draw(axes, structure.out_degrees, "out", COLOURS[0], "o")
        drawn |= degrees.draw(axes, structure.in_degrees, "in", COLOURS[1], "x")
        if drawn:
            drawing.legend(loc="outside lower center", ncols=2)
        else:
            say(axes, "No page links to another.")

    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    return Figure(
        f"figure-1{name}",
        "Fig. 1: scale-free property",
        dict(zip(("variant", "direction", "links", "pages"), columns, strict=True)),
        draw,
        "Strong marks are means over bins; solid lines are fitted to the tail, dashed ones to all"
        " degrees up to the largest. The paper's slopes: −1.3 (out) and −2.57 (in). Rewiring leaves"
        " all degrees as they are.",
        width=6.6,
        height=5.4,
    )


def efficiency_figure(name: str, title: str, outcomes: Sequence[FleetOutcome]) -> Figure:
    """Return download efficiency window by window, one line a run."""
    lines = by_kind(outcomes, ("RL", "WL"))

    def draw(drawing: Drawing) -> None:
        panels = drawing.subplots(2, 1, sharex=True, sharey=True)
        for axes, (kind, runs) in zip(panels, lines.items(), strict=True):
            for number, run in enumerate(runs):
                axes.plot(
                    days(run),
                    [efficiency(window) for window in run.run.windows],
                    color=COLOURS[number % len(COLOURS)],
                    linestyle=STYLES[number // len(COLOURS) % len(STYLES)],
                    linewidth=1.1,
                    label=f"run {number + 1}",
                )
                dots_if_few(axes)
            axes.set_title(f"{kind} foragers")
            axes.set_ylabel("relevant / downloaded")
            explain(axes)
        panels[0].set_ylim(0)  # of both, and after both: it fixes the upper end
        if panels[0].lines:
            panels[0].legend(loc="upper right", ncols=5)
        panels[-1].set_xlabel("days")

    return Figure(
        f"figure-2{name}",
        f"Fig. 2: download efficiency, {title}",
        columns_of(outcomes, ("RL", "WL")),
        draw,
        f"Relevant by downloaded documents in windows of {span(outcomes[0].job.window)}.",
        height=5.2,
    )


def freshness_figure(name: str, title: str, outcomes: Sequence[FleetOutcome]) -> Figure:
    """Return freshness and age window by window, by all three definitions."""
    lines = by_kind(outcomes, ("RL", "WL"))

    def draw(drawing: Drawing) -> None:
        panels = drawing.subplots(2, len(STORES), sharex=True, squeeze=False)
        for column, (store, how) in enumerate(STORES.items()):
            above, below = panels[0][column], panels[1][column]
            above.set_title(how)
            for kind, runs in lines.items():
                draw_runs(above, kind, runs, f"fresh_by_{store}")
                draw_runs(below, kind, runs, f"age_by_{store}")
            above.set_ylim(0, 1.02)
            below.set_ylim(0)
            below.set_xlabel("days")
            explain(above)
            explain(below)
        panels[0][0].set_ylabel("freshness")
        panels[1][0].set_ylabel("age in hours")
        handles, labels = panels[0][0].get_legend_handles_labels()
        drawing.legend(handles, labels, loc="outside lower center", ncols=2)

    return Figure(
        f"figure-3{name}",
        f"Fig. 3: freshness and age, {title}",
        columns_of(outcomes, ("RL", "WL")),
        draw,
        "Dotted: WL foragers, continuous: RL foragers, as in the paper; one line a run. At the ends"
        f" of windows of {span(outcomes[0].job.window)}.",
        width=9.6,
        height=5.6,
    )


def draw_runs(axes: Axes, kind: str, runs: Sequence[FleetOutcome], what: str) -> None:
    """Draw one line a run of one kind of foragers."""
    for number, run in enumerate(runs):
        axes.plot(
            days(run),
            [getattr(window, what) for window in run.run.windows],
            color=COLOUR[kind],
            linestyle=":" if kind == "WL" else "-",
            linewidth=1.4 if kind == "WL" else 1.0,
            label=f"{kind} foragers" if number == 0 else None,
        )
        dots_if_few(axes)


def dots_if_few(axes: Axes) -> None:
    """Mark the points of the last line if they are few: of one alone nothing would be seen."""
    last = axes.lines[-1]
    if np.isfinite(np.asarray(last.get_ydata(), float)).sum() < FEW:
        last.set_marker(".")


def explain(axes: Axes) -> None:
    """Say in a picture in which there is nothing to be seen why that is so."""
    values = [np.asarray(line.get_ydata(), float) for line in axes.lines]
    if any(np.isfinite(some).any() for some in values):
        return
    say(axes, NOTHING_FOUND if any(len(some) for some in values) else TOO_SHORT)


def say(axes: Axes, text: str) -> None:
    """Write into the middle of an empty picture."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color="#666666")


def by_kind(
    outcomes: Sequence[FleetOutcome], kinds: Sequence[str]
) -> dict[str, list[FleetOutcome]]:
    """Return the outcomes of some kinds of fleets."""
    return {kind: [one for one in outcomes if one.job.kind.name == kind] for kind in kinds}


def days(outcome: FleetOutcome) -> list[float]:
    """Return the days on which the windows of a run end."""
    return [(window.end - outcome.run.start) / DAY for window in outcome.run.windows]


def efficiency(window: WindowTally) -> float:
    """Return the relevant share of what was downloaded in a window."""
    return share(window.relevant, window.downloaded)


def columns_of(
    outcomes: Sequence[FleetOutcome], kinds: Sequence[str]
) -> dict[str, list[str | float | int]]:
    """Return every window of every run as columns."""
    rows: list[tuple[str | float | int, ...]] = [
        (kind, number, *window._replace(end=round((window.end - one.run.start) / DAY, 6)))
        for kind, runs in by_kind(outcomes, kinds).items()
        for number, one in enumerate(runs)
        for window in one.run.windows
    ]
    names = ("fleet", "run", "day", *WindowTally._fields[1:])
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def peakedness(outcome: FleetOutcome) -> float:
    """Return how uneven download efficiency is over time: deviation over mean of the windows."""
    values = np.array([efficiency(window) for window in outcome.run.windows])
    values = values[np.isfinite(values)]
    return float(values.std() / values.mean()) if len(values) and values.mean() else float("nan")


def rise(outcome: FleetOutcome) -> tuple[float, float]:
    """Return download efficiency in the first and in the second half, the first day left out."""
    windows = [w for w in outcome.run.windows if w.end > outcome.run.start + DAY]
    half = len(windows) // 2
    first, second = (
        share(sum(w.relevant for w in part), sum(w.downloaded for w in part))
        for part in (windows[:half], windows[half:])
    )
    return first, second
