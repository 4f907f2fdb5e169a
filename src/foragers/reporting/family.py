"""The family tree of agents, as nested lists: the largest families and their main branches."""

from __future__ import annotations

from collections.abc import Iterator

from foragers.reporting.agents import Agents, Life
from foragers.reporting.html import apart, note
from foragers.reporting.plain import counted

FAMILIES, BRANCHES, GENERATIONS = 6, 4, 5
"""How many families are shown, of each agent how many children, and how many generations."""


def sizes(lives: dict[int, Life]) -> dict[int, int]:
    """Return for each agent how many descended from it, itself included."""
    found = dict.fromkeys(lives, 1)
    # Children are born after their parents, so the last come first.
    for number in sorted(lives, reverse=True):
        parent = lives[number].parent
        if parent in found and parent < number:
            found[parent] += found[number]
    return found


def family_tree(agents: Agents, began: float) -> str:
    """Return the largest families as HTML."""
    lives, large = agents.lives, sizes(agents.lives)
    founders = [number for number, life in lives.items() if life.parent not in lives]
    founders.sort(key=lambda number: (-large[number], number))
    shown = "".join(branch(lives, large, number, began) for number in founders[:FAMILIES])
    alone = sum(large[number] == 1 for number in founders)
    told = (
        f"{counted(len(founders), 'agent')} began, {alone:,} of them had no children. Shown are the"
        f" {min(FAMILIES, len(founders))} largest families, of each agent its {BRANCHES} largest"
        f" branches, {GENERATIONS} generations deep."
    )
    return f'<ul class="tree">{shown}</ul>{note(told)}'


def branch(
    lives: dict[int, Life], large: dict[int, int], number: int, began: float, depth: int = 1
) -> str:
    """Return an agent with its main branches."""
    life = lives[number]
    heirs = sorted(
        (child for child in life.children if child > number),
        key=lambda child: (-large[child], child),
    )
    told = f"<b>{apart(life.name)}</b> {', '.join(facts(life, large[number], began))}"
    if depth >= GENERATIONS or not heirs:
        return f"<li>{told}</li>"
    inside = "".join(branch(lives, large, child, began, depth + 1) for child in heirs[:BRANCHES])
    if len(heirs) > BRANCHES:
        rest = sum(large[child] for child in heirs[BRANCHES:])
        inside += f"<li>and {len(heirs) - BRANCHES:,} more children, {rest:,} with theirs</li>"
    return f"<li>{told}<ul>{inside}</ul></li>"


def facts(life: Life, large: int, began: float) -> Iterator[str]:
    """Give what is to be said of an agent."""
    yield f"{counted(life.downloads, 'download')}, {life.relevant:,} relevant"
    lived = f"{span(life.born - began)} to "
    yield "lived " + lived + ("now" if life.died is None else span(life.died - began))
    if large > 1:
        yield counted(large - 1, "descendant")


def span(seconds: float) -> str:
    """Return a time since the beginning in few letters."""
    if seconds >= 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 60:.1f} min" if seconds >= 60 else f"{max(seconds, 0):.0f} s"
