"""The pages of a watch: what was found when, how late, and whether promises were kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from foragers.reports.html import at_both_widths
from foragers.serve.settings import ServeSettings
from foragers.serve.site import SiteFrame
from foragers.watching.account import Account, account_of
from foragers.watching.events import Event, EventKind
from foragers.watching.report import delay_chart, over_time
from foragers.watching.status import SiteStatus, WatchStatus, read_status
from foragers.watching.watching import EVENTS

MOST_BYTES = 1 << 28


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
        events = await run_in_threadpool(events_of, self.folder)
        kind = request.query_params.get("event", "")
        shown = [one for one in events if not kind or one.event.value == kind]
        new = [one for one in events if one.event is EventKind.NEW]
        number = page_in(request)
        first = (number - 1) * self.settings.events
        newest = shown[::-1][first : first + self.settings.events]
        pictures = await run_in_threadpool(drawn, new)
        return self.site.shown(
            request,
            "watch.html",
            status=status,
            events=newest,
            total=len(shown),
            number=number,
            last=max(1, -(-len(shown) // self.settings.events)),
            kind_shown=kind,
            kinds=[one.value for one in EventKind],
            sites=[promise_of(one, new) for one in status.sites],
            pictures=pictures,
            delay=delay_said,
        )

    async def events(self, request: Request) -> Response:
        """Return the events as JSON, the newest first."""
        events = await run_in_threadpool(events_of, self.folder)
        first = (page_in(request) - 1) * self.settings.events
        shown = events[::-1][first : first + self.settings.events]
        return JSONResponse({"total": len(events), "events": msgspec.to_builtins(shown)})

    async def status(self, _request: Request) -> Response:
        """Return the state of the watch as JSON."""
        status: WatchStatus = await run_in_threadpool(read_status, self.folder)
        return JSONResponse(msgspec.to_builtins(status))


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


def promise_of(site: SiteStatus, new: Sequence[Event]) -> KeptPromise:
    """Return what was promised for a site, and whether it was kept."""
    account = account_of(one for one in new if one.site == site.site)
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


def page_in(request: Request) -> int:
    """Return the page of a list that a request asks for."""
    text = request.query_params.get("page", "1")
    return max(1, min(int(text), 10**6)) if text.isdecimal() and len(text) < 10 else 1
