"""From the end of an errand to a page."""

from __future__ import annotations

import time

from msgspec.structs import replace

from foragers.core.links import hrefs_of
from foragers.core.types import Choice, Document, Ids, Links, Page, Purpose, Status
from foragers.fetching.extractor import Extracted, Fresh, PageExtractor
from foragers.fetching.history import CachedPage
from foragers.fetching.job import FetchJob
from foragers.fetching.sitemaps import ListSources, children_of, pages_of
from foragers.http.messages import Response, payload
from foragers.parsing.content_type import kind_of
from foragers.parsing.sitemap import MAX_URLS, read_sitemap
from foragers.urls.parse import is_address
from foragers.urls.table import UrlTable

MARKUP = (b"<!doctype html", b"<html")


def page_of(
    errand: FetchJob,
    harvest: Extracted,
    table: UrlTable,
    record: str,
    pause: float,
    retry_at: float | None = None,
) -> Page:
    """Return the page that an errand comes to, for now if it is to be tried again."""
    now, choice = time.time(), errand.choice
    try:
        final = table.intern(errand.url)
    except ValueError:
        final = choice.url
    harvest, targets, hosts = numbered(harvest, table)
    content = Fresh(harvest)
    return Page(
        choice,
        harvest.status,
        harvest.reason,
        final,
        now,
        harvest.born or now,
        harvest.version,
        Links(targets, hosts, table, content),
        content,
        pause,
        record,
        retry_at,
    )


def unchanged_page(
    choice: Choice, known: CachedPage, table: UrlTable, reason: str, record: str, pause: float
) -> Page:
    """Return a page that is still as it was, with the words and links that it had."""
    before = known.visit.page
    links = Links(before.links.targets, before.links.hosts, table, before.content)
    return Page(
        choice,
        Status.UNCHANGED,
        reason,
        before.final,
        time.time(),
        before.born,
        before.version,
        links,
        before.content,
        pause,
        record,
    )


def numbered(harvest: Extracted, table: UrlTable) -> tuple[Extracted, Ids, Ids]:
    """Number the links of a page, without those that are no addresses."""
    try:
        return harvest, *table.intern_many(hrefs_of(harvest.outlinks))
    except ValueError:
        sound = tuple(out for out in harvest.outlinks if is_address(out.href))
        harvest = replace(harvest, outlinks=sound)
    return harvest, *table.intern_many([out.href for out in sound])


def read(
    reply: Response, errand: FetchJob, asked: str, harvester: PageExtractor, lists: ListSources
) -> Extracted:
    """Read a page or a list; one that our own code cannot cope with must not end the crawl."""
    choice, known = errand.choice, errand.known
    try:
        if lists.takes(choice, kind_of(reply.header("Content-Type"))):
            return read_list(reply, errand, harvester, lists)
        since = known.seen if known is not None else None
        return harvester.harvest(reply, asked, errand.url, choice.depth, since)
    except Exception as error:
        return Extracted(Status.FAILED, f"cannot be read: {type(error).__name__}: {error}")


def read_list(
    reply: Response, errand: FetchJob, harvester: PageExtractor, lists: ListSources
) -> Extracted:
    """Return the links of a sitemap or feed."""
    choice = errand.choice
    name = (choice.purpose if choice.purpose.is_list else Purpose.FEED).value
    body = payload(reply, harvester.limits.unpacked)
    if body.lstrip()[:20].lower().startswith(MARKUP):
        return Extracted(Status.UNWANTED, f"a page, not a {name}")
    found = read_sitemap(body, errand.url)
    links = harvester.follow(pages_of(found), choice.depth + 1, MAX_URLS)
    if lists.sitemaps:
        links = (*children_of(found, harvester.scope), *links)
    etag, modified = reply.header("ETag"), reply.header("Last-Modified")
    return Extracted(
        Status.UNWANTED, name, Document(), links, etag=etag, modified=modified, born=reply.started
    )
