"""The report of a watch: when new pages appeared and were seen, and what each site promised."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from foragers.core.display import duration, utc
from foragers.evaluation.plots.chart import COLOURS, Axis, Bars, Line, Panel, chart, percent
from foragers.evaluation.plots.widths import WIDE, at_both_widths
from foragers.judges.novelty import DAY
from foragers.reports.html import (
    apart,
    columns,
    document,
    link,
    note,
    section,
    table,
    words,
)
from foragers.watching.account import HOUR, account_of
from foragers.watching.events import Event, EventKind, delays, settled
from foragers.watching.status import SiteStatus, WatchStatus, read_status
from foragers.watching.watching import events_in

NARROW = 460
MOST_ROWS = 50
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def is_watch(folder: Path) -> bool:
    """Return whether a folder is that of a watch."""
    return (folder / "watch.json").is_file()


def watch_report(folder: Path) -> str:
    """Return the report of a watch as one HTML file."""
    status, events = read_status(folder), settled(events_in(folder))
    new = [one for one in events if one.event is EventKind.NEW]
    parts = ["<h1>Watch</h1>", numbers(status)]
    if new:
        parts += [section("Newest pages", newest(new)), drawn(new)]
    else:
        parts.append(note("No new page was found yet."))
    parts.append(section("Sites", sites(status.sites, new)))
    others = [one for one in events if one.event is not EventKind.NEW]
    if others:
        parts.append(section("Changes, removals and alarms", other_events(others)))
    return document("Watch", "\n".join(parts))


def numbers(status: WatchStatus) -> str:
    """Return the numbers that matter most."""
    whole, day = status.account, status.account_today
    low, high = whole.kept_low, whole.kept_high
    shown = (
        ("new pages", f"{status.new:,}", f"{status.new_today:,} in the last 24 h"),
        ("within 1 h", f"{low:.0%}" if whole.pages else "–", f"at most {high:.0%}"),
        ("median delay", short(whole.median), f"{short(day.median)} in the last 24 h"),
        ("9 of 10 within", short(whole.p90), f"{short(day.p90)} in the last 24 h"),
        ("requests", f"{status.requests_today:,}", "in the last 24 h"),
        ("found late", f"{whole.missed:,}", "by looking at old pages again"),
        ("freshness", share(status.freshness), "of lists, over time"),
        ("age", short(status.age), "of lists, mean"),
    )
    cells = "".join(
        f"<div><dt>{words(name)}</dt><dd>{words(value)}<small>{words(more)}</small></dd></div>"
        for name, value, more in shown
    )
    began, ended = utc(status.began), utc(status.updated)
    span = f"{began:%Y-%m-%d %H:%M} to {ended:%Y-%m-%d %H:%M} UTC" if began and ended else ""
    return f'<dl class="numbers">{cells}</dl>' + note(
        f"{span}. Freshness: the share of the time for which the pages that are looked at were as"
        " last seen. Age: for how long they had been out of date, in the mean over the time."
    )


def drawn(new: Sequence[Event]) -> str:
    """Return the charts over the clock."""
    return section(
        "New pages over time",
        at_both_widths(lambda width: over_time(new, width)),
        columns(("By hour of the day (UTC)", by_hour(new)), ("By weekday", by_weekday(new))),
        "<h3>Share of new pages seen within a delay</h3>",
        at_both_widths(lambda width: delay_chart(new, width)),
        note("The delay of a page without a date lies between zero and the time since the last"
             " look; drawn is the middle."),
    )  # fmt: skip


MINUTE = 60.0
STEPS = (MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY)
MOST_BARS = 96
"""Bars of a picture of new pages, unless there are more days."""


def over_time(new: Sequence[Event], width: int = WIDE) -> str:
    """Draw new pages over minutes, hours or days, by how long the watch has run."""
    times = np.array([one.found for one in new])
    first, last = times.min(), times.max()
    step = next((one for one in STEPS if last - first < MOST_BARS * one), DAY)
    starts = np.arange(first // step * step, last + step, step)
    counts = np.histogram(times, np.append(starts, starts[-1] + step))[0]
    ticks = [
        (float(s), f"{utc(s):%m-%d %H:%M}")
        for s in starts[:: max(1, len(starts) // (width // 150))]
    ]
    x = Axis("", float(starts[0]), float(starts[-1] + step), given=ticks)
    y = Axis("new pages", 0, 1.1 * max(1, int(counts.max())), whole=True)
    bars = Bars(starts + 0.05 * step, np.full(len(starts), 0.9 * step), counts, COLOURS[0])
    return chart([Panel(x, y, [bars])], width, 240, "time")


def by_hour(new: Sequence[Event]) -> str:
    """Draw the hours at which new pages were found."""
    hours = np.bincount([int(one.found // HOUR) % 24 for one in new], minlength=24)
    ticks = [(float(hour), str(hour)) for hour in range(0, 24, 3)]
    x = Axis("hour", -0.6, 23.6, given=ticks)
    y = Axis("new pages", 0, 1.1 * max(1, int(hours.max())), whole=True)
    bars = Bars(np.arange(24) - 0.4, np.full(24, 0.8), hours, COLOURS[0])
    return chart([Panel(x, y, [bars])], NARROW, 240, "hours")


def by_weekday(new: Sequence[Event]) -> str:
    """Draw the weekdays on which new pages were found."""
    days = np.bincount([(int(one.found // DAY) + 3) % 7 for one in new], minlength=7)
    x = Axis("day", -0.6, 6.6, given=[(float(n), name) for n, name in enumerate(DAYS)])
    y = Axis("new pages", 0, 1.1 * max(1, int(days.max())), whole=True)
    bars = Bars(np.arange(7) - 0.4, np.full(7, 0.8), days, COLOURS[0])
    return chart([Panel(x, y, [bars])], NARROW, 240, "weekdays")


def delay_chart(new: Sequence[Event], width: int = WIDE) -> str:
    """Draw the share of new pages seen within a delay."""
    middle = sorted((low + high) / 2 / 60 for low, high in delays(new) if np.isfinite(high))
    if not middle:
        return note("No delay is known.")
    most = max(1.0, 1.2 * float(np.percentile(middle, 95)))
    xs = [0.0, *[value for value in middle if value <= most]]
    ys = [n / len(middle) for n in range(len(xs))]
    panel = Panel(Axis("minutes", 0, most), Axis("seen", 0, 1.02, show=percent))
    panel.marks.append(Line(xs, ys, COLOURS[0]))
    if most > HOUR / 60:
        panel.marks.append(Line([60, 60], [0, 1], "#444444", dashed=True, width=0.9))
    return chart([panel], width, 240, "delay")


def newest(new: Sequence[Event]) -> str:
    """Return the table of the newest pages."""
    rows = (
        [
            f"{link(one.url, one.title)}<br><small>{apart(one.url)}{unread(one)}</small>",
            moment(one.found),
        ]
        for one in reversed(new[-MOST_ROWS:])
    )
    return table(("page", "found"), rows)


def unread(one: Event) -> str:
    """Return a mark for a page that is known by its link alone."""
    return "" if one.fetched else " · not fetched yet"


def sites(known: Sequence[SiteStatus], new: Sequence[Event]) -> str:
    """Return the table of sites: what was promised, and what was kept."""
    rows = []
    for one in known:
        own = account_of(event for event in new if event.site == one.site)
        promise = one.promise
        said = (
            f"{promise.share:.0%} ({promise.low:.0%} to {promise.high:.0%})"
            if promise and promise.observed
            else "–"
        )
        low, high = f"{own.kept_low:.0%}", f"{own.kept_high:.0%}"
        kept = (low if low == high else f"{low} to {high}") if own.pages else "–"
        rows.append(
            [apart(one.site), words(", ".join(one.troubles) or "–"), f"{own.pages:,}", said, kept,
             short(own.median), short(own.p90), share(one.freshness), short(one.age)]
        )  # fmt: skip
    heads = ("site", "trouble", "new", "promised within 1 h", "kept", "median delay", "9 of 10",
             "freshness", "age")  # fmt: skip
    return table(heads, rows, text=2)


def other_events(events: Sequence[Event]) -> str:
    """Return the table of everything that is not a new page."""
    rows = (
        [
            words(one.event.value),
            f"{link(one.url, one.title)}<br><small>{words(one.diff, 300)}</small>",
            moment(one.found),
        ]
        for one in reversed(events[-MOST_ROWS:])
    )
    return table(("event", "page, and what differs", "time"), rows, text=2)


def moment(time: float) -> str:
    """Return a time for a table."""
    shown = utc(time)
    return f"{shown:%Y-%m-%d %H:%M:%S}" if shown else "–"


def short(seconds: float | None) -> str:
    """Return a duration, if it is known."""
    return "–" if seconds is None else duration(seconds)


def share(value: float | None) -> str:
    """Return a share, if it is known."""
    return "–" if value is None else f"{value:.0%}"
