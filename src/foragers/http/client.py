"""Waiting for many connections at once, without the limit of 1,024 that select has.

libcurl tells which sockets it wants to hear of, and by when it wants to be called
anyway; the operating system tells which of them have something to say.

Many downloads at once, on libcurl: keep-alive, TLS, time and size limits, raw bytes kept.

libcurl does the protocol; what is decided here is what may be reached (the guard is asked
for the resolved address of every new connection), how long and how much is read, and
which content types are worth reading to the end.  Redirects are not followed: each hop
must pass robots.txt and scope first, which is the crawl's business.
"""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Callable, Sequence
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
    """The sockets of a multi handle, and when it is to be called at the latest."""

    def __init__(self, multi: pycurl.CurlMulti) -> None:
        self._multi = multi
        self._selector = selectors.DefaultSelector()
        self._due = inf
        multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)

    def wait(self, seconds: float) -> None:
        """Let libcurl work on what happens within some seconds, or until it has been called."""
        now = time.monotonic()
        for key, happened in self._selector.select(max(0.0, min(seconds, self._due - now))):
            flags = pycurl.CSELECT_IN if happened & selectors.EVENT_READ else 0
            flags |= pycurl.CSELECT_OUT if happened & selectors.EVENT_WRITE else 0
            self._multi.socket_action(key.fd, flags)
        if self._due <= time.monotonic():
            self._due = inf
            self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)

    def close(self) -> None:
        """Let go of the operating system's part."""
        self._selector.close()

    def _watch(self, what: int, fd: int, multi: pycurl.CurlMulti, data: object) -> None:
        """Note which socket libcurl wants to hear of, and of what."""
        del multi, data
        known = fd in self._selector.get_map()
        if what == pycurl.POLL_REMOVE:
            if known:
                self._selector.unregister(fd)
            return
        if known:
            try:
                self._selector.modify(fd, EVENTS[what])
            except OSError:  # another socket has its number now
                known = False
        if not known:
            self._selector.register(fd, EVENTS[what])

    def _set_timer(self, milliseconds: int) -> None:
        """Note by when libcurl wants to be called."""
        self._due = inf if milliseconds < 0 else time.monotonic() + milliseconds / 1000


TOO_LARGE_A_HEADER = 100  # CURLE_TOO_LARGE, which pycurl has no name for
TROUBLES = {
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
    TOO_LARGE_A_HEADER: FetchError.HEADERS,
}
UNFINISHED = (FetchError.TIMEOUT, FetchError.LOST, FetchError.BROKEN)
MAX_WAIT = 1.0
"""Seconds after which time limits are looked at even if nothing happens on the network."""
MAX_IDLE_CONNECTIONS = 256
DNS_AGE = 60
"""Seconds for which libcurl remembers addresses, and half as long that there is none."""
CLOSING = 0.2
"""Seconds to wait for libcurl when all is over."""


