"""What passes between a crawl and the process that renders for it."""

from __future__ import annotations

from typing import IO, TypeVar

import msgspec

from foragers.http.messages import Limits

LENGTH = 8
"""Bytes before each message that tell how long it is."""
Message = TypeVar("Message", bound=msgspec.Struct)


class RenderOptions(msgspec.Struct, frozen=True):
    """How pages are rendered: `seconds` and `requests` for each of them, `megabytes` in all.

    A page that is not done a `grace` after its time hangs, and its browser is ended; after
    so many `pages` a browser is, in any case.  `folder` is for what a browser writes while
    it runs, and goes with it.
    """

    agent: str
    allow_private: tuple[str, ...] = ()
    robots: bool = True
    limits: Limits = Limits()
    chromium: str = ""
    folder: str = ""
    seconds: float = 20.0
    grace: float = 5.0
    requests: int = 100
    megabytes: int = 1500
    pages: int = 100


class RenderJob(msgspec.Struct, frozen=True):
    """A page as the server sent it, without codings."""

    url: str
    content_type: str
    body: bytes


class Rendered(msgspec.Struct, frozen=True):
    """A page once its scripts have run, or `reason`, why that could not be; `hosts` were asked."""

    html: bytes = b""
    reason: str = ""
    hosts: tuple[str, ...] = ()


class Hello(msgspec.Struct, frozen=True):
    """The browser that is ready, or what is wrong and how to mend it."""

    browser: str = ""
    trouble: str = ""


def send(pipe: IO[bytes], message: msgspec.Struct) -> None:
    """Write a message to a pipe."""
    data = msgspec.msgpack.encode(message)
    pipe.write(len(data).to_bytes(LENGTH, "big"))
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes], kind: type[Message]) -> Message | None:
    """Read a message from a pipe; None where it has ended."""
    length = pipe.read(LENGTH)
    if len(length) < LENGTH:
        return None
    data = pipe.read(int.from_bytes(length, "big"))
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except msgspec.MsgspecError:
        return None
