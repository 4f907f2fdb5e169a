"""The tables of `population`: populations, precision, and the comparison."""

from __future__ import annotations

from foragers.evaluation.tables import Cell, Measured, Table
from foragers.papers.population.crawls import PopulationResults
from foragers.papers.population.numbers import (
    BEST,
    BUFFERED,
    FACTORS,
    LITERALS,
    RIVALS,
    SAID,
    SIGMOIDS,
    UNBUFFERED,
    USABLE,
)


def tables(results: PopulationResults) -> list[Table]:
    """Return all tables."""
    return [populations(results), precisions(results), comparison(results)]


def populations(results: PopulationResults) -> Table:
    """Return how many agents there were, beside what the paper says of it."""
    rows = []
    for crawler in (*FACTORS, *SIGMOIDS, BUFFERED, UNBUFFERED, *LITERALS.values()):
        traces = results.traces[crawler]
        dead = sum(trace.final == 0 for trace in traces)
        rows.append(
            (
                f"{crawler} ({Measured.of(results.rhos[crawler]).mean:.3g})"
                if crawler in results.rhos
                else crawler,
                Measured.of(trace.least for trace in traces),
                Measured.of(trace.most for trace in traces),
                Measured.of(results.finals(crawler)),
                Measured.of(trace.ended for trace in traces),
                f"{dead} of {len(traces)}",
                SAID[crawler],
            )
        )
    worst = max(trace.missing for traces in results.traces.values() for trace in traces)
    return Table(
        "populations",
        "Agents alive (Figs. 2, 3 and 5)",
        ("crawler", "least", "most", "at the end", "pages", "died out", "paper"),
        rows,
        f"The account of energy was out by at most {worst:.1g} of what passed through it. To the"
        " letter: Algorithm 2 as printed (literal=true), which makes energy with every clone.",
    )


def precisions(results: PopulationResults) -> Table:
    """Return precision in the course of the crawls."""
    rows: list[tuple[Cell, ...]] = [
        (crawler, *(Measured.of(results.at(crawler, share)) for share in (0.1, 0.25, 0.5, 1.0)))
        for crawler in (USABLE, BEST, BUFFERED, UNBUFFERED, LITERALS[BEST], LITERALS[BUFFERED])
    ]
    heads = ("crawler", "after a tenth", "a quarter", "half", "all pages")
    note = "A crawl whose agents all died has the precision of the pages up to there."
    return Table("precision", "Precision (Figs. 4 and 6)", heads, rows, note)


def comparison(results: PopulationResults) -> Table:
    """Return what others make of the same budget."""
    rows: list[tuple[Cell, ...]] = [
        (
            crawler,
            Measured.of(float(trace.relevant[-1]) for trace in results.traces[crawler]),
            *(Measured.of(results.at(crawler, share)) for share in (0.1, 0.5, 1.0)),
        )
        for crawler in RIVALS
    ]
    heads = ("crawler", "relevant pages", "precision after a tenth", "half", "all pages")
    note = "Foragers look for news and come back to pages, in vain on a web that stands still."
    return Table("comparison", "The same budget spent by others", heads, rows, note)
