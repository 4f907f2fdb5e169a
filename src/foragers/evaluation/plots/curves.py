"""Curves of strategies for pages: each has its name at its end, at two widths."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from foragers.evaluation.plots.chart import COLOURS, Axis, Band, EndNames, Line, Panel, chart
from foragers.evaluation.plots.widths import WIDE, at_both_widths

Points = Sequence[tuple[int, float]]
"""(downloads, relevant) at points of a crawl, or of a mean of crawls."""
MOST_NAME = 28
"""Characters of the name of a curve."""


def curves_at_both_widths(
    curves: Mapping[str, Sequence[Points]], budget: int, dashed: Collection[str], vertical: str
) -> str:
    """Draw the mean curves for a page and for the screen of a phone."""
    return at_both_widths(lambda width: curves_picture(curves, budget, dashed, vertical, width))


def curves_picture(
    curves: Mapping[str, Sequence[Points]],
    budget: int,
    dashed: Collection[str],
    vertical: str,
    width: int = WIDE,
) -> str:
    """Draw the mean curve of each strategy, with its name at its end."""
    grid = np.unique(np.linspace(0, max(1, budget), 401).astype(np.int64))
    every = {name: np.array([at(run, grid) for run in runs]) for name, runs in curves.items()}
    most = max((float(values.max(initial=0.0)) for values in every.values()), default=0.0)
    panel = Panel(
        Axis("downloads", 0, max(1, budget), whole=True),
        Axis(vertical, 0, 1.05 * max(most, 1.0), whole=True),
    )
    ends, colours = [], []
    for number, (name, values) in enumerate(every.items()):
        colour = COLOURS[number % len(COLOURS)]
        if len(values) > 1:
            panel.marks.append(Band(grid, values.min(axis=0), values.max(axis=0), colour))
        mean = values.mean(axis=0)
        panel.marks.append(Line(grid, mean, colour, dashed=name in dashed))
        ends.append(float(mean[-1]))
        colours.append(colour)
    most_name = MOST_NAME if width == WIDE else MOST_NAME // 2
    names = EndNames(ends, [name[:most_name] for name in every], colours)
    panel.marks.append(names)
    panel.right = names.room
    return chart([panel], width, max(380, 60 + 16 * len(every)), "relevant pages over downloads")


def at(curve: Points, downloads: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the pages found after a number of downloads, at the end the last value."""
    xs, ys = zip(*[(0, 0), *curve], strict=True)
    values: NDArray[np.float64] = np.interp(downloads, xs, ys)
    return values
