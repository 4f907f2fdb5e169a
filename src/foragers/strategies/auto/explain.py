"""Why auto visits a page again, or follows a link because it is new, in words and numbers."""

from __future__ import annotations

import numpy as np

from foragers.core.protocols import Part, Reasons
from foragers.core.types import UrlId
from foragers.strategies.auto.page_history import LINKS, NEWS, THROUGH
from foragers.strategies.auto.revisit import Revisits

HOUR = 3600.0


def why_now(revisits: Revisits, url: UrlId) -> Reasons | None:
    """Say what speaks for a page that was visited before, or for a link that is new."""
    place = revisits.watched.place(url)
    if place >= 0:
        return why_again(revisits, place)
    source = revisits.fresh.on(url)
    return None if source is None else why_new(revisits, source)


def why_again(revisits: Revisits, place: int) -> Reasons:
    """Say what a visit to a page is worth, and what that rests on."""
    watched, now = revisits.watched, revisits.now
    row = watched.all[place]
    worth = watched.worth(np.array([place]), now, revisits.price).item()
    rate, due = watched.rate(place, now) * HOUR, revisits.seed_due / HOUR
    parts: tuple[Part, ...] = (
        Part("hours since it was last seen", ((now - float(row["seen"])) / HOUR,)),
        Part("changes an hour, as it and pages like it have changed", (rate,)),
        Part("share of its changes that are news", (watched.share(place, NEWS),)),
        Part("news through new links, a change", (watched.share(place, THROUGH),)),
        Part("news a download brings elsewhere", (revisits.price,)),
    )
    if revisits.is_seed(place):
        parts += (Part("hours after which a seed is visited again in any case", (due,)),)
    said = f"a visit again was thought to be worth {worth:.3f} pages of news"
    return Reasons(said, ("is",), parts, "what was seen of a page longer ago counts less")


def why_new(revisits: Revisits, place: int) -> Reasons:
    """Say what links that were new on the same page have led to."""
    row = revisits.watched.all[place]
    chance = revisits.watched.promise(place)
    parts = (
        Part("new links of the page that were followed", (float(row["cases"][LINKS]),)),
        Part("of these led to news", (float(row["good"][LINKS]),)),
    )
    said = f"the link was not there before, which gave it a chance of {chance:.3f} of being news"
    return Reasons(said, ("is",), parts, "of links followed longer ago a part is counted")
