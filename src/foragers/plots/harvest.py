"""Harvest curves: relevant pages found against downloads spent."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from foragers.comparison.result import Result, RunResult
from foragers.comparison.table import ranked
from foragers.plots.canvas import COLOURS, figure


def plot_harvest(result: Result, path: Path) -> None:
    """Draw the mean curve of each strategy, and the band between its worst and best run."""
    with figure(path, 7.2, 4.6) as drawing:
        axes = drawing.subplots()
        grid = np.unique(np.linspace(0, result.budget, 401).astype(int))
        for number, (name, found) in enumerate(ranked(result)):
            curves = np.array([at(run, grid) for run in found.runs])
            reference = name in result.references
            colour = COLOURS[number % len(COLOURS)]
            axes.plot(
                grid,
                curves.mean(axis=0),
                color=colour,
                linestyle="--" if reference else "-",
                label=name,
            )
            if len(curves) > 1:
                axes.fill_between(
                    grid, curves.min(axis=0), curves.max(axis=0), color=colour, alpha=0.15, lw=0
                )
        axes.set_xlim(0, result.budget)
        axes.set_ylim(0)
        axes.set_xlabel("downloads")
        axes.set_ylabel("relevant pages found")
        axes.set_title(f"{Path(result.world).name}: {result.topic}")
        axes.legend(loc="best")


def at(run: RunResult, downloads: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> list[float]:
    """Return what a run had found after so many downloads; it keeps what it has to the end."""
    points = [(0, 0), *run.curve]
    xs, ys = zip(*points, strict=True)
    found: list[float] = np.interp(downloads, xs, ys).tolist()
    return found
