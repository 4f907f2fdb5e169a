"""The family tree, drawn: a line for each agent from its birth to its death, below its parent's."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from foragers.reporting.agents import Agents, Life
from foragers.reporting.family import founders, heirs, main_branches, sizes
from foragers.reporting.pictures import Picture

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
    picture = Picture("family")
    with picture.drawing(9.2, 1.0 + min(0.05 * len(rows), 7.0)) as empty:
        axes = empty.subplots()
        parents = [at[shown[row].parent] for row in children]
        axes.vlines(born[children], parents, children, colors="#8c9196", lw=0.6)
        width = 3.0 if len(rows) <= 60 else 1.6
        axes.hlines(range(len(rows)), born, died, colors=[shade(life) for life in shown], lw=width)
        named = [row for row, number in enumerate(rows) if shown[row].parent not in at]
        sizes_shown = np.diff([*named, len(rows)])
        ticks = [row for row, size in zip(named, sizes_shown, strict=True) if size >= ROOM]
        axes.set_yticks(ticks or named[:1], [shown[row].name for row in ticks or named[:1]])
        axes.set(xlabel="downloads", xlim=(0, max(len(order), 1)), ylim=(len(rows), -1))
        axes.grid(visible=False, axis="y")
        axes.xaxis.set_major_formatter("{x:,.0f}")
    return picture.svg, len(rows)


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
