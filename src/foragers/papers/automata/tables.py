"""The tables of `automata`, the paper's numbers beside ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np

from foragers.evaluation.metrics.significance import paired
from foragers.evaluation.tables import Cell, Measured, Table
from foragers.papers.automata.crawls import MARKS, AutomataOutcome, AutomataResults, last_precisions
from foragers.papers.automata.numbers import (
    CRAWLERS,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_4_TESTS,
    TABLE_5,
    TABLE_6,
    TOPICS,
)


def seconds(outcomes: Sequence[AutomataOutcome], crawl: int = 0) -> Measured:
    """Return the CPU time of some crawls."""
    return Measured.of(outcome.traces[crawl].seconds[-1] for outcome in outcomes)


def table_2(results: AutomataResults) -> Table:
    """Return precision and time for each control threshold."""
    rows: list[tuple[Cell, ...]] = [
        (f"{control:.2f}", Measured.of(last_precisions(found)), *paper(TABLE_2.get(control), found))
        for control, found in results.by_control.items()
    ]
    note = (
        "The first topic, a = 0.1. Time is CPU time without the network; the paper's is all time."
    )
    columns = ("control threshold", "precision", "paper", "CPU s", "paper min")
    return Table("table-2", "Table 2: the control threshold C", columns, rows, note)


def paper(known: tuple[float, float] | None, found: Sequence[AutomataOutcome]) -> tuple[Cell, ...]:
    """Return the paper's precision, our time and the paper's."""
    precision, minutes = known or (None, None)
    return precision, seconds(found), minutes


def table_3(results: AutomataResults) -> Table:
    """Return precision and time for each learning rate, in the first and in the last crawl."""
    last = len(results.apart[0].traces)
    rows: list[tuple[Cell, ...]] = [
        (
            f"{rate:.2f}",
            Measured.of(last_precisions(found)),
            Measured.of(last_precisions(found, last - 1)),
            Measured.of(last_precisions(found, last - 1, 0)),
            *paper(TABLE_3.get(rate), found),
        )
        for rate, found in results.by_rate.items()
    ]
    early = f"its first {results.marks()[0]:,}"
    columns = ("a", "first crawl", f"crawl {last}", early, "paper", "CPU s", "paper min")
    note = (
        "The first topic, C = 0.8. In a first crawl the rate cannot matter: a link is chosen at"
        " most once, and to reward one leaves all others in proportion."
    )
    return Table("table-3", "Table 3: the learning rate a", columns, rows, note)


def table_4(results: AutomataResults) -> Table:
    """Return the precision of every crawler at its end."""
    means = {name: Measured.of(results.precisions(name)) for name in results.crawlers}
    ranking = sorted(means, key=lambda name: -means[name].mean)
    papers = sorted(TABLE_4, key=lambda name: -TABLE_4[name][0])
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            means[name],
            Measured.of(results.precisions(name, 0)),
            Measured(*TABLE_4[name], 10) if name in TABLE_4 else None,
            str(ranking.index(name) + 1),
            str(papers.index(name) + 1) if name in TABLE_4 else None,
        )
        for name in ranking
    ]
    columns = ("crawler", "precision", "first tenth", "paper", "rank", "paper's rank")
    note = (
        f"Mean and deviation over {len(results.grounds)} webs and topics, at the last download."
        f" Who found nothing but relevant pages would come to {results.highest():.3f}, in the"
        f" first tenth to {results.highest(0):.3f}: there are no more."
    )
    return Table("table-4", "Table 4: precision", columns, rows, note)


def table_4_tests(results: AutomataResults) -> Table:
    """Return the tests between crawlers: the paper's, and one over independent webs and topics."""
    rows: list[tuple[Cell, ...]] = []
    for one, other in combinations(CRAWLERS, 2):
        ours, theirs = results.precisions(one), results.precisions(other)
        found = paired(ours, theirs)
        known = TABLE_4_TESTS.get((one, other), TABLE_4_TESTS.get((other, one)))
        papers = TABLE_4[one][0] - TABLE_4[other][0]
        points = results.curves(one).mean(axis=0), results.curves(other).mean(axis=0)
        rows.append(
            (
                f"{one} − {other}",
                found.mean,
                papers,
                told(found.p),
                told(welch(*points)),
                told(known),
            )
        )
    columns = ("difference", "ours", "paper", "p, paired", "p as the paper", "paper's p")
    note = (
        "Paired: Student's t-test over webs and topics. As the paper: Welch's t-test over ten"
        " points of the mean curves, which gives the paper's own p from its means and"
        " deviations; such points are not independent, and p comes out far too small."
    )
    return Table("table-4-tests", "Table 4: are the differences chance?", columns, rows, note)


