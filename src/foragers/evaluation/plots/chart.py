"""Charts as SVG text, drawn with numpy alone: lines, bands and bars on one or more panels.

    panel = Panel(Axis("downloads", 0, 400), Axis("pages", 0, 90))
    panel.marks.append(Line(xs, ys, COLOURS[0], "auto"))
    svg = chart([panel], 720, 460, "harvest")

The same data give the same text.  The panels of a chart stand below each other; the first
of two that share their x axis leaves its labels out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from math import ceil, floor, inf, log10
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Tick = tuple[float, str]

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666", "#000000")
"""Distinguishable for colour-blind people (Okabe and Ito)."""

TEXT = 11
"""Height of the characters in pixels."""
CHARACTER = 0.56 * TEXT
"""Their approximate width."""
LINEAR_UP_TO = 10.0
"""Where a symlog axis turns from linear to logarithmic."""


def commas(value: float) -> str:
    """Return a whole number with commas."""
    return f"{value:,.0f}"


def percent(value: float) -> str:
    """Return a share as a percentage."""
    return f"{value:.0%}" if round(100 * value, 6) == round(100 * value) else f"{value:.1%}"


@dataclass(frozen=True)
class Axis:
    """An axis: its label, its range, and its scale.

    Ticks are at round numbers unless given; `whole` allows no fractions among them.
    """

    label: str
    low: float
    high: float
    scale: Literal["linear", "log", "symlog"] = "linear"
    show: Callable[[float], str] | None = None
    given: Sequence[Tick] | None = None
    whole: bool = False

    def shares(self, values: ArrayLike) -> Floats:
        """Return the positions of values along the axis: 0 at its start, 1 at its end."""
        low, high = self.scaled(np.array([self.low, self.high]))
        apart = float(high - low) or 1.0
        positions: Floats = (self.scaled(np.asarray(values, np.float64)) - low) / apart
        return positions

    def scaled(self, values: Floats) -> Floats:
        """Return values scaled so that equal differences are equal lengths."""
        if self.scale == "log":
            logs: Floats = np.log10(np.maximum(values, 1e-300))
            return logs
        if self.scale == "symlog":
            beyond = 1 + np.log10(np.maximum(values, LINEAR_UP_TO) / LINEAR_UP_TO)
            return np.where(values > LINEAR_UP_TO, beyond, values / LINEAR_UP_TO)
        return values

    def ticks(self, most: int) -> Sequence[Tick]:
        """Return at most about that many ticks, with their labels."""
        if self.given is not None:
            return self.given
        if self.scale == "linear":
            return self.round_ticks(most)
        first = floor(log10(self.low)) if self.scale == "log" else 1
        powers = range(first, ceil(log10(max(self.high, 10))) + 1)
        ticks_at = [10.0**power for power in powers if self.low <= 10.0**power <= self.high]
        ticks_at = ticks_at[:: 1 + len(ticks_at) // (most + 1)]
        if self.scale == "symlog":
            ticks_at = [0.0, min(5.0, floor(self.high)), *ticks_at]
        return [(value, (self.show or plainly)(value)) for value in ticks_at]

    def round_ticks(self, most: int) -> list[Tick]:
        """Return ticks at multiples of 1, 2 or 5 times a power of ten."""
        rough = (self.high - self.low) / max(most, 1) or 1.0
        power = 10.0 ** floor(log10(rough))
        step = next(power * n for n in (1, 2, 5, 10) if power * n >= rough * (1 - 1e-9))
        step = max(step, 1.0) if self.whole else step
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        digits = max(0, -floor(log10(step)))
        show = self.show or (lambda value: f"{value:,.{digits}f}")
        return [(n * step, show(n * step)) for n in range(first, last + 1)]


def plainly(value: float) -> str:
    """Return a power of ten: in full, or with an exponent if it is very small."""
    return f"{value:,g}" if value >= 0.001 or not value else f"{value:.0e}".replace("e-0", "e-")


@dataclass(frozen=True)
class Frame:
    """The area of a panel's data in the picture, in pixels."""

    panel: Panel
    left: float
    top: float
    width: float
    height: float

    def xs(self, values: ArrayLike) -> Floats:
        """Return the distances of values from the left of the picture."""
        return self.left + self.panel.x.shares(values) * self.width

    def ys(self, values: ArrayLike) -> Floats:
        """Return the distances of values from the top of the picture."""
        return self.top + (1 - self.panel.y.shares(values)) * self.height


class Mark(Protocol):
    """Something drawn from data."""

    @property
    def colour(self) -> str:
        """Its colour in the legend."""

    @property
    def label(self) -> str:
        """Its name in the legend; without one it is not listed."""

    def draw(self, frame: Frame) -> str:
        """Return it as SVG."""


