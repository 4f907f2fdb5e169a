"""The figures of the spider's exhibits: wanted pages found over links followed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foragers.evaluation.plots.canvas import COLOURS
from foragers.evaluation.tables import Figure
from foragers.papers.spider.experiment import Experiment, named
from foragers.papers.spider.numbers import (
    BREADTH_FIRST,
    FULL_PAGE,
    IMMEDIATE,
    OPTIMAL,
    RELATED,
    future,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

GRID = np.linspace(0, 1, 1001)
FUTURE = future(3)
LOOKS = {
    OPTIMAL: (COLOURS[7], ":"),
    named(FUTURE, FULL_PAGE): (COLOURS[0], "-"),
    named(IMMEDIATE, FULL_PAGE): (COLOURS[1], "-"),
    named(FUTURE, RELATED): (COLOURS[0], "--"),
    named(IMMEDIATE, RELATED): (COLOURS[1], "--"),
    BREADTH_FIRST: (COLOURS[6], "-."),
}
FIRST, SECOND = "the whole crawl", "close to the origin"

Floats = NDArray[np.float64]


def curve(found: Experiment, spider: str) -> Floats:
    """Return the percentage of wanted pages found over the share of links, the mean over sites."""
    mean: Floats = 100 * np.mean([run.on(GRID) for run in found.of(spider)], axis=0)
    return mean


def data_of(found: Experiment, names: Sequence[str]) -> dict[str, list[float]]:
    """Return the points of some curves."""
    data = {"links followed %": (100 * GRID).round(3).tolist()}
    return data | {name: curve(found, name).round(4).tolist() for name in names}


def lines(axes: Axes, found: Experiment, names: Sequence[str]) -> None:
    """Draw the curves of some spiders."""
    for name in names:
        colour, style = LOOKS[name]
        axes.plot(100 * GRID, curve(found, name), color=colour, linestyle=style, label=name)
    axes.set_ylabel("wanted pages found (%)")


def near(found: Experiment, names: Sequence[str], height: float) -> float:
    """Return where the slowest of some curves but breadth-first passes a height."""
    places = []
    for name in names:
        passed = np.flatnonzero(curve(found, name) >= height)
        if len(passed) and name != BREADTH_FIRST:
            places.append(100 * GRID[passed[0]])
    return float(max([*places, 1.0]))


def figure_1(found: Experiment) -> Figure:
    """Return the spiders that read full pages, and a close-up of how they begin (Fig. 1)."""
    names = (OPTIMAL, named(FUTURE, FULL_PAGE), named(IMMEDIATE, FULL_PAGE), BREADTH_FIRST)

    def draw(drawing: Drawing) -> None:
        top, bottom = drawing.subplots(2, 1)
        lines(top, found, names)
        top.axhline(75, color="#bbbbbb", linewidth=0.8)
        top.set(xlim=(0, 100), ylim=(0, 101), title=f"{found.title}: {FIRST}")
        top.legend(loc="lower right")
        lines(bottom, found, names)
        bottom.set(xlim=(0, 1.1 * near(found, names, 30)), ylim=(0, 32), title=SECOND)
        bottom.set_xlabel("links followed (%)")

    title = f"Fig. 1, {found.title}: spiders that read full pages"
    return Figure(
        f"figure-1-{found.title}", title, data_of(found, names), draw, width=7.2, height=7.6
    )


def figure_2(found: Experiment) -> Figure:
    """Return two texts beside each other, late and early in the crawl (Fig. 2)."""
    names = tuple(
        named(spider, text) for text in (FULL_PAGE, RELATED) for spider in (FUTURE, IMMEDIATE)
    )

    def draw(drawing: Drawing) -> None:
        top, bottom = drawing.subplots(2, 1)
        lines(top, found, names)
        late = near(found, names, 95)
        top.set(xlim=(0, min(100.0, 1.1 * late)), ylim=(30, 101))
        top.set_title(f"{found.title}: later")
        lines(bottom, found, names)
        bottom.set(xlim=(0, 1.1 * near(found, names, 30)), ylim=(0, 32))
        bottom.set_title("the first 30 %")
        bottom.set_xlabel("links followed (%)")
        bottom.legend(loc="lower right")

    title = f"Fig. 2, {found.title}: full-page text against related text"
    return Figure(
        f"figure-2-{found.title}", title, data_of(found, names), draw, width=7.2, height=7.6
    )
