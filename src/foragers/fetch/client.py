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
from os import strerror
from threading import Thread
from urllib.parse import urlsplit

import certifi
import pycurl

from foragers.fetch.guard import Guard
from foragers.fetch.reply import Limits, Reply, Request, Trouble
from foragers.fetch.transfer import Transfer
from foragers.fetch.waiting import Waiting

TOO_LARGE_A_HEADER = 100  # CURLE_TOO_LARGE, which pycurl has no name for
TROUBLES = {
    pycurl.E_COULDNT_RESOLVE_HOST: Trouble.NO_HOST,
    pycurl.E_COULDNT_CONNECT: Trouble.NO_CONNECTION,
    pycurl.E_OPERATION_TIMEDOUT: Trouble.TIMEOUT,
    pycurl.E_SSL_CONNECT_ERROR: Trouble.TLS,
    pycurl.E_PEER_FAILED_VERIFICATION: Trouble.TLS,
    pycurl.E_SSL_CERTPROBLEM: Trouble.TLS,
    pycurl.E_SSL_CACERT_BADFILE: Trouble.TLS,
    pycurl.E_SSL_ISSUER_ERROR: Trouble.TLS,
    pycurl.E_GOT_NOTHING: Trouble.LOST,
    pycurl.E_PARTIAL_FILE: Trouble.LOST,
    pycurl.E_SEND_ERROR: Trouble.LOST,
    TOO_LARGE_A_HEADER: Trouble.HEADERS,
}
UNFINISHED = (Trouble.TIMEOUT, Trouble.LOST, Trouble.BROKEN)
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
        self._waiting = Waiting(self._multi)
        self._idle: list[pycurl.Curl] = []
        self._running: dict[pycurl.Curl, Transfer] = {}
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
        transfer = Transfer(request, self.limits, self._wanted, clock, time.time(), clock())
        handle.setopt(pycurl.URL, request.url)
        handle.setopt(pycurl.DNS_CACHE_TIMEOUT, 0 if request.afresh else DNS_AGE)
        handle.setopt(pycurl.HTTPHEADER, [f"{name}: {value}" for name, value in request.headers])
        handle.setopt(pycurl.HEADERFUNCTION, transfer.take_header)
        handle.setopt(pycurl.WRITEFUNCTION, transfer.take_body)
        handle.setopt(pycurl.OPENSOCKETFUNCTION, self._opener(transfer))
        handle.setopt(pycurl.PREREQFUNCTION, asker(transfer))
        self._running[handle] = transfer
        self._multi.add_handle(handle)

    def finished(self, seconds: float) -> Sequence[Reply]:
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

    def _collect(self) -> list[Reply]:
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

    def _stop_the_late(self, now: float) -> list[Reply]:
        """End the downloads whose time is over."""
        replies = []
        for handle, transfer in list(self._running.items()):
            if late := transfer.late(now):
                transfer.refuse(Trouble.TIMEOUT, late)
                replies.append(self._finish(handle, pycurl.E_OPERATION_TIMEDOUT, ""))
        return replies

    def _finish(self, handle: pycurl.Curl, error: int, text: str) -> Reply:
        """Make a reply of a transfer that is over."""
        transfer = self._running.pop(handle)
        self._multi.remove_handle(handle)
        trouble, detail = transfer.trouble, transfer.detail or text
        if not error and not transfer.head_done:
            trouble, detail = Trouble.LOST, "closed before the end of the headers"
        if error and trouble is None and not (transfer.cut or transfer.whole):
            trouble = None if transfer.has_last_chunk else trouble_of(error, text)
            if trouble is Trouble.NO_CONNECTION and (number := handle.getinfo(pycurl.OS_ERRNO)):
                detail = strerror(number).lower()
            if transfer.turned_away and not transfer.address:
                trouble, detail = transfer.turned_away
        if trouble in UNFINISHED and transfer.head_done and not transfer.is_page:
            trouble, transfer.cut = None, True  # the head has said all that matters
        reply = Reply(
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

    def _opener(self, transfer: Transfer) -> Callable[..., object]:
        """Return what opens a connection for a transfer, if the guard lets it."""
        parts = urlsplit(transfer.request.url)
        host = parts.hostname or ""
        port = parts.port or (443 if parts.scheme == "https" else 80)

        def open_socket(purpose: int, address: tuple[int, int, int, tuple[str, int]]) -> object:
            family, kind, protocol, (ip, *_) = address
            del purpose
            if self._guard.refuses(host, port, ip):
                transfer.turned_away = Trouble.REFUSED_ADDRESS, f"{host} is {ip}"
                return pycurl.SOCKET_BAD
            if self.admit is not None and not self.admit(transfer.request, ip):
                transfer.turned_away = Trouble.BUSY, ip
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


def asker(transfer: Transfer) -> Callable[[str, str, int, int], int]:
    """Return what is called just before the request of a transfer is sent."""

    def ask(address: str, local: str, port: int, local_port: int) -> int:
        del local, port, local_port
        transfer.address = address
        if transfer.asked:
            # libcurl asks again at once where a kept connection breaks: that is for us to do,
            # and not without a pause.
            transfer.refuse(Trouble.LOST, "closed without an answer")
            return int(pycurl.PREREQFUNC_ABORT)
        transfer.asked = transfer.clock()
        return int(pycurl.PREREQFUNC_OK)

    return ask


def trouble_of(error: int, text: str) -> Trouble:
    """Return what an error of libcurl means to us."""
    if error == pycurl.E_RECV_ERROR and "Recv failure" in text:
        return Trouble.LOST  # the connection; otherwise it is what came over it
    return TROUBLES.get(error, Trouble.BROKEN)
