"""A folder of folders: crawls, watches, comparisons and papers, and a form to start a crawl.

A folder is known by its name in the library, never by a path.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse as Redirect
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from foragers.core.display import counted, plain
from foragers.crawling.channel.now import read_now
from foragers.errors import UsageError
from foragers.mcp.crawls import CrawlDesk, DeskLimits
from foragers.papers.request import PAPERS
from foragers.serve.background import LOG, last_line
from foragers.serve.folders import FolderKind, FolderPages, kind_of, pages_app, part_of
from foragers.serve.pages.acting import whole_number
from foragers.serve.pages.paper_pages import is_paper
from foragers.serve.settings import ServeSettings
from foragers.serve.site import SiteFrame

MOST_FOLDERS = 500
LIMITS = DeskLimits(budget=1_000_000, crawls=8, seeds=1000)


class Shelf(NamedTuple):
    """A folder of the library; `address` is its name in a URL."""

    name: str
    address: str
    kind: FolderKind
    told: str


@dataclass
class Library:
    """The folders in a folder; a few of them are kept open."""

    site: SiteFrame
    folder: Path
    private: Sequence[str]
    settings: ServeSettings
    desk: CrawlDesk = field(init=False)
    _started: list[str] = field(default_factory=list)
    _open: OrderedDict[str, tuple[FolderPages, ASGIApp]] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        options = [f"--allow-private={network}" for network in self.private]
        self.desk = CrawlDesk(self.folder, LIMITS, options)

    def routes(self) -> list[Route | Mount]:
        """Return the addresses of the pages."""
        guarded = self.site.guarded
        return [
            Route("/", guarded(self.shelves)),
            Route("/start", guarded(self.start), methods=["POST"]),
            Mount("/in", self.inside),
        ]

    def close(self) -> None:
        """Close the folders that are open; crawls that have ended leave nothing behind."""
        for name in self._started:
            self.desk.is_running(name)
        for part, _ in self._open.values():
            part.close()
        self._open.clear()

    async def shelves(self, request: Request) -> Response:
        """List the folders."""
        found = await run_in_threadpool(self._shelves)
        return self.site.shown(request, "library.html", shelves=found, private=bool(self.private))

    def _shelves(self) -> list[Shelf]:
        found = []
        for path in sorted(self.folder.iterdir())[:MOST_FOLDERS]:
            if path.is_symlink() or not path.is_dir() or path.name.startswith("."):
                continue
            kind = kind_of(path)
            is_starting = (path / LOG).is_file()
            if kind is FolderKind.LIBRARY and not is_starting:
                continue
            kind = FolderKind.CRAWL if kind is FolderKind.LIBRARY else kind
            found.append(
                Shelf(plain(path.name), quote(path.name, safe=""), kind, told_of(path, kind))
            )
        return found

    async def start(self, request: Request) -> Response:
        """Start a crawl, and show it."""
        form = await self.site.form(request)
        urls = str(form.get("seeds", "")).split()
        topic = " ".join(str(form.get("topic", "")).split())[:500]
        budget = whole_number(str(form.get("budget", "")), "budget")
        name = await run_in_threadpool(self.desk.start, urls, topic, budget)
        self._started.append(name)
        return Redirect(f"/in/{quote(name, safe='')}/", 303)

    async def inside(self, scope: Any, receive: Any, send: Any) -> None:
        """Show a page of one of the folders."""
        answer: ASGIApp
        request = Request(scope)
        root = scope.get("root_path", "")
        name, slash, _ = scope["path"].removeprefix(f"{root}/").partition("/")
        try:
            if not slash:
                answer = Redirect(f"{root}/{quote(name, safe='')}/", 307)
            else:
                answer = await run_in_threadpool(self._app, name)
                base = f"{root}/{quote(name, safe='')}"
                path = base + scope["path"][len(f"{root}/{name}") :]
                scope = {**scope, "root_path": base, "path": path, "foragers_top": "/"}
        except UsageError as error:
            answer = self.site.shown(request, "starting.html", 404, message=str(error))
        await answer(scope, receive, send)

    def _app(self, name: str) -> ASGIApp:
        """Return the pages of a folder, opened if it is not."""
        known = {path.name for path in self.folder.iterdir() if path.is_dir()}
        path = self.folder / name
        if name not in known or path.is_symlink() or name.startswith("."):
            raise UsageError(f"there is no folder {plain(unquote(name))} here")
        found = self._open.get(name)
        if found is not None and found[0].kind is kind_of(path):
            self._open.move_to_end(name)
            return found[1]
        if found is not None:
            self._open.pop(name)[0].close()
        try:
            part = part_of(self.site, path, self.private, self.settings)
        except UsageError as error:
            why = last_line(path / LOG)
            raise UsageError(f"It shows nothing yet. {why}" if why else str(error)) from error
        self._open[name] = part, pages_app(self.site, part)
        while len(self._open) > self.settings.sites:
            self._open.popitem(last=False)[1][0].close()
        return self._open[name][1]


def told_of(path: Path, kind: FolderKind) -> str:
    """Return what a folder has, or is doing, in a few words."""
    if kind is FolderKind.PAPERS:
        names = [name for name in PAPERS if is_paper(path / name)]
        return ", ".join(names)
    now = read_now(path)
    if now is None:
        return ""
    state = "running" if now.is_alive(time.time()) else "not running"
    if kind is FolderKind.WATCH:  # it has no end
        return f"{state}, {counted(now.downloads, 'request')}"
    return f"{state}, {now.downloads:,} of {now.budget:,} downloads"


def library_part(
    site: SiteFrame, folder: Path, private: Sequence[str], settings: ServeSettings
) -> FolderPages:
    """Return the pages of a library."""
    library = Library(site, folder, private, settings)
    return FolderPages(FolderKind.LIBRARY, library.routes(), (), library.close)
