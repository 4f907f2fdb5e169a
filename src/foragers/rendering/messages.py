"""The messages between a crawl and the process that renders its pages."""

from __future__ import annotations

from typing import IO, TypeVar

import msgspec

from foragers.http.messages import Limits

LENGTH = 8
"""Bytes before each message that give its length."""
Message = TypeVar("Message", bound=msgspec.Struct)


class RenderOptions(msgspec.Struct, frozen=True):
    """How pages are rendered; all numbers are guesses.

    `folder` is for the files that a browser writes while it runs, and is removed with it.
    """

    agent: str
    allow_private: tuple[str, ...] = ()
    robots: bool = True
    limits: Limits = Limits()
    chromium: str = ""
    folder: str = ""
    seconds: float = 20.0  # for each page
    grace: float = 5.0  # seconds after which a page hangs, and its browser is stopped
    requests: int = 100  # for each page
    hosts: int = 20  # of the resources of a page
    hops: int = 5  # redirects of a resource
    page_bytes: int = 30 << 20  # of the resources of a page
    script_bytes: int = 32 << 20  # of cached scripts
    shell_bytes: int = 4 << 20  # larger pages are not rendered
    megabytes: int = 1500  # of memory that a browser may use
    pages: int = 100  # after which a browser is replaced


class RenderJob(msgspec.Struct, frozen=True):
    """A page as the server sent it, without codings."""

    url: str
    content_type: str
    body: bytes


class Rendered(msgspec.Struct, frozen=True):
    """A rendered page, or the `reason` why it was not rendered; `hosts` had its resources."""

    html: bytes = b""
    reason: str = ""
    hosts: tuple[str, ...] = ()


class Hello(msgspec.Struct, frozen=True):
    """The first message of a worker: its browser, or an error with its remedy."""

    browser: str = ""
    error: str = ""


def send(pipe: IO[bytes], message: msgspec.Struct) -> None:
    """Write a message to a pipe."""
    data = msgspec.msgpack.encode(message)
    pipe.write(len(data).to_bytes(LENGTH, "big"))
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes], kind: type[Message]) -> Message | None:
    """Read a message from a pipe; None at its end."""
    length = pipe.read(LENGTH)
    if len(length) < LENGTH:
        return None
    data = pipe.read(int.from_bytes(length, "big"))
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except msgspec.MsgspecError:
        return None
