"""Many downloads at once, on libcurl: keep-alive, TLS, time and size limits, raw bytes kept.

libcurl does the protocol; what is decided here is what may be reached (the guard is asked
for the resolved address of every new connection), how long and how much is read, and
which content types are worth reading to the end.  Redirects are not followed: each hop
must pass robots.txt and scope first, which is the crawl's business.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import certifi
import pycurl

from foragers.fetch.guard import Guard
from foragers.fetch.reply import Limits, Reply, Request, Trouble

TROUBLES = {
    pycurl.E_COULDNT_RESOLVE_HOST: Trouble.NO_HOST,
    pycurl.E_COULDNT_CONNECT: Trouble.NO_CONNECTION,
    pycurl.E_OPERATION_TIMEDOUT: Trouble.TIMEOUT,
    pycurl.E_SSL_CONNECT_ERROR: Trouble.TLS,
    pycurl.E_PEER_FAILED_VERIFICATION: Trouble.TLS,
    pycurl.E_SSL_CERTPROBLEM: Trouble.TLS,
    pycurl.E_SSL_CACERT_BADFILE: Trouble.TLS,
    pycurl.E_SSL_ISSUER_ERROR: Trouble.TLS,
    pycurl.E_FILESIZE_EXCEEDED: Trouble.TOO_LARGE,
}
MAX_WAIT = 1.0
"""Seconds after which time limits are looked at even if nothing happens on the network."""


@dataclass(slots=True)
class Transfer:
    """One download under way."""

    request: Request
    limits: Limits
    wanted: Callable[[str], bool]
    started: float
    clock: float
    address: str = ""
    head: list[bytes] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    head_bytes: int = 0
    body: bytearray = field(default_factory=bytearray)
    trouble: Trouble | None = None
    detail: str = ""
    cut: bool = False
    in_body: bool = False

    def take_header(self, line: bytes) -> int:
        """Keep a line of the head; a new status line starts it over (100 Continue)."""
        self.head_bytes += len(line)
        if self.head_bytes > self.limits.headers:
            self.trouble = Trouble.HEADERS
            return -1
        if line.startswith(b"HTTP/"):
            self.head.clear()
            self.headers.clear()
        self.head.append(line)
        name, colon, value = line.partition(b":")
        if colon and not line.startswith(b"HTTP/"):
            self.headers.append((name.decode("latin-1").strip(), value.decode("latin-1").strip()))
        return len(line)

    def take_body(self, data: bytes) -> int:
        """Keep a piece of the body, as long as it is wanted and not too much."""
        if not self.in_body:
            self.in_body = True
            kind = next((v for k, v in self.headers if k.lower() == "content-type"), "")
            self.cut = not self.wanted(kind)
        if self.cut:
            return -1
        if len(self.body) + len(data) > self.limits.body:
            self.trouble = Trouble.TOO_LARGE
            return -1
        self.body += data
        return len(data)

    def late(self, now: float) -> str:
        """Return which time limit has passed, if one has."""
        passed = now - self.clock
        if passed > self.limits.total:
            return f"not done after {self.limits.total:g} s"
        if not self.head and passed > self.limits.connect + self.limits.first_byte:
            return f"no answer after {passed:.0f} s"
        return ""


class Client:
    """Downloads several addresses at once."""

    def __init__(
        self,
        user_agent: str,
        guard: Guard,
        limits: Limits,
        wanted: Callable[[str], bool] = lambda kind: True,  # noqa: ARG005
        connections: int = 64,
    ) -> None:
        self._user_agent = user_agent
        self._guard = guard
        self._limits = limits
        self._wanted = wanted
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, 4 * connections)
        self._idle: list[pycurl.Curl] = []
        self._running: dict[pycurl.Curl, Transfer] = {}

    @property
    def running(self) -> int:
        """How many downloads are under way."""
        return len(self._running)

    def start(self, request: Request) -> None:
        """Begin a download."""
        handle = self._idle.pop() if self._idle else self._new_handle()
        transfer = Transfer(request, self._limits, self._wanted, time.time(), time.monotonic())
        handle.setopt(pycurl.URL, request.url)
        handle.setopt(pycurl.HTTPHEADER, [f"{name}: {value}" for name, value in request.headers])
        handle.setopt(pycurl.HEADERFUNCTION, transfer.take_header)
        handle.setopt(pycurl.WRITEFUNCTION, transfer.take_body)
        handle.setopt(pycurl.OPENSOCKETFUNCTION, self._opener(transfer))
        self._running[handle] = transfer
        self._multi.add_handle(handle)

    def finished(self, seconds: float) -> Sequence[Reply]:
        """Wait for answers, at most so long, and return them."""
        deadline = time.monotonic() + seconds
        while True:
            self._multi.perform()
            replies = self._collect()
            left = deadline - time.monotonic()
            if replies or not self._running or left <= 0:
                return replies
            self._multi.select(min(left, MAX_WAIT))

    def close(self) -> None:
        """Drop all connections."""
        for handle in list(self._running):
            self._multi.remove_handle(handle)
            handle.close()
        for handle in self._idle:
            handle.close()
        self._running.clear()
        self._multi.close()

    def _collect(self) -> list[Reply]:
        replies = []
        more = 1
        while more:
            more, done, failed = self._multi.info_read()
            replies += [self._finish(handle, 0, "") for handle in done]
            replies += [self._finish(handle, code, text) for handle, code, text in failed]
        now = time.monotonic()
        for handle, transfer in list(self._running.items()):
            if late := transfer.late(now):
                transfer.trouble, transfer.detail = Trouble.TIMEOUT, late
                replies.append(self._finish(handle, 0, ""))
        return replies

    def _finish(self, handle: pycurl.Curl, error: int, text: str) -> Reply:
        """Make a reply of a transfer that is over."""
        transfer = self._running.pop(handle)
        self._multi.remove_handle(handle)
        trouble, detail = transfer.trouble, transfer.detail or text
        if error and trouble is None and not transfer.cut:
            trouble = TROUBLES.get(error, Trouble.BROKEN)
        reply = Reply(
            transfer.request,
            transfer.started,
            time.monotonic() - transfer.clock,
            transfer.address or handle.getinfo(pycurl.PRIMARY_IP) or "",
            b"".join(transfer.head),
            bytes(transfer.body),
            handle.getinfo(pycurl.RESPONSE_CODE),
            tuple(transfer.headers),
            trouble,
            detail if trouble else "",
            transfer.cut,
        )
        self._idle.append(handle)
        return reply

    def _opener(self, transfer: Transfer) -> Callable[..., object]:
        """Return what opens a connection for a transfer, if the guard lets it."""
        parts = urlsplit(transfer.request.url)
        host = parts.hostname or ""
        port = parts.port or (443 if parts.scheme == "https" else 80)

        def open_socket(purpose: int, address: tuple[int, int, int, tuple[str, int]]) -> object:
            family, kind, protocol, (ip, *_) = address
            del purpose
            if self._guard.refuses(host, port, ip):
                transfer.trouble = Trouble.REFUSED_ADDRESS
                transfer.detail = f"{host} is {ip}"
                return pycurl.SOCKET_BAD
            transfer.address = ip
            return socket.socket(family, kind, protocol)

        return open_socket

    def _new_handle(self) -> pycurl.Curl:
        handle = pycurl.Curl()
        limits = self._limits
        options = {
            pycurl.USERAGENT: self._user_agent,
            pycurl.PROTOCOLS: pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS,
            pycurl.HTTP_VERSION: pycurl.CURL_HTTP_VERSION_1_1,
            pycurl.FOLLOWLOCATION: 0,
            pycurl.HTTP_TRANSFER_DECODING: 0,
            pycurl.CONNECTTIMEOUT_MS: int(1000 * limits.connect),
            pycurl.TIMEOUT_MS: int(1000 * limits.total),
            pycurl.LOW_SPEED_LIMIT: 1,
            pycurl.LOW_SPEED_TIME: max(1, int(limits.idle)),
            pycurl.MAXFILESIZE_LARGE: limits.body,
            pycurl.NOSIGNAL: 1,
            pycurl.PROXY: "",
            pycurl.CAINFO: certifi.where(),
            pycurl.TCP_NODELAY: 1,
        }
        for option, value in options.items():
            handle.setopt(option, value)
        return handle
