"""The texts of a crawl's pages, extracted from its WARC files when they are exported.

So a crawl pays nothing for them, and a crawl of last year profits from an extractor of this year.
A page without an archived response has the text of the ledger, which is one line of words.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from foragers.core.display import iso
from foragers.errors import UsageError
from foragers.parsing.content_type import HTML, XML, kind_of
from foragers.parsing.documents import document_text, is_document
from foragers.parsing.encoding import to_utf8
from foragers.parsing.language import UNKNOWN, Language, language_of
from foragers.parsing.main_text import render
from foragers.parsing.main_text.extract import MainText, blocks_of, extract
from foragers.parsing.main_text.repeats import DEFAULT_REPEATS, learned
from foragers.reports.crawl_folder import ARCHIVE, CrawlFolder
from foragers.storage.warc.playback import RecordedResponse, read_record

MAIN, TRAFILATURA, LEDGER = "main", "trafilatura", "ledger"
"""Where a text comes from: our extractor, trafilatura, or the ledger."""
SITES = """
SELECT host, count(*) FROM visits WHERE number <= ? AND record != '' {only} GROUP BY host
HAVING count(*) >= ?
"""
RECORDS = """
SELECT record FROM visits WHERE number <= ? AND host = ? AND record != '' {only} ORDER BY number
"""
"""The records of a site; every so manieth of them is sampled."""


@dataclass(frozen=True)
class CorpusText:
    """The text of a page, with its structure if it was extracted."""

    text: str
    source: str
    language: Language = UNKNOWN
    title: str = ""
    published: str | None = None
    main: MainText | None = field(default=None, repr=False)
    own_markdown: str | None = None

    def markdown(self) -> str:
        """Return the text as Markdown."""
        if self.own_markdown is not None:
            return self.own_markdown
        return self.text if self.main is None else self.main.markdown

    def chunks(self, most: int, markdown: bool) -> list[render.Chunk]:
        """Return the text in chunks of at most so many words."""
        if self.main is not None:
            return self.main.chunks(most, markdown=markdown)
        text = self.markdown() if markdown else self.text
        pieces = [render.Piece(part) for part in text.split("\n\n") if part.strip()]
        return render.chunks(pieces, most)


class PageTexts:
    """Gives the texts of a folder's pages, and learns what repeats on each site."""

    def __init__(self, folder: CrawlFolder, extractor: str = MAIN, only: str = "") -> None:
        self.folder, self.extractor, self.only = folder, extractor, only
        self._repeats: dict[int, frozenset[int]] | None = None
        self._date = date_finder() if extractor != LEDGER else None

    def of(self, row: sqlite3.Row, ledger_text: str, url: str) -> CorpusText:
        """Return the text of a page; `ledger_text` is what the ledger has."""
        response = self._response(row["record"]) if self.extractor != LEDGER else None
        declared = row["language"]
        if response is None:
            return CorpusText(ledger_text, LEDGER, language_of(ledger_text, declared))
        kind = kind_of(response.header("Content-Type"))
        if is_document(kind):
            document = document_text(response.body, kind)
            text = document.text or ledger_text
            return CorpusText(text, MAIN, language_of(text, declared), document.title)
        if kind and kind not in HTML and kind not in XML:
            text = to_utf8(response.body, response.header("Content-Type")).decode(
                "utf-8", "replace"
            )
            return CorpusText(text.strip(), MAIN, language_of(text, declared))
        found = self._extracted(response, row["host"], url)
        published = self._date(response.body, url) if self._date else None
        return CorpusText(
            found.text, found.source, language_of(found.text, declared), found.title,
            later(published, row["published"]), found.main, found.own_markdown,
        )  # fmt: skip

    def _extracted(self, response: RecordedResponse, host: int, url: str) -> CorpusText:
        """Extract the text of a page."""
        if self.extractor == TRAFILATURA:
            return by_trafilatura(response.body, url)
        content_type = response.header("Content-Type")
        main = extract(response.body, url, content_type, repeated=self._repeated(host))
        return CorpusText(main.text, MAIN, title=main.title, main=main)

    def _repeated(self, host: int) -> frozenset[int]:
        """Return the blocks that repeat on a site."""
        if self._repeats is None:
            least = DEFAULT_REPEATS.least_pages
            query = SITES.format(only=self.only)
            counted = self.folder.connection.execute(query, (self.folder.length, least))
            self._repeats = {site: frozenset() for site, _ in counted.fetchall()}
            self._learned = set[int]()
        if host in self._repeats and host not in self._learned:
            self._learned.add(host)
            self._repeats[host] = self._learn(host)
        return self._repeats.get(host, frozenset())

    def _learn(self, host: int) -> frozenset[int]:
        """Learn what repeats on a site from a sample of its pages."""
        query = RECORDS.format(only=self.only)
        rows = self.folder.connection.execute(query, (self.folder.length, host)).fetchall()
        step = max(1, len(rows) // DEFAULT_REPEATS.pages)
        responses = (self._response(row["record"]) for row in rows[::step][: DEFAULT_REPEATS.pages])
        return learned(
            blocks_of(response.body, response.header("Content-Type"))
            for response in responses
            if response is not None and kind_of(response.header("Content-Type")) in ("", *HTML)
        )

    def _response(self, record: str) -> RecordedResponse | None:
        """Return the archived response, or None if there is none that can be read."""
        # A name is data: it must not lead out of the folder.
        if not record or "/" in record or "\\" in record:
            return None
        with suppress(UsageError, OSError, ValueError, OverflowError):
            response = read_record(self.folder.path / ARCHIVE, record)
            return response if response.body else None
        return None


def check_extractor(name: str) -> None:
    """Raise a UsageError if an extractor is not installed."""
    if name == TRAFILATURA and find_spec("trafilatura") is None:
        raise UsageError("--text trafilatura needs trafilatura: pip install 'foragers[text]'")


def by_trafilatura(body: bytes, url: str) -> CorpusText:
    """Extract a page with trafilatura, which may fail on odd ones."""
    package = import_module("trafilatura")
    html = to_utf8(body).decode("utf-8", "replace")
    try:
        text = package.extract(html, url=url, include_comments=False) or ""
        markdown = package.extract(
            html, url=url, include_comments=False, output_format="markdown", include_links=True
        )
    except Exception:  # whatever it raises on a hostile page
        text = markdown = ""
    return CorpusText(text, TRAFILATURA, own_markdown=markdown or text)


def date_finder() -> Callable[[bytes, str], str | None] | None:
    """Return htmldate if it is installed: it finds more dates than pages declare."""
    if find_spec("htmldate") is None:
        return None
    package: Any = import_module("htmldate")

    def find(body: bytes, url: str) -> str | None:
        html = to_utf8(body).decode("utf-8", "replace")
        try:
            found = package.find_date(html, url=url, original_date=True, extensive_search=False)
        except Exception:  # whatever it raises on a hostile page
            return None
        return f"{found}T00:00:00.000Z" if found else None

    return find


def later(found: str | None, declared: float | None) -> str | None:
    """Return the publication date: what was found, with the time if the page declares it."""
    exact = iso(declared)
    return exact if exact and (found is None or exact[:10] == found[:10]) else found
