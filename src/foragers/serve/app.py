"""The application: the pages of a folder, by what is in it.

A folder of a crawl, a watch, a comparison or reproduced papers has its own pages.  Any other folder
is a library: it lists the folders in it, and can start crawls.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from foragers.reports.crawl_folder import OPTIONS
from foragers.serve.crawl_data import CrawlData
from foragers.serve.folders import FolderKind, FolderPages, kind_of, pages_app, part_of
from foragers.serve.library import library_part
from foragers.serve.settings import ServeSettings
from foragers.serve.site import STATIC, SiteFrame
from foragers.storage.ledger.postgres import check_tables, connect, is_database


@dataclass
class FolderSite:
    """The application for one folder; `data` is that of its crawl, if it is one."""

    site: SiteFrame
    part: FolderPages

    @property
    def token(self) -> str:
        """What a POST must send along."""
        return self.site.token

    @property
    def data(self) -> CrawlData:
        """The crawl that is shown."""
        assert self.part.data is not None
        return self.part.data

    def app(self) -> ASGIApp:
        """Return the application."""
        return application(self.site, self.part, self.part.close)


def application(site: SiteFrame, part: FolderPages, close: Callable[[], None]) -> ASGIApp:
    """Return the whole application around the pages of a folder."""
    routes = [
        Route("/login", site.login, methods=["GET", "POST"]),
        Mount("/static", STATIC),
        Mount("/", pages_app(site, part)),
    ]
    return site.protected(Starlette(routes=routes, lifespan=closing_at_end(close)))


def closing_at_end(
    close: Callable[[], None],
) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    """Return what a server does around its life."""

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        close()

    return lifespan


def site_of(
    path: Path | str,
    password: str = "",
    private: Sequence[str] = (),
    settings: ServeSettings | None = None,
) -> FolderSite:
    """Return the site of a folder or a database, after a first look at it."""
    site, settings = SiteFrame(password), settings or ServeSettings()
    if isinstance(path, str) and is_database(path):
        return database_site(site, path, settings)
    place = Path(path)
    if kind_of(place) is FolderKind.LIBRARY and place.is_dir():
        return FolderSite(site, library_part(site, place, private, settings))
    return FolderSite(site, part_of(site, place, private, settings))


def database_site(site: SiteFrame, url: str, settings: ServeSettings) -> FolderSite:
    """Return the site of a ledger in a database: a folder that only names it."""
    with closing(connect(url)) as database:
        check_tables(database)
        row = database.execute("SELECT options FROM crawl").fetchone()
        told = msgspec.json.decode(row[0] or "{}", type=dict[str, Any])
    folder = tempfile.TemporaryDirectory(prefix="foragers-")
    place = Path(folder.name)
    (place / OPTIONS).write_bytes(msgspec.json.encode({**told, "ledger": url}))
    try:
        part = part_of(site, place, (), settings, can_act=False)
    except BaseException:
        folder.cleanup()
        raise
    before = part.close

    def close() -> None:
        before()
        folder.cleanup()

    part.close = close
    return FolderSite(site, part)
