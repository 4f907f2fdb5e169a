"""The HTTP client: many downloads at once with libcurl, with time and size limits.

libcurl does the protocol, with keep-alive and TLS.  This module decides which addresses may be
reached (the guard checks the resolved address of every new connection), how long and how much
is read, and which content types are read to the end.  Responses keep the bytes as sent.
Redirects are not followed: each hop must pass robots.txt and scope first, which is up to the
crawl.

`SocketPoller` waits for many connections with epoll or kqueue, since `select` has a limit of
1,024.  libcurl says which sockets to watch, and when it must be called at the latest.
"""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from os import strerror
from threading import Thread
from urllib.parse import urlsplit

import certifi
import pycurl

from foragers.http.address_guard import Guard
from foragers.http.messages import FetchError, Limits, Request, Response
from foragers.http.transfer import HttpTransfer

EVENTS = {
    pycurl.POLL_IN: selectors.EVENT_READ,
    pycurl.POLL_OUT: selectors.EVENT_WRITE,
    pycurl.POLL_INOUT: selectors.EVENT_READ | selectors.EVENT_WRITE,
}


class SocketPoller:
    """Waits for the sockets of a multi handle."""

    def __init__(self, multi: pycurl.CurlMulti) -> None:
        self._multi = multi
        self._selector = selectors.DefaultSelector()
        self._watched: set[int] = set()
        self._due = inf
        self.heard = -1
        self.is_called = False
        multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)

    def wait(self, seconds: float) -> None:
        """Wait for events for some seconds, or until libcurl must be called, and let it work."""
        now = time.monotonic()
        self.is_called = False
        for key, happened in self._selector.select(max(0.0, min(seconds, self._due - now))):
            if key.fd == self.heard:
                self.is_called = True
                continue
            flags = pycurl.CSELECT_IN if happened & selectors.EVENT_READ else 0
            flags |= pycurl.CSELECT_OUT if happened & selectors.EVENT_WRITE else 0
            self._multi.socket_action(key.fd, flags)
        if self._due <= time.monotonic():
            self._due = inf
            self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)

    def listen(self, descriptor: int) -> None:
        """Let a wait end when there is something to read from a descriptor."""
        self.heard = descriptor
        self._selector.register(descriptor, selectors.EVENT_READ)

    def close(self) -> None:
        """Close the selector."""
        self._selector.close()

    def _watch(self, what: int, fd: int, multi: pycurl.CurlMulti, data: object) -> None:
        """Register the events of a socket that libcurl waits for."""
        del multi, data
        known = fd in self._watched
        if what == pycurl.POLL_REMOVE:
            if known:
                self._watched.discard(fd)
                self._selector.unregister(fd)
            return
        if known:
            try:
                self._selector.modify(fd, EVENTS[what])
            except OSError:  # another socket has its number now
                known = False
        if not known:
            self._watched.add(fd)
            self._selector.register(fd, EVENTS[what])

    def _set_timer(self, milliseconds: int) -> None:
        """Set when libcurl must be called at the latest."""
        self._due = inf if milliseconds < 0 else time.monotonic() + milliseconds / 1000


CURLE_TOO_LARGE = 100  # pycurl has no name for it; libcurl raises it for large headers
ERRORS = {
    pycurl.E_COULDNT_RESOLVE_HOST: FetchError.NO_HOST,
    pycurl.E_COULDNT_CONNECT: FetchError.NO_CONNECTION,
    pycurl.E_OPERATION_TIMEDOUT: FetchError.TIMEOUT,
    pycurl.E_SSL_CONNECT_ERROR: FetchError.TLS,
    pycurl.E_PEER_FAILED_VERIFICATION: FetchError.TLS,
    pycurl.E_SSL_CERTPROBLEM: FetchError.TLS,
    pycurl.E_SSL_CACERT_BADFILE: FetchError.TLS,
    pycurl.E_SSL_ISSUER_ERROR: FetchError.TLS,
    pycurl.E_GOT_NOTHING: FetchError.LOST,
    pycurl.E_PARTIAL_FILE: FetchError.LOST,
    pycurl.E_SEND_ERROR: FetchError.LOST,
    CURLE_TOO_LARGE: FetchError.HEADERS,
}
UNFINISHED = (FetchError.TIMEOUT, FetchError.LOST, FetchError.BROKEN)
ABORT, SEND = int(pycurl.PREREQFUNC_ABORT), int(pycurl.PREREQFUNC_OK)
Admit = Callable[[Request, str], bool]
"""Decides whether a request may connect to an IP address now."""
Address = tuple[int, int, int, tuple[str, int]]
"""Family, kind and protocol of a socket, and where it connects to."""


