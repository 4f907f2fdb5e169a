"""The figures of `automata`: precision over downloads, relevant pages over time, learning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from foragers.evaluation.plots.canvas import COLOURS
from foragers.evaluation.tables import Figure
from foragers.papers.automata.crawls import MARKS, AutomataOutcome, AutomataResults, Floats
from foragers.papers.automata.numbers import BPM, CRAWLERS, HW, LAFC, LJM, TABLE_4, TOPICS
from foragers.papers.automata.tables import settled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

STYLES = {LAFC: ("-", "o"), BPM: ("-", "s"), HW: ("-", "^"), LJM: ("-", "v")}
FIRST, MEAN = 2, 7
"""Figs. 2 to 6 of the paper show its topics, Fig. 7 their mean."""


def style_of(results: AutomataResults, crawler: str) -> dict[str, str]:
    """Return how the line of a crawler looks: the paper's have marks, the others are dashed."""
    line, mark = STYLES.get(crawler, ("--", ""))
    colour = COLOURS[results.crawlers.index(crawler) % len(COLOURS)]
    return {"linestyle": line, "marker": mark, "color": colour}


def number_of(results: AutomataResults, topic: str | None) -> int | None:
    """Return which figure of the paper shows a topic; others take the places from the first on."""
    if topic is None:
        return MEAN
    known = list(TOPICS) if set(results.topics) <= set(TOPICS) else results.topics
    place = FIRST + known.index(topic)
    return place if place < MEAN else None


def precision_figure(results: AutomataResults, topic: str | None) -> Figure:
    """Return precision over downloads for one topic, or the mean of all."""
    number = number_of(results, topic)
    shown = {crawler: results.curves(crawler, topic) for crawler in results.crawlers}
    marks = results.marks()

    def draw(drawing: Drawing) -> None:
        axes = drawing.subplots()
        for crawler, rows in shown.items():
            band = topic is not None and crawler in CRAWLERS
            line(axes, marks, rows, crawler, style_of(results, crawler), band)
        if topic is None:
            papers_means(axes, results, marks[-1])
        axes.set(xlabel="downloads", ylabel="precision", ylim=(0, None), xlim=(0, marks[-1] * 1.03))
        drawing.legend(loc="outside right upper")

    rows = [
        (crawler, mark, float(value))
        for crawler, curves in shown.items()
        for mark, value in zip(marks, curves.mean(axis=0), strict=True)
    ]
    name = topic or "mean of all topics"
    place = len(results.topics) if topic is None else results.topics.index(topic)
    return Figure(
        f"precision-{place + 1}" if number is None else f"figure-{number}",
        f"{'Beside the paper' if number is None else f'Fig. {number}'}: precision, {name}",
        dict(zip(("crawler", "downloads", "precision"), zip(*rows, strict=True), strict=True)),
        draw,
        note_of(results, topic),
        width=7.6,
    )


def note_of(results: AutomataResults, topic: str | None) -> str:
    """Return what a figure of precision shows."""
    if topic is None:
        return (
            "Mean over all webs and topics. Crosses at the end: the paper's means at 10,000"
            " downloads."
        )
    webs = len(results.of(topic))
    return f"Mean over {webs} webs, with the band between worst and best." if webs > 1 else ""


def draw_line(
    axes: Axes, xs: Sequence[int] | Floats, ys: Floats, name: str, style: dict[str, str]
) -> None:
    """Draw one curve as its crawler's lines look."""
    axes.plot(
        xs,
        ys,
        label=name,
        linestyle=style["linestyle"],
        marker=style["marker"],
        color=style["color"],
        markersize=4,
    )


def line(
    axes: Axes, marks: Sequence[int], rows: Floats, name: str, style: dict[str, str], band: bool
) -> None:
    """Draw the mean of some curves, and the band between the worst and the best."""
    draw_line(axes, marks, rows.mean(axis=0), name, style)
    if band and len(rows) > 1:
        low, high = rows.min(axis=0), rows.max(axis=0)
        axes.fill_between(marks, low, high, color=style["color"], alpha=0.12, lw=0)


def papers_means(axes: Axes, results: AutomataResults, end: int) -> None:
    """Mark where the paper's crawlers end."""
    for crawler, (mean, _) in TABLE_4.items():
        colour = style_of(results, crawler)["color"]
        axes.plot([end * 1.015], [mean], marker="x", color=colour, linestyle="", clip_on=False)


