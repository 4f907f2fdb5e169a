"""Population and energy over downloads, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foragers.plots.canvas import COLOURS
from foragers.reporting.agents import Agents
from foragers.reporting.pictures import Picture

if TYPE_CHECKING:
    from matplotlib.ticker import MaxNLocator

WINDOWS = 60
THOUSANDS = "{x:,.0f}"
BORN, DIED = COLOURS[2], COLOURS[1]


def lives(agents: Agents, times: NDArray[np.float64]) -> str:
    """Draw how many lived, and below it births and deaths in windows of downloads."""
    picture = Picture("population")
    order = np.sort(times)
    places = np.searchsorted(order, agents.times, side="right")
    edges = np.linspace(0, max(len(order), 1), min(WINDOWS, max(len(order), 1)) + 1)
    # Those who were there from the beginning would hide all who were born later.
    births, _ = np.histogram(places[agents.births & ~agents.first], edges)
    deaths, _ = np.histogram(places[~agents.births], edges)
    with picture.drawing(9.2, 4.6) as empty:
        above, below = empty.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        xs, living = thinned(places, agents.population)
        above.step([*xs, len(order)], [*living, living[-1]], where="post", color=COLOURS[0])
        above.set(ylabel="agents alive", ylim=(0, None))
        above.yaxis.set_major_locator(whole_numbers())
        above.yaxis.set_major_formatter(THOUSANDS)
        below.yaxis.set_major_locator(whole_numbers())
        below.xaxis.set_major_formatter(THOUSANDS)
        width = np.diff(edges)
        below.bar(edges[:-1], births, width, align="edge", color=BORN, lw=0, label="born")
        below.bar(edges[:-1], -deaths, width, align="edge", color=DIED, lw=0, label="died")
        below.axhline(0, color="#444444", lw=0.7)
        below.yaxis.set_major_formatter(lambda value, _: f"{abs(value):,.0f}")
        below.set(xlabel="downloads", ylabel="agents", xlim=(0, max(len(order), 1)))
        below.set_ylim(-1.2 * max(deaths.max(), 1), 1.5 * max(births.max(), 1))
        below.legend(loc="upper right", ncols=2)
        empty.align_ylabels()
    return picture.svg


def energy(agents: Agents, times: NDArray[np.float64]) -> str:
    """Draw what agents held, and what lay on pages."""
    picture = Picture("energy")
    columns = agents.columns
    order = np.sort(times)
    places = np.searchsorted(order, columns["pulse_times"].astype(np.float64), side="right")
    with picture.drawing(9.2, 2.8) as empty:
        axes = empty.subplots()
        axes.plot(places, columns["pulse_held"], color=COLOURS[0], label="held by agents")
        axes.plot(places, columns["pulse_left"], color=COLOURS[4], label="left on pages")
        axes.set(xlabel="downloads", ylabel="energy", xlim=(0, max(len(order), 1)))
        axes.margins(y=0.2)
        axes.xaxis.set_major_formatter(THOUSANDS)
        axes.yaxis.set_major_formatter("{x:,g}")
        axes.legend(loc="upper left", ncols=2)
    return picture.svg


def whole_numbers() -> MaxNLocator:
    """Return what puts marks at whole numbers only: there are no half agents."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(6, integer=True)


def thinned(
    places: NDArray[np.int64], living: NDArray[np.int64], most: int = 2000
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the last event at each place, at most so many of them."""
    last = np.append(np.flatnonzero(np.diff(places)), len(places) - 1)
    kept = last[:: max(1, -(-len(last) // most))]
    return places[kept], living[kept]
