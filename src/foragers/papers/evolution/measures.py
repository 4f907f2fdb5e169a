"""What `evolution` measures of a fleet: growth, division of work, how fast news are found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from foragers.papers.fleets.measures import mean, path_lengths, share
from foragers.papers.fleets.runs import FleetOutcome
from foragers.strategies.fleet.simulation.replay import FleetRun
from foragers.strategies.fleet.simulation.territory import TerritoryTally
from foragers.strategies.fleet.simulation.windows import WindowTally

DAY, HOUR = 86_400.0, 3600.0


@dataclass(frozen=True)
class Halves:
    """A number in the first and in the second half of a run."""

    first: float
    second: float


def halves(run: FleetRun) -> tuple[list[WindowTally], list[WindowTally]]:
    """Return the windows of both halves."""
    half = len(run.windows) // 2
    return run.windows[:half], run.windows[half:]


def efficiency(run: FleetRun, of: str) -> Halves:
    """Return rewarded by sent, or by downloaded, documents in each half."""
    return Halves(
        *(
            share(sum(w.relevant for w in part), sum(getattr(w, of) for w in part))
            for part in halves(run)
        )
    )


def time_lag(outcome: FleetOutcome) -> Halves:
    """Return how many hours old news was when it was found, by halves of a run.

    What was there at the start is left out, since nobody could have found it earlier.
    """
    run, ground = outcome.run, outcome.job.terrain.ground()
    born, times = ground.born[run.finds.versions], run.finds.times
    later = born > run.start
    middle = (run.start + run.end) / 2
    return Halves(
        *(
            mean(((times - born)[later & part] / HOUR).tolist())
            for part in (times < middle, times >= middle)
        )
    )


def alone(windows: Sequence[TerritoryTally]) -> list[float]:
    """Return for each window the share of pages that only one forager visited."""
    return [share(sum(window.own_pages.values()), window.pages) for window in windows]


def apart(windows: Sequence[TerritoryTally]) -> list[float]:
    """Return for each window the share of trajectories from shared pages that only one took."""
    return [share(sum(window.own_trajectories.values()), window.trajectories) for window in windows]


def pairs_apart(windows: Sequence[TerritoryTally]) -> list[float]:
    """Return the same for pairs: a page, and the next step from it."""
    return [share(sum(window.own_pairs.values()), window.pairs) for window in windows]


def area(run: FleetRun) -> float:
    """Return how many different pages a forager visits in a window, on average."""
    return mean(float(pages) for window in run.territory for pages in window.areas.values())


def died_out(run: FleetRun) -> float | None:
    """Return on which day the last forager died, None if some lived to the end."""
    if not run.lives or run.lives[-1].what != "death":
        return None
    alive = sum(1 if event.what == "birth" else -1 for event in run.lives)
    return (run.lives[-1].time - run.start) / DAY if alive == 0 else None


def rhythm_shift(run: FleetRun) -> float:
    """Return by how many hours the daily peak of rewarded / sent is later in the second half.

    The peak of a half is that of the wave of 24 hours that fits its windows best.
    """
    peaks = []
    for part in halves(run):
        values = np.array([share(window.relevant, window.sent) for window in part])
        known = np.isfinite(values)
        if known.sum() * 2 < DAY / window_of(run):
            return float("nan")
        hours = np.array([(window.end - run.start) / HOUR for window in part])[known]
        wave = (values[known] - values[known].mean()) * np.exp(2j * np.pi * hours / 24)
        peaks.append(float(np.angle(wave.sum())) / (2 * np.pi) * 24)
    return (peaks[1] - peaks[0] + 12) % 24 - 12


def window_of(run: FleetRun) -> float:
    """Return the length of a window."""
    return run.windows[0].end - run.start if run.windows else DAY


FRIDAY, THURSDAY = 4, 3
"""1970 began on a Thursday, the day of this number in a week that begins with Monday."""


def friday_news(outcome: FleetOutcome) -> list[float]:
    """Return for each Friday which share of its news that was found was found on Saturday."""
    run, ground = outcome.run, outcome.job.terrain.ground()
    born = ground.born[run.finds.versions]
    days, found = np.floor(born / DAY), np.floor(run.finds.times / DAY)
    friday = ((days + THURSDAY) % 7 == FRIDAY) & (born > run.start)
    shares = []
    for day in np.unique(days[friday]).tolist():
        here = friday & (days == day) & (found <= day + 1)
        if day + 2 <= run.end / DAY and here.any():
            shares.append(float((found[here] == day + 1).mean()))
    return shares


def daily_rhythm(run: FleetRun) -> float:
    """Return the correlation of rewarded documents in a window with those a day later."""
    length = run.windows[0].end - run.start if run.windows else DAY
    lag = round(DAY / length)
    counts = np.array([window.relevant for window in run.windows], float)
    if len(counts) < 2 * lag or not lag:
        return float("nan")
    one, other = counts[:-lag], counts[lag:]
    return float(np.corrcoef(one, other)[0, 1]) if one.std() and other.std() else float("nan")


def linearity(run: FleetRun) -> float:
    """Return how well a straight line tells the URLs found by time: R squared, from day 1 on."""
    windows = [window for window in run.windows if window.end >= run.start + DAY]
    if len(windows) < 3:
        return float("nan")
    times = np.array([window.end for window in windows])
    found = np.array([window.found_urls for window in windows], float)
    if not found.std():
        return float("nan")
    return float(np.corrcoef(times, found)[0, 1] ** 2)


def lowest_score(run: FleetRun) -> float:
    """Return the lowest score that any forager had at the end of a window."""
    return min((tally.score for tally in run.scores), default=float("nan"))


def urls_a_day(run: FleetRun) -> float:
    """Return how many URLs were found a day after the first, in which most were there before."""
    windows = [window for window in run.windows if window.end >= run.start + DAY]
    if len(windows) < 2:
        return float("nan")
    first, last = windows[0], windows[-1]
    return (last.found_urls - first.found_urls) / ((last.end - first.end) / DAY)


def starts_a_day(run: FleetRun) -> Halves:
    """Return how many URLs came new into a starting list a day, by halves."""
    middle, length = (run.start + run.end) / 2, (run.end - run.start) / 2 / DAY
    early = sum(start.time < middle for start in run.starts)
    return Halves(early / length, (len(run.starts) - early) / length)


def totals(outcomes: Iterable[FleetOutcome]) -> dict[str, list[float]]:
    """Return the rows of the table of totals, a value a run."""
    found: dict[str, list[float]] = {}
    for outcome in outcomes:
        for name, value in totals_of(outcome).items():
            found.setdefault(name, []).append(value)
    return found


def totals_of(outcome: FleetOutcome) -> dict[str, float]:
    """Return what the paper tells of its run, and what its figures show on average."""
    run = outcome.run
    lag = time_lag(outcome)
    return {
        "downloaded": float(run.downloaded),
        "sent": float(run.sent),
        "rewarded": float(run.relevant),
        "rewarded / downloaded": run.relevant / max(run.downloaded, 1),
        "rewarded / sent": share(run.relevant, run.sent),
        "foragers at the end": float(run.windows[-1].foragers) if run.windows else float("nan"),
        "births": float(sum(event.what == "birth" and event.parent >= 0 for event in run.lives)),
        "deaths": float(sum(event.what == "death" for event in run.lives)),
        "lowest score": lowest_score(run),
        "new URLs a day": urls_a_day(run),
        "pages visited by one forager only": mean(alone(run.territory)),
        "trajectories taken by one forager only": mean(apart(run.territory)),
        "pairs of pages taken by one forager only": mean(pairs_apart(run.territory)),
        "pages a forager visits in a window": area(run),
        "downloads a step": share(run.downloaded, run.steps),
        **path_lengths(run, outcome.job.kind.settings[-1].pages_a_path),
        "hours to find news, first half": lag.first,
        "hours to find news, second half": lag.second,
    }
