"""The web pages of a crawl.

Everything that came from the web is escaped by the templates.  A GET changes nothing; a POST needs
the token of the page it comes from.  Without a password the server answers only requests that
name this machine as their host, so that other sites cannot reach it through a browser.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from foragers.core.display import counted, duration, is_web, utc
from foragers.errors import UsageError
from foragers.reports.crawl_folder import opened
from foragers.reports.explain import explain
from foragers.reports.retell import telling_of
from foragers.serve.crawl_data import CrawlData, Snapshot, Wishes, reasons_of
from foragers.version import __version__

Handler = Callable[[Request], Awaitable[Response]]
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)
LOCAL = ("127.0.0.1", "localhost", "[::1]")
COOKIE = "foragers"
ERRORS = ("missing", "refused", "failed")


@dataclass
class CrawlSite:
    """The pages of one crawl; `password` is asked for if the server is not for this machine."""

    data: CrawlData
    password: str = ""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    templates: Environment = field(init=False)

    def __post_init__(self) -> None:
        self.templates = Environment(
            loader=PackageLoader("foragers.serve"), autoescape=True, undefined=StrictUndefined
        )
        self.templates.filters |= {"count": "{:,}".format, "day": day, "counted": counted}
        self.templates.tests["web"] = is_web

    def app(self) -> ASGIApp:
        """Return the application."""
        static = StaticFiles(directory=Path(__file__).with_name("static"))
        routes = [
            Route("/", self._guarded(self.overview)),
            Route("/pages/{number:int}", self._guarded(self.page)),
            Route("/feedback", self._guarded(self.feedback), methods=["POST"]),
            Route("/login", self.login, methods=["GET", "POST"]),
            Route("/events", self._guarded(self.events)),
            Route("/metrics", self._guarded(self.metrics)),
            Route("/api", self._guarded(self.api)),
            Route("/api/status", self._guarded(self.status)),
            Route("/api/pages", self._guarded(self.found)),
            Route("/api/explain", self._guarded(self.why)),
            Mount("/static", static),
        ]

        @asynccontextmanager
        async def lifespan(_app: Starlette) -> AsyncIterator[None]:
            yield
            self.data.close()

        return Protected(Starlette(routes=routes, lifespan=lifespan), bool(self.password))

    def _guarded(self, handler: Handler) -> Handler:
        """Let a handler answer only those who know the password, and wrong wishes in one line."""

        async def guarded(request: Request) -> Response:
            if self.password and not self._knows(request):
                return RedirectResponse("/login", 303)
            try:
                return await handler(request)
            except UsageError as error:
                return self._shown("error.html", 400, message=str(error))

        return guarded

    def _knows(self, request: Request) -> bool:
        given = request.cookies.get(COOKIE) or ""
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        return any(
            hmac.compare_digest(said.encode(), self.password.encode()) for said in (given, bearer)
        )

    def _shown(self, template: str, code: int = 200, **values: Any) -> HTMLResponse:
        html = self.templates.get_template(template).render(
            version=__version__, token=self.token, secured=bool(self.password), **values
        )
        return HTMLResponse(html, code)

    async def overview(self, request: Request) -> Response:
        """Show what was found, then how the crawl goes."""
        wishes = wishes_in(request)
        now = await run_in_threadpool(self.data.look)
        pages, total = await run_in_threadpool(self.data.index.find, wishes)
        last = max(1, -(-total // self.data.settings.per_page))
        return self._shown(
            "crawl.html",
            now=now,
            pages=pages,
            total=total,
            wishes=wishes,
            last=last,
            link=lambda number: linked(request, number),
            hosts=self.data.index.choices("host"),
            languages=self.data.index.choices("language"),
            figures=numbers(now),
            picture=await run_in_threadpool(lambda: now.harvest),
            errors=reasons_of(now.summary, ERRORS),
            skips=reasons_of(now.summary, ("skipped",)),
        )

    async def page(self, request: Request) -> Response:
        """Show one page, and why it was fetched."""
        await run_in_threadpool(self.data.look)
        entry = self.data.index.get(request.path_params["number"])
        if entry is None:
            return self._shown("error.html", 404, message="There is no such page in this crawl.")
        found = await run_in_threadpool(self._explained, entry.url)
        learns = await run_in_threadpool(lambda: self.data.learns)
        said = request.query_params.get("said", "")
        return self._shown("page.html", page=entry, found=found, learns=learns, said=said)

    def _explained(self, url: str) -> Any:
        with opened(self.data.path) as folder:
            return explain(folder, url, telling_of(folder, None), "")

    async def feedback(self, request: Request) -> Response:
        """Tell the crawl what a reader says of a page."""
        form = await request.form()
        if not hmac.compare_digest(str(form.get("token", "")).encode(), self.token.encode()):
            return self._shown("error.html", 403, message="The page was too old; reload it.")
        number, wish = str(form.get("number", "")), str(form.get("wish", ""))
        if not number.isdecimal() or wish not in ("more", "not"):
            raise UsageError("the form is not complete")
        await run_in_threadpool(self.data.say, int(number), wish == "more")
        return RedirectResponse(f"/pages/{int(number)}?said={wish}", 303)

    async def login(self, request: Request) -> Response:
        """Ask for the password, and remember it in a cookie."""
        if request.method == "GET":
            return self._shown("login.html", wrong=False)
        given = str((await request.form()).get("password", ""))
        if not hmac.compare_digest(given.encode(), self.password.encode()):
            return self._shown("login.html", 403, wrong=True)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(COOKIE, self.password, httponly=True, samesite="strict")
        return answer

    async def events(self, request: Request) -> Response:
        """Send the numbers whenever they change."""

        async def stream() -> AsyncIterator[str]:
            before = ""
            while not await request.is_disconnected():
                now = await run_in_threadpool(self.data.look)
                told = json.dumps(dict(numbers(now)))
                if told != before:
                    before = told
                    yield f"data: {told}\n\n"
                await asyncio.sleep(self.data.settings.refresh)

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def metrics(self, _request: Request) -> Response:
        """Return the numbers in the text format of Prometheus."""
        now = await run_in_threadpool(self.data.look)
        lines = []
        for name, value, told in measured(now):
            full = f"foragers_{name}"
            lines += [f"# HELP {full} {told}", f"# TYPE {full} gauge", f"{full} {value:.15g}"]
        return PlainTextResponse("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")

    async def status(self, _request: Request) -> Response:
        """Return the crawl in numbers, as JSON."""
        now = await run_in_threadpool(self.data.look)
        return answered(
            {
                "topic": now.record.topic,
                "strategy": now.record.strategy,
                "budget": now.record.budget,
                "stopped": now.record.stopped,
                "summary": msgspec.to_builtins(now.summary),
                "estimate": msgspec.to_builtins(now.estimate),
            }
        )

    async def found(self, request: Request) -> Response:
        """Return pages as JSON, with the same filters as the list."""
        await run_in_threadpool(self.data.look)
        pages, total = await run_in_threadpool(self.data.index.find, wishes_in(request))
        return answered({"total": total, "pages": msgspec.to_builtins(pages)})

    async def why(self, request: Request) -> Response:
        """Return why a page was fetched, as JSON."""
        url = request.query_params.get("url", "")
        if not is_web(url):
            return answered({"error": "give url=https://…"}, 400)
        return answered(msgspec.to_builtins(await run_in_threadpool(self._explained, url)))

    async def api(self, _request: Request) -> Response:
        """Return the description of the API (OpenAPI)."""
        return answered(DESCRIPTION)


class Protected:
    """Refuses hosts that are not this machine, and adds headers that keep a browser safe."""

    def __init__(self, app: ASGIApp, any_host: bool) -> None:
        self._app = app
        self._any_host = any_host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
        host = given.rsplit(":", 1)[0] if not given.endswith("]") else given
        if not self._any_host and host not in LOCAL:
            refused = PlainTextResponse("This server is for this machine only.", 421)
            await refused(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        await self._app(scope, receive, send_with_headers)


def answered(content: Any, code: int = 200) -> JSONResponse:
    """Return JSON."""
    return JSONResponse(content, code)


def wishes_in(request: Request) -> Wishes:
    """Return what the query of a request asks for; what cannot be read is left out."""
    query = request.query_params

    def number(name: str) -> float:
        try:
            value = float(query.get(name) or 0)
        except ValueError:
            return 0.0
        return value if 0 <= value < 1e12 else 0.0

    return Wishes(
        words=query.get("q", "")[:500],
        host=query.get("host", "")[:500],
        language=query.get("language", "")[:50],
        least=number("least"),
        since=number("since"),
        every=query.get("every") == "1",
        page=max(1, int(number("page"))),
    )


def linked(request: Request, page: int) -> str:
    """Return the address of another page of the same list."""
    return f"/?{request.url.include_query_params(page=page).query}"


def numbers(now: Snapshot) -> list[tuple[str, str]]:
    """Return the numbers that matter most, as a reader sees them."""
    summary = now.summary
    rate = summary.downloads / summary.seconds if summary.seconds else 0.0
    recall = now.estimate.recall_said if now.estimate is not None else "–"
    return [
        ("relevant pages", f"{summary.relevant:,}"),
        ("downloads", f"{summary.downloads:,}"),
        ("harvest rate", f"{summary.harvest:.1%}"),
        ("estimated recall", recall),
        ("hosts", f"{summary.hosts:,}"),
        ("errors", f"{summary.errors:,}"),
        ("skipped", f"{summary.skipped:,}"),
        ("duration", duration(summary.seconds)),
        ("downloads a second", f"{rate:,.1f}"),
    ]


def measured(now: Snapshot) -> list[tuple[str, float, str]]:
    """Return name, value and meaning of what Prometheus may record."""
    summary = now.summary
    return [
        ("downloads", summary.downloads, "Requests that cost budget."),
        ("relevant_pages", summary.relevant, "Relevant pages, each counted once."),
        ("errors", summary.errors, "Missing, refused and failed pages."),
        ("skipped", summary.skipped, "URLs that were not requested."),
        ("hosts", summary.hosts, "Hosts that answered."),
        ("last_page_timestamp_seconds", summary.ended or 0.0, "When the last page came."),
        ("running", float(now.record.stopped is None), "1 while no end of the crawl is known."),
    ]


def day(moment: float) -> str:
    """Return a time as a date."""
    when = utc(moment)
    return f"{when:%Y-%m-%d %H:%M}" if when else "–"


def parameter(name: str, told: str, kind: str = "string") -> dict[str, Any]:
    """Return a parameter of the API."""
    return {"name": name, "in": "query", "description": told, "schema": {"type": kind}}


FILTERS = [
    parameter("q", "words that a page has"),
    parameter("host", "host of the page"),
    parameter("language", "language that the page declares"),
    parameter("least", "least relevance, from 0 to 1", "number"),
    parameter("since", "fetched since, in seconds since 1970", "number"),
    parameter("every", "1: pages that are not relevant too"),
    parameter("page", "page of the list, from 1", "integer"),
]
DESCRIPTION: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "A crawl by Foragers", "version": __version__},
    "paths": {
        path: {
            "get": {
                "summary": told,
                "parameters": given,
                "responses": {"200": {"description": "JSON"}},
            }
        }
        for path, told, given in (
            ("/api/status", "The crawl in numbers", []),
            ("/api/pages", "Pages, the most relevant first", FILTERS),
            ("/api/explain", "Why a page was fetched, or not", [parameter("url", "URL of a page")]),
        )
    },
}


def site_of(folder: Path, password: str = "") -> CrawlSite:
    """Return the site of a crawl folder, after a first look at it."""
    site = CrawlSite(CrawlData(folder), password)
    site.data.look()
    return site
