"""The links of a news site, and when they appear.

The number of links to a page is drawn first, from a power law.  Each link is then assigned to a
page, at a time soon after the birth of its target for the first link and later for the others: to a
page that gathers links at that time, at the same desk, in the same section or anywhere, in
proportion to the number of links that it gathers per day.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foragers.core.exact import exp, log_of, power, power_of
from foragers.worlds.generated.build import DAY, Numbers
from foragers.worlds.generated.news_pages import (
    HOME,
    HOUR,
    PAPER_DAYS,
    PAPER_PAGES,
    REPORT,
    Floats,
    Newsroom,
)
from foragers.worlds.generated.text.seeded import generator

MOST_LINKED = 700
SECTION_LINKS, FRONT_LINKS = 900.0, 60.0
"""Approximate numbers of links that a section's page and a desk's front gather in 18 days."""

FIRST_LINK, LATER_LINK, LATER_SPREAD = 600.0, 8 * HOUR, 1.2
"""The time from its birth until a page is linked: mean; for later links, median and spread."""

EARLY = 2 * HOUR
BEFORE_START = -0.3 * DAY
"""Home and section pages show only articles since then, so older ones are linked elsewhere."""

REPORTS_ON_HOME = 0.1
"""The probability of a report on the home page, relative to other articles."""


@dataclass(slots=True)
class Events:
    """Links with the time when they appear."""

    sources: Numbers
    targets: Numbers
    times: Floats


class Gatherers:
    """The pages that gather links, sorted by desk, with their times and rates."""

    def __init__(self, room: Newsroom, random: np.random.Generator) -> None:
        chosen, reports = room.parameters, room.reports
        fixed = room.first_service - 1
        amounts = power_law(random.random(len(reports)), chosen.out_power, chosen.out_most)
        lives = random.exponential(chosen.report_days, len(reports))
        lives = lives * power(amounts / 10, 0.4) + 0.1
        busy = room.busyness() * room.sections
        pages = np.concatenate((np.arange(1, room.first_service), reports))
        fronts = np.repeat(busy, room.desks) * random.exponential(1.0, len(room.fronts))
        scale = room.pages / PAPER_PAGES / PAPER_DAYS
        rates = np.concatenate(
            (SECTION_LINKS * scale * busy, FRONT_LINKS * scale * fronts, amounts / lives)
        )
        ends = np.concatenate((np.full(fixed, float(room.end)), room.born[reports] + lives * DAY))
        # A section's own page stands before those of its desks.
        positions = room.section[pages] * (room.desks + 1) + room.desk[pages] + 1
        order = np.argsort(positions, kind="stable")
        self.pages, self.positions = pages[order], positions[order]
        self.since, self.until = room.born[self.pages], ends[order]
        self.rates = rates[order]
        self.rotating = self.pages < room.first_front

    def active(self, hour: int) -> Numbers:
        """Return which pages gather links in an hour."""
        active = (self.since <= (hour + 1) * HOUR) & (self.until >= hour * HOUR)
        if hour * HOUR < BEFORE_START:
            active &= ~self.rotating
        return np.flatnonzero(active)


def power_law(chance: Floats, exponent: float, most: float) -> Floats:
    """Draw from a power law between 1 and `most`."""
    most = max(most, 1.0)
    if exponent == 1:
        return power(np.full(len(chance), most), chance)
    return power(1 - chance * (1 - power_of(most, 1 - exponent)), 1 / (1 - exponent))


def events(room: Newsroom, seed: int) -> Events:
    """Draw all links to articles."""
    random = generator("news", seed, "links")
    targets, turns, times = wanted_links(room, random)
    sources = np.full(len(targets), -1)
    sources[listed_at_home(room, targets, turns, times, random)] = HOME
    assign(sources, room, targets, times, Gatherers(room, random), random)
    # A report does not link to itself: its desk does.
    own = sources == targets
    sources[own] = room.front_of(targets[own])
    close_triads(sources, room, targets, turns, times, random)
    return Events(sources, targets, times)


RELATED_AMONG = 40
"""An article's related links lead to some of so many articles before it at its desk."""


def with_related(room: Newsroom, found: Events, seed: int) -> Events:
    """Add the links of articles to earlier ones of their desk, which they have from the start."""
    if not room.parameters.related:
        return found
    random = generator("news", seed, "related")
    articles = np.arange(room.first_article, room.pages)
    desks = room.section[articles] * room.desks + room.desk[articles]
    order = np.argsort(desks, kind="stable")
    by_desk = articles[order]
    firsts = np.searchsorted(desks[order], desks[order])
    counts = random.poisson(room.parameters.related, len(articles))
    places = np.repeat(np.arange(len(articles)), counts)
    earlier = places - random.integers(1, RELATED_AMONG + 1, len(places))
    kept = earlier >= firsts[places]
    sources, targets = by_desk[places[kept]], by_desk[earlier[kept]]
    return Events(
        np.concatenate((found.sources, sources)),
        np.concatenate((found.targets, targets)),
        np.concatenate((found.times, room.born[sources].astype(np.float64))),
    )


