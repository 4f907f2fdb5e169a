"""Feeds that hubs told of (WebSub), and how far the hubs are trusted.

A feed that a hub told of is looked at as soon as is allowed.  Each such look, and what it brought,
is counted, and both fade like all that was found:

    share by polling  = 1 − 0.9 · brought by calls / (1 + found)
    time between looks after calls = every · (1 + calls) / (1 + brought by calls), at least every

So a feed whose hub was right is polled less often, which leaves requests for other pages.  A hub
that falls silent loses this trust with what polling finds, and one that calls in vain is heard
less and less.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from foragers.core.types import UrlId
from foragers.frontier.columns import Places
from foragers.strategies.watch.settings import DEFAULT_WATCH, WatchSettings
from foragers.strategies.watch.sources import Floats, Sources

HUB = "told by a hub"
"""The agent of looks after a call."""


@dataclass(slots=True)
class Heard:
    """The places of feeds that hubs told of and that were not looked at since."""

    settings: WatchSettings = DEFAULT_WATCH
    places: set[int] = field(default_factory=set)

    def call(self, sources: Sources, url: UrlId) -> int | None:
        """Note that a hub told of a page, and return its place, if it is known."""
        place = sources.places.get(url)
        if place is not None:
            self.places.add(place)
        return place

    def due(self, sources: Sources, place: int, every: float) -> float:
        """Return when a page that a hub told of may be looked at."""
        row = sources.rows[place]
        vain = (1.0 + float(row["calls"])) / (1.0 + float(row["pushed"]))
        return float(row["seen"]) + every * max(1.0, vain)

    def of_site(self, sources: Sources, number: int) -> list[int]:
        """Return the pages of a site that hubs told of."""
        return sorted(place for place in self.places if sources.rows["site"][place] == number)

    def among(self, places: Places) -> Places:
        """Return the pages of some that hubs told of."""
        if not self.places:
            return places[:0]
        return places[np.isin(places, list(self.places))]


def left_to_polling(
    sources: Sources, places: Places, rates: Floats, settings: WatchSettings = DEFAULT_WATCH
) -> Floats:
    """Return the rates of new pages for which pages must be looked at without a call."""
    rows = sources.rows[places]
    share = np.clip(rows["pushed"] / (1.0 + np.maximum(rows["found"], 0.0)), 0.0, 1.0)
    left: Floats = rates * (1.0 - settings.most_trust * share)
    return left
