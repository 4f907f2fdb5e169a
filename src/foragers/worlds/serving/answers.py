"""The responses of a world's web servers, without any sockets.

A request that names a host of the world, in its Host header or as to a proxy, gets the page as it
was.  One that names a local address gets it with its links made local.

The URL http://host/path may stand for the page of that scheme or for the one of https: the
connection is the same.  If one of the two only redirects to the other, the other is shown, since
following the redirect would lead to the same URL for ever.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from email.utils import formatdate, parsedate_to_datetime
from functools import cached_property
from hashlib import blake2b
from http import HTTPStatus
from urllib.parse import urlsplit

import msgspec

from foragers.core.types import HostId, UrlId
from foragers.worlds.archive import Archive
from foragers.worlds.labels import find
from foragers.worlds.replay import Recorded
from foragers.worlds.serving.local_links import is_html, media_type, relinked
from foragers.worlds.serving.loopback import Loopback

METHODS = ("GET", "HEAD")
PHRASES = {status.value: status.phrase for status in HTTPStatus}
SMALL = 1024
"""Smaller bodies fit in a packet and are not compressed."""

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]+")
_NO_GZIP = re.compile(r"gzip\s*;\s*q=0(?:\.0*)?\s*(?:,|$)")


class ServedRequest(msgspec.Struct, frozen=True):
    """The request of a client; `target` is a path, or a whole URL as to a proxy."""

    method: str
    target: str
    host: str = ""
    none_match: str = ""
    modified_since: str = ""
    encodings: str = ""


class ServedPage(msgspec.Struct, frozen=True):
    """A response; `host` and `path` are those of the request, in the world's names."""

    status: int
    headers: dict[str, str]
    body: bytes = b""
    host: str = ""
    path: str = ""


class RequestedPage(msgspec.Struct, frozen=True):
    """The meaning of a request: a path on a host, its possible URLs, and how to show them."""

    host: HostId
    path: str
    urls: list[UrlId]
    local: bool


@dataclass
class Answers:
    """The responses of all hosts of a world."""

    archive: Archive
    loopback: Loopback
    since: float | None = None
    _world: Recorded = field(init=False)

    def __post_init__(self) -> None:
        self._world = Recorded(self.archive, self.since)

    def answer(self, request: ServedRequest, now: float) -> ServedPage:
        """Return the response to a request at a time of the world."""
        self._world.now = now
        requested = self.requested_page(request)
        name = self.archive.book.host_name(requested.host) if requested else request.host
        path = requested.path if requested else request.target
        if request.method not in METHODS:
            plain = message(HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": ", ".join(METHODS)})
        elif requested is None:
            plain = message(HTTPStatus.NOT_FOUND, {}, f"this world has no host {request.host}")
        else:
            plain = self.show(requested, request)
        headers = {"Date": formatdate(now, usegmt=True), **plain.headers}
        return msgspec.structs.replace(plain, headers=headers, host=name, path=path)

    def requested_page(self, request: ServedRequest) -> RequestedPage | None:
        """Return the meaning of a request, or None if it is not of this world."""
        loopback, target, host = self.loopback, request.target, request.host
        if not target.startswith("/"):
            url = find(self.archive.book, target)
            if url is not None:
                return RequestedPage(self.archive.book.host(url), path_of(target), [url], False)
            host, target = urlsplit(target).netloc, path_of(target)
        local = loopback.local(host)
        number = loopback.named(host) if local is None else local
        if number is None:
            return None
        return RequestedPage(number, target, loopback.urls(number, target), local is not None)

    def show(self, requested: RequestedPage, request: ServedRequest) -> ServedPage:
        """Return the current response for the meaning of a request."""
        archive = self.archive
        version = self.meant(requested.urls)[1] if requested.urls else -1
        if version < 0:
            return message(HTTPStatus.NOT_FOUND)
        code, onward = int(archive.codes[version]), int(archive.redirects[version])
        if 200 <= code < 300 and onward < 0:
            return self.page(version, requested, request)
        if onward >= 0:
            href = archive.book.href(onward)
            location = self.loopback.address(href) if requested.local else href
            return message(code, {"Location": location}, location)
        # An invalid status code, or one that makes no sense here, becomes a server error.
        sent = code if code >= 300 and code != HTTPStatus.NOT_MODIFIED else HTTPStatus.BAD_GATEWAY
        return message(sent)

    def meant(self, urls: list[UrlId]) -> tuple[UrlId, int]:
        """Return which of several URLs is served, and its version or -1."""
        shown = [(url, self._world.version_at(url)) for url in urls]
        for url, version in shown:
            if version >= 0 and int(self.archive.redirects[version]) not in urls:
                return url, version
        return max(shown, key=lambda pair: pair[1] >= 0)

    def page(self, version: int, requested: RequestedPage, request: ServedRequest) -> ServedPage:
        """Return a page, or that it has not changed."""
        born = float(self.archive.times[version])
        tag = f'W/"{self.mark}-{int(self.archive.same_as[version]):x}"'
        headers = {"ETag": tag, "Last-Modified": formatdate(born, usegmt=True)}
        if is_known(request, tag, born):
            return ServedPage(HTTPStatus.NOT_MODIFIED.value, headers)
        body = self.archive.texts.body(version)
        data = body.data
        if requested.local:
            data = relinked(body, requested.path, self.loopback.local_origin)
        headers["Content-Type"] = _CONTROL.sub(" ", body.content_type)
        headers["Vary"] = "Accept-Encoding"
        textual = is_html(body) or media_type(body.content_type).startswith("text/")
        if textual and len(data) >= SMALL and accepts_gzip(request.encodings):
            headers["Content-Encoding"] = "gzip"
            data = gzipped(data)
        return ServedPage(int(self.archive.codes[version]), headers, data)

    @cached_property
    def mark(self) -> str:
        """A mark that distinguishes this world from one served on the same port before."""
        digest = blake2b(digest_size=6)
        for column in (self.archive.book.letters, self.archive.times, self.archive.targets):
            digest.update(column.data)
        return digest.hexdigest()


def path_of(url: str) -> str:
    """Return the path of a URL, with its query."""
    parts = urlsplit(url)
    return f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"


def message(status: int, headers: dict[str, str] | None = None, text: str = "") -> ServedPage:
    """Return a response without a page."""
    line = f"{status:d} {PHRASES.get(status, '')}".strip() + (f": {text}" if text else "")
    kind = {"Content-Type": "text/plain; charset=utf-8"}
    return ServedPage(
        int(status), {**kind, **(headers or {})}, f"{line}\n".encode("utf-8", "replace")
    )


def is_known(request: ServedRequest, tag: str, born: float) -> bool:
    """Return whether a client has this version already."""
    if request.none_match:
        tags = [candidate.strip().removeprefix("W/") for candidate in request.none_match.split(",")]
        return "*" in tags or tag.removeprefix("W/") in tags
    if not request.modified_since:
        return False
    try:
        return int(born) <= parsedate_to_datetime(request.modified_since).timestamp()
    except (ValueError, OverflowError):
        return False


def accepts_gzip(encodings: str) -> bool:
    """Return whether a client accepts gzip."""
    lower = encodings.lower()
    return "gzip" in lower and not _NO_GZIP.search(lower)


def gzipped(data: bytes) -> bytes:
    """Compress fast rather than well, since the network is memory."""
    compressor = zlib.compressobj(1, zlib.DEFLATED, 31)
    return compressor.compress(data) + compressor.flush()
