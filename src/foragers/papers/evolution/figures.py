"""Fig. 6 of `evolution`: a path of a forager as a graph.

The figures of `evolution`: efficiency, population, division of work, starting points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foragers.evaluation.plots.canvas import COLOURS
from foragers.evaluation.plots.layout import arranged, distances
from foragers.evaluation.tables import Figure
from foragers.papers.fleets.runs import FleetOutcome
from foragers.papers.selection.figures import say

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing
from collections.abc import Callable

from foragers.papers.evolution.measures import DAY
from foragers.papers.fleets.measures import share
from foragers.papers.fleets.runs import span
from foragers.papers.selection.figures import dots_if_few, explain
from foragers.strategies.fleet.simulation.replay import FleetRun
from foragers.strategies.fleet.simulation.territory import TerritoryTally


def territory_figure(name: str, outcome: FleetOutcome) -> Figure:
    """Return the longest of the foragers' last paths as a graph (Fig. 6)."""
    run, ground = outcome.run, outcome.job.terrain.ground()
    forager = max(run.paths, key=lambda one: len(run.paths[one]), default=0)
    path = run.paths.get(forager, [])
    places = {url: number for number, url in enumerate(dict.fromkeys(path))}
    edges = edges_between(places, ground.link_starts, ground.targets, ground.finals)
    path_urls = list(places)
    spots = laid_out(len(places), edges, path, places)

    def draw(drawing: Drawing) -> None:
        axes = drawing.subplots()
        for one, other in edges:
            axes.plot(*spots[[one, other]].T, color="#c4c4c4", linewidth=0.6, zorder=1)
        steps = spots[[places[url] for url in path]] if path else np.empty((0, 2))
        axes.plot(*steps.T, color=COLOURS[0], linewidth=0.9, alpha=0.7, zorder=2)
        axes.scatter(
            spots[:, 0], spots[:, 1], s=22, color=COLOURS[0], zorder=3, label="page visited"
        )
        if path:
            axes.scatter(
                spots[:1, 0], spots[:1, 1], s=80, color=COLOURS[1], zorder=4, label="start"
            )
        axes.plot([], [], color="#c4c4c4", label="link")
        axes.plot([], [], color=COLOURS[0], label="next step")
        if not path:
            say(axes, "No path was over when the simulation ended.")
        axes.set_axis_off()
        drawing.legend(loc="outside lower center", ncols=4)

    rows = [("step", number, url, -1) for number, url in enumerate(path, 1)]
    rows += [("link", 0, path_urls[one], path_urls[other]) for one, other in edges]
    names = ("what", "step", "url", "other")
    data = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return Figure(
        f"figure-6{name}",
        f"Fig. 6: territory of forager {forager}",
        data,
        draw,
        "Its last whole path, from one starting URL; links between the pages that it visited.",
        width=6.4,
        height=5.6,
    )


def edges_between(
    places: Mapping[int, int],
    starts: list[int],
    targets: NDArray[np.int32],
    finals: NDArray[np.int32],
) -> list[tuple[int, int]]:
    """Return the links between some URLs, over all versions, each pair once."""
    found: set[tuple[int, int]] = set()
    for version in np.flatnonzero(np.isin(finals[:-1], list(places))).tolist():
        here = places[int(finals[version])]
        for target in targets[starts[version] : starts[version + 1]].tolist():
            if target in places and places[target] != here:
                found.add((min(here, places[target]), max(here, places[target])))
    return sorted(found)


def laid_out(
    count: int, edges: Sequence[tuple[int, int]], path: Sequence[int], places: Mapping[int, int]
) -> NDArray[np.float64]:
    """Place nodes so that linked ones, and steps that follow each other, are near."""
    steps = [(places[one], places[other]) for one, other in pairwise(path)]
    return arranged(distances(count, {*edges, *steps}))


EARLY_DAYS = 3.0
"""Fig. 4a shows the first days only."""

BINS = 40
ALL_SHARED = "Nothing belonged to one forager only."
NONE_SHARED = "There was nothing that several foragers could have shared."


