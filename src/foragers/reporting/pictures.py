"""The pictures of a report, as SVG that can stand in a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from foragers.ledger.facts import Facts
from foragers.measures.calibration import calibration
from foragers.measures.harvest import curve, found
from foragers.plots.canvas import COLOURS, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WINDOWS = 40
"""Into how many windows the downloads are divided at most."""

SMALLEST_WINDOW = 10
DEEPEST = 30
"""The last depth with a bar of its own."""

FOUND, OTHER, RATE = COLOURS[0], "#c8ccd0", COLOURS[1]


class Picture:
    """A drawing that has become text when its block has ended."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.svg = ""

    @contextmanager
    def drawing(self, width: float, height: float) -> Iterator[Figure]:
        """Give an empty figure."""
        with TemporaryDirectory() as folder:
            file = Path(folder) / f"{self.name}.svg"
            with figure(file, width, height) as empty:
                yield empty
            self.svg = inline(file.read_text(encoding="utf-8"), self.name)


def inline(svg: str, name: str) -> str:
    """Return the element of an SVG file, its ids made different from those of other pictures."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r"url\(#", f"url(#{name}-", svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1)


def harvest(facts: Facts) -> str:
    """Draw relevant pages over downloads, and below it the harvest rate in windows."""
    picture = Picture("harvest")
    counts = found(facts)
    points = [(0, 0), *curve(counts)]
    with picture.drawing(9.2, 4.8) as empty:
        above, below = empty.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        above.plot(*zip(*points, strict=True), color=FOUND)
        above.set(ylabel="relevant pages found", ylim=(0, max(1, points[-1][1]) * 1.05))
        starts, ends, rates = windows(counts)
        below.bar(starts, rates, ends - starts, align="edge", color=RATE, alpha=0.75, lw=0)
        below.axhline(counts[-1] / len(counts), color="#444444", lw=0.9, ls="--")
        below.set(xlabel="downloads", ylabel="harvest rate", xlim=(0, len(counts)))
        below.yaxis.set_major_formatter("{x:.0%}")
        below.set_ylim(0, max(0.01, float(rates.max()) * 1.1))
    return picture.svg


def windows(
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return where windows of downloads begin and end, and the harvest rate in each."""
    size = max(SMALLEST_WINDOW, -(-len(counts) // WINDOWS))
    starts = np.arange(0, len(counts), size, dtype=np.int64)
    ends = np.minimum(starts + size, len(counts))
    held = np.concatenate(([0], counts))
    return starts, ends, (held[ends] - held[starts]) / (ends - starts)


def relevance(facts: Facts) -> str:
    """Draw how many pages were how relevant."""
    picture = Picture("relevance")
    top = max(1.0, float(facts.relevance.max(initial=0.0)))
    edges = np.linspace(min(0.0, float(facts.relevance.min(initial=0.0))), top, 21)
    hits = facts.ok & facts.relevant
    every, found_ones = (
        np.histogram(facts.relevance[flags], edges)[0] for flags in (facts.ok, hits)
    )
    with picture.drawing(4.6, 3.2) as empty:
        axes = empty.subplots()
        bars(axes, edges[:-1], every, found_ones, np.diff(edges), "edge")
        axes.set(xlabel="relevance", ylabel="pages", xlim=(edges[0], edges[-1]))
        # One tall bar of irrelevant pages must not hide the others.
        axes.set_yscale("symlog", linthresh=10)
        axes.set_ylim(0)
        axes.yaxis.set_major_formatter("{x:,.0f}")
    return picture.svg


def promises(facts: Facts) -> str:
    """Draw what pages of different promise turned out to be."""
    picture = Picture("promise")
    bins = calibration(facts)
    xs = [one.promise for one in bins]
    with picture.drawing(4.6, 3.2) as empty:
        axes = empty.subplots()
        if xs and min(xs) >= 0 and max(xs) <= 1:
            axes.plot([0, 1], [0, 1], color="#999999", lw=0.9, ls="--", label="as promised")
            axes.set_xlim(-0.02, 1.02)
        axes.plot(xs, [one.relevance for one in bins], "o-", color=FOUND, label="mean relevance")
        axes.plot(xs, [one.relevant for one in bins], "s-", color=RATE, label="share relevant")
        axes.set(xlabel="promise", ylabel="observed", ylim=(-0.02, 1.02))
        axes.legend(loc="best")
    return picture.svg


def depths(facts: Facts) -> str:
    """Draw how far from the seeds pages were found."""
    picture = Picture("depth")
    places = np.clip(facts.depths, 0, DEEPEST)
    deepest = int(places.max(initial=0))
    every = np.bincount(places, minlength=deepest + 1)
    hits = np.bincount(places[facts.relevant & facts.ok], minlength=deepest + 1)
    with picture.drawing(4.6, 3.2) as empty:
        axes = empty.subplots()
        bars(axes, np.arange(deepest + 1.0), every, hits, np.full(deepest + 1, 0.85), "center")
        more = f" ({DEEPEST}: and more)" if deepest == DEEPEST else ""
        axes.set(xlabel=f"links from a seed{more}", ylabel="downloads")
        axes.set_xticks(range(0, deepest + 1, 1 + deepest // 12))
        axes.yaxis.set_major_formatter("{x:,.0f}")
    return picture.svg


def bars(
    axes: Axes,
    xs: NDArray[np.float64],
    every: NDArray[np.int64],
    hits: NDArray[np.int64],
    widths: NDArray[np.float64],
    align: Literal["edge", "center"],
) -> None:
    """Draw bars of which a part is relevant."""
    for heights, colour, label in ((every, OTHER, "not relevant"), (hits, FOUND, "relevant")):
        axes.bar(
            xs, heights, widths, align=align, color=colour, label=label, lw=0.5, edgecolor="white"
        )
    axes.legend(loc="best")
