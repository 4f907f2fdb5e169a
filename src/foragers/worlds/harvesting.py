"""From the reply of a server to what a page says, which of its links count, and how old it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from hashlib import blake2b

import msgspec

from foragers.fetch.reply import Limits, Reply
from foragers.outlinks import Outlink, Outlinks, hrefs_of
from foragers.pages.coding import decoded
from foragers.pages.directives import Directives
from foragers.pages.encoding import to_utf8
from foragers.pages.html import Parsed, parse
from foragers.pages.refresh import parse_refresh
from foragers.scope import Scope
from foragers.traps import Kind, Traps, canonical
from foragers.types import Document, Status, Visit
from foragers.urls import resolve

HTML = ("text/html", "application/xhtml+xml")
TEXT = ("text/plain",)
UNKNOWN = ("*/*", "unknown/unknown", "application/unknown")
BINARY = (
    b"\x89PNG\r", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"%PDF-", b"PK\x03\x04", b"\x1f\x8b",
    b"\x7fELF", b"MZ\x90", b"\0\0\0", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf", b"Rar!", b"ID3", b"OggS",
)  # fmt: skip
"""How files begin that are not text, whatever their type is said to be."""
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
MAX_NULLS = 0.01
"""Text has no null bytes; this share of them is forgiven."""
MAX_LINKS = 5000
"""How many links of one page are taken: beyond that it is a dump, or means harm."""


LIMITS = Limits()


def kind_of(content_type: str) -> str:
    """Return a content type without its parameters; nothing if it says nothing."""
    kind = content_type.partition(";")[0].partition(",")[0].strip().lower()
    return kind if "/" in kind and kind not in UNKNOWN else ""


def is_wanted(content_type: str) -> bool:
    """Say whether a content type is worth reading to the end."""
    kind = kind_of(content_type)
    return not kind or kind in HTML or kind in TEXT


def is_binary(body: bytes, content_type: str) -> bool:
    """Say whether a body that is said to be text is none."""
    if body.startswith(BINARY):
        return True
    head = body[:4096]
    if body.startswith(UTF_16) or "utf-16" in content_type.lower():
        return False
    return head.count(b"\0") > MAX_NULLS * len(head)


class Harvest(msgspec.Struct, frozen=True):
    """What a reply came to."""

    status: Status
    reason: str = ""
    document: Document = Document()
    outlinks: Sequence[Outlink] = ()
    version: int = -1
    born: float = 0.0
    etag: str = ""
    modified: str = ""
    feeds: tuple[str, ...] = ()

    def noted(self, note: str) -> Harvest:
        """Return it with one more thing in its reason, if there is one."""
        told = "; ".join(filter(None, (self.reason, note)))
        return msgspec.structs.replace(self, reason=told) if note else self


class Fresh:
    """The content of a page that has just been read."""

    __slots__ = ("_harvest",)

    def __init__(self, harvest: Harvest) -> None:
        self._harvest = harvest

    def document(self) -> Document:
        """Return what the page says."""
        return self._harvest.document

    def outlinks(self) -> Sequence[Outlink]:
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


@dataclass(slots=True)
class Harvester:
    """Reads replies as one crawl wants them read; links not `described` have their words alone."""

    agent: str
    scope: Scope
    traps: Traps | None
    limits: Limits = LIMITS
    described: bool = True

    def refuse(self, url: str, depth: int, hops: int, again: bool = False) -> str | None:
        """Return why an address is not to be asked for (`again`, if it was before), or None."""
        reason = self.scope.refuse(url, depth)
        if reason is None and self.traps is not None and not hops and not again:
            reason = self.traps.refuse(url)
        return reason

    def recall(self, visit: Visit, href: str) -> None:
        """Learn again from a visit in the ledger what a crawl that goes on must know."""
        if self.traps is not None and visit.page.status is Status.OK:
            document, links = visit.page.document, [link.href for link in visit.links]
            self.traps.learn(href, document.text, links, href, document.title)

    def harvest(
        self, reply: Reply, asked: str, final: str, depth: int, since: float | None = None
    ) -> Harvest:
        """Return what a reply with a page in it comes to; `since` is when it was last received."""
        content_type, most = reply.header("Content-Type"), self.limits.unpacked
        if reply.cut or not is_wanted(content_type):
            return Harvest(Status.UNWANTED, f"content type {kind_of(content_type)}")
        body = payload(reply, most + 1)
        if len(body) > most:
            return Harvest(Status.FAILED, f"too large: more than {most:,} bytes unpacked")
        if is_binary(body, content_type):
            kind = kind_of(content_type) or "text"
            return Harvest(Status.UNWANTED, f"binary data that is said to be {kind}")
        parsed = self.read(body, final, content_type)
        document = parsed.document
        asks = Directives.parse([parsed.robots, *reply.all("X-Robots-Tag")], self.agent)
        links = (
            () if asks.nofollow else self.follow(refreshed(reply, final, parsed.links), depth + 1)
        )
        status, reason, links = self.verdict(asked, final, document, links, since is not None)
        if asks.noindex and status is Status.OK:
            return Harvest(Status.UNWANTED, "noindex", Document(), links)
        version = version_of(final, document, links) if status is Status.OK else -1
        appeared = born(reply, document, since or 0.0)
        etag, modified = reply.header("ETag"), reply.header("Last-Modified")
        feeds = () if asks.nofollow else parsed.feeds
        return Harvest(status, reason, document, links, version, appeared, etag, modified, feeds)

    def read(self, body: bytes, url: str, content_type: str) -> Parsed:
        """Return what a body says, its links, and what its meta elements ask of robots."""
        kind = kind_of(content_type)
        if kind in HTML or (not kind and body.lstrip()[:1] == b"<"):
            return parse(body, url, content_type, described=self.described)
        text = to_utf8(body, content_type).decode("utf-8", "replace")
        return Parsed(Document(text=" ".join(text.split())))

    def follow(
        self, outlinks: Sequence[Outlink], depth: int, most: int = MAX_LINKS
    ) -> Sequence[Outlink]:
        """Return the links that the crawl may follow, without session ids and the like."""
        links, refuse = Outlinks.of(outlinks), self.scope.refuse
        written = links.hrefs
        hrefs = list(map(canonical, written)) if self.traps is not None else written
        # A page links to the same places again and again.
        allowed = {href for href in set(hrefs) if refuse(href, depth) is None}
        places = [place for place, href in enumerate(hrefs) if href in allowed][:most]
        return links.chosen(places, [hrefs[place] for place in places])

    def verdict(
        self, asked: str, final: str, document: Document, links: Sequence[Outlink], again: bool
    ) -> tuple[Status, str, Sequence[Outlink]]:
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
        )
        if found.kind is Kind.EXACT and not again:
            return Status.UNWANTED, f"copy of {found.of or 'a page before'}", ()
        if found.kind is Kind.SOFT_404:
            return Status.MISSING, "error page with status 200", ()
        return Status.OK, "", links


def refreshed(reply: Reply, url: str, links: Sequence[Outlink]) -> Sequence[Outlink]:
    """Return the links of a page, and that of its Refresh header if it has one."""
    header = reply.header("Refresh")
    found = parse_refresh(header) if header else None
    if found is None or not found[1]:
        return links
    try:
        return (*links, Outlink(resolve(found[1], url), rel="refresh", position=len(links)))
    except ValueError:
        return links


def payload(reply: Reply, limit: int) -> bytes:
    """Return the body of a reply without its codings, up to a limit."""
    transfer = ",".join(reply.all("Transfer-Encoding"))
    content = ",".join(reply.all("Content-Encoding"))
    return decoded(reply.body, transfer, content, limit) if transfer or content else reply.body


def version_of(final: str, document: Document, links: Sequence[Outlink]) -> int:
    """Return a number for what a page says: markup that differs each time makes no new version."""
    digest = blake2b(f"{final}\n{document.title}\n".encode("utf-8", "replace"), digest_size=8)
    digest.update(document.text.encode("utf-8", "replace"))
    digest.update("\n".join(hrefs_of(links)).encode("utf-8", "replace"))
    return int.from_bytes(digest.digest()) >> 1


def born(reply: Reply, document: Document, since: float = 0.0) -> float:
    """Return when this version appeared, as far as can be told.

    Not after it was seen, and not before another version was, which was `since`.
    """
    try:
        modified = parsedate_to_datetime(reply.header("Last-Modified")).timestamp()
    except (ValueError, OverflowError, TypeError):
        modified = None
    for moment in (modified, document.published):
        if moment is not None and since < moment <= reply.started:
            return moment
    return reply.started