def figure_8(results: AutomataResults) -> Figure:
    """Return relevant pages over CPU time."""
    shown: dict[str, tuple[Floats, Floats]] = {}
    for crawler in results.crawlers:
        traces = [results.main[ground, crawler][0] for ground in results.grounds]
        times = np.array([(0.0, *trace.seconds) for trace in traces]).mean(axis=0)
        found = np.array([(0, *trace.relevant) for trace in traces], float).mean(axis=0)
        shown[crawler] = times, found

    def draw(drawing: Drawing) -> None:
        axes = drawing.subplots()
        for crawler, (times, found) in shown.items():
            style = style_of(results, crawler)
            draw_line(axes, times, found, crawler, style)
        axes.set(
            xlabel="CPU seconds", ylabel="relevant pages found", xlim=(0, None), ylim=(0, None)
        )
        drawing.legend(loc="outside right upper")

    rows = [
        (crawler, float(time), float(count))
        for crawler, (times, found) in shown.items()
        for time, count in zip(times, found, strict=True)
    ]
    return Figure(
        "figure-8",
        "Fig. 8: relevant pages over time",
        dict(zip(("crawler", "seconds", "relevant"), zip(*rows, strict=True), strict=True)),
        draw,
        "Mean over all webs and topics; CPU time of replayed crawls, without the network.",
        width=7.6,
    )


def learning_figure(results: AutomataResults) -> Figure:
    """Return the precision of crawl after crawl: at the first and at the last mark."""
    kinds = {f"a = {rate:g}": outcomes for rate, outcomes in results.in_turn.items()}
    kinds["each anew"] = results.apart
    crawls = range(1, len(results.apart[0].traces) + 1)

    def draw(drawing: Drawing) -> None:
        for axes, mark in zip(drawing.subplots(1, 2), (0, MARKS - 1), strict=True):
            for (name, outcomes), colour in zip(kinds.items(), COLOURS, strict=False):
                middle = by_crawl(outcomes, mark).mean(axis=0)
                axes.plot(crawls, middle, marker="o", markersize=4, color=colour, label=name)
            highest = max(by_crawl(found, mark).mean(axis=0).max() for found in kinds.values())
            axes.set(xlabel="crawl", ylabel="precision", xticks=list(crawls))
            axes.set_ylim(0, max(1.08 * highest, 0.01))
            axes.set_title(f"after {results.marks()[mark]:,} downloads")
            axes.legend(loc="lower right")

    columns = [
        (name, crawl + 1, results.marks()[mark], float(rows[crawl]))
        for name, outcomes in kinds.items()
        for mark in (0, MARKS - 1)
        for rows in [by_crawl(outcomes, mark).mean(axis=0)]
        for crawl in range(len(rows))
    ]
    heads = ("kind", "crawl", "downloads", "precision")
    return Figure(
        "figure-learning",
        "What learning adds from crawl to crawl",
        dict(zip(heads, zip(*columns, strict=True), strict=True)),
        draw,
        "LAFC, C = 0.8; mean over webs and topics. The paper's rate is 0.09.",
        width=9.0,
        height=4.2,
    )


def protocol_figure(results: AutomataResults) -> Figure:
    """Return precision and convergence over the number of crawls, a line for each rate."""
    crawls = list(range(1, len(results.apart[0].traces) + 1))
    shown = {
        rate: (
            by_crawl(found, MARKS - 1).mean(axis=0),
            np.array([np.nanmean(settled(found, crawl - 1)) for crawl in crawls]),
        )
        for rate, found in results.by_rate.items()
    }

    def draw(drawing: Drawing) -> None:
        from matplotlib import colormaps

        shades = colormaps["viridis"](np.linspace(0.0, 0.9, len(shown)))
        left, right = drawing.subplots(1, 2)
        for (rate, (precision, converged)), colour in zip(shown.items(), shades, strict=True):
            for axes, values in ((left, precision), (right, converged)):
                axes.plot(crawls, values, marker="o", markersize=3, color=colour, label=f"{rate:g}")
        left.set(xlabel="crawl", ylabel="precision")
        right.set(xlabel="crawl", ylabel="automata that have converged", ylim=(-0.02, 1.02))
        handles, labels = left.get_legend_handles_labels()
        drawing.legend(handles, labels, title="a", loc="outside right upper")

    rows = [
        (rate, crawl, float(precision[crawl - 1]), float(converged[crawl - 1]))
        for rate, (precision, converged) in shown.items()
        for crawl in crawls
    ]
    heads = ("rate", "crawl", "precision", "converged")
    return Figure(
        "figure-table-3",
        "Table 3 over the number of crawls",
        dict(zip(heads, zip(*rows, strict=True), strict=True)),
        draw,
        "LAFC on the first topic, C = 0.8. Right: the share of automata of which one link has a"
        " probability of at least 0.9.",
        width=9.0,
        height=4.2,
    )


def by_crawl(outcomes: Sequence[AutomataOutcome], mark: int) -> Floats:
    """Return the precision at a mark, a row an outcome and a column a crawl."""
    return np.array([[trace.precision(mark) for trace in one.traces] for one in outcomes])


def figures(results: AutomataResults) -> list[Figure]:
    """Return all figures but that of convergence."""
    assert set(CRAWLERS) <= set(results.crawlers)
    mean = precision_figure(results, None)
    topics = [precision_figure(results, topic) for topic in results.topics]
    return [
        mean,
        *topics,
        figure_8(results),
        protocol_figure(results),
        learning_figure(results),
    ]
