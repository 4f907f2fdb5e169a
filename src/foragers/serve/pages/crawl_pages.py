"""The pages of one crawl: what it found, how it goes, why a page was fetched."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.responses import RedirectResponse as Redirect
from starlette.routing import Route

from foragers.core.display import duration, is_web
from foragers.crawling.channel.now import CrawlNow
from foragers.errors import UsageError
from foragers.evaluation.metrics.recall import Estimate
from foragers.evaluation.metrics.summary import Summary
from foragers.reports.explain import Explanation
from foragers.serve.crawl_data import CrawlData, Snapshot, reasons_of
from foragers.serve.openapi import FILTERS, URL, ApiPath
from foragers.serve.page_index import PageEntry
from foragers.serve.parameters import check_known, wishes_in
from foragers.serve.site import BusyError, SiteFrame

ERRORS = ("missing", "refused", "failed")


class CrawlInNumbers(msgspec.Struct):
    """A crawl in numbers, and what it is doing now."""

    topic: str
    strategy: str
    budget: int | None
    stopped: str | None
    running: bool
    summary: Summary
    estimate: Estimate | None
    now: CrawlNow | None


class PageList(msgspec.Struct):
    """A page of a list of pages, with the number of all that were found."""

    total: int
    pages: list[PageEntry]


PATHS = (
    ApiPath("/api/status", "The crawl in numbers, and what it is doing now", gives=CrawlInNumbers),
    ApiPath("/api/pages", "Pages, the most relevant first", FILTERS, "?q=price&every=1", PageList),
    ApiPath(
        "/api/explain",
        "Why a page was fetched, or not; the crawl is replayed for it, and 503 says to ask again",
        (URL,),
        gives=Explanation,
    ),
    ApiPath(
        "/events",
        "The numbers whenever they change, as server-sent events",
        media="text/event-stream",
    ),
    ApiPath("/metrics", "The numbers for Prometheus", media="text/plain"),
)


@dataclass
class CrawlPages:
    """The pages of one crawl; `can_act` if it may be told something."""

    site: SiteFrame
    data: CrawlData
    can_act: bool = True

    def routes(self, home: str = "/") -> list[Route]:
        """Return the addresses of the pages."""
        guarded = self.site.guarded
        return [
            Route(home, guarded(self.overview)),
            Route("/now", guarded(self.now)),
            Route("/pages/{number:int}", guarded(self.page)),
            Route("/pages/{number:int}/why", guarded(self.page_why)),
            Route("/feedback", guarded(self.feedback), methods=["POST"]),
            Route("/events", guarded(self.events)),
            Route("/metrics", guarded(self.metrics)),
            Route("/api/status", guarded(self.status)),
            Route("/api/pages", guarded(self.found)),
            Route("/api/explain", guarded(self.why)),
        ]

    async def overview(self, request: Request) -> Response:
        """Show what was found, then how the crawl goes."""
        wishes = wishes_in(request)
        now = self.data.latest
        pages, total = await run_in_threadpool(self.data.index.find, wishes)
        ways = await run_in_threadpool(self.data.ways, [one.number for one in pages])
        hosts = await run_in_threadpool(self.data.index.choices, "host")
        languages = await run_in_threadpool(self.data.index.choices, "language")
        pictures = await run_in_threadpool(lambda: (now.harvest, now.harvest_by_time))
        return self.site.shown(
            request,
            "crawl.html",
            now=now,
            pages=pages,
            ways=ways,
            total=total,
            wishes=wishes,
            since=request.query_params.get("since", "")[:30],
            until=request.query_params.get("until", "")[:30],
            last=max(1, -(-total // self.data.settings.per_page)),
            link=lambda number: linked(request, number),
            indexed=self.data.index.last,
            hosts=hosts,
            languages=languages,
            figures=numbers(now),
            pictures=pictures,
            can_act=self.can_act,
            told=request.query_params.get("told", "")[:200],
            errors=reasons_of(now.summary, ERRORS),
            skips=reasons_of(now.summary, ("skipped",)),
        )

    async def now(self, request: Request) -> Response:
        """Return the part of the page that says what the crawl is doing."""
        now = self.data.latest
        return self.site.shown(request, "now.html", now=now, can_act=self.can_act)

    async def page(self, request: Request) -> Response:
        """Show one page, and how the crawl came to it."""
        number = request.path_params["number"]
        entry = self.data.index.get(number)
        if entry is None:
            message = "There is no such page in this crawl."
            return self.site.shown(request, "error.html", 404, message=message)
        path, left_out = await run_in_threadpool(self.data.path_to, number)
        learns = self.can_act and await run_in_threadpool(lambda: self.data.learns)
        said = request.query_params.get("said", "")
        return self.site.shown(
            request,
            "page.html",
            page=entry,
            path=path,
            left_out=left_out,
            learns=learns,
            said=said,
            found=None,
            asked=False,
            why_not="",
        )

    async def page_why(self, request: Request) -> Response:
        """Show the features behind the promise and the relevance of a page."""
        number = request.path_params["number"]
        entry = self.data.index.get(number)
        if entry is None:
            message = "There is no such page in this crawl."
            return self.site.shown(request, "error.html", 404, message=message)
        # First, since a replay in a thread would slow it down.
        path, left_out = await run_in_threadpool(self.data.path_to, number)
        found, why_not = None, ""
        try:
            found = await run_in_threadpool(
                self.data.explained, entry.url, self.data.settings.glance
            )
        except UsageError as error:
            why_not = str(error)
        return self.site.shown(
            request,
            "page.html",
            page=entry,
            path=path,
            left_out=left_out,
            learns=False,
            said="",
            found=found,
            asked=True,
            why_not=why_not,
        )

    async def feedback(self, request: Request) -> Response:
        """Tell the crawl what a reader says of a page."""
        form = await self.site.form(request)
        number, wish = str(form.get("number", "")), str(form.get("wish", ""))
        if not number.isdecimal() or wish not in ("more", "not"):
            raise UsageError("the form is not complete")
        if not self.can_act:
            raise UsageError("a ledger in a database is only read; use foragers feedback")
        await run_in_threadpool(self.data.say, int(number), wish == "more")
        base = request.scope.get("root_path", "")
        return Redirect(f"{base}/pages/{int(number)}?said={wish}", 303)

    async def events(self, request: Request) -> Response:
        """Send the numbers whenever they change."""

        async def stream() -> AsyncIterator[str]:
            before = ""
            while not await request.is_disconnected():
                now = self.data.latest
                told = json.dumps(
                    {"numbers": dict(numbers(now)), "running": now.is_running, "now": moment(now)}
                )
                if told != before:
                    before = told
                    yield f"data: {told}\n\n"
                await asyncio.sleep(self.data.settings.refresh)

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def metrics(self, _request: Request) -> Response:
        """Return the numbers in the text format of Prometheus."""
        lines = []
        for name, value, told in measured(self.data.latest):
            full = f"foragers_{name}"
            lines += [f"# HELP {full} {told}", f"# TYPE {full} gauge", f"{full} {value:.15g}"]
        return PlainTextResponse("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")

    async def status(self, _request: Request) -> Response:
        """Return the crawl in numbers, as JSON."""
        now = self.data.latest
        told = CrawlInNumbers(
            now.record.topic, now.record.strategy, now.record.budget, now.record.stopped,
            now.is_running, now.summary, now.estimate, now.now,
        )  # fmt: skip
        return JSONResponse(msgspec.to_builtins(told))

    async def found(self, request: Request) -> Response:
        """Return pages as JSON, with the same filters as the list."""
        check_known(request, FILTERS)
        pages, total = await run_in_threadpool(self.data.index.find, wishes_in(request))
        return JSONResponse(msgspec.to_builtins(PageList(total, pages)))

    async def why(self, request: Request) -> Response:
        """Return why a page was fetched, as JSON."""
        check_known(request, [URL])
        url = request.query_params.get("url", "")
        if not is_web(url):
            raise UsageError("give url=https://…")
        wait = self.data.settings.patience
        found = await run_in_threadpool(self.data.explained, url, wait)
        if found is None:
            raise BusyError("the crawl is being replayed; ask again in a few seconds")
        return JSONResponse(msgspec.to_builtins(found))


def linked(request: Request, page: int) -> str:
    """Return the address of another page of the same list."""
    return f"?{request.url.include_query_params(page=page).remove_query_params('told').query}"


def moment(now: Snapshot) -> float:
    """Return when a crawl wrote last what it is doing."""
    return now.now.updated if now.now is not None else 0.0


def numbers(now: Snapshot) -> list[tuple[str, str]]:
    """Return the numbers that matter most, as a reader sees them."""
    summary = now.summary
    rate = summary.downloads / summary.seconds if summary.seconds else 0.0
    recall = now.estimate.recall_said if now.estimate is not None else "–"
    of = f" of {now.record.budget:,}" if now.record.budget else ""
    waiting = now.now.queue if now.now is not None else None
    return [
        ("relevant pages", f"{summary.relevant:,}"),
        ("downloads", f"{summary.downloads:,}{of}"),
        ("harvest rate", f"{summary.harvest:.1%}"),
        ("estimated recall", recall),
        ("hosts", f"{summary.hosts:,}"),
        ("errors", f"{summary.errors:,}"),
        ("skipped", f"{summary.skipped:,}"),
        ("waiting pages", "–" if waiting is None else f"{waiting:,}"),
        ("duration", duration(summary.seconds)),
        ("downloads a second", f"{rate:,.1f}"),
    ]


def measured(now: Snapshot) -> list[tuple[str, float, str]]:
    """Return name, value and meaning of what Prometheus may record."""
    summary, told = now.summary, now.now
    found: list[tuple[str, float, str]] = [
        ("downloads", summary.downloads, "Requests that cost budget."),
        ("relevant_pages", summary.relevant, "Relevant pages, each counted once."),
        ("errors", summary.errors, "Missing, refused and failed pages."),
        ("skipped", summary.skipped, "URLs that were not requested."),
        ("hosts", summary.hosts, "Hosts that answered."),
        ("budget", now.record.budget or 0, "Downloads that the crawl may make."),
        ("last_page_timestamp_seconds", summary.ended or 0.0, "When the last page came."),
        ("running", float(now.is_running), "1 while the crawl runs."),
    ]
    if told is not None:
        found += [
            ("requests_in_progress", told.in_progress, "Downloads under way."),
            ("hosts_waiting", told.hosts_waiting, "Hosts that are left alone for now."),
            ("pages_waiting", told.queue or 0, "Known pages that were not fetched."),
            ("paused", float(told.paused), "1 while a user has paused the crawl."),
        ]
    if now.estimate is not None and now.estimate.recall is not None:
        found.append(("estimated_recall", now.estimate.recall, "Share of relevant pages found."))
    return found
