"""HTTP requests and responses, and what a response says about asking again."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from enum import StrEnum

import msgspec

from foragers.http.causes import tls_cause
from foragers.parsing.content_coding import decoded


class FetchError(StrEnum):
    """Why there is no usable response."""

    REFUSED_ADDRESS = "private address"
    NO_HOST = "unknown host"
    NO_CONNECTION = "no connection"
    TLS = "certificate or TLS"
    TIMEOUT = "timeout"
    LOST = "connection lost"
    BUSY = "address busy"
    TOO_LARGE = "too large"
    HEADERS = "headers too large"
    BROKEN = "broken answer"


TRY_AGAIN = (408, 425, 429, 500, 502, 503, 504)
TRY_AGAIN_AFTER = (FetchError.TIMEOUT, FetchError.NO_CONNECTION, FetchError.LOST)
BUSY, BUSY_ERRORS = (429, 503), (FetchError.TIMEOUT, FetchError.NO_CONNECTION)
"""Status codes and errors after which to try again, and those of a server that is busy."""
NOT_MODIFIED, NOT_FOUND = 304, 404
"""Status codes; a name in `HTTPStatus` is looked up ten times as long as one of a module."""
TRANSFER, CONTENT = "transfer-encoding", "content-encoding"
CODING_SIZES = (len(TRANSFER), len(CONTENT))
NOT_REACHED = (FetchError.NO_HOST, FetchError.NO_CONNECTION)


class Limits(msgspec.Struct, frozen=True):
    """Limits of one download, in seconds and bytes; all numbers are guesses."""

    connect: float = 10.0  # to look up and connect to the server
    head: float = 20.0  # from the request to the end of the headers
    idle: float = 15.0  # between two pieces of the body
    total: float = 60.0  # for everything
    body: int = 10 << 20  # as sent
    unpacked: int = 20 << 20  # without its codings
    headers: int = 128 << 10
    ignored_body: int = 64 << 10  # of a redirect or an error, whose body is not used


class Request(msgspec.Struct, frozen=True):
    """A GET request, or a POST request with a `form` as its body.

    With `max_bytes`, the response may have any content type, and no more than that is read.
    With `fresh_dns`, the name of the host is looked up again although its address is cached.
    """

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    tag: int = 0
    max_bytes: int = 0
    fresh_dns: bool = False
    form: str = ""


class Response(msgspec.Struct, frozen=True):
    """A response, or the `error` and its `detail`.

    `head` is the status line and headers as received, `body` the bytes as sent, with chunks and
    compression.  `cut` says that the body was not read to its end, because its content type is not
    wanted or `max_bytes` were read.  `sent` says that a connection was made and the request sent.
    """

    request: Request
    started: float
    seconds: float
    address: str = ""
    head: bytes = b""
    body: bytes = b""
    code: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    error: FetchError | None = None
    detail: str = ""
    cut: bool = False
    sent: bool = True

    def header(self, name: str) -> str:
        """Return the first header of a name, or ""."""
        wanted, size = name.lower(), len(name)
        for key, value in self.headers:
            if key == name or (len(key) == size and key.lower() == wanted):
                return value
        return ""

    def all(self, name: str) -> list[str]:
        """Return all headers of a name."""
        wanted, size = name.lower(), len(name)
        return [value for key, value in self.headers if len(key) == size and key.lower() == wanted]


def retry_after(response: Response) -> float:
    """Return the seconds of the Retry-After header, or 0."""
    value = response.header("Retry-After").strip()
    if value.isascii() and value.isdecimal():
        return float(value[:9])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - response.started)
    except (ValueError, OverflowError, TypeError):
        return 0.0


def payload(response: Response, limit: int) -> bytes:
    """Return the body of a response without its codings, up to a limit in bytes."""
    codings = [(key, value) for key, value in response.headers if len(key) in CODING_SIZES]
    transfer = ",".join([value for key, value in codings if key.lower() == TRANSFER])
    content = ",".join([value for key, value in codings if key.lower() == CONTENT])
    if not (transfer or content):
        return response.body
    return decoded(response.body, transfer, content, limit)


def has_failed(response: Response) -> bool:
    """Return whether a server could not respond now, but perhaps can later."""
    return response.error in TRY_AGAIN_AFTER or (not response.error and response.code in TRY_AGAIN)


def is_busy(response: Response) -> bool:
    """Return whether the server is overloaded, and not only this page slow or broken."""
    if response.error:
        # A server that has begun to respond is up; only this page fails.
        return response.error in BUSY_ERRORS and not response.head
    return response.code in BUSY


def is_unreachable(response: Response) -> bool:
    """Return whether a host could not be reached: no name, no connection, or no response to it."""
    silent = response.error is FetchError.TIMEOUT and not response.sent
    return silent or response.error in NOT_REACHED


def failure_reason(response: Response) -> str:
    """Return in words why there is no usable response."""
    if response.error is None:
        return str(response.code)
    error, detail = response.error, response.detail
    cause = tls_cause(detail) if error is FetchError.TLS else error.value
    return f"{cause}: {detail}".rstrip(": ")
