"""The family tree, drawn: a line for each agent from its birth to its death, below its parent's."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from foragers.plots.chart import Axis, Panel, Strokes, chart
from foragers.reporting.agents import Agents, Life
from foragers.reporting.family import founders, heirs, main_branches, sizes
from foragers.reporting.pictures import WIDE

DRAWN = 200
"""How many agents are drawn: more lines could not be told apart."""
ROOM = 8
"""A family is named if it has so many lines."""
DULL, GOOD = np.array([0.80, 0.81, 0.83]), np.array([0.0, 0.36, 0.60])


def family(agents: Agents, times: NDArray[np.float64]) -> tuple[str, int]:
    """Draw the main branches over downloads; return the drawing and how many agents are in it."""
    lives, large = agents.lives, sizes(agents.lives)
    rows = ordered(lives, large, main_branches(lives, large, DRAWN))
    shown = [lives[number] for number in rows]
    order, at = np.sort(times), {number: row for row, number in enumerate(rows)}
    born = np.searchsorted(order, [life.born for life in shown], side="right")
    ends = [inf if life.died is None else life.died for life in shown]
    died = np.searchsorted(order, ends, side="right")
    children = [row for row, life in enumerate(shown) if life.parent in at]
    named = [row for row, number in enumerate(rows) if shown[row].parent not in at]
    sizes_shown = np.diff([*named, len(rows)])
    ticks = [row for row, size in zip(named, sizes_shown, strict=True) if size >= ROOM]
    names = [(float(row), shown[row].name) for row in ticks or named[:1]]
    x = Axis("downloads", 0, max(len(order), 1), whole=True)
    # From its end to its beginning: the first family stands at the top.
    panel = Panel(x, Axis("", len(rows), -1, given=names))
    births = [(float(born[row]), float(row)) for row in children]
    parents = [(float(born[row]), float(at[shown[row].parent])) for row in children]
    panel.marks.append(Strokes(parents, births, ["#8c9196"] * len(births), 0.6))
    lines = [(float(time), float(row)) for row, time in enumerate(born)]
    ends_shown = [(float(time), float(row)) for row, time in enumerate(died)]
    width = 3.0 if len(rows) <= 60 else 1.6
    panel.marks.append(Strokes(lines, ends_shown, [written(shade(life)) for life in shown], width))
    return chart([panel], WIDE, int(100 + min(5 * len(rows), 700)), "family"), len(rows)


def ordered(lives: dict[int, Life], large: dict[int, int], shown: set[int]) -> list[int]:
    """Return the agents that are shown, family by family, children below their parents."""
    found: list[int] = []
    waiting = founders(lives, large, shown)[::-1]
    while waiting:
        number = waiting.pop()
        found.append(number)
        # Who was born last stands nearest to the parent: so no line crosses another.
        born = [child for child in heirs(lives, large, number) if child in shown]
        waiting += sorted(born, key=lambda child: lives[child].born)
    return found


def shade(life: Life) -> tuple[float, float, float]:
    """Return a colour: the more of its downloads were relevant, the darker."""
    share = life.relevant / life.downloads if life.downloads else 0.0
    red, green, blue = (DULL + share * (GOOD - DULL)).tolist()
    return red, green, blue


def written(colour: tuple[float, float, float]) -> str:
    """Return a colour as SVG has it."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)
