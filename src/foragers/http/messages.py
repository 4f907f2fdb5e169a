"""What goes to a server and what comes back.

What a server says about when to come back.
"""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from enum import StrEnum

import msgspec


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
