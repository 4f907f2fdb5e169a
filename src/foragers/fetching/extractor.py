"""Extraction: from a response to the page's text, the links to follow, and its age."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import lru_cache
from hashlib import blake2b

import msgspec

from foragers.core.content import PackedContent
from foragers.core.links import ParsedLink, ParsedLinks, hrefs_of
from foragers.core.types import Document, Status, Visit
from foragers.fetching.settings import DEFAULT_FETCHING, ExtractionSettings
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
from foragers.parsing.documents import document_text, type_of
from foragers.parsing.encoding import to_utf8
from foragers.parsing.html.head import parse_refresh
from foragers.parsing.html.hidden import HIDDEN
from foragers.parsing.html.parse import Parsed, parse
from foragers.parsing.robots_meta import Directives
from foragers.urls.parse import host_of, resolve, site_of

NOARCHIVE = b"noarchive"
LIMITS = Limits()


class Extracted(msgspec.Struct, frozen=True):
    """The content extracted from a response, and the status of the download."""

    status: Status
    reason: str = ""
    text: Document = Document()
    links: Sequence[ParsedLink] = ()
    version: int = -1
    born: float = 0.0
    etag: str = ""
    modified: str = ""
    feeds: tuple[str, ...] = ()
    noarchive: bool = False
    packed: PackedContent | None = None
    """The same, if it was packed by the machine that extracted it."""

    def noted(self, note: str) -> Extracted:
        """Return it with a note added to its reason, if there is one."""
        if not note:
            return self
        reason = f"{self.reason}; {note}" if self.reason else note
        return msgspec.structs.replace(self, reason=reason)

    def document(self) -> Document:
        """Return the text of the page."""
        return self.text

    def outlinks(self) -> Sequence[ParsedLink]:
        """Return the links that the crawl may follow."""
        return self.links


@dataclass(slots=True)
class PageExtractor:
    """Extracts the pages of one crawl; links that are not `described` have only their text."""

    agent: str
    scope: Scope
    traps: Traps | None
    limits: Limits = LIMITS
    described: bool = True
    settings: ExtractionSettings = DEFAULT_FETCHING.extraction
    documents: frozenset[str] = frozenset()
    link_filter: LinkFilter = field(default_factory=LinkFilter, repr=False)
    _unpacked: tuple[Response | None, bytes] = field(default=(None, b""), repr=False)

    def refuse(self, url: str, depth: int, hops: int, again: bool = False) -> str | None:
        """Return why a URL is not to be requested (`again`, if it was before), or None."""
        if len(url) > self.settings.max_url_chars:
            return f"{SCOPE}a URL of more than {self.settings.max_url_chars:,} characters"
        reason = self.scope.refuse(url, depth)
        if reason is not None:
            return SCOPE + reason
        if self.traps is not None and not hops and not again:
            near = depth <= self.settings.near_seed
            reason = self.traps.refuse(url, near=near, seed=depth <= 0)
        return None if reason is None else TRAP + reason

    def restore(self, visit: Visit, href: str) -> None:
        """Let the trap detector learn from a visit in the ledger of a crawl that is resumed."""
        if self.traps is not None and visit.page.status is Status.OK:
            document, links = visit.page.document, [link.href for link in visit.links]
            hidden = hidden_in(links, visit.links.outlinks.rels, href)
            self.traps.learn(href, document.text, links, href, document.title, hidden=hidden)

    def extract(
        self, response: Response, requested: str, final: str, depth: int, since: float | None = None
    ) -> Extracted:
        """Extract a page from a response; `since` is when it was last received."""
        content_type, most = response.header("Content-Type"), self.limits.unpacked
        if self.documents and (kind := type_of(content_type, final)) in self.documents:
            return self.document(response, final, kind)
        if response.cut or not is_wanted(content_type):
            return Extracted(Status.UNWANTED, f"content type {kind_of(content_type)}")
        body = self.payload(response)
        for _ in range(self.settings.max_gzip):
            # Compressed without a header that says so.
            body = uncompressed(body, "gzip", most + 1) if body.startswith(GZIP) else body
        note = ""
        if len(body) > most:
            body = body[: most // self.settings.first_part]
            note = f"cut: the first {len(body):,} of more than {most:,} bytes unpacked"
            if is_binary(body, content_type):
                return self._too_large()
        if is_binary(body, content_type):
            kind = kind_of(content_type) or "text"
            return Extracted(Status.UNWANTED, f"binary data that is said to be {kind}")
        if kind_of(content_type) in XML and not is_page_in_xml(body):
            return Extracted(Status.UNWANTED, f"content type {kind_of(content_type)}")
        parsed = self.read(body, final, content_type)
        document = parsed.document
        if note and not (document.text or parsed.links):
            return self._too_large()
        directives = Directives.parse([parsed.robots, *response.all("X-Robots-Tag")], self.agent)
        shown = () if directives.nofollow else refreshed(response, final, parsed.links)
        followed = self.follow(shown, depth + 1)
        again = since is not None
        status, reason, links = self._verdict(requested, final, document, followed, again)
        if status is Status.UNWANTED and depth <= self.settings.near_seed:
            is_short = document.text.count(" ") < self.settings.short_page
            if is_short:  # other pages may have the same few words by chance
                status, reason, links = Status.OK, "", followed
        if directives.not_to_be_kept(response.started):
            reason = "noindex" if status is Status.OK else reason
            return Extracted(Status.UNWANTED, reason, Document(), links)
        version = version_of(final, document, links) if status is Status.OK else -1
        appeared = born(response, document, since or 0.0, self.settings.clock_tolerance)
        etag, modified = response.header("ETag"), response.header("Last-Modified")
        feeds = () if directives.nofollow else parsed.feeds
        extracted = Extracted(
            status, reason, document, links, version, appeared, etag, modified, feeds,
            directives.noarchive,
        )  # fmt: skip
        return extracted.noted(note)

    def _too_large(self) -> Extracted:
        """Return a page of which nothing can be read within the limit."""
        most = self.limits.unpacked
        return Extracted(Status.FAILED, f"too large: more than {most:,} bytes unpacked")

    def document(self, response: Response, final: str, kind: str) -> Extracted:
        """Return a document that is no web page, with its text if it can be read."""
        if response.cut:
            return Extracted(Status.FAILED, f"too large: a {kind} file that was cut off")
        directives = Directives.parse(response.all("X-Robots-Tag"), self.agent)
        if directives.not_to_be_kept(response.started):
            return Extracted(Status.UNWANTED, "noindex")
        body = payload(response, self.limits.unpacked)
        found = document_text(body, response.header("Content-Type"), final)
        title = found.title or final.partition("?")[0].rpartition("/")[2]
        document = Document(title=title, text=" ".join(found.text.split()), kind=kind)
        version = version_of(final, document, ()) if found.text else version_of_bytes(final, body)
        appeared = born(response, document, 0.0, self.settings.clock_tolerance)
        return Extracted(
            Status.OK, "", document, (), version, appeared, response.header("ETag"),
            response.header("Last-Modified"), (), directives.noarchive,
        )  # fmt: skip

    def settled(
        self, found: Extracted, requested: str, final: str, depth: int, again: bool
    ) -> Extracted:
        """Return what the trap detector makes of a page that was extracted without one."""
        if found.status is not Status.OK:
            return found
        status, reason, links = self._verdict(requested, final, found.text, found.links, again)
        if status is Status.OK:
            return found
        if status is Status.UNWANTED and depth <= self.settings.near_seed:
            is_short = found.text.text.count(" ") < self.settings.short_page
            if is_short:  # as in `extract`
                return found
        packed = found.packed if links is found.links else None
        settled = msgspec.structs.replace(
            found, status=status, links=links, version=-1, packed=packed
        )
        return settled.noted(reason)

    def forbids_copy(self, response: Response) -> bool:
        """Return whether a page forbids copies of it (noarchive)."""
        headers = response.all("X-Robots-Tag")
        if headers and Directives.parse(headers, self.agent).noarchive:
            return True
        body = self.payload(response)
        if NOARCHIVE not in body.lower():
            return False
        kind = response.header("Content-Type")
        robots = self.read(body, response.request.url, kind).robots if is_wanted(kind) else ""
        return Directives.parse([robots], self.agent).noarchive

    def payload(self, response: Response) -> bytes:
        """Return the body of a response without its codings, up to the limit and a byte more.

        It is needed twice in a row: to see whether it may be archived, and to extract the page.
        """
        last, body = self._unpacked
        if response is not last:
            body = payload(response, self.limits.unpacked + 1) if response.body else b""
            self._unpacked = response, body
        return body

    def read(self, body: bytes, url: str, content_type: str) -> Parsed:
        """Return the text of a body, its links, and its robots meta elements."""
        kind = kind_of(content_type)
        if kind.endswith("xml"):
            body = opened(body)
        if kind in HTML or kind in XML or (not kind and body.lstrip()[:1] == b"<"):
            return parse(body, url, content_type, described=self.described)
        text = to_utf8(body, content_type).decode("utf-8", "replace")
        return Parsed(Document(text=" ".join(text.split())))

    def follow(
        self, outlinks: Sequence[ParsedLink], depth: int, most: int | None = None
    ) -> Sequence[ParsedLink]:
        """Return the links that the crawl may follow, without session ids."""
        links, most = ParsedLinks.of(outlinks), most or self.settings.max_links
        hrefs = self.link_filter.many(links.hrefs, self.scope, depth, self.traps is not None)
        if "" not in hrefs and len(hrefs) <= most:
            return links.chosen(range(len(hrefs)), hrefs)
        kept = [i for i, href in enumerate(hrefs) if href][:most]
        return links.chosen(kept, [hrefs[i] for i in kept])

    def _verdict(
        self,
        requested: str,
        final: str,
        document: Document,
        links: Sequence[ParsedLink],
        again: bool,
    ) -> tuple[Status, str, Sequence[ParsedLink]]:
        """Return whether a page is new, a copy, or an error page with status 200.

        A page that is fetched `again` was new before, and may become a copy of another.
        """
        if self.traps is None:
            return Status.OK, "", links
        verdict = self.traps.learn(
            requested,
            document.text,
            hrefs_of(links),
            final,
            document.title,
            again,
            lambda: [out.anchor for out in links],
            hidden_in(hrefs_of(links), ParsedLinks.of(links).rels, final),
        )
        if verdict.kind is TrapKind.EXACT and not again:
            # Its links may lead elsewhere: two versions of a manual have equal contents.
            return Status.UNWANTED, f"copy of {verdict.of or 'a page before'}", links
        if verdict.kind is TrapKind.SOFT_404:
            return Status.MISSING, "error page with status 200", ()
        return Status.OK, "", links


def refreshed(response: Response, url: str, links: Sequence[ParsedLink]) -> Sequence[ParsedLink]:
    """Return the links of a page and of its Refresh header, if it has one."""
    header = response.header("Refresh")
    refresh = parse_refresh(header) if header else None
    if refresh is None or not refresh[1]:
        return links
    try:
        return (*links, ParsedLink(resolve(refresh[1], url), rel="refresh", position=len(links)))
    except ValueError:
        return links


def hidden_in(hrefs: Sequence[str], rels: Sequence[str], url: str) -> set[str]:
    """Return the links of a page that are hidden from readers, or marked `nofollow`.

    The latter only on the same site: links to other sites are marked so on honest pages too.
    """
    # Few relations stand at many links.
    relations = {rel: rel.split() for rel in set(rels)}
    unseen = {rel for rel, words in relations.items() if HIDDEN in words}
    marked = {rel for rel, words in relations.items() if "nofollow" in words} - unseen
    if not unseen and not marked:
        return set()
    site = site_of(host_of(url)) if marked else ""
    return {
        href
        for href, rel in zip(hrefs, rels, strict=True)
        if rel in unseen or (rel in marked and site_of(host_of(href)) == site)
    }


def version_of(final: str, document: Document, links: Sequence[ParsedLink]) -> int:
    """Return the version of a page, from its text and links: new markup makes no new version."""
    digest = blake2b(f"{final}\n{document.title}\n".encode("utf-8", "replace"), digest_size=8)
    digest.update(document.text.encode("utf-8", "replace"))
    digest.update("\n".join(hrefs_of(links)).encode("utf-8", "replace"))
    return int.from_bytes(digest.digest()) >> 1


def version_of_bytes(final: str, body: bytes) -> int:
    """Return the version of a document that has no text."""
    digest = blake2b(final.encode("utf-8", "replace") + b"\n" + body, digest_size=8)
    return int.from_bytes(digest.digest()) >> 1


def born(
    response: Response,
    document: Document,
    since: float = 0.0,
    tolerance: float = DEFAULT_FETCHING.extraction.clock_tolerance,
) -> float:
    """Return when this version appeared, as far as is known.

    This is not after it was received, and not before `since`, when another version was.  Times of
    a server whose clock is further off than `tolerance` are corrected by its Date header.
    """
    now = moment(response, "Date")
    off = 0.0 if now is None else response.started - now
    if abs(off) <= tolerance:
        off = 0.0
    for time in (moment(response, "Last-Modified"), document.published):
        if time is not None and since < time + off <= response.started:
            return time + off
    return response.started


def moment(response: Response, header: str) -> float | None:
    """Return the time in a header, or None."""
    value = response.header(header)
    return _time_of(value) if value else None


@lru_cache(maxsize=256)
def _time_of(value: str) -> float | None:
    """Return the time of a date, which many responses have; or None."""
    try:
        return parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError, TypeError):
        return None
