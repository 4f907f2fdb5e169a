"""Who links to whom on a news site, and since when.

How often a page is linked is drawn first, from a power law.  Each link then looks for a
page to stand on, at a moment soon after the birth of its target for the first link and
later for the others: one that is gathering links at that moment, at the same desk,
in the same section or anywhere, and each in proportion to how many it gathers a day.
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
"""How many links a section's page and a desk's front gather in 18 days, about."""

FIRST_LINK, LATER_LINK, LATER_SPREAD = 600.0, 8 * HOUR, 1.2
"""How long after its birth a page is linked: mean; for later links, the median and the spread."""

EARLY = 2 * HOUR
BEFORE_START = -0.3 * DAY
"""Home and section pages show only what came in since then, so older articles look elsewhere."""

REPORTS_ON_HOME = 0.1
"""How much less likely a report is on the home page than another article."""


@dataclass(slots=True)
class Events:
    """Links as they appear: on which page, to which, when."""

    sources: Numbers
    targets: Numbers
    times: Floats


class Gatherers:
    """The pages that gather links, sorted by desk, with the times and rates at which they do."""

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
        places = room.section[pages] * (room.desks + 1) + room.desk[pages] + 1
        order = np.argsort(places, kind="stable")
        self.pages, self.places = pages[order], places[order]
        self.since, self.until = room.born[self.pages], ends[order]
        self.rates = rates[order]
        self.rotating = self.pages < room.first_front

    def active(self, hour: int) -> Numbers:
        """Return which gather links in an hour."""
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


def wanted_links(room: Newsroom, random: np.random.Generator) -> tuple[Numbers, Numbers, Floats]:
    """Draw how often each article is linked, and when; later links may fall after the end."""
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
    """Find for every link without a source one that is gathering at its hour."""
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
        places = gatherers.places[active]
        low = passed[np.searchsorted(places, lows)]
        high = passed[np.searchsorted(places, highs)]
        nobody = low == high
        low[nobody], high[nobody] = 0.0, passed[-1]
        drawn = low + (high - low) * random.random(len(links))
        found = np.searchsorted(passed, drawn, side="right") - 1
        sources[links] = gatherers.pages[active[np.minimum(found, len(active) - 1)]]


def reach(room: Newsroom, targets: Numbers, random: np.random.Generator) -> tuple[Numbers, Numbers]:
    """Draw how far away each link may stand, as a range of places."""
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
    """Let some second links stand on the page that links to the first one's."""
    parents = np.full(room.pages, -1)
    first = turns == 0
    parents[targets[first]] = sources[first]
    parents[1 : room.first_front] = HOME
    parents[room.fronts] = 1 + room.section[room.fronts]
    above = parents[parents[targets]]
    closing = (turns == 1) & (random.random(len(targets)) < room.parameters.triads)
    closing &= (above >= 0) & (above != targets) & (times > 0)
    sources[closing] = above[closing]
