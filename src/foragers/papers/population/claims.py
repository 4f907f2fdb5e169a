"""What `population` claims, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from foragers.evaluation.tables import Verdict
from foragers.papers.claims import CERTAIN, alike, less, more
from foragers.papers.population.crawls import Bounds, PopulationResults
from foragers.papers.population.numbers import (
    BEST,
    BUFFERED,
    FACTORS,
    HIGH,
    LITERALS,
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
    first = first_agents(results)
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
            at_once([BRUTAL * many for many in first]),
        ),
        Verdict(
            "Original energy: between them there is a ρ with which it remains usable",
            all(0 < value <= BRUTAL for value in usable),
            f"at the end {min(usable):.2f} to {max(usable):.2f} times as many as at first",
        ),
    ]


def first_agents(results: PopulationResults) -> list[float]:
    """Return how many agents each run begins with."""
    return [float(Bounds.of(ground).agents) for ground in results.grounds]


def at_once(numbers: list[float]) -> list[float]:
    """Return one number for all runs, where all are compared with the same."""
    return numbers[:1] if len(set(numbers)) == 1 else numbers


def spread(results: PopulationResults, crawlers: Sequence[str]) -> list[float]:
    """Return for each run how many times larger the largest population is than the smallest.

    A population that died out depends on its parameters as much as any can: beyond all numbers.
    """
    finals = np.array([results.finals(crawler) for crawler in crawlers])
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(finals.min(axis=0) > 0, finals.max(axis=0) / finals.min(axis=0), np.inf)
    return [float(value) for value in found]


def depends_less(results: PopulationResults, claim: str, ours: Sequence[str]) -> Verdict:
    """Judge that populations depend less on their parameters, run by run (sign test)."""
    one, other = spread(results, ours), spread(results, tuple(FACTORS))
    wins = sum(a < b for a, b in zip(one, other, strict=True))
    losses = sum(a > b for a, b in zip(one, other, strict=True))
    told = f"{ratios(one)} against {ratios(other)}; smaller in {wins} of {len(one)} runs"
    if not wins + losses:
        return Verdict(claim, None, told, "populations died out with either")
    from scipy import stats

    p = float(stats.binomtest(wins, wins + losses).pvalue)
    holds = None if p >= CERTAIN else wins > losses
    reason = "largest final population over the smallest; died out counts as most"
    return Verdict(claim, holds, f"{told}, sign test p = {p:.2g}", reason, p=p)


def ratios(values: Sequence[float]) -> str:
    """Return the median of ratios in words."""
    middle = float(np.median(values))
    return "died out" if np.isinf(middle) else f"{middle:.3g} times"


def of_figures_3_and_4(results: PopulationResults) -> list[Verdict]:
    """Judge the sigmoid model."""
    first = at_once(first_agents(results))
    finals = np.array([results.finals(crawler) for crawler in SIGMOIDS]).mean(axis=0)
    return [
        depends_less(
            results,
            "Sigmoid energy: the population depends less on the parameters than with the original",
            tuple(SIGMOIDS),
        ),
        depends_less(
            results,
            "Sigmoid energy to the letter: it depends less on the parameters than the original",
            [LITERALS[name] for name in SIGMOIDS],
        ),
        more("Sigmoid energy: the population increases", finals.tolist(), first),
        more(
            "Sigmoid energy to the letter: the population increases",
            np.array([results.finals(LITERALS[name]) for name in SIGMOIDS]).mean(axis=0).tolist(),
            first,
        ),
        more_precise(results),
    ]


def more_precise(results: PopulationResults) -> Verdict:
    """Judge that the sigmoid is more precise, if the populations can be compared at all."""
    claim = "Sigmoid energy is more precise than the original at like populations"
    found = more(claim, *results.at_equal_pages(BEST, USABLE), "after equally many pages")
    sizes = [float(results.populations(name).mean()) for name in (BEST, USABLE)]
    if max(sizes) <= ALIKE * min(sizes):
        return found
    told = f"{sizes[0]:.0f} agents in the mean against {sizes[1]:.0f}"
    return replace(found, holds=None, p=None, reason=f"the populations are not alike: {told}")


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
            *results.at_equal_pages(BUFFERED, UNBUFFERED),
            0.1,
        ),
    ]


def of_rivals(results: PopulationResults) -> list[Verdict]:
    """Judge what the paper does not: how the population does beside others."""
    return [
        more(
            f"(not in the paper) The population is more precise than {name}",
            *results.at_equal_pages(PAPERS_OWN, name),
            "after equally many pages",
        )
        for name in RIVALS
        if name != PAPERS_OWN
    ]
