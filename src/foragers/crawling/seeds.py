"""Files of seeds; and seeds that could not be fetched, reported at once with reason and remedy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from foragers.core.types import NO_PARENT, Status, Visit
from foragers.errors import UsageError
from foragers.http.causes import LATER, NO_ROBOTS, PRIVATE, ROBOTS, SCOPE, cause_of
from foragers.storage.ledger.columns import Facts
from foragers.urls.parse import host_of, resolve

FETCHED = (Status.OK, Status.UNCHANGED, Status.UNWANTED)
HERE = re.compile(rf"{PRIVATE}: (\S+) is (\S+)")
"""The reason of the client for a host with a private address."""
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
"""Prefixes of causes, and their remedies."""


MAX_SEEDS, MAX_SEEDS_BYTES = 1_000_000, 1 << 28
"""The largest number of seeds in a file, and its largest size."""


class Seeds(NamedTuple):
    """URLs to start from, each once, and limits of their hosts as `--host-budget` has them."""

    urls: tuple[str, ...]
    host_budgets: tuple[str, ...] = ()


def seeds_in(file: str | None, given: Sequence[str] = ()) -> Seeds:
    """Return the seeds given and those of a file; empty lines and comments are none.

    A number after a URL is the largest number of pages of its host.
    """
    if file is None:
        return Seeds(tuple(given))
    try:
        with Path(file).open("rb") as opened:
            content = opened.read(MAX_SEEDS_BYTES + 1)
        lines = content.decode("utf-8-sig").splitlines()
    except OSError as error:
        raise UsageError(f"--seeds {file}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"--seeds {file}: not a text in UTF-8; write one URL a line") from error
    found: dict[str, None] = dict.fromkeys(given)
    budgets: list[str] = []
    for number, line in enumerate(lines, 1):
        seed, *rest = re.split(r"(?:^|\s)#", line, maxsplit=1)[0].split() or [""]
        if not seed:
            continue
        if rest and not (len(rest) == 1 and rest[0].isdecimal() and int(rest[0]) > 0):
            raise UsageError(
                f"--seeds {file}: line {number} has more than a URL;"
                " write one a line, and after it at most the number of pages of its host"
            )
        found[seed] = None
        budgets += [f"{seed_host(seed)}={int(count)}" for count in rest]
    if len(found) > MAX_SEEDS or len(content) > MAX_SEEDS_BYTES:
        raise UsageError(f"--seeds {file}: more than {MAX_SEEDS:,} URLs; split the file")
    if not found:
        raise UsageError(f"--seeds {file}: has no URL; write one a line")
    return Seeds(tuple(found), tuple(budgets))


def seed_host(seed: str) -> str:
    """Return the host of a seed."""
    try:
        return host_of(resolve(seed if "://" in seed else f"http://{seed}"))
    except ValueError as error:
        raise UsageError(f"--seeds: {seed} is not a URL; write https://host/path") from error


def host_budget(text: str) -> tuple[str, int]:
    """Return the host and the number of HOST=N."""
    host, _, count = text.rpartition("=")
    if not host or not (count.isdecimal() and int(count) > 0):
        raise UsageError(f"--host-budget {text}: write HOST=N, such as blog.example.org=100")
    return seed_host(host), int(count)


def is_seed(visit: Visit) -> bool:
    """Return whether a visit is one of a seed."""
    choice = visit.page.choice
    return choice.parent == NO_PARENT and choice.depth == 0 and not choice.purpose.is_list


def failure_of(visit: Visit) -> str:
    """Return a line about a seed that could not be fetched, "" for all other visits."""
    page = visit.page
    if not is_seed(visit) or page.status in FETCHED:
        return ""
    reason = page.reason.removesuffix(LATER)
    match = HERE.search(reason)
    if match:
        reason = f"{match[2]} is a private address; add --allow-private {match[2]}"
    else:
        reason = with_remedy(reason)
    href = page.links.addresses.href(page.choice.url)
    later = "; it is requested again later" if page.retry_at is not None else ""
    return f"{href} could not be fetched: {reason}{later}"


def with_remedy(reason: str) -> str:
    """Return a reason with its remedy, if there is one."""
    cause = cause_of(reason.removeprefix(f"{NO_ROBOTS}: "))
    remedies = (remedy for starts, remedy in REMEDIES if cause.startswith(starts))
    remedy = next(remedies, "")
    return f"{reason}; {remedy}" if remedy else reason


def any_fetched(facts: Facts) -> bool:
    """Return whether at least one seed was fetched, or none was requested yet."""
    seeds = (facts.parents == NO_PARENT) & (facts.depths == 0)
    statuses = np.array([status.value for status in FETCHED])
    return not seeds.any() or bool(np.isin(facts.statuses[seeds], statuses).any())
