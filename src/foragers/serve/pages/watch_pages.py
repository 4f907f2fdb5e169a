"""The pages of a watch: what was found when, how late, and whether promises were kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from foragers.core.display import opening
from foragers.reports.html import at_both_widths
from foragers.serve.openapi import PAGE, ApiPath, Parameter
from foragers.serve.parameters import check_known, choice_in, page_in
from foragers.serve.settings import ServeSettings
from foragers.serve.site import SiteFrame
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
    """The pages of one watch."""

    site: SiteFrame
    folder: Path
    settings: ServeSettings
    _known: KnownEvents = field(default_factory=lambda: KnownEvents(-1, ()))

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
        status = await run_in_threadpool(read_status, self.folder)
        events = await run_in_threadpool(self._events)
        kind, number = choice_in(request, "event", ("", *KINDS)), page_in(request)
        shown = events.of_kind(kind)
        new = events.of_kind(EventKind.NEW.value)
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
            sites=await run_in_threadpool(promises_of, status.sites, new),
            pictures=await run_in_threadpool(lambda: events.pictures),
            snippet=snippet_of,
            delay=delay_said,
        )

    async def events(self, request: Request) -> Response:
        """Return the events as JSON, the newest first."""
        check_known(request, (EVENT, PAGE))
        kind, number = choice_in(request, "event", ("", *KINDS)), page_in(request)
        shown = (await run_in_threadpool(self._events)).of_kind(kind)
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

    def _events(self) -> KnownEvents:
        """Return the events, read again when their file has grown."""
        try:
            size = (self.folder / EVENTS).stat().st_size
        except OSError:
            size = 0
        if self._known.size != size:
            self._known = KnownEvents(size, settled(events_of(self.folder)))
        return self._known


@dataclass(frozen=True)
class KnownEvents:
    """The events of a watch, with the size of the file that they were read from."""

    size: int
    events: Sequence[Event]

    @cached_property
    def _kinds(self) -> dict[str, list[Event]]:
        found: dict[str, list[Event]] = {kind: [] for kind in KINDS}
        for one in self.events:
            found[one.event.value].append(one)
        return found

    def of_kind(self, kind: str) -> Sequence[Event]:
        """Return the events of a kind; all of them if none is named."""
        return self._kinds[kind] if kind else self.events

    @cached_property
    def pictures(self) -> tuple[str, str]:
        """The pictures of new pages."""
        return drawn(self.of_kind(EventKind.NEW.value))


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


def promises_of(sites: Sequence[SiteStatus], new: Sequence[Event]) -> list[KeptPromise]:
    """Return what was promised for each site, and whether it was kept."""
    of_site: dict[str, list[Event]] = {}
    for one in new:
        of_site.setdefault(one.site, []).append(one)
    return [promise_of(site, of_site.get(site.site, ())) for site in sites]


def snippet_of(event: Event, longest: int = 240) -> str:
    """Return the first words of a new page, after its title."""
    summary = event.summary or ""
    rest = summary.removeprefix(event.title or "").lstrip()
    return opening(rest or summary, longest)


def promise_of(site: SiteStatus, new: Sequence[Event]) -> KeptPromise:
    """Return what was promised for a site, and whether its new pages kept it."""
    account = account_of(new)
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