class Client:
    """Downloads several addresses at once.

    `admit`, if set, is asked before a connection to an address is opened, and may say
    that it is not the time for one: the reply is then `BUSY`.
    """

    def __init__(
        self,
        user_agent: str,
        guard: Guard,
        limits: Limits,
        wanted: Callable[[str], bool] = lambda kind: True,  # noqa: ARG005
        connections: int = 64,
    ) -> None:
        self.admit: Callable[[Request, str], bool] | None = None
        self.limits = limits
        self._user_agent = user_agent
        self._guard = guard
        self._wanted = wanted
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, min(4 * connections, MAX_IDLE_CONNECTIONS))
        self._waiting = SocketPoller(self._multi)
        self._idle: list[pycurl.Curl] = []
        self._running: dict[pycurl.Curl, HttpTransfer] = {}
        self._opened: list[socket.socket] = []
        self._look = min(MAX_WAIT, limits.connect / 4, limits.head / 4, limits.idle / 4)
        self._looked = 0.0

    @property
    def running(self) -> int:
        """How many downloads are under way."""
        return len(self._running)

    def start(self, request: Request) -> None:
        """Begin a download."""
        handle = self._idle.pop() if self._idle else self._new_handle()
        clock = time.monotonic
        transfer = HttpTransfer(request, self.limits, self._wanted, clock, time.time(), clock())
        handle.setopt(pycurl.URL, request.url)
        handle.setopt(pycurl.DNS_CACHE_TIMEOUT, 0 if request.afresh else DNS_AGE)
        handle.setopt(pycurl.HTTPHEADER, [f"{name}: {value}" for name, value in request.headers])
        handle.setopt(pycurl.HEADERFUNCTION, transfer.take_header)
        handle.setopt(pycurl.WRITEFUNCTION, transfer.take_body)
        handle.setopt(pycurl.OPENSOCKETFUNCTION, self._opener(transfer))
        handle.setopt(pycurl.PREREQFUNCTION, asker(transfer))
        self._running[handle] = transfer
        self._multi.add_handle(handle)

    def finished(self, seconds: float) -> Sequence[Response]:
        """Wait for answers, at most so long, and return them."""
        deadline = time.monotonic() + seconds
        wait = 0.0
        while True:
            self._waiting.wait(wait)
            while self._opened:  # libcurl has made copies of them
                self._opened.pop().close()
            replies = self._collect()
            left = deadline - time.monotonic()
            if replies or not self._running or left <= 0:
                return replies
            wait = min(left, self._look)

    def close(self) -> None:
        """Drop all connections."""
        for handle in list(self._running):
            self._multi.remove_handle(handle)
            handle.close()
        for handle in self._idle:
            handle.close()
        self._running.clear()
        # libcurl waits for names that are being looked up, which can take long: not we.
        closing = Thread(target=self._close_multi, daemon=True)
        closing.start()
        closing.join(CLOSING)

    def _close_multi(self) -> None:
        """Let libcurl close what it keeps open."""
        self._multi.close()
        self._waiting.close()

    def _collect(self) -> list[Response]:
        replies = []
        more = 1
        while more:
            more, done, failed = self._multi.info_read()
            replies += [self._finish(handle, 0, "") for handle in done]
            replies += [self._finish(handle, code, text) for handle, code, text in failed]
        now = time.monotonic()
        if now - self._looked >= self._look:
            self._looked = now
            replies += self._stop_the_late(now)
        return replies

    def _stop_the_late(self, now: float) -> list[Response]:
        """End the downloads whose time is over."""
        replies = []
        for handle, transfer in list(self._running.items()):
            if late := transfer.late(now):
                transfer.refuse(FetchError.TIMEOUT, late)
                replies.append(self._finish(handle, pycurl.E_OPERATION_TIMEDOUT, ""))
        return replies

    def _finish(self, handle: pycurl.Curl, error: int, text: str) -> Response:
        """Make a reply of a transfer that is over."""
        transfer = self._running.pop(handle)
        self._multi.remove_handle(handle)
        trouble, detail = transfer.trouble, transfer.detail or text
        if not error and not transfer.head_done:
            trouble, detail = FetchError.LOST, "closed before the end of the headers"
        if error and trouble is None and not (transfer.cut or transfer.whole):
            trouble = None if transfer.has_last_chunk else trouble_of(error, text)
            if trouble is FetchError.NO_CONNECTION and (number := handle.getinfo(pycurl.OS_ERRNO)):
                detail = strerror(number).lower()
            if transfer.turned_away and not transfer.address:
                trouble, detail = transfer.turned_away
        if trouble in UNFINISHED and transfer.head_done and not transfer.is_page:
            trouble, transfer.cut = None, True  # the head has said all that matters
        reply = Response(
            transfer.request,
            transfer.started,
            time.monotonic() - transfer.begun,
            transfer.address,
            b"".join(transfer.head),
            bytes(transfer.body),
            handle.getinfo(pycurl.RESPONSE_CODE),
            tuple(transfer.headers),
            trouble,
            detail if trouble else "",
            transfer.cut,
            bool(transfer.asked),
        )
        transfer.body.clear()  # the handle keeps the transfer until it has another
        self._idle.append(handle)
        return reply

    def _opener(self, transfer: HttpTransfer) -> Callable[..., object]:
        """Return what opens a connection for a transfer, if the guard lets it."""
        parts = urlsplit(transfer.request.url)
        host = parts.hostname or ""
        port = parts.port or (443 if parts.scheme == "https" else 80)

        def open_socket(purpose: int, address: tuple[int, int, int, tuple[str, int]]) -> object:
            family, kind, protocol, (ip, *_) = address
            del purpose
            if self._guard.refuses(host, port, ip):
                transfer.turned_away = FetchError.REFUSED_ADDRESS, f"{host} is {ip}"
                return pycurl.SOCKET_BAD
            if self.admit is not None and not self.admit(transfer.request, ip):
                transfer.turned_away = FetchError.BUSY, ip
                return pycurl.SOCKET_BAD
            transfer.address = ip
            opened = socket.socket(family, kind, protocol)
            self._opened.append(opened)
            return opened

        return open_socket

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
            pycurl.PROXY: "",  # none from the environment: the guard would see its address alone
            pycurl.NOPROXY: "*",
            pycurl.CAINFO: certifi.where(),
            pycurl.TCP_NODELAY: 1,
        }
        for option, value in options.items():
            handle.setopt(option, value)
        return handle


def asker(transfer: HttpTransfer) -> Callable[[str, str, int, int], int]:
    """Return what is called just before the request of a transfer is sent."""

    def ask(address: str, local: str, port: int, local_port: int) -> int:
        del local, port, local_port
        transfer.address = address
        if transfer.asked:
            # libcurl asks again at once where a kept connection breaks: that is for us to do,
            # and not without a pause.
            transfer.refuse(FetchError.LOST, "closed without an answer")
            return int(pycurl.PREREQFUNC_ABORT)
        transfer.asked = transfer.clock()
        return int(pycurl.PREREQFUNC_OK)

    return ask


def trouble_of(error: int, text: str) -> FetchError:
    """Return what an error of libcurl means to us."""
    if error == pycurl.E_RECV_ERROR and "Recv failure" in text:
        return FetchError.LOST  # the connection; otherwise it is what came over it
    return TROUBLES.get(error, FetchError.BROKEN)
