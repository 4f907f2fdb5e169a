"""A server that misbehaves on purpose, over real sockets, and writes down what it was asked.

A site is a mapping from paths to answers: bytes are sent as they are, a function is
given the connection and does with it what it likes.  One thread waits on each connection.
"""

from __future__ import annotations

import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

Answer = bytes | Callable[["Connection"], None]


@dataclass
class Asked:
    """One request: when it came, when the end of its answer was sent, on which connection.

    The end is noted before it is sent: a thread may have to wait long after that.
    """

    start: float
    end: float
    connection: int
    path: str
    headers: dict[str, str]
    server: str


@dataclass
class Connection:
    """A connection on which a request has come; `open` says whether another may."""

    socket: socket.socket
    path: str
    headers: dict[str, str]
    count: int
    closing: threading.Event
    open: bool = True
    sent: float = 0.0

    def send(self, data: bytes) -> None:
        self.sent = time.time()
        self.socket.sendall(data)

    def trickle(self, data: bytes, pause: float) -> None:
        """Send a byte at a time until the other side has had enough."""
        for byte in data:
            if self.closing.is_set():
                return
            self.send(bytes([byte]))
            time.sleep(pause)

    def hang(self) -> None:
        """Say nothing more until the server is stopped or the client leaves."""
        self.open = False
        self.socket.settimeout(0.05)
        while not self.closing.is_set():
            try:
                if not self.socket.recv(1):
                    return
            except TimeoutError:
                continue

    def close(self) -> None:
        self.open = False

    def reset(self) -> None:
        """End the connection the hard way."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.open = False


@dataclass
class HostileServer:
    """Serves a site on an address of loopback, from `start` to `stop` or in a `with` block."""

    site: Mapping[str, Answer]
    address: str = "127.0.0.1"
    tls: ssl.SSLContext | None = None
    port: int = 0
    log: list[Asked] = field(default_factory=list)
    _closing: threading.Event = field(default_factory=threading.Event)

    def start(self) -> Self:
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        self._listener = socket.create_server((self.address, self.port), family=family, backlog=128)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def stop(self) -> None:
        self._closing.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def origin(self) -> str:
        name = f"[{self.address}]" if ":" in self.address else self.address
        return f"{'https' if self.tls else 'http'}://{name}:{self.port}"

    def url(self, path: str = "/") -> str:
        return self.origin + path

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [asked.path for asked in self.log]

    def _listen(self) -> None:
        number = 0
        while not self._closing.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            number += 1
            threading.Thread(target=self._serve, args=(client, number), daemon=True).start()

    def _serve(self, client: socket.socket, number: int) -> None:
        with suppress(OSError), client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.tls:
                with self.tls.wrap_socket(client, server_side=True) as wrapped:
                    self._converse(wrapped, number)
            else:
                self._converse(client, number)

    def _converse(self, client: socket.socket, number: int) -> None:
        while not self._closing.is_set() and self._answer(client, number):
            pass

    def _answer(self, client: socket.socket, number: int) -> bool:
        """Read a request and answer it; say whether the connection stays open."""
        head = b""
        while b"\r\n\r\n" not in head:
            piece = client.recv(65536)
            if not piece or piece[0] < 32:  # the end, or someone who wants to speak TLS
                return False
            head += piece
        lines = head.decode("latin-1").split("\r\n")
        path = lines[0].split(" ")[1]
        headers = {k.lower(): v.strip() for k, _, v in (ln.partition(":") for ln in lines[1:])}
        before = self.paths.count(path)
        asked = Asked(time.time(), 0.0, number, path, headers, self.origin)
        self.log.append(asked)
        connection = Connection(client, path, headers, before, self._closing)
        try:
            answer = self.site.get(path) or self.site.get(path.partition("?")[0])
            if answer is None:
                answer = self.site.get("*", NOT_FOUND)
            if callable(answer):
                answer(connection)
            else:
                connection.send(answer)
                connection.open = b"Connection: close" not in answer
        finally:
            asked.end = connection.sent or time.time()
        return connection.open


def reply(
    body: bytes | str = b"", status: str = "200 OK", kind: str | None = "text/html", **headers: str
) -> bytes:
    """Return a well-behaved answer; `x_y` is the header X-Y."""
    body = body.encode() if isinstance(body, str) else body
    fields = {"Content-Length": str(len(body))}
    if kind is not None:
        fields["Content-Type"] = kind
    fields |= {name.replace("_", "-").title(): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body


def redirect(target: str, status: str = "302 Found") -> bytes:
    return reply(b"", status, location=target)


def page(*links: str, words: str = "some words") -> bytes:
    """Return a page with links."""
    anchors = "".join(f'<a href="{link}">to {link}</a> ' for link in links)
    return reply(f"<html><title>{words}</title><body><p>{words}</p>{anchors}</body></html>")


NOT_FOUND = reply(b"<p>not here</p>", "404 Not Found")
ALLOW_ALL = reply(b"User-agent: *\nDisallow:\n", kind="text/plain")
