"""Where hubs reach a watch: a small HTTP server for confirmations and deliveries.

It serves nothing else.  A delivery is read in pieces and never kept, each connection has a
deadline, and at most a few are open at once: who floods it keeps hubs away, and nothing more,
since feeds are polled all the same.
"""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Thread, Timer
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from foragers.errors import UsageError
from foragers.watching.subscriptions import Subscriptions

MAX_BODY, PIECE = 10 << 20, 1 << 16
MAX_FIELDS, MAX_QUERY = 20, 8192
DEADLINE = 30.0
"""Seconds for one connection."""
MOST_OPEN = 16
PLAIN = "text/plain; charset=utf-8"


class CallbackAddress(NamedTuple):
    """The public URL of a watch, and where it listens."""

    url: str
    host: str
    port: int

    @classmethod
    def of(cls, url: str, listen: str) -> CallbackAddress:
        """Check what a user gave."""
        try:
            parts = urlsplit(url)
            valid = parts.scheme in ("http", "https") and bool(parts.hostname)
            valid = valid and (parts.port or 1) > 0 and not (parts.query or parts.fragment)
        except ValueError:
            valid = False
        if not valid:
            raise UsageError(
                f"--websub {url}: write the URL at which hubs reach this machine,"
                " such as https://example.org/hub"
            )
        host, colon, port = listen.rpartition(":")
        number = int(port) if port.isascii() and port.isdecimal() else -1
        if not (colon and host) or not 0 <= number < 65536:
            raise UsageError(f"--websub-listen {listen}: write HOST:PORT, such as 127.0.0.1:8585")
        return cls(url.rstrip("/"), host.strip("[]"), number)


class CallbackServer(ThreadingHTTPServer):
    """Listens for hubs, from `start` to `stop`."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], subscriptions: Subscriptions) -> None:
        self.subscriptions = subscriptions
        self._open = BoundedSemaphore(MOST_OPEN)
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        try:
            super().__init__(address, Callback)
        except (OSError, OverflowError) as error:
            raise UsageError(
                f"--websub-listen {address[0]}:{address[1]}: {error}; choose another address"
            ) from error

    def start(self) -> None:
        """Answer from now on, in a thread."""
        Thread(target=self.serve_forever, args=(0.1,), daemon=True).start()

    def stop(self) -> None:
        """Listen no more."""
        self.shutdown()
        self.server_close()

    def process_request(self, request: object, client_address: object) -> None:
        """Take a connection, unless too many are open."""
        assert isinstance(request, socket.socket)
        if self._open.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: object, client_address: object) -> None:
        """Answer one connection until its deadline."""
        assert isinstance(request, socket.socket)
        end = Timer(DEADLINE, cut_off, (request,))
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self._open.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a connection that broke."""


def cut_off(request: socket.socket) -> None:
    """End a connection that takes too long."""
    with suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)


class Callback(BaseHTTPRequestHandler):
    """One request of a hub."""

    server: CallbackServer
    timeout = DEADLINE

    @property
    def token(self) -> str:
        """The last part of the path, which names a subscription."""
        return urlsplit(self.path).path.rpartition("/")[2]

    def do_GET(self) -> None:
        """Confirm what was asked for."""
        query = self.path.partition("?")[2]
        try:
            fields = dict(parse_qsl(query[:MAX_QUERY], max_num_fields=MAX_FIELDS))
        except ValueError:
            fields = {}
        challenge = self.server.subscriptions.answer(self.token, fields, time.time())
        if challenge is None:
            self._end(HTTPStatus.NOT_FOUND)
        else:
            self._end(HTTPStatus.OK, challenge)

    def do_POST(self) -> None:
        """Take a delivery."""
        given = self.headers.get("Content-Length", "")
        if not (given.isascii() and given.isdecimal()):
            self._end(HTTPStatus.LENGTH_REQUIRED)
            return
        size, signature = int(given[:12]), self.headers.get("X-Hub-Signature", "")
        subscriptions = self.server.subscriptions
        signed = subscriptions.signer(self.token, signature, time.time())
        if signed is None:
            self._end(HTTPStatus.GONE)
        elif size > MAX_BODY:
            self._end(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            while size and (piece := self.rfile.read(min(size, PIECE))):
                signed.update(piece)
                size -= len(piece)
            if not size:
                subscriptions.deliver(self.token, signature, signed)
            self._end(HTTPStatus.ACCEPTED)  # of a wrong signature too, as WebSub wants it

    def _end(self, status: HTTPStatus, body: str = "") -> None:
        """Answer, and close the connection."""
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", PLAIN)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def version_string(self) -> str:
        """Return the name of the server."""
        return "foragers"

    def log_message(self, format: str, *args: object) -> None:
        """Write no log."""