def welch(ours: np.ndarray, theirs: np.ndarray) -> float | None:
    """Return p of Welch's t-test."""
    from scipy import stats

    if len(ours) < 2 or np.ptp(ours) + np.ptp(theirs) == 0:
        return None
    return float(stats.ttest_ind(ours, theirs, equal_var=False).pvalue)


def told(p: float | None) -> str | None:
    """Return a chance as people write it."""
    return None if p is None else f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"


def table_5(results: AutomataResults) -> Table:
    """Return recall for each topic."""
    note = "Of the relevant pages that LAFC, BPM, HW and LJM found together, run by run."
    rows = topic_rows(results, results.recalls, TABLE_5)
    return Table("table-5", "Table 5: recall", ("topic", "crawler", "ours", "paper"), rows, note)


def table_6(results: AutomataResults) -> Table:
    """Return the running time for each topic."""
    note = (
        "Ours: CPU seconds of replayed crawls, reading pages included, judging and the network"
        " not. The paper's: minutes of live crawls, which the network decides."
    )
    columns = ("topic", "crawler", "CPU s", "paper min")
    rows = topic_rows(results, results.seconds, TABLE_6)
    return Table("table-6", "Table 6: running time", columns, rows, note)


def topic_rows(
    results: AutomataResults,
    ours: Callable[[str, str], list[float]],
    papers: Mapping[str, Sequence[float]],
) -> list[tuple[Cell, ...]]:
    """Return a row for each topic and crawler of the paper."""
    rows: list[tuple[Cell, ...]] = []
    for topic in results.topics:
        place = list(TOPICS).index(topic) if topic in TOPICS else None
        for crawler in CRAWLERS:
            known = None if place is None else papers[crawler][place]
            rows.append((topic, crawler, Measured.of(ours(crawler, topic)), known))
    return rows


def learning_table(results: AutomataResults) -> Table:
    """Return the precision of crawl after crawl, with and without what was learned."""
    rows: list[tuple[Cell, ...]] = []
    for mark in (0, MARKS - 1):
        for crawl in range(len(results.apart[0].traces)):
            fresh = last_precisions(results.apart, crawl, mark)
            cells: list[Cell] = [results.marks()[mark], str(crawl + 1), float(np.mean(fresh))]
            for outcomes in results.in_turn.values():
                learned = last_precisions(outcomes, crawl, mark)
                found = paired(learned, fresh)
                cells += [float(np.mean(learned)), told(found.p)]
            rows.append(tuple(cells))
    columns = ["downloads", "crawl", "each anew"]
    for rate in results.in_turn:
        columns += [f"a = {rate:g}", f"p (a = {rate:g})"]
    note = (
        "LAFC, C = 0.8; the same seeds of chance for all, over all webs and topics. p: paired"
        " t-test against crawls that begin anew."
    )
    name, title = "learning", "What learning adds from crawl to crawl"
    return Table(name, title, tuple(columns), rows, note)


CRAWLS_SHOWN = (1, 2, 3, 5, 10, 20, 30)


def protocol_table(results: AutomataResults) -> Table:
    """Return Table 3 by its likely protocol: crawls repeated while the automata converge."""
    last = len(results.apart[0].traces)
    shown = sorted({*(crawl for crawl in CRAWLS_SHOWN if crawl <= last), last})
    rows: list[tuple[Cell, ...]] = []
    for rate, found in results.by_rate.items():
        cells: list[Cell] = [f"{rate:.2f}"]
        cells += [Measured.of(last_precisions(found, crawl - 1)) for crawl in shown]
        cells += [Measured.of(settled(found, crawl - 1)) for crawl in shown]
        known = TABLE_3.get(rate)
        rows.append((*cells, known[0] if known else None))
    columns = (
        "a",
        *(f"precision, crawl {crawl}" for crawl in shown),
        *(f"converged, crawl {crawl}" for crawl in shown),
        "paper's precision",
    )
    note = (
        "The first topic, C = 0.8: crawls that follow each other, each with the automata of the one"
        " before. Converged: the share of the automata with several links of which one has a"
        " probability of at least 0.9. The paper does not say how many crawls its Table 3 took;"
        " within one crawl the rate cannot matter."
    )
    title = "Table 3 by its likely protocol: crawls repeated until the automata converge"
    return Table("table-3-crawls", title, columns, rows, note)


def settled(outcomes: Sequence[AutomataOutcome], crawl: int) -> list[float]:
    """Return the share of automata that have converged after a crawl."""
    shares = (outcome.traces[crawl].converged for outcome in outcomes)
    return [float("nan") if share is None else share for share in shares]
