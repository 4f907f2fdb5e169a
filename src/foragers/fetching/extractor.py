"""From the reply of a server to what a page says, which of its links count, and how old it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from hashlib import blake2b

import msgspec

from foragers.core.links import ParsedLink, ParsedLinks, hrefs_of
from foragers.core.types import Document, Status, Visit
from foragers.filters.link_filter import LinkFilter
from foragers.filters.scope import Scope
from foragers.filters.traps import TrapKind, Traps
from foragers.http.causes import SCOPE, TRAP
from foragers.http.messages import Limits, Response, payload
from foragers.parsing.content_coding import GZIP, uncompressed
from foragers.parsing.content_type import (
    HTML,
    XML,
    is_binary,
    is_page_in_xml,
    is_wanted,
    kind_of,
    opened,
)
from foragers.parsing.encoding import to_utf8
from foragers.parsing.html.head import parse_refresh
from foragers.parsing.html.hidden import HIDDEN
from foragers.parsing.html.parse import Parsed, parse
from foragers.parsing.robots_meta import Directives
from foragers.urls.parse import host_of, resolve, site_of

MAX_LINKS = 5000
"""How many links of one page are taken: beyond that it is a dump, or means harm."""
MAX_LETTERS = 8192
"""The longest address that is asked for: servers take no longer ones, nor do readers of WARC."""
NEAR, FEW_WORDS = 1, 20
"""How many links from a seed pages are taken for what they are, if they have few words too."""
NOARCHIVE = b"noarchive"
MAX_UNTOLD = 2
"""How often a body is unpacked that was compressed without a word."""
FIRST_PART = 10
"""Of a page that is too large when it is unpacked, this part of what may be is read."""
LIMITS = Limits()


class Extracted(msgspec.Struct, frozen=True):
    """What a reply came to."""

    status: Status
    reason: str = ""
    document: Document = Document()
    outlinks: Sequence[ParsedLink] = ()
    version: int = -1
    born: float = 0.0
    etag: str = ""
    modified: str = ""
    feeds: tuple[str, ...] = ()
    noarchive: bool = False

    def noted(self, note: str) -> Extracted:
        """Return it with one more thing in its reason, if there is one."""
        told = "; ".join(filter(None, (self.reason, note)))
        return msgspec.structs.replace(self, reason=told) if note else self


class Fresh:
    """The content of a page that has just been read."""

    __slots__ = ("_harvest",)

    def __init__(self, harvest: Extracted) -> None:
        self._harvest = harvest

    def document(self) -> Document:
        """Return what the page says."""
        return self._harvest.document

    def outlinks(self) -> Sequence[ParsedLink]:
        """Return the links that the crawl may follow."""
        return self._harvest.outlinks

    @property
    def etag(self) -> str:
        """The server's name for this version."""
        return self._harvest.etag

    @property
    def modified(self) -> str:
        """When this version was made, as the server wrote it."""
        return self._harvest.modified

    @property
    def noarchive(self) -> bool:
        """Whether no copy of the page may be kept."""
        return self._harvest.noarchive


