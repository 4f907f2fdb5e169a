"""Harvest curves: relevant pages found against downloads spent."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from foragers.evaluation.comparison.report import ranked
from foragers.evaluation.comparison.result import Result
from foragers.evaluation.plots.canvas import figure, have_matplotlib, sketch
from foragers.evaluation.plots.chart import COLOURS, Axis, Band, Line, Panel, chart
from foragers.evaluation.plots.curves import Points, at

Curve = Sequence[tuple[int, int]]
"""(downloads, relevant) at points of a crawl."""
LEGEND_CHARACTERS = 110
"""The width of a figure, in characters of its legend."""


def plot_harvest(result: Result, path: Path) -> Path:
    """Draw the curves of a comparison; return the file to look at."""
    curves = {name: [run.curve for run in strategy.runs] for name, strategy in ranked(result)}
    title = f"{Path(result.world).name}: {result.topic}"
    return plot_curves(curves, result.budget, title, path, dashed=result.references)


def plot_curves(
    curves: Mapping[str, Sequence[Points]],
    budget: int,
    title: str,
    path: Path,
    dashed: Collection[str] = (),
    vertical: str = "relevant pages found",
) -> Path:
    """Draw the mean curve of each name, and the band between its worst and best run.

    Without matplotlib there is an SVG and no PNG.  Returns the file to look at.
    """
    grid = np.unique(np.linspace(0, budget, 401).astype(np.int64))
    every = {name: np.array([at(run, grid) for run in runs]) for name, runs in curves.items()}
    if not have_matplotlib():
        return sketch(curves_chart(every, grid, title, dashed, vertical), path)
    with figure(path, 7.2, 4.6) as drawing:
        axes = drawing.subplots()
        for number, (name, values) in enumerate(every.items()):
            colour = COLOURS[number % len(COLOURS)]
            line = "--" if name in dashed else "-"
            axes.plot(grid, values.mean(axis=0), color=colour, linestyle=line, label=name)
            if len(values) > 1:
                axes.fill_between(
                    grid, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.15, lw=0
                )
        axes.set_xlim(0, budget)
        axes.set_ylim(0)
        axes.set_xlabel("downloads")
        axes.set_ylabel(vertical)
        axes.set_title(title)
        # Below the axes, where it covers no curve.
        columns = LEGEND_CHARACTERS // (max(map(len, every), default=0) + 8)
        drawing.legend(loc="outside lower center", ncols=max(1, min(columns, 4)))
    return path if path.suffix else path.with_name(f"{path.name}.png")


def curves_chart(
    curves: Mapping[str, NDArray[np.float64]],
    grid: NDArray[np.int64],
    title: str,
    dashed: Collection[str] = (),
    vertical: str = "relevant pages found",
) -> str:
    """Return the same as SVG, drawn without matplotlib."""
    most = max((float(values.max(initial=0.0)) for values in curves.values()), default=0.0)
    x = Axis("downloads", 0, max(1, int(grid[-1])), whole=True)
    panel = Panel(x, Axis(vertical, 0, 1.05 * max(most, 1.0), whole=True))
    for number, (name, values) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        if len(values) > 1:
            panel.marks.append(Band(grid, values.min(axis=0), values.max(axis=0), colour))
        panel.marks.append(Line(grid, values.mean(axis=0), colour, name, name in dashed))
    return chart([panel], 720, 460, "relevant pages found over downloads", title)