def efficiency_figure(name: str, outcome: FleetOutcome) -> Figure:
    """Return both efficiencies over time (Fig. 3a)."""
    run = outcome.run
    days = [day(run, window.end) for window in run.windows]
    sent = [share(window.relevant, window.sent) for window in run.windows]
    downloaded = [share(window.relevant, window.downloaded) for window in run.windows]

    def draw(drawing: Drawing) -> None:
        axes = drawing.subplots()
        axes.plot(days, sent, color=COLOURS[4], label="rewarded / sent (left)")
        dots_if_few(axes)
        explain(axes)
        axes.set(xlabel="days", ylabel="rewarded / sent")
        axes.set_ylim(0)
        right = axes.twinx()
        right.plot(days, downloaded, color=COLOURS[0], label="rewarded / downloaded (right)")
        dots_if_few(right)
        right.set_ylabel("rewarded / downloaded")
        right.set_ylim(0)
        right.grid(False)
        right.spines["right"].set_visible(True)
        drawing.legend(loc="outside upper center", ncols=2)

    data = {"day": days, "rewarded_per_sent": sent, "rewarded_per_downloaded": downloaded}
    title = "Fig. 3a: efficiency over time"
    note = f"Windows of {span(outcome.job.window)}, the first run."
    return Figure(f"figure-3a{name}", title, data, draw, note)


def population_figure(name: str, outcome: FleetOutcome) -> Figure:
    """Return who lived when, and with which score (Fig. 3b)."""
    run = outcome.run
    times = sorted({tally.time for tally in run.scores})
    members = sorted({tally.forager for tally in run.scores})
    column = {time: place for place, time in enumerate(times)}
    row = {forager: place for place, forager in enumerate(members)}
    grid = np.full((max(len(members), 1), max(len(times), 1)), np.nan)
    for tally in run.scores:
        grid[row[tally.forager], column[tally.time]] = tally.score

    def draw(drawing: Drawing) -> None:
        above, below = drawing.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [1, 2.2]})
        days = [day(run, window.end) for window in run.windows]
        above.step(days, [window.foragers for window in run.windows], where="post", color="#333333")
        dots_if_few(above)
        explain(above)
        above.set_ylabel("foragers")
        above.set_ylim(0)
        above.yaxis.get_major_locator().set_params(integer=True)
        below.yaxis.get_major_locator().set_params(integer=True)
        span = (0.0, day(run, times[-1]) if times else 1.0, 0.5, len(grid) + 0.5)
        shown = below.imshow(
            grid, aspect="auto", origin="lower", extent=span, cmap="cividis", interpolation="none"
        )
        below.grid(False)
        below.set(xlabel="days", ylabel="forager, by age")
        drawing.colorbar(shown, ax=below, label="score", pad=0.01)

    data: dict[str, Sequence[str | float | int]] = {
        "day": [day(run, tally.time) for tally in run.scores],
        "forager": [tally.forager for tally in run.scores],
        "score": [tally.score for tally in run.scores],
    }
    return Figure(
        f"figure-3b{name}",
        "Fig. 3b: population and scores",
        data,
        draw,
        f"At the ends of windows of {span(outcome.job.window)}, the first run.",
        height=5.6,
    )


def division_figures(name: str, outcome: FleetOutcome) -> list[Figure]:
    """Return shares of pages and trajectories of one forager, stacked by forager (Fig. 4)."""
    run = outcome.run
    early = [w for w in run.territory if w.end <= run.start + EARLY_DAYS * DAY]
    note = (
        f"In windows of {span(outcome.job.territory or 0)}, the first run; one band a forager, the"
        " oldest at the bottom. The line is their sum; what is missing to 1 was visited by several."
    )
    return [
        stacked(
            f"figure-4a{name}",
            f"Fig. 4a: pages visited by one forager only, first {EARLY_DAYS:g} days",
            "share of visited pages",
            run,
            early,
            lambda window: (window.pages, window.own_pages),
            note,
        ),
        stacked(
            f"figure-4b{name}",
            "Fig. 4b: pages visited by one forager only",
            "share of visited pages",
            run,
            run.territory,
            lambda window: (window.pages, window.own_pages),
            note,
        ),
        stacked(
            f"figure-4c{name}",
            "Fig. 4c: two-step trajectories taken by one forager only",
            "share of trajectories",
            run,
            run.territory,
            lambda window: (window.trajectories, window.own_trajectories),
            note + " A page and the next two steps from it, of pages where several foragers'"
            " trajectories start.",
        ),
        stacked(
            f"figure-4c-two{name}",
            "Fig. 4c, the other reading: a page and the next step",
            "share of pairs of pages",
            run,
            run.territory,
            lambda window: (window.pairs, window.own_pairs),
            note + " A page and the next step from it, of pages where several foragers' start.",
        ),
    ]


