"""Pages from finished jobs."""

from __future__ import annotations

import time

import numpy as np
from msgspec.structs import replace

from foragers.core.links import hrefs_of
from foragers.core.types import Choice, Document, Ids, Links, Page, Purpose, Status
from foragers.fetching.extractor import Extracted, PageExtractor
from foragers.fetching.history import CachedPage
from foragers.fetching.job import FetchJob
from foragers.fetching.sitemaps import ListSources
from foragers.http.messages import Response, payload
from foragers.parsing.content_type import kind_of
from foragers.parsing.sitemap import MAX_URLS, read_sitemap
from foragers.urls.parse import is_address
from foragers.urls.table import UrlTable

MARKUP = (b"<!doctype html", b"<html")


def page_of(
    job: FetchJob,
    extracted: Extracted,
    table: UrlTable,
    record: str,
    pause: float,
    retry_at: float | None = None,
) -> Page:
    """Return the page of a job; `retry_at` if it is deferred."""
    now, choice = time.time(), job.choice
    try:
        final = table.intern(job.url)
    except ValueError:
        final = choice.url
    extracted, targets, hosts = numbered(extracted, table)

    return Page(
        choice,
        extracted.status,
        extracted.reason,
        final,
        now,
        extracted.born or now,
        extracted.version,
        Links(targets, hosts, table, extracted),
        extracted,
        pause,
        record,
        retry_at,
    )


def unchanged_page(
    choice: Choice, cached: CachedPage, table: UrlTable, reason: str, record: str, pause: float
) -> Page:
    """Return a page that has not changed, with its earlier text and links."""
    before = cached.visit.page
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


def numbered(extracted: Extracted, table: UrlTable) -> tuple[Extracted, Ids, Ids]:
    """Return the content of a page with the ids of its links and their hosts, valid URLs only."""
    if not extracted.links:
        return extracted, np.empty(0, np.int32), np.empty(0, np.int32)
    try:
        return extracted, *table.intern_many(hrefs_of(extracted.links))
    except ValueError:
        valid = tuple(out for out in extracted.links if is_address(out.href))
        extracted = replace(extracted, links=valid, packed=None)
    return extracted, *table.intern_many([out.href for out in valid])


def extract(
    response: Response, job: FetchJob, requested: str, extractor: PageExtractor, lists: ListSources
) -> Extracted:
    """Extract a page or a list; a fault of our own code must not end the crawl."""
    choice, cached = job.choice, job.cached
    try:
        if lists.takes(choice, kind_of(response.header("Content-Type"))):
            return extract_list(response, job, extractor, lists)
        since = cached.seen if cached is not None else None
        return extractor.extract(response, requested, job.url, choice.depth, since)
    except Exception as error:
        return Extracted(Status.FAILED, f"cannot be read: {type(error).__name__}: {error}")


def extract_list(
    response: Response, job: FetchJob, extractor: PageExtractor, lists: ListSources
) -> Extracted:
    """Return the links of a sitemap or feed."""
    choice = job.choice
    name = (choice.purpose if choice.purpose.is_list else Purpose.FEED).value
    body = payload(response, extractor.limits.unpacked)
    if body.lstrip()[:20].lower().startswith(MARKUP):
        return Extracted(Status.UNWANTED, f"a page, not a {name}")
    sitemap = read_sitemap(body, job.url)
    lists.note_hub(choice, body, job.url, response.all("Link"))
    links = extractor.follow(lists.pages_of(sitemap), choice.depth + 1, MAX_URLS)
    if lists.sitemaps or lists.named:
        links = (*lists.children_of(sitemap, extractor.scope), *links)
    etag, modified = response.header("ETag"), response.header("Last-Modified")
    return Extracted(
        Status.UNWANTED,
        name,
        Document(),
        links,
        etag=etag,
        modified=modified,
        born=response.started,
    )
