"""How often pages are looked at, by the new pages that they show.

The value of looks is the number of new pages found within an hour.  A page that shows new pages at
a rate r and is looked at f times a second, evenly, brings r·min(1, f·hour) of them in time.  So for
a given number of requests the pages with the highest rates are looked at once an hour, and all
others not at all.  The rate of the last of them is the price.  A delay within the hour has a value
too, so pages with much higher rates are looked at more often, in proportion to √r, which makes the
mean delay smallest:

    f = max(1, √(sooner · r / price)) / hour     for r above the price, and at most one every 60 s

A page shows only its newest links.  So a page with room for n of them is looked at so often that at
most n · 4/5 become new between two looks.

The price is set so that the looks fit into the requests.  Looks that are left when all pages worth
one have theirs go to the same pages in proportion to √r.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from foragers.strategies.watch.settings import DEFAULT_WATCH, WatchSettings
from foragers.strategies.watch.sources import Floats


@dataclass(slots=True)
class Looks:
    """The price of a look at the pages of a site, and the speed of those that are left."""

    every: float
    settings: WatchSettings = DEFAULT_WATCH
    price: float = inf
    speed: float = 0.0
    need: float = 1.0
    """Share of the looks that pages need to lose no new links."""
    part: float = 1.0
    """Share of the looks that can be made if not even one page can have its own."""

    def plan(self, rates: Floats, wanted: float, rooms: Floats | float = inf) -> float:
        """Set price and speed for looks a second, and return how many of them are left.

        `rates` are those of the pages, the highest first, and `rooms` their numbers of news.
        """
        self.speed, self.part, base = 0.0, 1.0, 1.0 / (self.settings.ahead * self.settings.within)
        beyond = float(np.maximum(0.0, self.settings.overlap * rates / rooms - base).sum())
        self.need = min(1.0, self.settings.room_looks * wanted / beyond) if beyond else 1.0
        self.price = self._price(rates, wanted, rooms)
        if len(rates) and wanted > 0 and rates.item(0) <= self.price < inf:
            self.price = (1 - 1e-9) * rates.item(0)
            self.part = min(1.0, wanted / self._all(rates, rooms))
        rest = max(0.0, wanted - self._all(rates, rooms))
        roots = float(np.sqrt(rates[rates > self.price]).sum())
        self.speed = (1 - self.settings.explore) * rest / roots if roots else 0.0
        return max(0.0, wanted - self._all(rates, rooms))

    def of(self, rates: Floats, rooms: Floats | float = inf) -> Floats:
        """Return how often a second pages with these rates and rooms are looked at."""
        settings = self.settings
        if self.price == inf:
            return np.zeros_like(rates)
        roots = np.sqrt(rates)
        looks = np.maximum(1.0, roots * float(np.sqrt(settings.sooner / self.price)))
        looks /= settings.ahead * settings.within
        base = 1.0 / (settings.ahead * settings.within)
        needed = base + self.need * np.maximum(0.0, settings.overlap * rates / rooms - base)
        looks = np.maximum(looks, needed)
        looks = np.minimum(self.part * looks + self.speed * roots, 1.0 / self.every)
        chosen: Floats = np.where(rates > self.price, looks, 0.0)
        return chosen

    def _all(self, rates: Floats, rooms: Floats | float) -> float:
        """Return the looks a second at all pages."""
        return float(self.of(rates, rooms).sum())

    def _price(self, rates: Floats, wanted: float, rooms: Floats | float) -> float:
        """Return the price at which the looks fit, by bisection of its logarithm."""
        low = self.settings.least_gain / self.settings.within
        tried = Looks(self.every, self.settings, low, need=self.need)
        if not len(rates) or tried._all(rates, rooms) <= wanted:
            return low
        high = max(low, rates.item(0))
        for _ in range(self.settings.halvings):
            tried.price = float(np.sqrt(low * high))
            if tried._all(rates, rooms) > wanted:
                low = tried.price
            else:
                high = tried.price
        return high
