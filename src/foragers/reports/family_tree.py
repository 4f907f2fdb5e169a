"""The family tree of the agents with most descendants, as nested lists and as a drawing.

The drawing has a line for each agent from its birth to its death, below that of its parent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import inf

import numpy as np
from numpy.typing import NDArray

from foragers.core.display import counted
from foragers.evaluation.plots.chart import Axis, Panel, Strokes, chart
from foragers.evaluation.plots.widths import WIDE
from foragers.reports.html import apart, note
from foragers.reports.population import Agents, Life

LISTED = 40
"""The number of agents listed."""
FAMILIES = 4
"""The least number of families shown, if there are as many."""


def sizes(lives: dict[int, Life]) -> dict[int, int]:
    """Return the number of descendants of each agent, including itself."""
    found = dict.fromkeys(lives, 1)
    # Children are born after their parents, so the order is reversed.
    for number in sorted(lives, reverse=True):
        parent = lives[number].parent
        if parent in found and parent < number:
            found[parent] += found[number]
    return found


def main_branches(lives: dict[int, Life], large: dict[int, int], most: int) -> set[int]:
    """Return the main branches of the largest families; each family has its share first.

    The parent of each agent is included, since it has more descendants.
    """
    founder: dict[int, int] = {}
    for number in sorted(lives):
        founder[number] = founder.get(lives[number].parent, number)
    order = sorted(lives, key=lambda number: (-large[founder[number]], -large[number], number))
    seen: Counter[int] = Counter()
    first: list[int] = []
    others: list[int] = []
    for number in order:
        seen[founder[number]] += 1
        fits = large[founder[number]] > 1 and seen[founder[number]] <= most // FAMILIES
        (first if fits else others).append(number)
    return set([*first, *others][:most])


def founders(lives: dict[int, Life], large: dict[int, int], shown: set[int]) -> list[int]:
    """Return the shown agents without a parent, largest families first."""
    first = [number for number in shown if lives[number].parent not in lives]
    return sorted(first, key=lambda number: (-large[number], number))


def heirs(lives: dict[int, Life], large: dict[int, int], number: int) -> list[int]:
    """Return the children of an agent, the largest branches first."""
    born = (child for child in lives[number].children if child > number)
    return sorted(born, key=lambda child: (-large[child], child))


def family_tree(agents: Agents, began: float) -> str:
    """Return the main branches as HTML."""
    lives, large = agents.lives, sizes(agents.lives)
    shown = main_branches(lives, large, LISTED)
    first = [number for number, life in lives.items() if life.parent not in lives]
    alone = sum(large[number] == 1 for number in first)
    told = f"{counted(len(first), 'agent')} began, {alone:,} of them had no children."
    if len(shown) < len(lives):
        told += f" Listed are {len(shown)} agents, of the largest families."
    inside = "".join(
        branch(lives, large, shown, number, began) for number in founders(lives, large, shown)
    )
    return f'{note(told)}<ul class="tree">{inside}</ul>'


def branch(
    lives: dict[int, Life], large: dict[int, int], shown: set[int], number: int, began: float
) -> str:
    """Return an agent with its main branches."""
    life = lives[number]
    told = f"<b>{apart(life.name)}</b> {', '.join(facts(life, large[number], began))}"
    born = heirs(lives, large, number)
    listed = [child for child in born if child in shown]
    inside = "".join(branch(lives, large, shown, child, began) for child in listed)
    if listed and (left := [child for child in born if child not in shown]):
        inside += f"<li>{more_children(len(left), sum(large[child] for child in left))}</li>"
    return f"<li>{told}<ul>{inside}</ul></li>" if inside else f"<li>{told}</li>"


def more_children(children: int, with_theirs: int) -> str:
    """Return the number of children not shown, with their descendants."""
    told = f"and {children:,} more {'child' if children == 1 else 'children'}"
    return told + (f", {with_theirs:,} with theirs" if with_theirs > children else "")


def facts(life: Life, large: int, began: float) -> Iterator[str]:
    """Yield the facts about an agent."""
    yield f"{counted(life.downloads, 'download')}, {life.relevant:,} relevant"
    lived = f"{span(life.born - began)} to "
    yield "lived " + lived + ("now" if life.died is None else span(life.died - began))
    if large > 1:
        yield counted(large - 1, "descendant")


def span(seconds: float) -> str:
    """Return a time since the start as short text."""
    if seconds >= 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 60:.1f} min" if seconds >= 60 else f"{max(seconds, 0):.0f} s"


DRAWN = 200
"""The number of agents drawn; more lines could not be distinguished."""
ROOM = 8
"""A family with at least this many lines is named."""
FEW = 24
"""Of so many agents, each is named."""
DULL, GOOD = np.array([0.80, 0.81, 0.83]), np.array([0.0, 0.36, 0.60])


def family(agents: Agents, times: NDArray[np.float64], width: int = WIDE) -> tuple[str, int]:
    """Draw the main branches over downloads; return the drawing and its number of agents."""
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
    few = len(rows) <= FEW
    ticks = list(range(len(rows))) if few else ticks or named[:1]
    names = [(float(row), shown[row].name) for row in ticks]
    x = Axis("downloads", 0, max(len(order), 1), whole=True)
    # In reverse order, so that the first family is at the top.
    panel = Panel(x, Axis("", len(rows), -1, given=names))
    births = [(float(born[row]), float(row)) for row in children]
    parents = [(float(born[row]), float(at[shown[row].parent])) for row in children]
    panel.marks.append(Strokes(parents, births, ["#8c9196"] * len(births), 0.6))
    lines = [(float(time), float(row)) for row, time in enumerate(born)]
    ends_shown = [(float(time), float(row)) for row, time in enumerate(died)]
    thick = 3.0 if len(rows) <= 60 else 1.6
    panel.marks.append(Strokes(lines, ends_shown, [written(shade(life)) for life in shown], thick))
    height = (18 if few else 5) * len(rows)
    return chart([panel], width, int(100 + min(height, 700)), "family"), len(rows)


def ordered(lives: dict[int, Life], large: dict[int, int], shown: set[int]) -> list[int]:
    """Return the agents that are shown, family by family, children below their parents."""
    found: list[int] = []
    waiting = founders(lives, large, shown)[::-1]
    while waiting:
        number = waiting.pop()
        found.append(number)
        # The youngest child is nearest to the parent, so that no lines cross.
        born = [child for child in heirs(lives, large, number) if child in shown]
        waiting += sorted(born, key=lambda child: lives[child].born)
    return found


def shade(life: Life) -> tuple[float, float, float]:
    """Return a colour, darker for a larger share of relevant downloads."""
    share = life.relevant / life.downloads if life.downloads else 0.0
    red, green, blue = (DULL + share * (GOOD - DULL)).tolist()
    return red, green, blue


def written(colour: tuple[float, float, float]) -> str:
    """Return a colour in the syntax of SVG."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)
