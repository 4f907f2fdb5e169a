"""The figures of `population`: agents alive, and precision, over pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from foragers.evaluation.plots.canvas import COLOURS
from foragers.evaluation.tables import Figure
from foragers.papers.population.crawls import Bounds, Floats, PopulationResults
from foragers.papers.population.numbers import (
    BEST,
    BUFFERED,
    FACTORS,
    LITERALS,
    RIVALS,
    SIGMOIDS,
    UNBUFFERED,
    USABLE,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


def figures(results: PopulationResults) -> list[Figure]:
    """Return Figs. 2 to 6 and the comparison."""
    bounds = Bounds.of(results.grounds[0])
    limits = (bounds.least, bounds.most)
    return [
        population(results, "figure-2", "Fig. 2: population, original energy", tuple(FACTORS)),
        population(results, "figure-3", "Fig. 3: population, sigmoid energy", tuple(SIGMOIDS)),
        population(
            results, "figure-3-literal", "Fig. 3 to the letter: clones besides the parent",
            [LITERALS[name] for name in SIGMOIDS],
        ),
        precision(results, "figure-4", "Fig. 4: precision of both models", (USABLE, BEST)),
        population(
            results, "figure-5", "Fig. 5: population with and without conservation",
            (BUFFERED, UNBUFFERED), limits,
        ),
        population(
            results, "figure-5-literal", "Fig. 5: conservation to the letter beside ours",
            (BUFFERED, LITERALS[BUFFERED]), limits,
        ),
        precision(
            results, "figure-6", "Fig. 6: precision with and without conservation",
            (BUFFERED, UNBUFFERED),
        ),
        precision(results, "figure-comparison", "The same budget spent by others", tuple(RIVALS)),
    ]  # fmt: skip


def population(
    results: PopulationResults,
    name: str,
    title: str,
    crawlers: Sequence[str],
    limits: Sequence[int] = (),
) -> Figure:
    """Return agents alive over pages, a thin line a run."""
    shown = {crawler: results.populations(crawler) for crawler in crawlers}
    marks = results.marks
    highest = max(float(rows.max()) for rows in shown.values())
    # Populations of very different sizes can be told apart on a logarithmic axis alone.
    spread = highest > 20 * max(1.0, min(float(rows.max()) for rows in shown.values()))
    far = spread or bool(limits and highest > 4 * max(limits))

    def draw(drawing: Drawing) -> None:
        axes = drawing.subplots()
        for place, (crawler, rows) in enumerate(shown.items()):
            colour = COLOURS[place]
            for row in rows:
                axes.plot(marks, row, color=colour, alpha=0.3, linewidth=0.8)
            axes.plot(marks, rows.mean(axis=0), color=colour, label=crawler)
        for limit in limits:
            axes.axhline(limit, color="#444444", linewidth=0.8, linestyle=":")
        if far:
            axes.set_yscale("symlog", linthresh=10)
        axes.set(xlabel="pages", ylabel="agents alive", ylim=(0, None), xlim=(0, marks[-1]))
        axes.legend()

    note = f"{len(results.grounds)} runs each, and their mean."
    if limits:
        note += f" Dotted: the bounds, {min(limits)} and {max(limits)} agents."
    return Figure(name, title, columns(marks, shown, "agents"), draw, note)


def precision(results: PopulationResults, name: str, title: str, crawlers: Sequence[str]) -> Figure:
    """Return precision over pages: the mean of the runs, and how far they are apart."""
    shown = {crawler: results.precisions(crawler) for crawler in crawlers}
    marks, few = results.marks, len(shown) < 4

    def draw(drawing: Drawing) -> None:
        axes = drawing.subplots()
        for place, (crawler, rows) in enumerate(shown.items()):
            colour, middle = COLOURS[place % len(COLOURS)], rows.mean(axis=0)
            axes.plot(marks, middle, color=colour, label=crawler)
            if len(rows) > 1 and few:
                off = rows.std(axis=0, ddof=1)
                axes.fill_between(marks, middle - off, middle + off, color=colour, alpha=0.15, lw=0)
        axes.set(xlabel="pages", ylabel="precision", ylim=(0, None), xlim=(0, marks[-1]))
        if few:
            axes.legend()
        else:
            drawing.legend(loc="outside right upper")

    band = "; shaded: one standard deviation" if few else ""
    note = f"Mean of {len(results.grounds)} runs{band}."
    return Figure(name, title, columns(marks, shown, "precision"), draw, note)


def columns(
    marks: Sequence[int], shown: dict[str, Floats], what: str
) -> dict[str, Sequence[str | float | int]]:
    """Return the data of a figure: a row for each crawler, run and mark."""
    rows = [
        (crawler, run, mark, float(value))
        for crawler, table in shown.items()
        for run, row in enumerate(table)
        for mark, value in zip(marks, np.asarray(row), strict=True)
    ]
    heads = ("crawler", "run", "pages", what)
    return dict(zip(heads, zip(*rows, strict=True), strict=True))