@dataclass(slots=True)
class PageExtractor:
    """Reads replies as one crawl wants them read; links not `described` have their words alone."""

    agent: str
    scope: Scope
    traps: Traps | None
    limits: Limits = LIMITS
    described: bool = True
    allowed: LinkFilter = field(default_factory=LinkFilter, repr=False)

    def refuse(self, url: str, depth: int, hops: int, again: bool = False) -> str | None:
        """Return why an address is not to be asked for (`again`, if it was before), or None."""
        if len(url) > MAX_LETTERS:
            return f"{SCOPE}a URL of more than {MAX_LETTERS:,} characters"
        reason = self.scope.refuse(url, depth)
        if reason is not None:
            return SCOPE + reason
        if self.traps is not None and not hops and not again:
            reason = self.traps.refuse(url, near=depth <= NEAR, seed=depth <= 0)
        return None if reason is None else TRAP + reason

    def recall(self, visit: Visit, href: str) -> None:
        """Learn again from a visit in the ledger what a crawl that goes on must know."""
        if self.traps is not None and visit.page.status is Status.OK:
            document, links = visit.page.document, [link.href for link in visit.links]
            hidden = hidden_in(links, visit.links.outlinks.rels, href)
            self.traps.learn(href, document.text, links, href, document.title, hidden=hidden)

    def harvest(
        self, reply: Response, asked: str, final: str, depth: int, since: float | None = None
    ) -> Extracted:
        """Return what a reply with a page in it comes to; `since` is when it was last received."""
        content_type, most = reply.header("Content-Type"), self.limits.unpacked
        if reply.cut or not is_wanted(content_type):
            return Extracted(Status.UNWANTED, f"content type {kind_of(content_type)}")
        body = payload(reply, most + 1)
        for _ in range(MAX_UNTOLD):
            # Compressed once more than is told, or without a word.
            body = uncompressed(body, "gzip", most + 1) if body.startswith(GZIP) else body
        too_large, note = (
            Extracted(Status.FAILED, f"too large: more than {most:,} bytes unpacked"),
            "",
        )
        if len(body) > most:
            body = body[: most // FIRST_PART]
            note = f"cut: the first {len(body):,} of more than {most:,} bytes unpacked"
        if note and is_binary(body, content_type):
            return too_large
        if is_binary(body, content_type):
            kind = kind_of(content_type) or "text"
            return Extracted(Status.UNWANTED, f"binary data that is said to be {kind}")
        if kind_of(content_type) in XML and not is_page_in_xml(body):
            return Extracted(Status.UNWANTED, f"content type {kind_of(content_type)}")
        parsed = self.read(body, final, content_type)
        document = parsed.document
        if note and not (document.text or parsed.links):
            return too_large
        asks = Directives.parse([parsed.robots, *reply.all("X-Robots-Tag")], self.agent)
        shown = () if asks.nofollow else refreshed(reply, final, parsed.links)
        followed = self.follow(shown, depth + 1)
        status, reason, links = self.verdict(asked, final, document, followed, since is not None)
        if status is Status.UNWANTED and depth <= NEAR and is_brief(document):
            status, reason, links = Status.OK, "", followed
        if asks.not_to_be_kept(reply.started):
            reason = "noindex" if status is Status.OK else reason
            return Extracted(Status.UNWANTED, reason, Document(), links)
        version = version_of(final, document, links) if status is Status.OK else -1
        appeared = born(reply, document, since or 0.0)
        etag, modified = reply.header("ETag"), reply.header("Last-Modified")
        feeds = () if asks.nofollow else parsed.feeds
        found = Extracted(
            status, reason, document, links, version, appeared, etag, modified, feeds,
            asks.noarchive,
        )  # fmt: skip
        return found.noted(note)

    def forbids_copy(self, reply: Response) -> bool:
        """Say whether a page asks that no copy of it be kept (noarchive)."""
        headers = reply.all("X-Robots-Tag")
        if Directives.parse(headers, self.agent).noarchive:
            return True
        body = payload(reply, self.limits.unpacked) if reply.body else b""
        if NOARCHIVE not in body.lower():
            return False
        kind = reply.header("Content-Type")
        robots = self.read(body, reply.request.url, kind).robots if is_wanted(kind) else ""
        return Directives.parse([robots], self.agent).noarchive

    def read(self, body: bytes, url: str, content_type: str) -> Parsed:
        """Return what a body says, its links, and what its meta elements ask of robots."""
        kind = kind_of(content_type)
        if kind.endswith("xml"):
            body = opened(body)
        if kind in HTML or kind in XML or (not kind and body.lstrip()[:1] == b"<"):
            return parse(body, url, content_type, described=self.described)
        text = to_utf8(body, content_type).decode("utf-8", "replace")
        return Parsed(Document(text=" ".join(text.split())))

    def follow(
        self, outlinks: Sequence[ParsedLink], depth: int, most: int = MAX_LINKS
    ) -> Sequence[ParsedLink]:
        """Return the links that the crawl may follow, without session ids and the like."""
        links = ParsedLinks.of(outlinks)
        hrefs = self.allowed.many(links.hrefs, self.scope, depth, self.traps is not None)
        if "" not in hrefs and len(hrefs) <= most:
            return links.chosen(range(len(hrefs)), hrefs)
        places = [place for place, href in enumerate(hrefs) if href][:most]
        return links.chosen(places, [hrefs[place] for place in places])

    def verdict(
        self, asked: str, final: str, document: Document, links: Sequence[ParsedLink], again: bool
    ) -> tuple[Status, str, Sequence[ParsedLink]]:
        """Say whether a page is one of its own, or a copy, or an error page in disguise.

        One that is fetched `again` was a page of its own before, and may become like another.
        """
        if self.traps is None:
            return Status.OK, "", links
        found = self.traps.learn(
            asked,
            document.text,
            hrefs_of(links),
            final,
            document.title,
            again,
            lambda: [out.anchor for out in links],
            hidden_in(hrefs_of(links), ParsedLinks.of(links).rels, final),
        )
        if found.kind is TrapKind.EXACT and not again:
            # Its links may lead elsewhere: the same contents of two versions of a manual.
            return Status.UNWANTED, f"copy of {found.of or 'a page before'}", links
        if found.kind is TrapKind.SOFT_404:
            return Status.MISSING, "error page with status 200", ()
        return Status.OK, "", links


def refreshed(reply: Response, url: str, links: Sequence[ParsedLink]) -> Sequence[ParsedLink]:
    """Return the links of a page, and that of its Refresh header if it has one."""
    header = reply.header("Refresh")
    found = parse_refresh(header) if header else None
    if found is None or not found[1]:
        return links
    try:
        return (*links, ParsedLink(resolve(found[1], url), rel="refresh", position=len(links)))
    except ValueError:
        return links


def hidden_in(hrefs: Sequence[str], rels: Sequence[str], url: str) -> set[str]:
    """Return the links of a page that are hidden from readers, or not meant for robots.

    The latter only on the same site: links to others are marked so on honest pages too.
    """
    hidden, site = set(), ""
    for href, rel in zip(hrefs, rels, strict=True) if any(rels) else ():
        asked = rel.split()
        if HIDDEN in asked:
            hidden.add(href)
        elif "nofollow" in asked:
            site = site or site_of(host_of(url))
            if site_of(host_of(href)) == site:
                hidden.add(href)
    return hidden


def is_brief(document: Document) -> bool:
    """Say whether a page has so few words that others may have the same by chance."""
    return document.text.count(" ") < FEW_WORDS


def version_of(final: str, document: Document, links: Sequence[ParsedLink]) -> int:
    """Return a number for what a page says: markup that differs each time makes no new version."""
    digest = blake2b(f"{final}\n{document.title}\n".encode("utf-8", "replace"), digest_size=8)
    digest.update(document.text.encode("utf-8", "replace"))
    digest.update("\n".join(hrefs_of(links)).encode("utf-8", "replace"))
    return int.from_bytes(digest.digest()) >> 1


CLOCKS_AGREE = 86_400.0
"""A server's clock may be off by so much before its own time is taken for its pages."""


def born(reply: Response, document: Document, since: float = 0.0) -> float:
    """Return when this version appeared, as far as can be told.

    Not after it was seen, and not before another version was, which was `since`.  Of a server
    whose clock is more than a day off, times are taken by its own clock.
    """
    now = moment(reply, "Date")
    off = 0.0 if now is None else reply.started - now
    if abs(off) <= CLOCKS_AGREE:
        off = 0.0
    for told in (moment(reply, "Last-Modified"), document.published):
        if told is not None and since < told + off <= reply.started:
            return told + off
    return reply.started


def moment(reply: Response, header: str) -> float | None:
    """Return the time that a header tells, if it does."""
    try:
        return parsedate_to_datetime(reply.header(header)).timestamp()
    except (ValueError, OverflowError, TypeError):
        return None