@dataclass
class Panel:
    """Two axes and what is drawn between them."""

    x: Axis
    y: Axis
    marks: list[Mark] = field(default_factory=list)
    share: float = 1.0
    """The share of the picture's height, relative to the other panels."""
    right: float = 16.0
    """Pixels left free on the right, for example for the names of lines."""


@dataclass(frozen=True)
class Line:
    """A line through points, or with `dots` the points, or both."""

    xs: ArrayLike
    ys: ArrayLike
    colour: str
    label: str = ""
    dashed: bool = False
    width: float = 1.6
    dots: float = 0.0
    opacity: float = 1.0

    def draw(self, frame: Frame) -> str:
        """Return it as SVG."""
        points = list(zip(frame.xs(self.xs).tolist(), frame.ys(self.ys).tolist(), strict=True))
        parts = []
        if self.width and len(points) > 1:
            dash = ' stroke-dasharray="5 4"' if self.dashed else ""
            parts.append(
                f'<polyline points="{joined(points)}" fill="none" stroke="{self.colour}"'
                f' stroke-width="{self.width:g}" stroke-linejoin="round"{dash}/>'
            )
        if self.dots:
            parts += [
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{self.dots:g}" fill="{self.colour}"'
                f' fill-opacity="{self.opacity:g}"/>'
                for x, y in points
            ]
        return "".join(parts)


@dataclass(frozen=True)
class Band:
    """The area between two lines."""

    xs: ArrayLike
    low: ArrayLike
    high: ArrayLike
    colour: str
    label: str = ""

    def draw(self, frame: Frame) -> str:
        """Return it as SVG."""
        xs = frame.xs(self.xs).tolist()
        there = zip(xs, frame.ys(self.high).tolist(), strict=True)
        back = zip(xs[::-1], frame.ys(self.low).tolist()[::-1], strict=True)
        points = joined([*there, *back])
        return f'<polygon points="{points}" fill="{self.colour}" fill-opacity="0.15"/>'


@dataclass(frozen=True)
class Bars:
    """Bars from zero, each from its left edge."""

    lefts: ArrayLike
    widths: ArrayLike
    heights: ArrayLike
    colour: str
    label: str = ""

    def draw(self, frame: Frame) -> str:
        """Return them as SVG."""
        lefts = np.asarray(self.lefts, np.float64)
        starts, ends = frame.xs(lefts), frame.xs(lefts + np.asarray(self.widths))
        tops = frame.ys(self.heights)
        ground = float(frame.ys(0.0))
        return "".join(
            f'<rect x="{start:.1f}" y="{min(top, ground):.1f}"'
            f' width="{max(end - start - 0.6, 0.4):.1f}" height="{abs(ground - top):.1f}"'
            f' fill="{self.colour}"/>'
            for start, end, top in zip(starts.tolist(), ends.tolist(), tops.tolist(), strict=True)
            if abs(ground - top) > 0.04
        )


@dataclass(frozen=True)
class Strokes:
    """Straight lines, each from one point to another, in colours of their own."""

    starts: Sequence[tuple[float, float]]
    ends: Sequence[tuple[float, float]]
    colours: Sequence[str]
    width: float
    colour: str = ""
    label: str = ""

    def draw(self, frame: Frame) -> str:
        """Return them as SVG."""
        if not self.starts:
            return ""
        (x1, y1), (x2, y2) = (np.array(ends, np.float64).T for ends in (self.starts, self.ends))
        points = (frame.xs(x1), frame.ys(y1), frame.xs(x2), frame.ys(y2))
        return "".join(
            f'<path d="M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}" stroke="{colour}"'
            f' stroke-width="{self.width:g}"/>'
            for a, b, c, d, colour in zip(
                *(one.tolist() for one in points), self.colours, strict=True
            )
        )


@dataclass(frozen=True)
class EndNames:
    """Names at the right of a panel, each at the height of its line's end, kept apart."""

    heights: Sequence[float]
    names: Sequence[str]
    colours: Sequence[str]
    colour: str = ""
    label: str = ""

    @property
    def room(self) -> float:
        """The pixels that the names need."""
        return 14 + CHARACTER * max(map(len, self.names), default=0)

    def draw(self, frame: Frame) -> str:
        """Return them as SVG, with a thin line to each that had to move."""
        x = frame.left + frame.width
        ends = frame.ys(list(self.heights)).tolist()
        parts = []
        for number, y in spaced(ends, TEXT + 3.0, frame.top + 4, frame.top + frame.height):
            colour = self.colours[number]
            if abs(y - ends[number]) > 2:
                parts.append(rule(x + 1, ends[number], x + 8, y, colour))
            more = f' fill="{colour}"'
            parts.append(said(self.names[number], x + 10, y + TEXT / 3, "start", more=more))
        return "".join(parts)