def stacked(
    name: str,
    title: str,
    label: str,
    run: FleetRun,
    windows: Sequence[TerritoryTally],
    part: Callable[[TerritoryTally], tuple[int, Mapping[int, int]]],
    note: str,
) -> Figure:
    """Return shares over time, stacked by forager."""
    known = [(window.end, *part(window)) for window in windows if part(window)[0]]
    members = sorted({forager for _, _, own in known for forager in own})
    shares = np.zeros((len(members), len(known)))
    place = {forager: number for number, forager in enumerate(members)}
    for column, (_, count, own) in enumerate(known):
        for forager, held in own.items():
            shares[place[forager], column] = held / count
    days = [day(run, end) for end, _, _ in known]

    def draw(drawing: Drawing) -> None:
        axes = drawing.subplots()
        if members:
            # A window is a step that ends where the next begins.
            edges = [0.0, *days]
            held = np.hstack((shares, shares[:, -1:]))
            axes.stackplot(edges, held, colors=shades(len(members)), linewidth=0, step="post")
            axes.stairs(shares.sum(axis=0), edges, color=COLOURS[1], linewidth=0.8, label="sum")
            axes.set_xlim(0, max(days[-1], 1e-6))
            key_of(drawing, axes, members)
        else:
            say(axes, ALL_SHARED if known else NONE_SHARED)
        axes.set(xlabel="days", ylabel=label)
        axes.set_ylim(0, 1)

    rows = [
        (days[column], forager, float(shares[place[forager], column]))
        for column in range(len(known))
        for forager in members
        if shares[place[forager], column]
    ]
    data: dict[str, Sequence[str | float | int]] = {
        "day": [row[0] for row in rows],
        "forager": [row[1] for row in rows],
        "share": [row[2] for row in rows],
    }
    return Figure(name, title, data, draw, note)


def key_of(drawing: Drawing, axes: Axes, members: Sequence[int]) -> None:
    """Draw the key: which colour is which forager, and what the line is."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, ListedColormap

    edges = np.arange(len(members) + 1) - 0.5
    colours = ListedColormap(list(map(tuple, shades(len(members)))))
    bar = drawing.colorbar(
        ScalarMappable(BoundaryNorm(edges, colours.N), colours),
        ax=axes,
        label="forager, by the order of birth",
        pad=0.01,
    )
    every = max(1, len(members) // 12)
    bar.set_ticks(list(range(0, len(members), every)), labels=[str(m) for m in members[::every]])
    bar.ax.minorticks_off()
    axes.legend(loc="lower right", facecolor="white", frameon=True, framealpha=0.8)


def shades(count: int) -> NDArray[np.float64]:
    """Return a colour for each forager, the darker the older."""
    from matplotlib import colormaps

    return np.asarray(colormaps["YlGnBu_r"](np.linspace(0.05, 0.85, max(count, 1))))


def starting_figure(name: str, run: FleetRun) -> Figure:
    """Return where new starting points lie, over time and in the order of discovery (Fig. 5)."""
    days = np.array([day(run, start.time) for start in run.starts])
    order = run.discovered[[start.url for start in run.starts]] if run.starts else np.empty(0)
    length = (run.end - run.start) / DAY
    counts, across, along = np.histogram2d(
        days, order, bins=(BINS, BINS), range=((0, length), (0, max(run.found_urls, 1)))
    )

    def draw(drawing: Drawing) -> None:
        axes = drawing.subplots()
        shown = axes.pcolormesh(
            across, along, np.where(counts > 0, counts, np.nan).T, cmap="viridis_r"
        )
        axes.set(xlabel="days", ylabel="URLs, in the order of their discovery")
        drawing.colorbar(shown, ax=axes, label="new starting points", pad=0.01)
        if not run.starts:
            say(axes, "No URL came into a starting list.")

    cells = [
        (float(across[i]), float(along[j]), int(counts[i, j]))
        for i, j in zip(*counts.nonzero(), strict=True)
    ]
    data: dict[str, Sequence[str | float | int]] = {
        "from_day": [cell[0] for cell in cells],
        "from_url": [cell[1] for cell in cells],
        "new_starting_points": [cell[2] for cell in cells],
    }
    return Figure(
        f"figure-5{name}",
        "Fig. 5: new starting points",
        data,
        draw,
        "A URL that comes into the starting list of a forager, the first run.",
    )


def day(run: FleetRun, time: float) -> float:
    """Return a time in days from the start."""
    return round((time - run.start) / DAY, 6)
