"""A request and its answer as WARC records.

The answer is written as it was received, chunks and compression included.  Its block
digest is over all of that, its payload digest over all after the headers as it stands in
the record, since that is what warcio and fastwarc check.  The standard's payload is without
chunks; that digest is the `content` of an exchange, by which equal answers are known, since
chunks fall differently each time.  Without chunks the two are the same.

The request is written as libcurl sends it: its own headers first, then those asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha1
from urllib.parse import quote
from uuid import NAMESPACE_URL

import msgspec

from foragers.http.messages import FetchError, Response
from foragers.parsing.content_coding import unchunked
from foragers.storage.warc.records import EPOCH

PROFILES = "http://netpreserve.org/warc/1.1/revisit/"
SAME_PAYLOAD = PROFILES + "identical-payload-digest"
NOT_MODIFIED = PROFILES + "server-not-modified"
DENSE_KINDS = ("image/", "video/", "audio/", "application/zip", "application/gzip", "font/woff")
TRUNCATED = {
    FetchError.TOO_LARGE: "length",
    FetchError.TIMEOUT: "time",
    FetchError.NO_CONNECTION: "disconnect",
    FetchError.LOST: "disconnect",
    FetchError.BROKEN: "disconnect",
}
ADDRESS = re.compile(r"^[a-z]+://(?:[^/?#]*@)?([^/?#]*)([^#]*)", re.IGNORECASE)
NOT_IN_URLS = re.compile(r"[\x00-\x20\x7f]")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
PAIRS = [one + two for one in LETTERS for two in LETTERS]
MAX_HEAD = 32_000
"""fastwarc reads no file further than up to an answer with longer headers, if it is said to be
one: such answers are kept as bytes."""
Headers = dict[str, str]


class EarlierResponse(msgspec.Struct, frozen=True):
    """A response that is recorded already: when, in milliseconds, and its payload digest."""

    moment: int
    payload: str


class Exchange(msgspec.Struct, frozen=True):
    """An answer ready to be written, `moment` being its time in milliseconds."""

    reply: Response
    url: str
    moment: int
    payload: str
    content: str
    truncated: str

    @property
    def repeatable(self) -> bool:
        """Whether the same content may later be left out: a whole page."""
        whole = not self.truncated and self.is_http and self.reply.head.endswith(b"\r\n\r\n")
        return 200 <= self.reply.code < 300 and whole and bool(self.reply.body)

    @property
    def is_http(self) -> bool:
        """Whether all readers can take the answer apart."""
        return self.reply.head.startswith(b"HTTP/") and len(self.reply.head) <= MAX_HEAD

    @property
    def not_modified(self) -> bool:
        """Whether the server says that nothing is new."""
        return self.reply.code == 304 and not self.truncated

    @property
    def dense(self) -> bool:
        """Whether the body is compressed already."""
        reply = self.reply
        coding = reply.header("Content-Encoding").strip().lower()
        kind = reply.header("Content-Type").strip().lower()
        return coding not in ("", "identity") or kind.startswith(DENSE_KINDS)


def exchange(reply: Response) -> Exchange | None:
    """Return what is to be recorded of a reply; None where no whole head came back."""
    is_head = reply.head[:5].upper() == b"HTTP/" and reply.head.endswith((b"\n\r\n", b"\n\n"))
    if not is_head:
        return None
    url = NOT_IN_URLS.sub(lambda found: quote(found[0]), reply.request.url)
    payload = content = digest(reply.body)
    if "chunked" in reply.header("Transfer-Encoding").lower():
        content = digest(unchunked(reply.body))
    truncated = ""
    if reply.cut or reply.trouble:
        truncated = TRUNCATED.get(reply.trouble, "unspecified") if reply.trouble else "unspecified"
    return Exchange(reply, url, int(1000 * reply.started), payload, content, truncated)


def request_record(this: Exchange, answer: str, user_agent: str) -> tuple[Headers, bytes]:
    """Return the record of what was asked, to which the record `answer` belongs."""
    block = request_block(this.url, this.reply.request.headers, user_agent)
    headers = common_headers("request", this, block, b"")
    headers["WARC-Concurrent-To"] = answer
    return headers, block


def response_record(this: Exchange) -> Headers:
    """Return the headers of the record of an answer, whose block is its head and body."""
    headers = common_headers("response", this, this.reply.head, this.reply.body)
    if not this.is_http:
        headers["Content-Type"] = "application/octet-stream"
    elif this.reply.head.endswith(b"\r\n\r\n"):  # where all readers agree that it ends
        headers["WARC-Payload-Digest"] = this.payload
    if this.truncated:
        headers["WARC-Truncated"] = this.truncated
    return headers


def revisit_record(this: Exchange, earlier: EarlierResponse | None) -> Headers:
    """Return the headers of the record of an answer with nothing new, whose block is its head."""
    headers = common_headers("revisit", this, this.reply.head, b"")
    headers["WARC-Profile"] = NOT_MODIFIED if this.not_modified else SAME_PAYLOAD
    if earlier:
        headers["WARC-Payload-Digest"] = earlier.payload
        headers["WARC-Refers-To"] = record_id("response", this.url, earlier.moment, earlier.payload)
        headers["WARC-Refers-To-Target-URI"] = this.url
        headers["WARC-Refers-To-Date"] = date(earlier.moment)
    return headers


def conversion_record(this: Exchange, source: EarlierResponse, html: bytes, moment: int) -> Headers:
    """Return the headers of the record of a page once its scripts have run."""
    return {
        "WARC-Type": "conversion",
        "WARC-Record-ID": record_id("conversion", this.url, moment, digest(html)),
        "WARC-Refers-To": record_id("response", this.url, source.moment, source.payload),
        "WARC-Target-URI": this.url,
        "WARC-Date": date(moment),
        "WARC-Block-Digest": digest(html),
        "Content-Type": "text/html; charset=utf-8",
        "Content-Length": str(len(html)),
    }


def common_headers(kind: str, this: Exchange, head: bytes, body: bytes) -> Headers:
    """Return the headers that all records of an exchange have."""
    message = "request" if kind == "request" else "response"
    headers = {
        "WARC-Type": kind,
        "WARC-Record-ID": record_id(kind, this.url, this.moment, this.payload),
        "WARC-Target-URI": this.url,
        "WARC-Date": date(this.moment),
        "WARC-Block-Digest": digest(head, body),
        "Content-Type": f"application/http; msgtype={message}",
        "Content-Length": str(len(head) + len(body)),
    }
    if this.reply.address:
        headers["WARC-IP-Address"] = this.reply.address
    return headers


def request_block(url: str, asked: Sequence[tuple[str, str]], user_agent: str) -> bytes:
    """Return a request as it was sent."""
    found = ADDRESS.match(url)
    host, target = (found[1], found[2]) if found else ("", url)
    target = target if target.startswith("/") else f"/{target}"
    own = {"Host": host, "User-Agent": user_agent, "Accept": "*/*"}
    given = {name.lower() for name, _ in asked}
    lines = [f"GET {target} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in own.items() if name.lower() not in given]
    lines += [f"{name}: {value}" for name, value in asked]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "replace")


def lines_of(headers: Headers) -> bytes:
    """Return the headers of a record as they stand before its block."""
    lines = [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join(("WARC/1.1", *lines, "", "")).encode("utf-8", "replace")


def record_id(kind: str, url: str, moment: int, payload: str) -> str:
    """Return the name of a record, which follows from what it holds."""
    # What uuid5 gives, at a quarter of its time.
    name = f"{kind} {url} {moment} {payload}".encode("utf-8", "replace")
    told = sha1(NAMESPACE_URL.bytes + name, usedforsecurity=False).hexdigest()
    variant = "89ab"[int(told[16], 16) & 3]
    return f"<urn:uuid:{told[:8]}-{told[8:12]}-5{told[13:16]}-{variant}{told[17:20]}-{told[20:32]}>"


def date(moment: int) -> str:
    """Return a moment as a WARC date, in milliseconds."""
    exact = (EPOCH + timedelta(milliseconds=moment)).replace(tzinfo=None)
    return exact.isoformat(timespec="milliseconds") + "Z"


def digest(head: bytes, body: bytes = b"") -> str:
    """Return the digest of two pieces as WARC files write it."""
    found = sha1(head, usedforsecurity=False)
    found.update(body)
    # What b32encode gives, at a quarter of its time: two letters for every ten bits.
    bits = int.from_bytes(found.digest(), "big")
    return "sha1:" + "".join([PAIRS[bits >> shift & 1023] for shift in range(150, -1, -10)])