@dataclass(slots=True)
class TransferSlot:
    """What a handle of libcurl is used for now, and options that it has from before.

    A handle calls the same functions for one download after another, since setting them anew
    costs more than calling them.
    """

    transfer: HttpTransfer | None = None
    admit: Admit | None = None
    headers: tuple[tuple[str, str], ...] = ()
    dns_age: int = -1
    form: str = ""

    def take_header(self, line: bytes) -> int:
        """Add a line of the head of a response."""
        assert self.transfer is not None
        return self.transfer.take_header(line)

    def take_body(self, data: bytes) -> int:
        """Add a piece of the body of a response."""
        assert self.transfer is not None
        return self.transfer.take_body(data)


@dataclass(frozen=True)
class ClientSettings:
    """The numbers that tune the client, in seconds unless the name says otherwise."""

    max_wait: float = 1.0  # time limits are checked at least this often; CPU
    idle_connections: int = 256  # kept open at most; memory
    dns_age: int = 60  # libcurl caches addresses this long, and failures half as long; its default
    closing: float = 0.2  # longest wait for libcurl to close its connections; guess


DEFAULT_CLIENT = ClientSettings()


class Client:
    """Downloads several URLs at once."""

    def __init__(
        self,
        user_agent: str,
        guard: Guard,
        limits: Limits,
        wanted: Callable[[str], bool] = lambda kind: True,  # noqa: ARG005
        connections: int = 64,
        settings: ClientSettings = DEFAULT_CLIENT,
    ) -> None:
        self.limits = limits
        self.settings = settings
        self._user_agent = user_agent
        self._guard = guard
        self._wanted = wanted
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, min(4 * connections, settings.idle_connections))
        self._poller = SocketPoller(self._multi)
        self._idle: list[pycurl.Curl] = []
        self._slots: dict[pycurl.Curl, TransferSlot] = {}
        self._running: dict[pycurl.Curl, HttpTransfer] = {}
        self._opened: list[socket.socket] = []
        self.may_send: Callable[[], bool] = lambda: True
        shortest = min(limits.connect, limits.head, limits.idle)
        self._check_every = min(settings.max_wait, shortest / 4)
        self._checked = 0.0

    @property
    def running(self) -> int:
        """The number of downloads in progress."""
        return len(self._running)

    @property
    def listens(self) -> bool:
        """Whether there is somebody to listen to."""
        return self._poller.heard >= 0

    def listen(self, descriptor: int) -> None:
        """Let `finished` return when there is something to read from a descriptor."""
        self._poller.listen(descriptor)

    def start(self, request: Request, admit: Admit | None = None) -> None:
        """Start a download.

        `admit` is called before a connection is opened.  If it returns False, the response has the
        error `BUSY`.
        """
        handle = self._idle.pop() if self._idle else self._new_handle()
        clock = time.monotonic
        transfer = HttpTransfer(request, self.limits, self._wanted, clock, time.time(), clock())
        handle.setopt(pycurl.URL, request.url)
        slot = self._slots[handle]
        slot.transfer, slot.admit = transfer, admit
        dns_age = 0 if request.fresh_dns else self.settings.dns_age
        if dns_age != slot.dns_age:
            handle.setopt(pycurl.DNS_CACHE_TIMEOUT, dns_age)
            slot.dns_age = dns_age
        if request.headers != slot.headers:
            lines = [f"{name}: {value}" for name, value in request.headers]
            handle.setopt(pycurl.HTTPHEADER, lines)
            slot.headers = request.headers
        if request.form != slot.form:
            if request.form:
                handle.setopt(pycurl.POSTFIELDS, request.form)
            else:
                handle.setopt(pycurl.HTTPGET, 1)
            slot.form = request.form
        self._running[handle] = transfer
        self._multi.add_handle(handle)

    def finished(self, seconds: float) -> Sequence[Response]:
        """Wait for responses, at most some seconds, and return them."""
        deadline = time.monotonic() + seconds
        wait = 0.0
        while True:
            self._poller.wait(wait)
            while self._opened:  # libcurl has duplicated them
                self._opened.pop().close()
            responses = self._collect()
            left = deadline - time.monotonic()
            is_idle = not (self._running or self.listens)
            if responses or is_idle or left <= 0 or self._poller.is_called:
                return responses
            wait = min(left, self._check_every)

    def close(self) -> None:
        """Drop all connections."""
        for handle in list(self._running):
            self._multi.remove_handle(handle)
            handle.close()
        for handle in self._idle:
            handle.close()
        self._running.clear()
        self._slots.clear()
        # libcurl waits until pending DNS lookups end, which can take long.
        closing = Thread(target=self._close_multi, daemon=True)
        closing.start()
        closing.join(self.settings.closing)

    def _close_multi(self) -> None:
        """Let libcurl close its connections."""
        self._multi.close()
        self._poller.close()

    def _collect(self) -> list[Response]:
        responses = []
        more = 1
        while more:
            more, done, failed = self._multi.info_read()
            responses += [self._finish(handle, 0, "") for handle in done]
            responses += [self._finish(handle, code, text) for handle, code, text in failed]
        now = time.monotonic()
        if now - self._checked >= self._check_every:
            self._checked = now
            responses += self._stop_late(now)
        return responses

    def _stop_late(self, now: float) -> list[Response]:
        """Stop the downloads that exceed a time limit."""
        responses = []
        for handle, transfer in list(self._running.items()):
            if late := transfer.late(now):
                transfer.refuse(FetchError.TIMEOUT, late)
                responses.append(self._finish(handle, pycurl.E_OPERATION_TIMEDOUT, ""))
        return responses

    def _finish(self, handle: pycurl.Curl, code: int, text: str) -> Response:
        """Return the response of a transfer that ended with an error code of libcurl."""
        transfer = self._running.pop(handle)
        self._multi.remove_handle(handle)
        if not transfer.head_done:
            transfer.read_head()
        error, detail = transfer.error, transfer.detail or text
        if not code and not transfer.head_done:
            error, detail = FetchError.LOST, "closed before the end of the headers"
        if code and error is None and not (transfer.cut or transfer.complete):
            error = None if transfer.has_last_chunk else error_of(code, text)
            if error is FetchError.NO_CONNECTION and (number := handle.getinfo(pycurl.OS_ERRNO)):
                detail = strerror(number).lower()
            if transfer.refused and not transfer.address:
                error, detail = transfer.refused
        if error in UNFINISHED and transfer.head_done and not transfer.is_page:
            error, transfer.cut = None, True  # the headers are all that is needed
        response = Response(
            transfer.request,
            transfer.started,
            time.monotonic() - transfer.begun,
            transfer.address,
            b"".join(transfer.head),
            bytes(transfer.body),
            handle.getinfo(pycurl.RESPONSE_CODE),
            tuple(transfer.headers),
            error,
            detail if error else "",
            transfer.cut,
            bool(transfer.sent),
        )
        transfer.body.clear()  # the slot keeps the transfer until its next use
        self._idle.append(handle)
        return response

    def _open_socket(self, slot: TransferSlot, address: Address) -> object:
        """Open a connection for the transfer of a slot, if the guard allows it."""
        transfer = slot.transfer
        assert transfer is not None
        parts = urlsplit(transfer.request.url)
        host = parts.hostname or ""
        port = parts.port or (443 if parts.scheme == "https" else 80)
        family, kind, protocol, (ip, *_) = address
        if self._guard.refuses(host, port, ip):
            transfer.refused = FetchError.REFUSED_ADDRESS, f"{host} is {ip}"
            return pycurl.SOCKET_BAD
        if slot.admit is not None and not slot.admit(transfer.request, ip):
            transfer.refused = FetchError.BUSY, ip
            return pycurl.SOCKET_BAD
        transfer.address = ip
        opened = socket.socket(family, kind, protocol)
        self._opened.append(opened)
        return opened

    def _new_handle(self) -> pycurl.Curl:
        handle = pycurl.Curl()
        limits = self.limits
        options = {
            pycurl.USERAGENT: self._user_agent,
            pycurl.PROTOCOLS: pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS,
            pycurl.HTTP_VERSION: pycurl.CURL_HTTP_VERSION_1_1,
            pycurl.FOLLOWLOCATION: 0,
            pycurl.HTTP_TRANSFER_DECODING: 0,
            pycurl.CONNECTTIMEOUT_MS: int(1000 * limits.connect),
            pycurl.NOSIGNAL: 1,
            pycurl.PROXY: "",  # none from the environment: the guard would see only its address
            pycurl.NOPROXY: "*",
            pycurl.CAINFO: certifi.where(),
            pycurl.TCP_NODELAY: 1,
        }
        for option, value in options.items():
            handle.setopt(option, value)
        slot = self._slots[handle] = TransferSlot()
        handle.setopt(pycurl.HEADERFUNCTION, slot.take_header)
        handle.setopt(pycurl.WRITEFUNCTION, slot.take_body)
        handle.setopt(
            pycurl.OPENSOCKETFUNCTION, lambda _, address: self._open_socket(slot, address)
        )
        handle.setopt(
            pycurl.PREREQFUNCTION,
            lambda address, *_: before_request(slot.transfer, address, self.may_send),
        )
        return handle


def before_request(
    transfer: HttpTransfer | None, address: str, may_send: Callable[[], bool]
) -> int:
    """Say whether libcurl, which asks just before it sends the request of a transfer, may do so."""
    assert transfer is not None
    transfer.address = address
    if not may_send():
        transfer.refuse(FetchError.BUSY, address)
        return ABORT
    if transfer.sent:
        # libcurl repeats a request at once if a kept connection breaks.  The crawl repeats it
        # instead, after a pause.
        transfer.refuse(FetchError.LOST, "closed without an answer")
        return ABORT
    transfer.sent = transfer.clock()
    return SEND


def error_of(code: int, text: str) -> FetchError:
    """Return the error for an error code of libcurl and its message."""
    if code == pycurl.E_RECV_ERROR and "Recv failure" in text:
        return FetchError.LOST  # the connection broke; otherwise the response is invalid
    return ERRORS.get(code, FetchError.BROKEN)
