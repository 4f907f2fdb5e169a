"""Any world as a real web on this machine: real sockets, real HTTP, and time that runs faster.

    with WorldServer(archive, speed=60) as server:
        crawl(server.address("http://site.test/"))

`server.address` gives the local address of a URL; from there a crawler or a browser can
reach the whole world, since each host has an address of its own (see `loopback`).  With
`since` the world starts at that moment of its time and continues at `speed` seconds per second;
without, it does not change and is as it was at the end.

Why aiohttp: a world has thousands of hosts, each with a listening socket.  One event
loop waits for all of them in one thread (5,600 are open in less than a second), while
http.server would need a thread for each.  Speed is not the reason.  Measured roughly, on a
shared machine of two cores, with a fixed page of 6 kB: aiohttp 4,600 to 13,400 answers per second,
ThreadingHTTPServer 5,700 to 6,900; with a new connection for each request up to 2,500 for both.
Real and generated pages with their links made local cost 0.5 to 0.65 ms of CPU time each, which
is 1,500 to 2,000 per second and core.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from socket import socket
from threading import Event, Thread
from types import TracebackType
from typing import NamedTuple, Self

from aiohttp import web

from foragers.errors import UsageError
from foragers.worlds.archive import Archive
from foragers.worlds.serving.answers import Answers, ServedRequest
from foragers.worlds.serving.listen import listen
from foragers.worlds.serving.loopback import Loopback

GRACE = 1.0
"""Seconds for answers in progress at the end."""

BACKLOG = 256


class Served(NamedTuple):
    """One answered request: its real time, and its target."""

    time: float
    host: str
    path: str
    status: int


@dataclass
class WorldServer:
    """Serves a world from a thread, from `start` to `stop` or within a `with` block.

    Port 0 takes a free one.  Each answer waits `latency` seconds.  `log`, a list of yours, gets
    every request.  `notice` says what is not available, if anything.
    """

    archive: Archive
    port: int = 0
    speed: float = 1.0
    since: float | None = None
    latency: float = 0.0
    log: list[Served] | None = None
    notice: str = field(init=False, default="")
    _running: _Running | None = field(init=False, default=None, repr=False)

    def start(self) -> Self:
        """Listen, and answer from now on."""
        if self.speed < 0:
            raise UsageError(f"time cannot run at speed {self.speed:g}; give 0 or more")
        sockets, self.notice = listen(self.archive, self.port)
        self.port = sockets[0].getsockname()[1]
        self._running = _Running(self, sockets)
        self._running.start()
        return self

    def stop(self) -> None:
        """Answer the requests in progress, and close."""
        if self._running is not None:
            self._running.stop()
            self._running = None

    def wait(self) -> None:
        """Wait until the server is stopped, by another thread or by Ctrl-C."""
        if self._running is not None:
            self._running.join()

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
    def now(self) -> float:
        """The world's time."""
        return self.running.now

    @property
    def running(self) -> _Running:
        """What runs between `start` and `stop`."""
        if self._running is None:
            raise RuntimeError("the server is not started")
        return self._running

    def origin(self, host: str) -> str:
        """Return the local origin of a host of the world."""
        return self.address(f"http://{host}/").removesuffix("/")

    def address(self, url: str) -> str:
        """Return the local address of a URL of the world."""
        return self.running.loopback.address(url)

    def world_address(self, address: str) -> str:
        """Return the URL of the world that is shown at a local address."""
        requested = self.running.answers.requested_page(ServedRequest("GET", address))
        if requested is None or not requested.urls:
            raise UsageError(f"{address} is not a URL of this world")
        return self.archive.book.href(self.running.answers.meant(requested.urls)[0])


class _Running:
    """The thread of a server, its event loop, and the clock of its world."""

    def __init__(self, server: WorldServer, sockets: list[socket]) -> None:
        self.server = server
        self.loopback = Loopback(server.archive.book, server.port)
        self.answers = Answers(server.archive, self.loopback, server.since)
        self._sockets = sockets
        self._began = time.monotonic()
        self._ready = Event()
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._thread = Thread(target=self._run, name="world-server", daemon=True)

    @property
    def now(self) -> float:
        """The world's time; without `since` it is always that of the end."""
        if self.server.since is None:
            return self.server.archive.end
        return self.server.since + (time.monotonic() - self._began) * self.server.speed

    def start(self) -> None:
        """Start, and return when requests can be answered."""
        self._thread.start()
        self._ready.wait()

    def stop(self) -> None:
        """End the thread."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopped.set)
            self._thread.join()

    def join(self) -> None:
        """Wait for the end."""
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        protocol = web.Server(self._answer, access_log=None)
        with ExitStack() as open_sockets:
            for listener in self._sockets:
                open_sockets.enter_context(listener)
            servers = [
                await self._loop.create_server(protocol, sock=listener, backlog=BACKLOG)
                for listener in self._sockets
            ]
            self._ready.set()
            await self._stopped.wait()
            for server in servers:
                server.close()
            await protocol.shutdown(GRACE)

    async def _answer(self, request: web.BaseRequest) -> web.Response:
        came = time.time()
        headers = request.headers
        answer = self.answers.answer(
            ServedRequest(
                request.method,
                request.raw_path,
                headers.get("Host") or self._socket_of(request),
                headers.get("If-None-Match", ""),
                headers.get("If-Modified-Since", ""),
                headers.get("Accept-Encoding", ""),
            ),
            self.now,
        )
        if self.server.log is not None:
            self.server.log.append(Served(came, answer.host, answer.path, answer.status))
        if self.server.latency:
            await asyncio.sleep(self.server.latency)
        named = {"Server": "foragers", **answer.headers}
        return web.Response(status=answer.status, headers=named, body=answer.body)

    def _socket_of(self, request: web.BaseRequest) -> str:
        """Return the local address of a connection, for clients too old to name a host."""
        transport = request.transport
        return str(transport.get_extra_info("sockname")[0]) if transport else ""


def serve(
    archive: Archive,
    port: int = 8000,
    speed: float = 1.0,
    since: float | None = None,
    latency: float = 0.0,
    ready: Callable[[WorldServer], None] | None = None,
) -> None:
    """Serve a world until Ctrl-C; `ready` is called when it can be reached."""
    with WorldServer(archive, port, speed, since, latency) as server, suppress(KeyboardInterrupt):
        if ready:
            ready(server)
        server.wait()
