"""A small news site over real HTTP, which publishes while it is watched, and can break."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Lock, Thread
from typing import Any

SECTIONS = ("town", "river", "boats")


@dataclass
class NewsSite:
    """Articles with their times; `old` ones are there from the start."""

    old: int = 30
    feed: bool = True
    sitemap: bool = False
    refuses: bool = False
    is_down: bool = False
    box: int = 0
    """Old articles in a box of what is read most, which are others at each look."""
    hub: str = ""
    articles: dict[int, float] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    removed: set[int] = field(default_factory=set)
    log: list[tuple[float, str]] = field(default_factory=list)
    salt: int = 0
    port: int = 0
    lock: Any = field(default_factory=Lock)

    def publish(self, number: int | None = None) -> int:
        """Publish an article now."""
        with self.lock:
            number = max(self.articles, default=0) + 1 if number is None else number
            self.articles[number] = time.time()
            return number

    def url(self, path: str = "/") -> str:
        """Return the URL of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    def article_url(self, number: int) -> str:
        """Return the URL of an article."""
        return self.url(f"/{SECTIONS[number % 3]}/story-{number}.html")

    def answer(self, path: str) -> tuple[int, str, bytes]:
        """Return status, content type and body."""
        with self.lock:
            newest = [n for n in sorted(self.articles, reverse=True) if n not in self.removed]
        if path == "/robots.txt" and self.sitemap:
            return 200, "text/plain", f"Sitemap: {self.url('/sitemap.xml')}".encode()
        if path == "/sitemap.xml" and self.sitemap:
            dates = {n: datetime.fromtimestamp(self.articles[n], UTC).isoformat() for n in newest}
            entries = "".join(
                f"<url><loc>{self.article_url(n)}</loc><lastmod>{dates[n]}</lastmod></url>"
                for n in newest
            )
            return 200, "application/xml", f"<urlset>{entries}</urlset>".encode()
        if path == "/robots.txt":
            return 404, "text/plain", b"none"
        if self.is_down:
            return 500, "text/html", b"<p>Later"
        if self.refuses:
            return 403, "text/html", b"<p>Go away"
        if path == "/":
            head = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
            links = [self.item(n) for n in newest[:15]]
            links += [f'<li><a href="/{name}/">All about {name}</a>' for name in SECTIONS]
            read = Random(len(self.log)).sample(range(1, self.old + 1), self.box)
            box = "".join(self.item(n) for n in read)
            body = f"<ul>{''.join(links)}</ul><aside><ol>{box}</ol></aside>"
            return 200, "text/html", self.html("Home", body, head if self.feed else "")
        if path == "/feed.xml" and self.feed:
            items = "".join(
                f"<item><link>{self.article_url(n)}</link><title>Story {n}</title></item>"
                for n in newest[:10]
            )
            hub = f'<atom:link rel="hub" href="{self.hub}"/>' if self.hub else ""
            whole = f'<rss version="2.0"><channel><title>News</title>{hub}{items}</channel></rss>'
            return 200, "application/rss+xml", whole.encode()
        name, _, leaf = path.strip("/").partition("/")
        if name in SECTIONS and not leaf:
            links = [self.item(n) for n in newest if SECTIONS[n % 3] == name][:40]
            return 200, "text/html", self.html(name, "".join(links))
        number = leaf.removeprefix("story-").removesuffix(".html")
        if number.isdigit() and int(number) in newest and SECTIONS[int(number) % 3] == name:
            told = self.texts.get(int(number), "")
            chance = Random(1000 * self.salt + int(number))
            text = " ".join(made_up(chance) for _ in range(120)) + f". {told}"
            return 200, "text/html", self.html(f"Story {number}", f"<p>{text}</p>")
        return 404, "text/html", b"<p>not found"

    def item(self, number: int) -> str:
        """Return an entry of a list."""
        return f'<li><a href="{self.article_url(number)}">Story {number} of the day</a>'

    def html(self, title: str, body: str, head: str = "") -> bytes:
        """Return a page."""
        menu = "".join(f'<a href="/{name}/">{name}</a> ' for name in SECTIONS)
        start = f"<html><head><title>{title}</title>{head}</head><body>{menu}"
        return f"{start}<h1>{title}</h1>{body}</body></html>".encode()


def made_up(chance: Random) -> str:
    """Return a word of two syllables."""
    return "".join(chance.choice("bdfgklmnprstv") + chance.choice("aeiou") for _ in range(2))


@contextmanager
def served(site: NewsSite) -> Iterator[NewsSite]:
    """Serve a site on loopback."""
    for number in range(1, site.old + 1):
        site.articles[number] = time.time() - 1e6

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            site.log.append((time.time(), self.path))
            status, kind, body = site.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Date", formatdate(usegmt=True))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", site.port), Answers)
    server.daemon_threads = True
    site.port = server.server_address[1]
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
