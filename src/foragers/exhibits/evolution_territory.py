"""Fig. 6 of `evolution`: a path of a forager as a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foragers.exhibits.exhibit import Figure
from foragers.exhibits.fleet_runs import FleetOutcome
from foragers.exhibits.selection_figures import say
from foragers.plots.canvas import COLOURS
from foragers.plots.layout import arranged, distances

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


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