def spaced(
    heights: Sequence[float], apart: float, top: float, bottom: float
) -> list[tuple[int, float]]:
    """Return heights, moved as little as needed to be apart and within bounds, by their number."""
    order = sorted(range(len(heights)), key=lambda number: heights[number])
    places: list[float] = []
    for number in order:
        least = places[-1] + apart if places else top
        places.append(max(heights[number], least))
    limit = bottom
    for at in range(len(places) - 1, -1, -1):
        places[at] = min(places[at], limit)
        limit = places[at] - apart
    return list(zip(order, places, strict=True))


def joined(points: Sequence[tuple[float, float]]) -> str:
    """Return points in the syntax of SVG."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def chart(panels: Sequence[Panel], width: int, height: int, name: str, title: str = "") -> str:
    """Draw panels below each other as one SVG element."""
    shared = [panel_above.x == other.x for panel_above, other in pairwise(panels)]
    body = [said(title, 8, 18, "start", TEXT + 1)] if title else []
    top = 24.0 if title else 0.0
    room = height - top
    for panel, bare in zip(panels, [*shared, False], strict=True):
        tall = room * panel.share / sum(panel_above.share for panel_above in panels)
        body += drawn(panel, top, tall, width, bare)
        top += tall
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(name)}"'
        f' viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif"'
        f' font-size="{TEXT}" fill="#444444">{"".join(body)}</svg>'
    )


def drawn(panel: Panel, top: float, tall: float, width: float, bare: bool) -> Iterator[str]:
    """Yield the parts of a panel; a bare one has no labels below."""
    named = [mark for mark in panel.marks if mark.label]
    rows = legend_rows(named, width - 70)
    below = 10 if bare else 40
    height = max(20.0, tall - 8 - 16 * len(rows) - below)
    y_ticks = panel.y.ticks(max(2, int(height // 36)))
    left = 30 + CHARACTER * max((len(label) for _, label in y_ticks), default=1)
    frame = Frame(panel, left, top + 8 + 16 * len(rows), width - left - panel.right, height)
    bottom, right = frame.top + height, frame.left + frame.width
    for number, row in enumerate(rows):
        yield from legend(row, left, top + 14 + 16 * number)
    for value, label in y_ticks:
        y = float(frame.ys(value))
        yield rule(left, y, right, y)
        yield said(label, left - 6, y + TEXT / 3, "end")
    for value, label in panel.x.ticks(max(2, int(frame.width // 80))):
        x = float(frame.xs(value))
        yield rule(x, frame.top, x, bottom)
        if not bare:
            yield said(label, x, bottom + TEXT + 5, "middle")
    yield from (mark.draw(frame) for mark in panel.marks)
    yield rule(left, bottom, right, bottom, "#444444") + rule(
        left, frame.top, left, bottom, "#444444"
    )
    if not bare:
        yield said(panel.x.label, left + frame.width / 2, bottom + 2 * TEXT + 10, "middle")
    middle = frame.top + height / 2
    turned = f' transform="rotate(-90 12 {middle:.1f})"'
    yield said(panel.y.label, 12, middle, "middle", more=turned)


def legend_rows(marks: Sequence[Mark], width: float) -> list[list[Mark]]:
    """Return the marks in rows that are not too wide."""
    rows: list[list[Mark]] = []
    used = inf
    for mark in marks:
        if used + wide(mark) > width:
            rows.append([])
            used = 0.0
        rows[-1].append(mark)
        used += wide(mark)
    return rows


def wide(mark: Mark) -> float:
    """Return the width of a mark in the legend."""
    return 34 + CHARACTER * len(mark.label)


def legend(marks: Sequence[Mark], left: float, y: float) -> Iterator[str]:
    """Yield a row of the legend."""
    for mark in marks:
        if getattr(mark, "width", 1.0):
            dash = ' stroke-dasharray="4 3"' if getattr(mark, "dashed", False) else ""
            at = f"M{left:.1f} {y - 4:.1f}h16"
            yield f'<path d="{at}" stroke="{mark.colour}" stroke-width="3"{dash}/>'
        else:
            yield f'<circle cx="{left + 12:.1f}" cy="{y - 4:.1f}" r="3" fill="{mark.colour}"/>'
        yield said(mark.label, left + 21, y, "start")
        left += wide(mark)


def rule(x1: float, y1: float, x2: float, y2: float, colour: str = "#e4e4e4") -> str:
    """Return a thin line."""
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" stroke-width="0.8"/>'


def said(text: str, x: float, y: float, anchor: str, size: int = TEXT, more: str = "") -> str:
    """Return text, escaped."""
    big = f' font-size="{size}"' if size != TEXT else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{big}{more}>{escape(text)}</text>'
