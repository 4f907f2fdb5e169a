"""Population and energy over downloads, drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foragers.plots.chart import COLOURS, Axis, Bars, Line, Panel, chart, commas
from foragers.reporting.agents import Agents
from foragers.reporting.pictures import WIDE

WINDOWS = 60
BORN, DIED = COLOURS[2], COLOURS[1]


def lives(agents: Agents, times: NDArray[np.float64]) -> str:
    """Draw how many lived, and below it births and deaths in windows of downloads."""
    order = np.sort(times)
    places = np.searchsorted(order, agents.times, side="right")
    edges = np.linspace(0, max(len(order), 1), min(WINDOWS, max(len(order), 1)) + 1)
    # Those who were there from the beginning would hide all who were born later.
    births, _ = np.histogram(places[agents.births & ~agents.first], edges)
    deaths, _ = np.histogram(places[~agents.births], edges)
    xs, living = thinned(places, agents.population)
    steps = np.repeat([*xs.tolist(), len(order)], 2)[1:]
    alive = np.repeat([*living.tolist(), int(living[-1])], 2)[:-1]
    x = Axis("downloads", 0, max(len(order), 1), whole=True)
    above = Panel(x, Axis("agents alive", 0, 1.05 * max(int(living.max()), 1), whole=True), share=3)
    above.marks.append(Line(steps, alive, COLOURS[0]))
    low, high = -1.2 * max(int(deaths.max()), 1), 1.2 * max(int(births.max()), 1)
    below = Panel(x, Axis("agents", low, high, show=unsigned, whole=True), share=2)
    below.marks.append(Bars(edges[:-1], np.diff(edges), births, BORN, "born"))
    below.marks.append(Bars(edges[:-1], np.diff(edges), -deaths, DIED, "died"))
    below.marks.append(Line([0, len(order)], [0, 0], "#444444", width=0.7))
    return chart([above, below], WIDE, 460, "population")


def unsigned(value: float) -> str:
    """Return a number without its sign: deaths are drawn downwards."""
    return commas(abs(value))


def energy(agents: Agents, times: NDArray[np.float64]) -> str:
    """Draw what agents held, and what lay on pages."""
    columns = agents.columns
    order = np.sort(times)
    places = np.searchsorted(order, columns["pulse_times"].astype(np.float64), side="right")
    held, left = columns["pulse_held"], columns["pulse_left"]
    both = np.concatenate(([0.0], held, left))
    low, high = float(both.min()), float(both.max())
    room = 0.1 * ((high - low) or 1.0)
    panel = Panel(
        Axis("downloads", 0, max(len(order), 1), whole=True),
        Axis("energy", low - room if low < 0 else 0.0, high + room),
    )
    panel.marks.append(Line(places, held, COLOURS[0], "held by agents"))
    panel.marks.append(Line(places, left, COLOURS[4], "left on pages"))
    return chart([panel], WIDE, 280, "energy")


def thinned(
    places: NDArray[np.int64], living: NDArray[np.int64], most: int = 2000
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the last event at each place, at most so many of them."""
    last = np.append(np.flatnonzero(np.diff(places)), len(places) - 1)
    kept = last[:: max(1, -(-len(last) // most))]
    return places[kept], living[kept]
