"""The degrees of a world's pages on logarithmic axes, with the fitted power laws."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foragers.evaluation.graph.degrees import Degrees, PowerLaw
from foragers.evaluation.plots.canvas import check, figure, have_matplotlib, sketch
from foragers.evaluation.plots.chart import COLOURS, Axis, Line, Mark, Panel, chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

BINS_PER_DECADE = 8


def plot_degrees(in_degrees: Degrees, out_degrees: Degrees, path: Path, title: str = "") -> None:
    """Draw the relative frequency of in- and out-degrees.

    Pale marks are the frequencies of single degrees, strong ones their means over bins of equal
    width on the axis, which show the tail that single degrees scatter around. Lines are the fitted
    laws over the range of the fit: that of the tail, and dashed the one bounded at both ends.
    """
    if not have_matplotlib():
        check(path)
        sketch(degrees_chart(in_degrees, out_degrees, title), path)
        return
    with figure(path, height=4.8) as drawing:
        axes = drawing.subplots()
        axes.set(xscale="log", yscale="log")
        axes.set_title(title, parse_math=False)
        axes.set(xlabel="links of a page, $k$", ylabel="share of pages, $P(k)$")
        drawn = draw(axes, out_degrees, "out", COLOURS[0], "o")
        drawn |= draw(axes, in_degrees, "in", COLOURS[1], "x")
        if drawn:
            drawing.legend(loc="outside lower center", ncols=2)
        else:
            axes.text(0.5, 0.5, "no links", transform=axes.transAxes, ha="center")


def shares_of(degrees: Degrees) -> tuple[NDArray[np.int64], Floats, int]:
    """Return the degrees above zero, the share of pages with each, and the number of pages."""
    pairs = np.array([pair for pair in degrees.histogram if pair[0] > 0], np.int64).reshape(-1, 2)
    pages = sum(count for _, count in degrees.histogram)
    return pairs[:, 0], pairs[:, 1] / max(pages, 1), pages


def degrees_chart(in_degrees: Degrees, out_degrees: Degrees, title: str) -> str:
    """Return the same as SVG, drawn without matplotlib."""
    marks: list[Mark] = []
    highest, lowest = 1, 1.0
    for degrees, name, colour in ((out_degrees, "out", COLOURS[0]), (in_degrees, "in", COLOURS[1])):
        ks, shares, pages = shares_of(degrees)
        if not len(ks):
            continue
        highest, lowest = max(highest, int(ks[-1])), min(lowest, float(shares.min()))
        marks.append(Line(ks, shares, colour, width=0, dots=1.4, opacity=0.35))
        marks.append(Line(*binned(ks, shares), colour, f"{name}-links", width=0, dots=3))
        for law, kind in ((degrees.tail, "tail"), (degrees.bounded, "bounded")):
            if law:
                label = f"{name}, {kind}: exponent {-law.exponent:.2f}"
                along, heights = law_line(law, pages)
                lowest = min(lowest, float(heights.min()))
                marks.append(Line(along, heights, colour, label, kind == "bounded", 1.3))
    x = Axis("links of a page" if marks else "no links", 0.8, 1.2 * highest, "log")
    y = Axis("share of pages", 0.7 * lowest, 1.2, "log")
    return chart([Panel(x, y, marks)], 720, 520, "degrees of pages", title)


def draw(axes: Axes, degrees: Degrees, name: str, colour: str, marker: str) -> bool:
    """Draw one direction; return whether there was anything to draw."""
    ks, shares, pages = shares_of(degrees)
    if not len(ks):
        return False
    axes.plot(ks, shares, marker, color=colour, markersize=2.5, alpha=0.3)
    axes.plot(*binned(ks, shares), marker, color=colour, markersize=5, label=f"{name}-links")
    if degrees.tail:
        draw_law(axes, degrees.tail, pages, f"{name}, tail", colour, "-")
    if degrees.bounded:
        draw_law(axes, degrees.bounded, pages, f"{name}, bounded", colour, "--")
    return True


def binned(ks: NDArray[np.int64], shares: Floats) -> tuple[Floats, Floats]:
    """Return the centres of bins that widen with k, and the mean share of the degrees in each."""
    last = int(ks[-1])
    decades = np.arange(0, np.log10(last + 1) + 2 / BINS_PER_DECADE, 1 / BINS_PER_DECADE)
    edges = np.unique(np.minimum(np.ceil(10**decades), last + 1).astype(np.int64))
    sums = np.add.reduceat(np.append(shares, 0.0), np.searchsorted(ks, edges[:-1]))
    # For an empty bin reduceat gives the share of the next one.
    filled = np.diff(np.searchsorted(ks, edges)) > 0
    middles = np.sqrt(edges[:-1] * (edges[1:] - 1.0))
    return middles[filled], (sums / np.diff(edges))[filled]


def draw_law(axes: Axes, law: PowerLaw, pages: int, name: str, colour: str, dash: str) -> None:
    """Draw a law over its range, scaled to the share of the pages that it describes."""
    ks, shares = law_line(law, pages)
    label = f"{name}: $k^{{{-law.exponent:.2f}}}$, $k$ = {law.x_min:,} to {law.x_max:,}"
    axes.plot(ks, shares, color=colour, linestyle=dash, linewidth=1.3, label=label)


def law_line(law: PowerLaw, pages: int) -> tuple[NDArray[np.int64], Floats]:
    """Return points on a law over its range."""
    ks = np.unique(np.geomspace(law.x_min, law.x_max, 100).round().astype(np.int64))
    return ks, law.probability(ks) * law.points / pages
