"""The state of a watch, as `foragers status` shows it; the watch writes it every few seconds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from foragers.core.files import read, write
from foragers.errors import UsageError
from foragers.strategies.watch.forecast import Forecast
from foragers.watching.account import Account
from foragers.watching.recent import RecentRequest

FILE = "status.json"


class NextLook(msgspec.Struct, frozen=True):
    """A page that is looked at soon, and the new pages it shows a day."""

    url: str
    at: float
    new_a_day: float


class SiteStatus(msgspec.Struct, frozen=True):
    """One site: its requests and its new pages, and how fresh the pages are that are looked at."""

    site: str
    new: int = 0
    new_today: int = 0
    last_new: float | None = None
    sources: int = 0
    waiting: int = 0
    troubles: list[str] = []
    promise: Forecast | None = None
    more: Forecast | None = None
    next: NextLook | None = None
    freshness: float | None = None
    age: float | None = None


class WatchStatus(msgspec.Struct, frozen=True):
    """A watch: counts, delays, what was promised and kept, and its sites.

    `freshness` is the share of the time for which the pages that are looked at were as last seen,
    and `age` the mean time, in seconds, for which they had been out of date.  `unfetched` new pages
    are known by their links alone, and `withdrawn` ones proved not to be new articles.
    `hubs` is the number of feeds whose changes hubs announce, `calls` that of their announcements.
    `recent` are the last requests, the newest last.
    """

    began: float
    updated: float
    running: bool
    visits: int
    events: int
    new: int
    new_today: int
    requests_today: int
    account: Account
    account_today: Account
    freshness: float | None = None
    age: float | None = None
    told: int = 0
    untold: int = 0
    condition: str = ""
    unfetched: int = 0
    withdrawn: int = 0
    hubs: int = 0
    calls: int = 0
    recent: Sequence[RecentRequest] = ()
    sites: Sequence[SiteStatus] = ()


def write_status(folder: Path, status: WatchStatus) -> None:
    """Write the state of a watch."""
    write(folder / FILE, msgspec.json.format(msgspec.json.encode(status), indent=1) + b"\n")


def read_status(folder: Path) -> WatchStatus:
    """Read the state of a watch; a UsageError says what is wrong."""
    file = folder / FILE
    try:
        return msgspec.json.decode(read(file), type=WatchStatus)
    except FileNotFoundError:
        raise UsageError(f"{folder} has no {FILE}; give the --out folder of a watch") from None
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{file} cannot be read ({error}); start the watch again") from error
