"""What the tables of `selection` say of a simulation, and what the paper says itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from foragers.evaluation.tables import Measured
from foragers.papers.fleets.runs import FleetOutcome
from foragers.strategies.fleet.simulation.replay import FleetRun
from foragers.strategies.fleet.simulation.web import SimulatedWeb

STORES = {"url": "by URL", "document": "by document", "window": "by window"}
"""The three ways to understand what freshness and age speak of."""

SHARE = "share of the news found"
ONE_PAGE, MEAN_LENGTH, FULL_LENGTH = "paths of one page", "pages a path", "paths of full length"
PATHS = (ONE_PAGE, MEAN_LENGTH, FULL_LENGTH)
"""How long the finished paths were: those of 100 pages are as long as they may be."""

MEASURES = (
    "downloaded",
    "sent",
    "relevant",
    "found URLs",
    "download efficiency",
    "sent efficiency",
    "relative found URL",
    *(f"freshness, {how}" for how in STORES.values()),
    *(f"age (h), {how}" for how in STORES.values()),
    SHARE,
    *PATHS,
)

PAPER: Mapping[str, Mapping[str, Measured]] = {
    "RL": {
        "downloaded": Measured(540_636, 9840, 3),
        "sent": Measured(9747, 98, 3),
        "relevant": Measured(2419, 45, 3),
        "found URLs": Measured(31_092, 1050, 3),
        "download efficiency": Measured(0.0045, 0.0001, 3),
        "sent efficiency": Measured(0.248, 0.003, 3),
        "relative found URL": Measured(0.058, 0.001, 3),
        "freshness": Measured(0.70, 0.006, 3),
        "age (h)": Measured(1.79, 0.04, 3),
    },
    "WL": {
        "downloaded": Measured(669_673, 9580, 3),
        "sent": Measured(6345, 385, 3),
        "relevant": Measured(3107, 60, 3),
        "found URLs": Measured(33_116, 3370, 3),
        "download efficiency": Measured(0.0046, 0.0001, 3),
        "sent efficiency": Measured(0.49, 0.031, 3),
        "relative found URL": Measured(0.05, 0.006, 3),
        "freshness": Measured(0.74, 0.011, 3),
        "age (h)": Measured(1.56, 0.08, 3),
    },
}
"""Table 2 of the paper.  It does not say how its freshness and age are to be understood."""


def path_lengths(run: FleetRun, full: int) -> dict[str, float]:
    """Return how long the finished paths were, of which the longest may have `full` pages."""
    count = run.lengths.total()
    return {
        ONE_PAGE: share(run.lengths[1], count),
        MEAN_LENGTH: share(sum(pages * paths for pages, paths in run.lengths.items()), count),
        FULL_LENGTH: share(run.lengths[full], count),
    }


def measures_of(run: FleetRun, news: int, full: int) -> dict[str, float]:
    """Return the rows of Table 2 for a run in a world with so many news."""
    found = {
        "downloaded": float(run.downloaded),
        "sent": float(run.sent),
        "relevant": float(run.relevant),
        "found URLs": float(run.found_urls),
        "download efficiency": run.relevant / max(run.downloaded, 1),
        "sent efficiency": share(run.relevant, run.sent),
        "relative found URL": run.found_urls / max(run.downloaded, 1),
        SHARE: share(run.relevant, news),
        **path_lengths(run, full),
    }
    for store, how in STORES.items():
        found[f"freshness, {how}"] = mean(getattr(w, f"fresh_by_{store}") for w in run.windows)
        found[f"age (h), {how}"] = mean(getattr(w, f"age_by_{store}") for w in run.windows)
    return found


def share(part: float, whole: float) -> float:
    """Return a share, or no number where there is nothing to share."""
    return part / whole if whole else float("nan")


def mean(values: Iterable[float]) -> float:
    """Return the mean of those windows that have something to say."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def news_in(ground: SimulatedWeb, until: float, new_within: float) -> int:
    """Count the contents that are young enough to be relevant at some time up to another."""
    young = (ground.born >= ground.start - new_within) & (ground.born <= until) & ground.is_page
    if ground.wanted is not None:
        young &= ground.wanted
    return len(np.unique(ground.pages[young]))


def end_of(outcomes: Iterable[FleetOutcome]) -> float:
    """Return when the last of some runs is over: the step in progress at its end is finished."""
    ends: list[float] = []
    for one in outcomes:
        ends += [one.run.end, *one.run.finds.times[-1:].tolist()]
    return max(ends)


def by_kind(outcomes: Sequence[FleetOutcome], news: int) -> dict[str, dict[str, list[float]]]:
    """Return for every kind of fleet and every measure the values of its runs, in order."""
    found: dict[str, dict[str, list[float]]] = {}
    for outcome in outcomes:
        columns = found.setdefault(outcome.job.kind.name, {name: [] for name in MEASURES})
        full = outcome.job.kind.settings[-1].pages_a_path
        for name, value in measures_of(outcome.run, news, full).items():
            columns[name].append(value)
    return found
