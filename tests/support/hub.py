"""A small real hub (WebSub) over HTTP: it confirms who asked, and signs what it delivers."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode
from urllib.request import Request, urlopen


@dataclass
class Hub:
    """The subscriptions that were confirmed, by topic, and all forms that came in."""

    lease: int = 3600
    refuses: bool = False
    port: int = 0
    forms: list[dict[str, str]] = field(default_factory=list)
    confirmed: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The URL of the hub."""
        return f"http://127.0.0.1:{self.port}/hub"

    def subscribe(self, form: dict[str, str]) -> None:
        """Ask a subscriber whether it has asked."""
        query = {
            "hub.mode": "subscribe",
            "hub.topic": form["hub.topic"],
            "hub.challenge": "a&b<c",
            "hub.lease_seconds": str(self.lease),
        }
        status, said = fetched(f"{form['hub.callback']}?{urlencode(query)}")
        if (status, said) == (200, b"a&b<c"):
            self.confirmed[form["hub.topic"]] = form

    def deliver(self, topic: str, body: bytes = b"<rss/>", secret: str = "") -> int:
        """Deliver to the subscriber of a topic, and return the status of its answer."""
        form = self.confirmed[topic]
        return delivered(form["hub.callback"], body, secret or form["hub.secret"])


def delivered(callback: str, body: bytes, secret: str) -> int:
    """Send a signed body to a callback, and return the status of the answer."""
    digest = hmac.new(secret.encode(), body, "sha256").hexdigest()
    return fetched(callback, body, {"X-Hub-Signature": f"sha256={digest}"})[0]


def fetched(
    url: str, body: bytes | None = None, headers: dict[str, str] | None = None
) -> tuple[int, bytes]:
    """Return status and body of a response, whatever the status."""
    try:
        with urlopen(Request(url, body, headers or {}), timeout=20) as response:
            return response.status, response.read()
    except HTTPError as error:
        return error.code, error.read()


@contextmanager
def hub_served(hub: Hub) -> Iterator[Hub]:
    """Serve a hub on loopback."""

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            form = {key: one[0] for key, one in parse_qs(self.rfile.read(size).decode()).items()}
            hub.forms.append(form)
            self.send_response(403 if hub.refuses else 202)
            self.end_headers()
            if not hub.refuses:
                Thread(target=hub.subscribe, args=(form,), daemon=True).start()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.daemon_threads = True
    hub.port = server.server_address[1]
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
