"""Seeds that could not be fetched: a crawl says so at once, why, and what to do about it."""

from __future__ import annotations

import re

import numpy as np

from foragers.core.types import NO_PARENT, Status, Visit
from foragers.http.causes import LATER, NO_ROBOTS, PRIVATE, ROBOTS, SCOPE, cause_of
from foragers.storage.ledger.columns import Facts

CAME = (Status.OK, Status.UNCHANGED, Status.UNWANTED)
HERE = re.compile(rf"{PRIVATE}: (\S+) is (\S+)")
"""How the client says that a host has a private address."""
BUSY = ("408", "425", "429", "500", "502", "503", "504")
CLOSED = ("401", "402", "403", "407", "451")
REMEDIES = (
    (("unknown host",), "check the spelling of the host, and the network"),
    (("certificate", "self-signed", "TLS"), "only the site can fix that; try its http:// URL"),
    (("connection refused", "no connection", "no route", "network is"), "is the server running?"),
    (("timeout", "connection lost"), "the server is slow or away; try again later"),
    ((ROBOTS,), "robots.txt of the site forbids it; begin elsewhere"),
    ((SCOPE,), "change --prefix, --include or --exclude"),
    (("404", "410"), "check the URL"),
    (CLOSED, "the server does not let crawlers in; begin elsewhere"),
    (BUSY, "the server is busy; try again later"),
)
"""How causes begin, and what to do about them."""


def is_seed(visit: Visit) -> bool:
    """Say whether a visit is one to a seed."""
    choice = visit.page.choice
    return choice.parent == NO_PARENT and choice.depth == 0 and not choice.purpose.is_list


def failure_of(visit: Visit) -> str:
    """Return a line on a seed that did not come; nothing for all other visits."""
    page = visit.page
    if not is_seed(visit) or page.status in CAME:
        return ""
    reason = page.reason.removesuffix(LATER)
    why = HERE.search(reason)
    said = f"{why[2]} is a private address; add --allow-private {why[2]}" if why else told(reason)
    href = page.links.addresses.href(page.choice.url)
    later = "; it is asked again later" if page.retry_at is not None else ""
    return f"{href} could not be fetched: {said}{later}"


def told(reason: str) -> str:
    """Return a reason with its remedy, if there is one."""
    cause = cause_of(reason.removeprefix(f"{NO_ROBOTS}: "))
    remedies = (remedy for starts, remedy in REMEDIES if cause.startswith(starts))
    remedy = next(remedies, "")
    return f"{reason}; {remedy}" if remedy else reason


def came(facts: Facts) -> bool:
    """Say whether at least one seed was fetched; a crawl without visits has asked for none."""
    seeds = (facts.parents == NO_PARENT) & (facts.depths == 0)
    statuses = np.array([status.value for status in CAME])
    return not seeds.any() or bool(np.isin(facts.statuses[seeds], statuses).any())
