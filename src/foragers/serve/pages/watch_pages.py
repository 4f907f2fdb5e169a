"""The pages of a watch: what was found when, how late, and whether promises were kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from foragers.core.display import opening
from foragers.evaluation.plots.widths import at_both_widths
from foragers.serve.latest import LatestState
from foragers.serve.openapi import PAGE, ApiPath, Parameter
from foragers.serve.parameters import check_known, choice_in, page_in
from foragers.serve.settings import ServeSettings
from foragers.serve.site import BusyError, SiteFrame
from foragers.watching.account import Account, account_of
from foragers.watching.events import Event, EventKind, settled
from foragers.watching.report import delay_chart, over_time
from foragers.watching.status import SiteStatus, WatchStatus, read_status
from foragers.watching.watching import EVENTS

MOST_BYTES = 1 << 28
KINDS = tuple(one.value for one in EventKind if one not in (EventKind.FETCHED, EventKind.WITHDRAWN))
EVENT = Parameter("event", f"only events of a kind: {', '.join(KINDS)}")


class EventList(msgspec.Struct):
    """A page of a list of events, with the number of all."""

    total: int
    events: list[Event]


PATHS = (
    ApiPath("/api/watch", "The watch in numbers: sites, promises, requests", gives=WatchStatus),
    ApiPath("/api/events", "What happened, the newest first", (EVENT, PAGE), "?page=1", EventList),
)


class KeptPromise(NamedTuple):
    """A site with what was promised and what was seen; `kept` is None if that is not known yet."""

    site: SiteStatus
    account: Account
    promised: str
    kept: bool | None


@dataclass
class WatchPages:
    """The pages of one watch; a thread reads its events again when their file has grown."""

    site: SiteFrame
    folder: Path
    settings: ServeSettings
    _latest: LatestState[KnownEvents] = field(init=False)

    def __post_init__(self) -> None:
        self._latest = LatestState(lambda: known_events(self.folder), self.settings)

    def routes(self) -> list[Route]:
        """Return the addresses of the pages."""
        guarded = self.site.guarded
        return [
            Route("/", guarded(self.timeline)),
            Route("/api/events", guarded(self.events)),
            Route("/api/watch", guarded(self.status)),
        ]

    async def timeline(self, request: Request) -> Response:
        """Show what was found, the newest first."""
        kind, number = choice_in(request, "event", ("", *KINDS)), page_in(request)
        status = await run_in_threadpool(read_status, self.folder)
        read = await run_in_threadpool(self._latest.ask, self._size())
        if read is None:
            return self.site.shown(request, "reading.html", what="events of this watch")
        events = read.state
        shown = events.of_kind(kind)
        return self.site.shown(
            request,
            "watch.html",
            status=status,
            events=self._part(shown, number),
            total=len(shown),
            number=number,
            last=max(1, -(-len(shown) // self.settings.events)),
            kind_shown=kind,
            kinds=KINDS,
            sites=[
                promise_of(one, events.accounts.get(one.site, Account())) for one in status.sites
            ],
            pictures=events.pictures,
            is_old=read.is_old,
            snippet=snippet_of,
            delay=delay_said,
        )

    async def events(self, request: Request) -> Response:
        """Return the events as JSON, the newest first."""
        check_known(request, (EVENT, PAGE))
        kind, number = choice_in(request, "event", ("", *KINDS)), page_in(request)
        read = await run_in_threadpool(self._latest.ask, self._size(), self.settings.patience)
        if read is None:
            raise BusyError("the events are being read; ask again in a few seconds")
        shown = read.state.of_kind(kind)
        found = EventList(len(shown), self._part(shown, number))
        return JSONResponse(msgspec.to_builtins(found))

    async def status(self, _request: Request) -> Response:
        """Return the state of the watch as JSON."""
        status: WatchStatus = await run_in_threadpool(read_status, self.folder)
        return JSONResponse(msgspec.to_builtins(status))

    def _part(self, events: Sequence[Event], number: int) -> list[Event]:
        """Return a page of a list of events, the newest first."""
        last = max(0, len(events) - (number - 1) * self.settings.events)
        return list(events[max(0, last - self.settings.events) : last][::-1])

    def _size(self) -> int:
        """Return the size of the file of events."""
        try:
            return (self.folder / EVENTS).stat().st_size
        except OSError:
            return 0


@dataclass(frozen=True)
class KnownEvents:
    """The events of a watch, and what is computed from all of them."""

    events: Sequence[Event]
    kinds: dict[str, list[Event]]
    accounts: dict[str, Account]
    """What each site has shown of its new pages."""
    pictures: tuple[str, str]

    def of_kind(self, kind: str) -> Sequence[Event]:
        """Return the events of a kind; all of them if none is named."""
        return self.kinds[kind] if kind else self.events


def known_events(folder: Path) -> KnownEvents:
    """Return the events of a watch as they are now."""
    events = settled(events_of(folder))
    kinds: dict[str, list[Event]] = {kind: [] for kind in KINDS}
    for one in events:
        kinds[one.event.value].append(one)
    new = kinds[EventKind.NEW.value]
    return KnownEvents(events, kinds, accounts_of(new), drawn(new))


def events_of(folder: Path) -> list[Event]:
    """Return the events of a watch, which may be running: its file is only read."""
    file = folder / EVENTS
    try:
        if file.stat().st_size > MOST_BYTES:
            return []
        lines = file.read_bytes().split(b"\n")[:-1]
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            found.append(msgspec.json.decode(line, type=Event))
        except (msgspec.DecodeError, RecursionError):
            continue
    return found


def drawn(new: Sequence[Event]) -> tuple[str, str]:
    """Return the pictures of new pages over time, and of delays."""
    if not new:
        return "", ""
    return (
        at_both_widths(lambda width: over_time(new, width)),
        at_both_widths(lambda width: delay_chart(new, width)),
    )


def accounts_of(new: Sequence[Event]) -> dict[str, Account]:
    """Return the account of the new pages of each site."""
    of_site: dict[str, list[Event]] = {}
    for one in new:
        of_site.setdefault(one.site, []).append(one)
    return {site: account_of(found) for site, found in of_site.items()}


def snippet_of(event: Event, longest: int = 240) -> str:
    """Return the first words of a new page, after its title."""
    summary = event.summary or ""
    rest = summary.removeprefix(event.title or "").lstrip()
    return opening(rest or summary, longest)


def promise_of(site: SiteStatus, account: Account) -> KeptPromise:
    """Return what was promised for a site, and whether its new pages kept it."""
    promise = site.promise
    if promise is None or not promise.observed:
        return KeptPromise(site, account, "–", None)
    said = f"{promise.share:.0%} ({promise.low:.0%} to {promise.high:.0%})"
    kept = None
    if account.pages:
        sure, possible = account.kept_low >= promise.low, account.kept_high >= promise.low
        kept = True if sure else None if possible else False
    return KeptPromise(site, account, said, kept)


def delay_said(event: Event) -> tuple[float | None, float | None]:
    """Return the least and the largest delay of a new page; None if it is not known."""
    if event.event is not EventKind.NEW:
        return None, None
    most = event.found - event.since if event.since is not None else None
    if event.published is not None and event.found >= event.published:
        known = event.found - event.published
        if most is None or known <= most:
            return known, known
    return (None, None) if most is None else (0.0, max(0.0, most))
