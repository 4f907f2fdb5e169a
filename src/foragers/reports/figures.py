"""The figures of a report as inline SVG, and the estimate of a crawl's recall from its folder."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.core.files import read
from foragers.crawling.stopping import RecallMonitor
from foragers.evaluation.metrics.calibration import calibration
from foragers.evaluation.metrics.fitted import law_of, plan_law_of
from foragers.evaluation.metrics.harvest import curve, found
from foragers.evaluation.metrics.recall import Estimate
from foragers.evaluation.plots.chart import (
    COLOURS,
    Axis,
    Bars,
    Line,
    Mark,
    Panel,
    chart,
    commas,
    percent,
)
from foragers.evaluation.plots.widths import WIDE
from foragers.judges.words import Standing
from foragers.reports.crawl_folder import OPTIONS, CrawlFolder
from foragers.reports.retell import FromLedger, visits_before
from foragers.storage.ledger.columns import Facts

WINDOWS = 40
"""The largest number of windows that downloads are divided into."""

SMALLEST_WINDOW = 10
DEEPEST = 30
"""The last depth with a bar of its own."""

FOUND, OTHER, RATE = COLOURS[0], "#c8ccd0", COLOURS[1]
NARROW = 460
"""The width of a figure on half of a page."""


def harvest(facts: Facts, width: int = WIDE) -> str:
    """Draw relevant pages over downloads, and below it the harvest rate in windows."""
    counts = found(facts)
    points = [(0, 0), *curve(counts)]
    starts, ends, rates = windows(counts)
    mean = float(counts[-1]) / len(counts)
    across = Axis("downloads", 0, len(counts), whole=True)
    high = max(1, points[-1][1]) * 1.05
    above = Panel(across, Axis("relevant pages found", 0, high, whole=True), share=3)
    above.marks.append(Line([x for x, _ in points], [y for _, y in points], FOUND))
    high = max(0.01, float(rates.max()) * 1.1)
    below = Panel(across, Axis("harvest rate", 0, high, show=percent), share=2)
    below.marks.append(Bars(starts, ends - starts, rates, RATE))
    below.marks.append(Line([0, len(counts)], [mean, mean], "#444444", dashed=True, width=0.9))
    return chart([above, below], width, 480 if width == WIDE else 400, "harvest")


def harvest_by_time(facts: Facts, width: int = WIDE) -> str:
    """Draw relevant pages and downloads over the time since the first page."""
    order = np.argsort(facts.times, kind="stable")
    passed = facts.times[order] - facts.times[order[0]]
    unit, name = next(
        (seconds, unit) for seconds, unit in UNITS if passed[-1] >= 3 * seconds or seconds == 1
    )
    places = np.unique(np.linspace(0, len(order) - 1, MOST_POINTS).astype(np.int64))
    counts = found(facts)  # in the order of the ledger, which is that of the answers
    x = Axis(f"{name} since the first page", 0, max(float(passed[-1]) / unit, 1e-9))
    high = max(1, int(counts[-1])) * 1.05
    above = Panel(x, Axis("relevant pages found", 0, high, whole=True), share=3)
    above.marks.append(Line(passed[places] / unit, counts[places], FOUND))
    below = Panel(x, Axis("downloads", 0, len(order) * 1.05, whole=True), share=2)
    below.marks.append(Line(passed[places] / unit, places + 1, RATE))
    tall = 480 if width == WIDE else 400
    return chart([above, below], width, tall, "harvest by time")


UNITS = ((86_400, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds"))
MOST_POINTS = 1000
"""Points of a line; more cannot be seen."""


def windows(
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the bounds of windows of downloads, and the harvest rate in each."""
    size = max(SMALLEST_WINDOW, -(-len(counts) // WINDOWS))
    starts = np.arange(0, len(counts), size, dtype=np.int64)
    ends = np.minimum(starts + size, len(counts))
    held = np.concatenate(([0], counts))
    return starts, ends, (held[ends] - held[starts]) / (ends - starts)


def relevance(facts: Facts) -> str:
    """Draw the number of pages by relevance."""
    top = max(1.0, float(facts.relevance.max(initial=0.0)))
    edges = np.linspace(min(0.0, float(facts.relevance.min(initial=0.0))), top, 21)
    hits = facts.ok & facts.relevant
    every, found_ones = (
        np.histogram(facts.relevance[flags], edges)[0] for flags in (facts.ok, hits)
    )
    x = Axis("relevance", float(edges[0]), float(edges[-1]))
    # One tall bar of irrelevant pages must not hide the others.
    y = Axis("pages", 0, 1.3 * max(1, int(every.max())), "symlog", commas)
    marks = bars(edges[:-1], every, found_ones, np.diff(edges))
    return chart([Panel(x, y, marks)], NARROW, 320, "relevance")


def promises(facts: Facts) -> str:
    """Draw the relevance of pages by promise."""
    bins = calibration(facts)
    xs = [one.promise for one in bins]
    low, high = min(xs, default=0.0), max(xs, default=1.0)
    marks: list[Mark] = []
    if low >= 0 and high <= 1:
        low, high = -0.02, 1.02
        marks.append(Line([0, 1], [0, 1], "#999999", "as promised", dashed=True, width=0.9))
    elif low == high:
        low, high = low - 1, high + 1
    marks.append(Line(xs, [one.relevance for one in bins], FOUND, "mean relevance", dots=3))
    marks.append(Line(xs, [one.relevant for one in bins], RATE, "share relevant", dots=3))
    panel = Panel(Axis("promise", low, high), Axis("observed", -0.02, 1.02), marks)
    return chart([panel], NARROW, 320, "promise")


def depths(facts: Facts) -> str:
    """Draw the number of pages by depth."""
    places = np.clip(facts.depths, 0, DEEPEST)
    deepest = int(places.max(initial=0))
    every = np.bincount(places, minlength=deepest + 1)
    hits = np.bincount(places[facts.relevant & facts.ok], minlength=deepest + 1)
    more = f" ({DEEPEST}: and more)" if deepest == DEEPEST else ""
    ticks = [(float(depth), str(depth)) for depth in range(0, deepest + 1, 1 + deepest // 12)]
    x = Axis(f"links from a seed{more}", -0.6, deepest + 0.6, given=ticks)
    y = Axis("downloads", 0, 1.1 * max(1, int(every.max())), whole=True)
    marks = bars(np.arange(deepest + 1.0) - 0.42, every, hits, np.full(deepest + 1, 0.84))
    return chart([Panel(x, y, marks)], NARROW, 320, "depth")


def bars(
    lefts: NDArray[np.float64],
    every: NDArray[np.int64],
    hits: NDArray[np.int64],
    widths: NDArray[np.float64],
) -> list[Mark]:
    """Return bars with a relevant part."""
    return [
        Bars(lefts, widths, every, OTHER, "not relevant"),
        Bars(lefts, widths, hits, FOUND, "relevant"),
    ]


def standing_of(folder: CrawlFolder) -> Standing | None:
    """Return what the judge accepted at the end of a crawl, if it was stored."""
    try:
        return msgspec.convert(options_in(folder).get("judge"), Standing | None)
    except msgspec.ValidationError:
        return None


def options_in(folder: CrawlFolder) -> dict[str, Any]:
    """Return what crawl.json says; nothing if it is missing or damaged."""
    try:
        return msgspec.json.decode(read(folder.path / OPTIONS), type=dict[str, Any])
    except (OSError, ValueError, RecursionError):
        return {}


def stored_estimate(folder: CrawlFolder) -> tuple[bool, Estimate | None]:
    """Return whether it is known what the crawl estimated at its end, and the estimate."""
    told = options_in(folder)
    aim = told.get("aim")
    if isinstance(aim, dict) and aim.get("new_within"):
        return True, None
    if told.get("estimate") is None:
        return False, None
    try:
        return True, msgspec.convert(told["estimate"], Estimate)
    except msgspec.ValidationError:
        return False, None


HAS_LINKS = "SELECT 1 FROM visits WHERE words IS NOT NULL LIMIT 1"


def estimate_of(folder: CrawlFolder) -> Estimate | None:
    """Return the estimate of a crawl; None if there is none.

    A crawl that has ended has stored it.  For a running or killed crawl it is computed from the
    links in the ledger.  For news there is no estimate, since news has no end.
    """
    known, estimate = stored_estimate(folder)
    if known:
        return estimate
    told = options_in(folder)
    strategy, wanted = str(told.get("strategy", "")), str(told.get("wanted") or "")
    budget = told.get("budget")
    budget = budget if isinstance(budget, int) else 0
    if folder.connection.execute(HAS_LINKS).fetchone() is None:
        return None
    lookout = RecallMonitor(
        law=law_of(strategy), plan_law=plan_law_of(strategy), wanted=wanted, budget=budget
    )
    for visit in visits_before(folder, FromLedger(folder), folder.length + 1):
        lookout.watch([visit])
    return lookout.estimate()
