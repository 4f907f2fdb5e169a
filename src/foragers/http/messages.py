"""HTTP requests and responses, and what a response says about asking again."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from enum import StrEnum

import msgspec

from foragers.parsing.content_coding import decoded


class FetchError(StrEnum):
    """Why there is no usable answer."""

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
BUSY, BUSY_TROUBLE = (429, 503), (FetchError.TIMEOUT, FetchError.NO_CONNECTION)
"""Status codes and errors after which to try again, and those of a server that is busy."""


class Limits(msgspec.Struct, frozen=True):
    """How long and how much: seconds and bytes.

    `connect` is for finding and reaching the server, `head` from the request to the end of
    the headers, `idle` between two pieces of the body, `total` for everything.  `body` is
    what may come over the wire, `unpacked` what may come of it without its codings.
    """

    connect: float = 10.0
    head: float = 20.0
    idle: float = 15.0
    total: float = 60.0
    body: int = 10 << 20
    unpacked: int = 20 << 20
    headers: int = 128 << 10


class Request(msgspec.Struct, frozen=True):
    """One GET; with `enough`, of any content type, and no more of it than so many bytes.

    With `afresh`, the name of its host is looked up again although it is known.
    """

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    tag: int = 0
    enough: int = 0
    afresh: bool = False


class Response(msgspec.Struct, frozen=True):
    """An answer, or what went wrong.

    `head` is the status line and headers as they were received, `body` the bytes as they
    were sent, chunks and compression included.  `cut` tells that the body was not read
    to its end because its type is not wanted, or because there was enough of it.  `asked` tells
    that a connection was made, and the request sent.
    """

    request: Request
    started: float
    seconds: float
    address: str = ""
    head: bytes = b""
    body: bytes = b""
    code: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    trouble: FetchError | None = None
    detail: str = ""
    cut: bool = False
    asked: bool = True

    def header(self, name: str) -> str:
        """Return the first header of a name, or nothing."""
        wanted = name.lower()
        for key, value in self.headers:
            if key == name or key.lower() == wanted:
                return value
        return ""

    def all(self, name: str) -> list[str]:
        """Return all headers of a name."""
        wanted = name.lower()
        return [value for key, value in self.headers if key.lower() == wanted]


def retry_after(reply: Response) -> float:
    """Return how many seconds a server asks to be left alone, or 0."""
    value = reply.header("Retry-After").strip()
    if value.isascii() and value.isdecimal():
        return float(value[:9])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - reply.started)
    except (ValueError, OverflowError, TypeError):
        return 0.0


def payload(reply: Response, limit: int) -> bytes:
    """Return the body of a reply without its codings, up to a limit."""
    transfer = ",".join(reply.all("Transfer-Encoding"))
    content = ",".join(reply.all("Content-Encoding"))
    return decoded(reply.body, transfer, content, limit) if transfer or content else reply.body


def has_failed(reply: Response) -> bool:
    """Say whether a server could not answer now, and perhaps can later."""
    return reply.trouble in TRY_AGAIN_AFTER or (not reply.trouble and reply.code in TRY_AGAIN)


def is_busy(reply: Response) -> bool:
    """Say whether it was the server, and not the page alone, that could not answer now."""
    if reply.trouble:
        # One that has begun to answer is there, and has trouble with this page.
        return reply.trouble in BUSY_TROUBLE and not reply.head
    return reply.code in BUSY
