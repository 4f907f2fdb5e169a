"""Harvest curves: relevant pages found against downloads spent."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from foragers.comparison.result import Result
from foragers.comparison.table import ranked
from foragers.plots.canvas import COLOURS, figure

Curve = Sequence[tuple[int, int]]
"""(downloads, relevant) at some points of a crawl."""


def plot_harvest(result: Result, path: Path) -> None:
    """Draw the curves of a comparison."""
    curves = {name: [run.curve for run in found.runs] for name, found in ranked(result)}
    title = f"{Path(result.world).name}: {result.topic}"
    plot_curves(curves, result.budget, title, path, dashed=result.references)


def plot_curves(
    curves: Mapping[str, Sequence[Curve]],
    budget: int,
    title: str,
    path: Path,
    dashed: Collection[str] = (),
) -> None:
    """Draw the mean curve of each name, and the band between its worst and best run."""
    with figure(path, 7.2, 4.6) as drawing:
        axes = drawing.subplots()
        grid = np.unique(np.linspace(0, budget, 401).astype(np.int64))
        for number, (name, runs) in enumerate(curves.items()):
            found = np.array([at(run, grid) for run in runs])
            colour = COLOURS[number % len(COLOURS)]
            line = "--" if name in dashed else "-"
            axes.plot(grid, found.mean(axis=0), color=colour, linestyle=line, label=name)
            if len(found) > 1:
                axes.fill_between(
                    grid, found.min(axis=0), found.max(axis=0), color=colour, alpha=0.15, lw=0
                )
        axes.set_xlim(0, budget)
        axes.set_ylim(0)
        axes.set_xlabel("downloads")
        axes.set_ylabel("relevant pages found")
        axes.set_title(title)
        axes.legend(loc="best")


def at(curve: Curve, downloads: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what was found after so many downloads; a crawl keeps what it has to the end."""
    xs, ys = zip(*[(0, 0), *curve], strict=True)
    found: NDArray[np.float64] = np.interp(downloads, xs, ys)
    return found
