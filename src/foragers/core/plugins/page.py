"""A page with plain attributes, for users of the Python API and for judge functions."""

from __future__ import annotations

from functools import cached_property
from html import escape

from foragers.core.types import Document, Page, Status, Visit

SHOWN = 300
"""The number of characters of a text shown in a notebook."""


class FetchedPage:
    """A page that was requested, and its outcome.

    url, final_url      the URL that was requested, and the URL after redirects
    status, reason      how the download ended ("ok", "missing", …) and why
    title, text         the text of the page; also headings, language, published
    links               the URLs that the page links to
    relevance, relevant the verdict of the judge; None inside a judge
    warc                where the response is archived: "file#offset", or ""
    """

    def __init__(
        self, page: Page, relevance: float | None = None, relevant: bool | None = None
    ) -> None:
        self._page: Page | None = page
        self.relevance = relevance
        self.relevant = relevant
        self.status = str(page.status)
        self.reason = page.reason
        self.warc = page.record
        self.promise = page.choice.promise
        self.depth = page.choice.depth
        self.fetched_at = page.time

    @classmethod
    def of(cls, visit: Visit) -> FetchedPage:
        """Return the page of a visit, read now, so that it stays readable after the crawl."""
        found = cls(visit.page, visit.relevance, visit.relevant)
        _ = found.url, found.final_url, found.links, found.document
        found._page = None
        return found

    @property
    def _source(self) -> Page:
        assert self._page is not None
        return self._page

    @cached_property
    def url(self) -> str:
        """The URL that was requested."""
        return self._source.links.addresses.href(self._source.choice.url)

    @cached_property
    def final_url(self) -> str:
        """The URL after redirects."""
        return self._source.href

    @property
    def href(self) -> str:
        """The same as `final_url`."""
        return self.final_url

    @cached_property
    def links(self) -> tuple[str, ...]:
        """The URLs that the page links to, in the order of the page."""
        links = self._source.links
        return tuple(map(links.addresses.href, links.targets.tolist()))

    @cached_property
    def document(self) -> Document:
        """All texts of the page."""
        return self._source.document

    @property
    def title(self) -> str:
        """The title of the page."""
        return self.document.title

    @property
    def text(self) -> str:
        """The text of the page, without its title."""
        return self.document.text

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings of the page."""
        return self.document.headings

    @property
    def language(self) -> str:
        """The language that the page declares."""
        return self.document.language

    @property
    def published(self) -> float | None:
        """When the page says it was published, in seconds since 1970."""
        return self.document.published

    @property
    def ok(self) -> bool:
        """Whether the page was fetched and has content."""
        return self.status == Status.OK.value

    def __repr__(self) -> str:
        relevance = "" if self.relevance is None else f", relevance={self.relevance:.2f}"
        title = f", title={self.title!r}" if self.title else ""
        why = f", reason={self.reason!r}" if self.reason and not self.ok else ""
        return f"FetchedPage({self.url!r}, status={self.status!r}{relevance}{title}{why})"

    def _repr_html_(self) -> str:
        text = self.text[:SHOWN] + ("…" if len(self.text) > SHOWN else "")
        relevance = "" if self.relevance is None else f" · relevance {self.relevance:.2f}"
        told = f"{self.status}{relevance} · {len(self.links):,} links"
        return (
            f"<div><b>{escape(self.title or self.url)}</b><br><code>{escape(self.url)}</code><br>"
            f"{escape(told)} {escape(self.reason)}<br><small>{escape(text)}</small></div>"
        )
