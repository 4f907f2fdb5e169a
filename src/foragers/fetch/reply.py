"""What goes to a server and what comes back."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Trouble(StrEnum):
    """Why there is no usable answer."""

    REFUSED_ADDRESS = "private address"
    NO_HOST = "unknown host"
    NO_CONNECTION = "no connection"
    TLS = "certificate or TLS"
    TIMEOUT = "timeout"
    TOO_LARGE = "too large"
    HEADERS = "headers too large"
    BROKEN = "broken answer"


class Limits(msgspec.Struct, frozen=True):
    """How long and how much: seconds and bytes."""

    connect: float = 15.0
    first_byte: float = 30.0
    idle: float = 20.0
    total: float = 120.0
    body: int = 10 << 20
    headers: int = 128 << 10


class Request(msgspec.Struct, frozen=True):
    """One GET."""

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    tag: int = 0


class Reply(msgspec.Struct, frozen=True):
    """An answer, or what went wrong.

    `head` is the status line and headers as they were received, `body` the bytes as they
    were sent, chunks and compression included.  `cut` tells that the body was not read
    to its end because its type is not wanted.
    """

    request: Request
    started: float
    seconds: float
    address: str = ""
    head: bytes = b""
    body: bytes = b""
    code: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    trouble: Trouble | None = None
    detail: str = ""
    cut: bool = False

    def header(self, name: str) -> str:
        """Return the first header of a name, or nothing."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")

    def all(self, name: str) -> list[str]:
        """Return all headers of a name."""
        wanted = name.lower()
        return [value for key, value in self.headers if key.lower() == wanted]
