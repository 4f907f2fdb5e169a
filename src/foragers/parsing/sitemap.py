"""Sitemaps and feeds: the pages that a site lists, with the time of their last change."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape
from itertools import chain, islice

import msgspec
import webencodings

from foragers.parsing.dates import first_date, read_date
from foragers.parsing.encoding import to_utf8
from foragers.parsing.xml_scan import MAX_TEXT, Element, decoded, elements, pattern
from foragers.urls.parse import resolve

MAX_BYTES = 50 << 20
"""The part of a file that is parsed, after decompression."""
MAX_URLS = 50_000
"""The largest number of URLs of one file, including repeated ones."""

_MAX_TAGS = 600_000
_MAX_BRACKETS = 5_000_000
_MAX_ITEM = 100
_MAX_MEMBERS = 1_000
_CHUNK = 1 << 12

# The most reliable sign of the last change comes first.
_FEED_DATES = (b"updated", b"modified", b"pubdate", b"date", b"published", b"issued")
# Images have a <loc> too, and translations a <link>; there may be very many on each page.
_TAGS = pattern(
    rb"(?<!image:)(?<!xhtml:)(?:urlset|url|sitemapindex|sitemap|loc|lastmod|publication_date"
    rb"|rss|feed|rdf|item|entry|link|guid|title|%b)" % b"|".join(_FEED_DATES)
)
_LINE = re.compile(rb"(?<![^\r\n])[^\r\n]{1,%d}+(?![^\r\n])" % MAX_TEXT)
_ABSOLUTE = re.compile(r"https?://", re.IGNORECASE)
_HTML_TAG = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
_DECLARED = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE)


class Listed(msgspec.Struct, frozen=True):
    """A URL in a list, its last change in POSIX seconds, and its title in a feed."""

    url: str
    lastmod: float | None = None
    title: str = ""


class Sitemap(msgspec.Struct, frozen=True):
    """The pages that a file lists, and the sitemaps it refers to, each once."""

    urls: tuple[Listed, ...] = ()
    children: tuple[Listed, ...] = ()


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """Parse a sitemap, an index of sitemaps or a feed, in XML or plain text, as far as possible."""
    text = _bounded(_utf8(_unzipped(body[:MAX_BYTES])))
    tags = elements(text, _TAGS, _MAX_TAGS)
    first = next(tags, None)
    if first is None:
        return _read_lines(text)
    is_feed = first.name in (b"rss", b"feed", b"rdf", b"item", b"entry")
    read = _read_feed if is_feed else _read_tags
    return read(chain([first], tags), url)


def _sitemap(urls: dict[str, float | None], children: dict[str, float | None]) -> Sitemap:
    return Sitemap(
        tuple(Listed(url, lastmod) for url, lastmod in urls.items()),
        tuple(Listed(url, lastmod) for url, lastmod in children.items()),
    )


def _read_lines(text: bytes) -> Sitemap:
    """Parse one URL per line."""
    lines = (decoded(match[0]).strip() for match in _LINE.finditer(text))
    written = (line for line in islice(lines, _MAX_TAGS) if _ABSOLUTE.match(line))
    urls = (_address(line) for line in islice(written, MAX_URLS) if len(line.split()) == 1)
    return _sitemap(dict.fromkeys(filter(None, urls)), {})


def _read_tags(tags: Iterable[Element], base: str) -> Sitemap:
    """Parse a sitemap or an index of sitemaps; a mixture of both is both."""
    listing = _Listing(base)
    for element in tags:
        listing.read(element)
        if listing.written == MAX_URLS:
            break
    return _sitemap(listing.pages, listing.children)


@dataclass(slots=True)
class _Listing:
    """The state of parsing a sitemap: the list that URLs belong to, and the URL of a date."""

    base: str
    pages: dict[str, float | None] = field(default_factory=dict)
    children: dict[str, float | None] = field(default_factory=dict)
    is_index: bool = False
    written: int = 0
    prefix: bytes | None = None
    last: str = ""
    early: str = ""

    def read(self, element: Element) -> None:
        """Parse one element."""
        name = element.name
        if name in (b"urlset", b"sitemapindex"):
            self._begin(name == b"sitemapindex")
        elif name == b"publication_date":
            self._date(element, is_sure=False)
        elif self.prefix is not None and element.prefix != self.prefix:
            # An extension of any kind.
            return
        elif name == b"lastmod":
            self._date(element, is_sure=True)
        elif name in (b"url", b"sitemap"):
            self.prefix = element.prefix
            self._begin(name == b"sitemap")
            # Some files have the URL directly here.
            self._add(element)
        elif name == b"loc":
            self._add(element)

    def _begin(self, is_index: bool) -> None:
        self.is_index, self.last, self.early = is_index, "", ""

    def _add(self, element: Element) -> None:
        text = element.text
        if text.startswith("/") or _ABSOLUTE.match(text):
            self.written += 1
            self.last = _address(text, self.base)
            if self.last:
                listed = self.children if self.is_index else self.pages
                listed.setdefault(self.last, read_date(self.early) if self.early else None)
                self.early = ""

    def _date(self, element: Element, is_sure: bool) -> None:
        """Set the date of the URL before it, or of the next one if there is none yet."""
        if not self.last:
            self.early = element.text
            return
        listed = self.children if self.is_index else self.pages
        if is_sure or listed[self.last] is None:
            seconds = read_date(element.text)
            listed[self.last] = seconds if seconds is not None else listed[self.last]


def _read_feed(tags: Iterable[Element], base: str) -> Sitemap:
    """Parse the entries of RSS or Atom."""
    urls: dict[str, Listed] = {}
    for item in islice(_items(tags), MAX_URLS):
        addresses = (_address(text, base) for text in _item_links(item))
        address = next(filter(None, addresses), None)
        if address and address not in urls:
            urls[address] = Listed(address, _item_date(item), _item_title(item))
    return Sitemap(tuple(urls.values()))


def _items(tags: Iterable[Element]) -> Iterator[list[Element]]:
    """Yield each entry of a feed together with the elements that follow it."""
    item: list[Element] = []
    for element in tags:
        if element.name in (b"item", b"entry"):
            if item:
                yield item
            item = [element]
        elif item and len(item) < _MAX_ITEM:
            item.append(element)
    if item:
        yield item


def _item_links(item: list[Element]) -> Iterator[str]:
    """Yield possible URLs of an entry, the best first."""
    prefix = item[0].prefix
    for element in item:
        if element.name == b"link" and element.prefix == prefix:
            href = element.attribute("href")
            if not href:
                yield element.text
            elif element.attribute("rel").lower() in ("", "alternate"):
                yield href
    for element in item:
        if element.name == b"guid" and _ABSOLUTE.match(element.text):
            yield element.text
    yield item[0].attribute("about")


def _item_title(item: list[Element]) -> str:
    """Return the title of an entry, without the HTML that it may contain."""
    prefix = item[0].prefix
    titles = (one.text for one in item if one.name == b"title" and one.prefix == prefix)
    text = unescape(_HTML_TAG.sub(" ", next(titles, "")))
    return " ".join(text.replace("\0", " ").split())


def _item_date(item: list[Element]) -> float | None:
    """Return the time of the last change of an entry."""
    ranked = sorted(
        (_FEED_DATES.index(element.name), at)
        for at, element in enumerate(item)
        if element.name in _FEED_DATES
    )
    return first_date(item[at].text for _, at in ranked)


def _address(text: str, base: str = "") -> str:
    """Return an absolute URL, or "" if it is no URL of the web."""
    try:
        url = resolve(text) if _ABSOLUTE.match(text) else resolve(text, base) if text else ""
    except ValueError:
        return ""
    return url if url.startswith(("http://", "https://")) else ""


def _unzipped(body: bytes) -> bytes:
    """Undo gzip, which may have been applied twice: to the file, and to the response."""
    for _ in range(2):
        if body.startswith(b"\x1f\x8b"):
            body = b"".join(_inflated(body))
    return body


def _inflated(body: bytes) -> Iterator[bytes]:
    """Yield the content of a gzip file, up to the limit or to where it is broken."""
    size = members = 0
    stream = zlib.decompressobj(wbits=31)
    for start in range(0, len(body), _CHUNK):
        chunk = body[start : start + _CHUNK]
        while chunk:
            try:
                part = stream.decompress(chunk, MAX_BYTES - size)
            except zlib.error:
                return
            yield part
            size += len(part)
            chunk = stream.unused_data
            if stream.eof:
                members += 1
                stream = zlib.decompressobj(wbits=31)
            if size == MAX_BYTES or members == _MAX_MEMBERS:
                return


def _bounded(text: bytes) -> bytes:
    """Cut a file that has more tags than any sitemap, since each takes time."""
    while (brackets := text.count(b"<")) > _MAX_BRACKETS:
        text = text[: len(text) * _MAX_BRACKETS // brackets]
    return text


def _utf8(body: bytes) -> bytes:
    """Return a file in UTF-8; a file without a declaration is unchanged."""
    if body.startswith((b"<\0", b"\0<")):
        name = "utf-16-le" if body[0] else "utf-16-be"
        return body.decode(name, "replace").encode()
    if body.startswith((b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")):
        return to_utf8(body)
    declared = _DECLARED.match(body[:512])
    encoding = declared and webencodings.lookup(declared[1].decode())
    if encoding and not encoding.name.startswith("utf"):
        return to_utf8(body, f"charset={encoding.name}")
    return body
