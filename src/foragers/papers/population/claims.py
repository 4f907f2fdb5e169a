"""What `population` claims, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foragers.evaluation.tables import Verdict
from foragers.papers.claims import alike, less, more
from foragers.papers.population.crawls import Bounds, PopulationResults
from foragers.papers.population.numbers import (
    BEST,
    BUFFERED,
    FACTORS,
    HIGH,
    LOW,
    PAPERS_OWN,
    RIVALS,
    SIGMOIDS,
    UNBUFFERED,
    USABLE,
)

ALIKE = 3.0
"""Populations are alike if the larger is at most so many times the smaller."""
BRUTAL = 5.0
"""A population that becomes so many times as large has exploded."""


def claims(results: PopulationResults) -> list[Verdict]:
    """Judge all claims."""
    return [*of_figure_2(results), *of_figures_3_and_4(results), *of_conservation(results),
            *of_rivals(results)]  # fmt: skip


def of_figure_2(results: PopulationResults) -> list[Verdict]:
    """Judge that the original model dies, explodes or is usable, as ρ has it."""
    first = [float(Bounds.of(ground).agents) for ground in results.grounds]
    low, high = results.traces[LOW], results.traces[HIGH]
    ended = [trace.ended / trace.task.ground.budget for trace in low if trace.final == 0]
    dead = f"{len(ended)} of {len(low)} runs died out"
    grown = [float(trace.final) for trace in high]
    usable = [trace.final / many for trace, many in zip(results.traces[USABLE], first, strict=True)]
    return [
        Verdict(
            "Original energy: with a low ρ the population dies quickly",
            len(ended) == len(low),
            f"{dead}, after {np.mean(ended):.0%} of the pages" if ended else dead,
        ),
        more(
            f"Original energy: with a high ρ it becomes more than {BRUTAL:g} times as large",
            grown,
            [BRUTAL * many for many in first],
        ),
        Verdict(
            "Original energy: between them there is a ρ with which it remains usable",
            all(0 < value <= BRUTAL for value in usable),
            f"at the end {min(usable):.2f} to {max(usable):.2f} times as many as at first",
        ),
    ]


def spread(results: PopulationResults, crawlers: Sequence[str]) -> list[float]:
    """Return for each run how many times larger the largest population is than the smallest."""
    finals = np.array([results.finals(crawler) for crawler in crawlers])
    found: list[float] = (finals.max(axis=0) / np.maximum(finals.min(axis=0), 1.0)).tolist()
    return found


def of_figures_3_and_4(results: PopulationResults) -> list[Verdict]:
    """Judge the sigmoid model."""
    first = [float(Bounds.of(ground).agents) for ground in results.grounds]
    finals = np.array([results.finals(crawler) for crawler in SIGMOIDS]).mean(axis=0)
    return [
        less(
            "Sigmoid energy: the population depends less on the parameters than with the original",
            spread(results, tuple(SIGMOIDS)),
            spread(results, tuple(FACTORS)),
            "largest final population over the smallest",
        ),
        more("Sigmoid energy: the population increases", finals.tolist(), first),
        more_precise(results),
    ]


def more_precise(results: PopulationResults) -> Verdict:
    """Judge that the sigmoid is more precise, if the populations can be compared at all."""
    claim = "Sigmoid energy is more precise than the original at like populations"
    found = more(claim, results.at(BEST, 1.0), results.at(USABLE, 1.0))
    sizes = [float(results.populations(name).mean()) for name in (BEST, USABLE)]
    if max(sizes) <= ALIKE * min(sizes):
        return found
    told = f"{sizes[0]:.0f} agents in the mean against {sizes[1]:.0f}"
    return Verdict(claim, None, found.statistic, f"the populations are not alike: {told}")


def of_conservation(results: PopulationResults) -> list[Verdict]:
    """Judge what conservation does."""
    traces = results.traces[BUFFERED]
    bounds = [Bounds.of(trace.task.ground) for trace in traces]
    inside = [
        bound.least <= trace.least and trace.most <= bound.most
        for trace, bound in zip(traces, bounds, strict=True)
    ]
    upper = np.array([bound.most for bound in bounds])[:, None]
    full = (results.populations(BUFFERED) >= 0.95 * upper).mean(axis=1)
    swing, bounded = ([float(t.most - t.least) for t in results.traces[name]]
                      for name in (UNBUFFERED, BUFFERED))  # fmt: skip
    return [
        Verdict(
            "With conservation the population is always within its bounds",
            all(inside),
            f"{sum(inside)} of {len(inside)} runs, {min(t.least for t in traces)} to"
            f" {max(t.most for t in traces)} agents",
        ),
        Verdict(
            "With conservation the population is at its upper bound most of the time",
            bool(full.mean() > 0.5),
            f"within 5 % of it at {full.mean():.0%} of the times",
        ),
        more("Without conservation the population varies more", swing, bounded),
        less(
            "With conservation precision is a little lower at first (a quarter of the pages)",
            results.at(BUFFERED, 0.25),
            results.at(UNBUFFERED, 0.25),
        ),
        alike(
            "At the end precision is the same with and without conservation",
            results.at(BUFFERED, 1.0),
            results.at(UNBUFFERED, 1.0),
            0.1,
        ),
    ]


def of_rivals(results: PopulationResults) -> list[Verdict]:
    """Judge what the paper does not: how the population does beside others."""
    own = results.at(PAPERS_OWN, 1.0)
    return [
        more(f"(not in the paper) The population is more precise than {name}", own,
             results.at(name, 1.0))
        for name in RIVALS
        if name != PAPERS_OWN
    ]  # fmt: skip
