"""Pages that mean harm, in a real browser: what they can reach, take and hold up."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from foragers.http.messages import Limits
from foragers.rendering.client import Renderer
from foragers.rendering.messages import RenderJob, RenderOptions
from foragers.rendering.watchdog import descendants, is_running, memory
from support.browsing import CHROMIUM, awaited, needs_browser, rendered
from support.hostile_server import HostileServer

pytestmark = needs_browser

ENDLESS = "<script>setInterval(() => fetch('/x').catch(() => 0), 50)</script>"
WAYS_OUT = """<!doctype html><title>before</title>
<link rel="preconnect" href="http://PROBE/"><link rel="dns-prefetch" href="http://PROBE/">
<link rel="prefetch" href="http://PROBE/prefetch"><link rel="stylesheet" href="http://PROBE/css">
<link rel="manifest" href="http://PROBE/manifest"><body><div id="root"></div>
<img src="http://PROBE/img"><iframe src="http://PROBE/frame"></iframe>
<object data="http://PROBE/object"></object><video src="http://PROBE/video"></video>
<script type="module" src="http://PROBE/module"></script><script src="http://PROBE/script"></script>
<script>
const tries = [
  () => fetch('http://PROBE/fetch', {keepalive: true}).catch(() => 0),
  () => fetch('OPEN/redirect').catch(() => 0),
  () => fetch('http://0x7f.1:PORT/hex').catch(() => 0),
  () => fetch('http://[::ffff:127.0.0.1]:PORT/mapped').catch(() => 0),
  () => new WebSocket('ws://PROBE/socket'),
  () => new EventSource('http://PROBE/events'),
  () => navigator.sendBeacon('http://PROBE/beacon', 'x'),
  () => new WebTransport('https://PROBE/transport').ready.catch(() => 0),
  () => navigator.serviceWorker.register('/worker.js').catch(() => 0),
  () => window.open('http://PROBE/window'),
  () => new Worker(URL.createObjectURL(new Blob([
    "fetch('http://PROBE/worker').catch(() => 0); new WebSocket('ws://PROBE/worker')"]))),
  () => {
    const peer = new RTCPeerConnection({iceServers: [{urls: 'stun:PROBE'},
      {urls: 'turn:PROBE?transport=tcp', username: 'a', credential: 'b'}]});
    peer.createDataChannel('x');
    peer.createOffer().then(offer => peer.setLocalDescription(offer));
  },
  () => { const form = document.createElement('form'); form.method = 'post';
          form.action = 'http://PROBE/form'; document.body.append(form); form.submit(); },
  () => setTimeout(() => { location = 'http://PROBE/location'; }, 50),
  () => { alert(1); confirm(2); prompt(3); },
];
let failed = 0;
for (const one of tries) { try { one(); } catch (error) { failed += 1; } }
document.title = tries.length + ' tried, ' + failed + ' failed';
</script>"""


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    """A browser for pages that do it no lasting harm."""
    options = RenderOptions(
        "foragers/test",
        allow_private=("127.0.0.2",),
        robots=False,
        limits=Limits(unpacked=200_000),
        chromium=CHROMIUM,
    )
    made = Renderer(options)
    made.open()
    yield made
    made.close()


@contextmanager
def probe() -> Iterator[tuple[int, list[str]]]:
    """Listen where nobody should come, by TCP and by UDP; give the port and who came."""
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(type=socket.SOCK_DGRAM) as udp,
    ):
        port = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        came: list[str] = []

        def accept() -> None:
            with suppress(OSError):
                while True:
                    tcp.accept()[0].close()
                    came.append("tcp")

        def take() -> None:
            with suppress(OSError):
                while True:
                    udp.recvfrom(2000)
                    came.append("udp")

        for one in (accept, take):
            threading.Thread(target=one, daemon=True).start()
        yield port, came
        tcp.shutdown(socket.SHUT_RDWR)


def test_the_probe_notices_who_comes() -> None:
    with probe() as (port, came):
        socket.create_connection(("127.0.0.1", port)).close()
        with socket.socket(type=socket.SOCK_DGRAM) as udp:
            udp.sendto(b"x", ("127.0.0.1", port))
        while sorted(came) != ["tcp", "udp"]:
            time.sleep(0.01)


def test_no_way_out_leads_to_a_private_address(renderer: Renderer) -> None:
    with probe() as (port, came):
        away = f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{port}/\r\nContent-Length: 0"
        site = {"/redirect": f"{away}\r\n\r\n".encode()}
        with HostileServer(site, address="127.0.0.2") as server:
            html = WAYS_OUT.replace("PROBE", f"127.0.0.1:{port}").replace("PORT", str(port))
            found = rendered(renderer, html.replace("OPEN", server.origin))
            assert server.paths == ["/redirect"], "what is allowed is reached"
        assert b"<title>15 tried, 0 failed</title>" in found.html
        assert came == []


def test_what_components_hide_is_read(renderer: Renderer) -> None:
    html = """<div id="root"></div><script>
    document.getElementById('root').attachShadow({mode: 'open'}).innerHTML =
      '<p>in the <a href="/shadow">shadow</a></p>';</script>"""
    assert b'<p>in the <a href="/shadow">shadow</a></p>' in rendered(renderer, html).html


def test_a_page_cannot_meddle_with_how_it_is_read(renderer: Renderer) -> None:
    html = """<p>true words<script>
    Object.defineProperty(Element.prototype, 'outerHTML', {get: () => 'false words'});
    document.querySelectorAll = () => { throw 'no' };</script>"""
    assert b"true words" in rendered(renderer, html).html


def test_nothing_is_kept_from_one_page_to_the_next(renderer: Renderer) -> None:
    keep = "<script>document.cookie = 'a=1'; localStorage.b = 2</script>"
    show = "<p id=p></p><script>p.textContent = `[${document.cookie}${localStorage.b}]`</script>"
    rendered(renderer, keep)
    assert b"[undefined]" in rendered(renderer, show).html


def test_a_page_that_grows_too_large_is_given_up(renderer: Renderer) -> None:
    large = "<script>document.append(document.createComment('x'.repeat(200001)))</script>"
    large = large.replace("document.append", "document.head.append")
    assert rendered(renderer, large).reason == "more than 200,000 characters"
    assert b"small" in rendered(renderer, "<p>small").html


@pytest.fixture
def harmed() -> Iterator[Renderer]:
    """A browser that will not live long."""
    made = Renderer(RenderOptions("foragers/test", chromium=CHROMIUM))
    yield made
    made.close()


def test_a_page_that_hangs_is_ended_and_the_next_one_rendered(harmed: Renderer) -> None:
    harmed.options = replace(harmed.options, seconds=1.0, grace=1.0)
    assert rendered(harmed, "<script>for (;;);</script>").reason == "the page took too long"
    harmed.close()
    harmed.options = RenderOptions("foragers/test", chromium=CHROMIUM)
    assert b"still here" in rendered(harmed, "<p>still here").html


def test_a_browser_is_started_anew_after_so_many_pages(harmed: Renderer) -> None:
    harmed.options = replace(harmed.options, pages=2)
    numbers = []
    for _ in range(3):
        assert b"words" in rendered(harmed, "<p>words").html
        numbers.append(browsers(harmed.pid))
    first, second, third = numbers
    assert len(first) == len(third) == 1
    assert first == second != third


def browsers(pid: int) -> list[int]:
    """Return the browsers that a process has started, without the processes of each of them."""
    found = []
    for one in descendants(pid):
        with suppress(OSError):
            line = Path(f"/proc/{one}/cmdline").read_bytes()
            if b"--remote-debugging-pipe" in line and b"--type=" not in line:
                found.append(one)
    return found


def test_a_browser_that_is_killed_is_a_reason_and_leaves_nothing_behind(harmed: Renderer) -> None:
    harmed.open()
    folder, pids = Path(harmed._folder), descendants(harmed.pid)
    assert len(pids) > 2
    assert memory(harmed.pid) > 10
    harmed.start(RenderJob("https://shop.test/", "text/html", ENDLESS.encode()))
    os.kill(harmed.pid, signal.SIGKILL)
    assert awaited(harmed).reason == "the browser broke down"
    assert not folder.exists()
    while any(is_running(pid) for pid in pids):
        time.sleep(0.05)
