"""The map of a fleet: a graph of agents and places, with a line for the pages found there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from foragers.evaluation.plots.chart import CHARACTER, COLOURS, TEXT, said
from foragers.evaluation.plots.widths import WIDE

ROW, TOP = 30, 34
NAMES, NAMES_NARROW = (0.21, 0.67), (0.3, 0.62)
"""Where agents end and places begin, as shares of the width of a page and of a phone."""


@dataclass(frozen=True)
class FleetMap:
    """Pages, and relevant ones among them, by agent and place; `rest` counts those left out."""

    pages: dict[tuple[str, str], tuple[int, int]]
    rest: int = 0

    @property
    def agents(self) -> Counter[str]:
        """The pages of each agent."""
        return self._summed(0)

    @property
    def places(self) -> Counter[str]:
        """The pages of each place."""
        return self._summed(1)

    def _summed(self, which: int) -> Counter[str]:
        found: Counter[str] = Counter()
        for key, (pages, _) in self.pages.items():
            found[key[which]] += pages
        return found

    def largest(self, agents: int, places: int) -> FleetMap:
        """Return the part of the agents and places with most pages."""
        kept_agents = {name for name, _ in self.agents.most_common(agents)}
        kept_places = {name for name, _ in self.places.most_common(places)}
        kept = {
            key: counts
            for key, counts in self.pages.items()
            if key[0] in kept_agents and key[1] in kept_places
        }
        left = sum(pages for pages, _ in self.pages.values())
        return FleetMap(kept, left - sum(pages for pages, _ in kept.values()))


def territory_picture(land: FleetMap, width: int = WIDE) -> str:
    """Draw the graph: agents on the left, places on the right, lines as wide as their pages."""
    if not land.pages:
        return ""
    left, right = (int(share * width) for share in (NAMES if width == WIDE else NAMES_NARROW))
    most_left, most_right = ((room - 12) / CHARACTER for room in (left, width - right))
    places = [name for name, _ in land.places.most_common()]
    agents = ordered(land, places)
    height = TOP + ROW * max(len(agents), len(places)) + 10
    heights = {
        **{("agent", name): at_height(row, len(agents), height) for row, name in enumerate(agents)},
        **{("place", name): at_height(row, len(places), height) for row, name in enumerate(places)},
    }
    most = max(pages for pages, _ in land.pages.values())
    body = [said("agent", left - 12, 16, "end"), said("where", right + 12, 16, "start")]
    colours = {name: COLOURS[row % len(COLOURS)] for row, name in enumerate(agents)}
    # Thin lines lie on wide ones.
    for (agent, place), (pages, good) in sorted(land.pages.items(), key=lambda item: -item[1][0]):
        y1, y2 = heights["agent", agent], heights["place", place]
        bend = (left + right) / 2
        told = f"{agent}: {pages:,} pages at {place}, {good:,} relevant"
        body.append(
            f'<path d="M{left} {y1:.1f}C{bend} {y1:.1f} {bend} {y2:.1f} {right} {y2:.1f}"'
            f' fill="none" stroke="{colours[agent]}" stroke-width="{1 + 13 * pages / most:.1f}"'
            f' stroke-opacity="{0.2 + 0.6 * good / pages:.2f}"><title>{escape(told)}</title></path>'
        )
    by_agent, by_place = land.agents, land.places
    for name in agents:
        y = heights["agent", name]
        body.append(f'<circle cx="{left}" cy="{y:.1f}" r="5" fill="{colours[name]}"/>')
        body.append(said(short(name, by_agent[name], most_left), left - 12, y + TEXT / 3, "end"))
    for name in places:
        y = heights["place", name]
        body.append(f'<rect x="{right - 4}" y="{y - 4:.1f}" width="8" height="8" fill="#444444"/>')
        body.append(
            said(short(name, by_place[name], most_right), right + 12, y + TEXT / 3, "start")
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="territories"'
        f' viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif"'
        f' font-size="{TEXT}" fill="#444444">{"".join(body)}</svg>'
    )


def ordered(land: FleetMap, places: Sequence[str]) -> list[str]:
    """Return the agents in the order of the places where they found most, so lines cross less."""
    at = {name: row for row, name in enumerate(places)}
    weighed: Counter[str] = Counter()
    for (agent, place), (pages, _) in land.pages.items():
        weighed[agent] += at[place] * pages
    total = land.agents
    return sorted(total, key=lambda name: (weighed[name] / total[name], name))


def at_height(row: int, rows: int, height: float) -> float:
    """Return the height of a row; few rows are spread over the whole picture."""
    return TOP + (row + 0.5) * (height - TOP - 10) / rows


def short(name: str, pages: int, room: float) -> str:
    """Return a name that fits, and its pages."""
    told = f" ({pages:,})"
    most = max(3, int(room) - len(told))
    return f"{name if len(name) <= most else name[: most - 1] + '…'}{told}"