def wanted_links(room: Newsroom, random: np.random.Generator) -> tuple[Numbers, Numbers, Floats]:
    """Draw the number of links to each article, and their times; some fall after the end."""
    chosen = room.parameters
    likely = power(np.arange(1, MOST_LINKED + 1), -chosen.in_power)
    articles = np.arange(room.first_article, room.pages)
    counts = 1 + np.searchsorted(np.cumsum(likely) / likely.sum(), random.random(len(articles)))
    reports = room.kinds[articles] == REPORT
    counts[reports] += random.poisson(0.2 * counts[reports])
    targets = np.repeat(articles, counts)
    turns = np.arange(len(targets)) - np.repeat(np.cumsum(counts) - counts, counts)
    first = random.exponential(FIRST_LINK, len(targets))
    early = random.random(len(targets)) < chosen.early
    first[early] = -EARLY * random.random(np.count_nonzero(early))
    later = exp(log_of(LATER_LINK) + LATER_SPREAD * random.standard_normal(len(targets)))
    times = room.born[targets] + np.where(turns == 0, first, later)
    kept = (turns == 0) | (times < room.end)
    return targets[kept], turns[kept], np.minimum(times[kept], room.end - HOUR)


def listed_at_home(
    room: Newsroom, targets: Numbers, turns: Numbers, times: Floats, random: np.random.Generator
) -> Numbers:
    """Choose the articles that the home page lists."""
    chosen = room.parameters
    rest = (1 - chosen.reports * REPORTS_ON_HOME) / max(1 - chosen.reports, 1e-9)
    share = chosen.home * np.where(room.kinds[targets] == REPORT, REPORTS_ON_HOME, rest)
    listed = (turns == 0) & (times > BEFORE_START) & (random.random(len(targets)) < share)
    return np.flatnonzero(listed)


def assign(
    sources: Numbers,
    room: Newsroom,
    targets: Numbers,
    times: Floats,
    gatherers: Gatherers,
    random: np.random.Generator,
) -> None:
    """Assign every link without a source to a page that gathers links at its hour."""
    waiting = np.flatnonzero(sources < 0)
    hours = np.floor(times[waiting] / HOUR).astype(np.int64)
    order = np.argsort(hours, kind="stable")
    waiting, hours = waiting[order], hours[order]
    starts = np.flatnonzero(np.diff(hours, prepend=hours[:1] - 1))
    for first, last in zip(starts, [*starts[1:], len(hours)], strict=True):
        links = waiting[first:last]
        active = gatherers.active(int(hours[first]))
        lows, highs = reach(room, targets[links], random)
        passed = np.concatenate(([0.0], np.cumsum(gatherers.rates[active])))
        positions = gatherers.positions[active]
        low = passed[np.searchsorted(positions, lows)]
        high = passed[np.searchsorted(positions, highs)]
        nobody = low == high
        low[nobody], high[nobody] = 0.0, passed[-1]
        drawn = low + (high - low) * random.random(len(links))
        drawn_rows = np.searchsorted(passed, drawn, side="right") - 1
        sources[links] = gatherers.pages[active[np.minimum(drawn_rows, len(active) - 1)]]


def reach(room: Newsroom, targets: Numbers, random: np.random.Generator) -> tuple[Numbers, Numbers]:
    """Draw how far away the source of each link may be, as a range of indexes."""
    chosen, width = room.parameters, room.desks + 1
    section = room.section[targets] * width
    desk = section + room.desk[targets] + 1
    chance = random.random(len(targets))
    near, nearby = chance < chosen.near, chance < chosen.near + chosen.nearby
    lows = np.where(near, desk, np.where(nearby, section, 0))
    highs = np.where(near, desk + 1, np.where(nearby, section + width, room.sections * width))
    return lows, highs


def close_triads(
    sources: Numbers,
    room: Newsroom,
    targets: Numbers,
    turns: Numbers,
    times: Floats,
    random: np.random.Generator,
) -> None:
    """Move some second links to the page that links to the first one's source."""
    parents = np.full(room.pages, -1)
    first = turns == 0
    parents[targets[first]] = sources[first]
    parents[1 : room.first_front] = HOME
    parents[room.fronts] = 1 + room.section[room.fronts]
    above = parents[parents[targets]]
    closing = (turns == 1) & (random.random(len(targets)) < room.parameters.triads)
    closing &= (above >= 0) & (above != targets) & (times > 0)
    sources[closing] = above[closing]
