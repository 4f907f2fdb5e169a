"""Which pages a folder has, by what is in it: a crawl, a watch, a comparison or papers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from foragers.errors import UsageError
from foragers.reports.crawl_folder import database_of
from foragers.reports.population import FILE as AGENTS
from foragers.serve.crawl_data import CrawlData
from foragers.serve.openapi import ApiPages, ApiPath
from foragers.serve.pages import crawl_pages, fleet_pages, watch_pages
from foragers.serve.pages.acting import ActPages
from foragers.serve.pages.compare_pages import RESULT, ComparePages
from foragers.serve.pages.crawl_pages import CrawlPages
from foragers.serve.pages.fleet_pages import FleetPages
from foragers.serve.pages.paper_pages import EXHIBITS, PaperPages, is_paper
from foragers.serve.pages.watch_pages import WatchPages
from foragers.serve.settings import ServeSettings
from foragers.serve.site import SiteFrame
from foragers.storage.ledger.stores import LEDGER_FILE
from foragers.watching.report import is_watch


class FolderKind(StrEnum):
    """What a folder holds."""

    CRAWL = "crawl"
    WATCH = "watch"
    COMPARISON = "comparison"
    PAPERS = "papers"
    LIBRARY = "library"


def kind_of(path: Path) -> FolderKind:
    """Return what is in a folder; papers beside crawls are parts of a library."""
    kind = own_kind(path)
    if kind is not FolderKind.LIBRARY or not path.is_dir():
        return kind
    parts = [one for one in path.iterdir() if one.is_dir()]
    others = {FolderKind.CRAWL, FolderKind.WATCH, FolderKind.COMPARISON}
    if any(is_paper(one) for one in parts) and not any(own_kind(one) in others for one in parts):
        return FolderKind.PAPERS
    return FolderKind.LIBRARY


def own_kind(path: Path) -> FolderKind:
    """Return what is in a folder itself, and not in those inside."""
    if is_watch(path):
        return FolderKind.WATCH
    if path.suffix == ".sqlite" and path.is_file():
        return FolderKind.CRAWL
    if (path / LEDGER_FILE).is_file() or database_of(path):
        return FolderKind.CRAWL
    if (path / RESULT).is_file() or (path / "comparison.json").is_file():
        return FolderKind.COMPARISON
    if (path / EXHIBITS).is_file():
        return FolderKind.PAPERS
    return FolderKind.LIBRARY


@dataclass
class FolderPages:
    """The pages of one folder, and what they need closed at the end."""

    kind: FolderKind
    routes: Sequence[BaseRoute]
    pages: Sequence[str] = ()
    close: Callable[[], None] = field(default=lambda: None)
    data: CrawlData | None = None


def part_of(
    site: SiteFrame,
    path: Path,
    private: Sequence[str],
    settings: ServeSettings,
    can_act: bool = True,
) -> FolderPages:
    """Return the pages of a folder, after a first look at it."""
    kind = kind_of(path)
    if kind is FolderKind.COMPARISON:
        return FolderPages(kind, ComparePages(site, path).routes())
    if kind is FolderKind.PAPERS:
        return FolderPages(kind, PaperPages(site, path).routes())
    if kind is FolderKind.LIBRARY:
        if not path.is_dir():
            raise UsageError(f"{path} is not a folder; give the --out folder of a crawl")
        raise UsageError(f"{path} has no {LEDGER_FILE}; give the --out folder of a crawl")
    data = CrawlData(path, settings)
    data.open()
    acting = ActPages(site, data, private)
    is_folder = path.is_dir()
    crawl = CrawlPages(site, data, can_act and is_folder and kind is FolderKind.CRAWL)
    routes: list[BaseRoute] = []
    paths: list[ApiPath] = [*crawl_pages.PATHS]
    if kind is FolderKind.WATCH:
        routes += WatchPages(site, path, settings).routes()
        paths = [*watch_pages.PATHS, *paths]
    routes += crawl.routes("/found" if kind is FolderKind.WATCH else "/")
    pages = ["fleet"] if (path / AGENTS).is_file() else []
    routes += FleetPages(site, data).routes()
    paths += fleet_pages.PATHS if pages else ()
    routes += ApiPages(site, f"A {kind.value} by Foragers", paths).routes()
    if crawl.can_act:
        routes += acting.routes()
        pages.append("what-if")

    def close() -> None:
        acting.close()
        data.close()

    return FolderPages(kind, routes, pages, close, data)


def pages_app(site: SiteFrame, part: FolderPages) -> ASGIApp:
    """Return the pages of a folder, without what surrounds them."""

    async def missing(request: Request, _error: Exception) -> Response:
        return site.shown(request, "error.html", 404, message="There is no such page.")

    inner = Starlette(routes=part.routes, exception_handlers={404: missing})

    async def pages(scope: Any, receive: Any, send: Any) -> None:
        known = {"foragers_kind": (part.kind.value, *part.pages)}
        await inner({**scope, **known}, receive, send)

    return pages
