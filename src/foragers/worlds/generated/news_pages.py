"""The pages of a news site: which there are, their topics, and when they appear.

Pages that are always there come first: the home page, a page for each section, a front page for
each desk of a section, and service pages.  Articles follow in the order of their birth; some of
them are *reports*, which gather links to other articles while they are alive.  Times are seconds
from the start of the world.  News comes in more by day than by night, and less at weekends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import cos_of_turns
from foragers.errors import UsageError
from foragers.worlds.generated.build import DAY, Numbers
from foragers.worlds.generated.text.seeded import generator

HOUR = 3600.0
BUSIEST = 15
"""The hour of the day with most news."""


def moments(
    count: int,
    first_day: float,
    last_day: float,
    swing: float,
    weekend: float,
    random: np.random.Generator,
) -> NDArray[np.int64]:
    """Draw times, in seconds from midnight before a Monday, in order.

    The rate varies by the share `swing` around its daily mean, and is `weekend` times that of a
    weekday on Saturdays and Sundays.
    """
    hours = np.linspace(first_day * 24, last_day * 24, 1 + max(1, int((last_day - first_day) * 24)))
    rate = 1 + swing * cos_of_turns((hours - BUSIEST) / 24)
    rate *= np.where(hours // 24 % 7 >= 5, weekend, 1.0)
    passed = np.concatenate(([0.0], np.cumsum((rate[1:] + rate[:-1]) / 2)))
    drawn = np.interp(random.random(count) * passed[-1], passed, hours * HOUR)
    return np.sort(drawn).astype(np.int64)


def days(seconds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the day of each moment."""
    return (seconds // DAY).astype(np.int64)


Floats = NDArray[np.float64]

HOME, SECTION, FRONT, SERVICE, ARTICLE, REPORT = range(6)

ALWAYS, OLDEST = -400 * int(DAY), 365.0
"""When the permanent pages appeared, and the age in days of the oldest article."""

PAPER_PAGES, PAPER_DAYS = 33_000, 18.0
"""The number of URLs that the foragers of the `selection` paper found, and its days."""


@dataclass(frozen=True)
class NewsParameters:
    """The parameters of a `news` world.

    Of the URLs, `daily` appear each day if there are 33,000, and in proportion if not, as far as
    the pages last; the others are there at the start. `reports` is the share of articles that link
    to others; the number of links of a report follows a power law with exponent `out_power` up to
    `out_most`, and it adds them for about `report_days`.  The number of links to a page follows a
    power law with `in_power`.  `near` and `nearby` are the shares of links that stay at the desk
    and in the section, `triads` the share of second links that come from a page that links to the
    first, `upward` the share of reports that link to their desk.  `home` is the share of new
    articles that the home page lists, `early` the share linked before birth. `corrected` is the
    share of articles whose text changes later, `links_only` the share of changes of a rotating page
    that leave its own text unchanged.

    `navigation` is the share of pages that link to the home page, to every section and, if they are
    articles, to their desk, and `related` the mean number of links from an article to earlier ones
    of its desk.  With neither, most articles have no links.
    """

    days: float = 18.0
    daily: float = 1200.0
    sections: int = 12
    desks: int = 8
    swing: float = 0.75
    weekend: float = 0.6
    reports: float = 0.08
    out_power: float = 1.2
    out_most: float = 400.0
    report_days: float = 1.5
    in_power: float = 2.57
    near: float = 0.3
    nearby: float = 0.3
    triads: float = 0.1
    upward: float = 0.1
    home: float = 0.1
    early: float = 0.03
    corrected: float = 0.12
    links_only: float = 0.4
    navigation: float = 0.0
    related: float = 0.0
    fidelity: float = 0.8
    noise: float = 0.4


class Newsroom:
    """The pages of a news site, as columns."""

    def __init__(self, seed: int, pages: int, parameters: NewsParameters) -> None:
        random = generator("news", seed, "pages")
        self.parameters = parameters
        self.pages = pages
        self.sections = parameters.sections
        self.desks = min(parameters.desks, max(1, pages // (self.sections * 20)))
        self.end = int(parameters.days * DAY)
        self.first_front = 1 + self.sections
        self.first_service = self.first_front + self.sections * self.desks
        self.first_article = self.first_service + max(5, pages // 550)
        self.born = self._births(random)
        self.section, self.desk = self._places(random)
        self.kinds = self._kinds(random)

    @property
    def reports(self) -> Numbers:
        """The articles that link to others."""
        return np.flatnonzero(self.kinds == REPORT)

    @property
    def fronts(self) -> Numbers:
        """The front pages of the desks."""
        return np.arange(self.first_front, self.first_service)

    def front_of(self, pages: Numbers) -> Numbers:
        """Return the front page of each page's desk."""
        return self.first_front + self.section[pages] * self.desks + self.desk[pages]

    def busyness(self) -> Floats:
        """Return the share of news of each section: the first ones have most."""
        weights = 1 / (np.arange(self.sections) + 2.0)
        return np.asarray(weights / weights.sum())

    def _births(self, random: np.random.Generator) -> Numbers:
        chosen = self.parameters
        articles = self.pages - self.first_article
        if articles < self.pages // 3:
            raise UsageError(
                f"{self.pages} pages are too few for {self.sections} sections;"
                " ask for more pages or fewer sections"
            )
        daily = max(chosen.daily * self.pages / PAPER_PAGES, 1.0)
        new = min(round(daily * chosen.days), articles)
        old = articles - new
        rhythm = chosen.swing, chosen.weekend, random
        return np.concatenate(
            (
                np.full(self.first_article, ALWAYS),
                moments(old, -min(max(old / daily, 1.0), OLDEST), 0.0, *rhythm),
                moments(new, 0.0, chosen.days, *rhythm),
            )
        )

    def _places(self, random: np.random.Generator) -> tuple[Numbers, Numbers]:
        """Assign a section and a desk to every page; a section's own page has desk -1."""
        section = random.choice(self.sections, self.pages, p=self.busyness())
        desk = random.integers(self.desks, size=self.pages)
        section[1 : self.first_front] = np.arange(self.sections)
        desk[: self.first_front] = -1
        section[self.fronts] = np.repeat(np.arange(self.sections), self.desks)
        desk[self.fronts] = np.tile(np.arange(self.desks), self.sections)
        return section, desk

    def _kinds(self, random: np.random.Generator) -> Numbers:
        kinds = np.where(random.random(self.pages) < self.parameters.reports, REPORT, ARTICLE)
        bounds = (0, 1, self.first_front, self.first_service, self.first_article)
        for kind in (HOME, SECTION, FRONT, SERVICE):
            kinds[bounds[kind] : bounds[kind + 1]] = kind
        return kinds
