"""The origin of the crawling benchmark: some documentation sites on loopback, out of memory.

Made-up sites have what real ones have: some 30 KB and 115 links a page, most of them a menu
and a table of contents that stand on every page of the site, a few into the page itself,
relative addresses, code in many small elements.  With a WARC file its pages are served
instead, each host at a loopback address of its own, their links made local; with a folder, the
HTML files below it, each of its folders at an address of its own; with a number, so many made-up
sites, which have 2,000 pages in all or as many as a third argument says.  Pages are sent with gzip
to clients that take it, as servers do.
"""

from __future__ import annotations

import asyncio
import gzip
import socket
import sys
from pathlib import Path
from random import Random

SITES, CHAPTERS = 8, 48
PAGES = 2000
STEMS = (
    "ba",
    "ro",
    "ti",
    "men",
    "lo",
    "ka",
    "sur",
    "ven",
    "pol",
    "dra",
    "fin",
    "gor",
    "hel",
    "mi",
    "nas",
    "tec",
    "vor",
    "wyn",
    "zel",
    "cro",
)
TOPIC = ("robot", "sensor", "actuator")
GZIP = b"\x1f\x8b"
Pages = dict[tuple[str, str], bytes]
"""Answers by host and path."""


def vocabulary(chance: Random, size: int = 4000) -> list[str]:
    """Return words of two to four syllables, and a few that a topic can be made of."""
    made = {"".join(chance.choices(STEMS, k=chance.randint(2, 4))) for _ in range(size)}
    return sorted(made) + list(TOPIC) * 3


class Site:
    """One made-up site: its menu, and its pages."""

    def __init__(self, number: int, words: list[str], pages: int) -> None:
        self.chance = Random(number)
        self.words = words
        self.number = number
        self.pages = pages
        self.names = [f"/{self.folder(i)}/{self.slug()}-{i}.html" for i in range(pages)]
        self.names[0] = "/"
        chapters = self.chance.sample(self.names, CHAPTERS)
        self.contents = [(name, self.title()) for name in ["/", *chapters]]

    def folder(self, page: int) -> str:
        """Return the folder of a page: each holds thirty."""
        return f"part{page // 30}"

    def slug(self) -> str:
        """Return a name as files have them."""
        return "-".join(self.chance.choices(self.words, k=2))

    def title(self) -> str:
        """Return some words."""
        return " ".join(self.chance.choices(self.words, k=self.chance.randint(1, 4))).capitalize()

    def prose(self, words: int) -> str:
        """Return a paragraph."""
        return " ".join(self.chance.choices(self.words, k=words)).capitalize() + "."

    def code(self, lines: int) -> str:
        """Return a listing, coloured as such sites do."""
        line = '<span class="n">{}</span> <span class="o">=</span> <span class="s">"{}"</span>'
        pick = self.chance.choice
        return "\n".join(line.format(pick(self.words), pick(self.words)) for _ in range(lines))

    def link(self, page: int) -> str:
        """Return a link from a page to another one: to a page near by, mostly, or far away."""
        near = self.chance.random() < 0.7
        last = self.pages - 1
        to = min(last, max(1, page + self.chance.randint(-9, 12))) if near else self.other()
        place = f"#{self.slug()}" if self.chance.random() < 0.3 else ""
        target = self.names[to]
        if self.names[page].startswith(target.rpartition("/")[0] + "/") and to:
            target = target.rpartition("/")[2]
        elif page and self.chance.random() < 0.6:
            target = f"..{target}"
        return f'<a class="reference internal" href="{target}{place}">{self.title()}</a>'

    def other(self) -> int:
        """Return any page."""
        return self.chance.randrange(self.pages)

    def sections(self, page: int) -> str:
        """Return the body of a page."""
        parts = []
        for _ in range(8):
            name = self.slug()
            heading = f'<h2>{self.title()}<a class="headerlink" href="#{name}">¶</a></h2>'
            paragraphs = "".join(
                f"<p>{self.prose(34)} {self.link(page)} {self.prose(18)} {self.link(page)}</p>"
                for _ in range(3)
            )
            listing = f'<div class="highlight"><pre>{self.code(9)}</pre></div>'
            parts.append(f'<section id="{name}">{heading}{paragraphs}{listing}</section>')
        return "".join(parts)

    def page(self, page: int, neighbours: list[str]) -> str:
        """Return a page of the site; its menu leads to the other sites as well."""
        items = "".join(
            f'<li class="toctree-l1"><a class="reference internal" href="{name}">{title}</a></li>'
            for name, title in self.contents
        )
        others = "".join(f'<li><a href="{home}">{home}</a></li>' for home in neighbours)
        after = self.names[min(page + 1, self.pages - 1)]
        return (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{self.title()}'
            f' — site {self.number}</title><link rel="stylesheet" href="/static/basic.css">'
            f'<link rel="next" href="{after}"></head><body><header><nav><ul>{others}</ul></nav>'
            f'</header><div class="sidebar"><nav><ul class="toctree">{items}</ul></nav></div>'
            f'<div class="document" role="main"><h1>{self.title()}</h1>{self.sections(page)}'
            f'<p><a rel="next" href="{after}">Next</a></p></div>'
            "<footer><p>Made for measuring.</p></footer></body></html>"
        )


def made_up(port: int, count: int, total: int) -> tuple[Pages, list[str]]:
    """Return the pages of some made-up sites, and their homes."""
    words, size = vocabulary(Random(1)), max(CHAPTERS + 1, total // count)
    sites = [Site(number, words, size) for number in range(count)]
    hosts = [f"127.0.0.{number + 1}:{port}" for number in range(count)]
    homes = [f"http://{host}/" for host in hosts]
    pages = {
        (host, name): site.page(page, homes[:SITES]).encode()
        for site, host in zip(sites, hosts, strict=True)
        for page, name in enumerate(site.names)
    }
    return pages, homes


def recorded(file: Path, port: int, scratch: Path) -> tuple[Pages, list[str]]:
    """Return the HTML pages of a recording as they were last, and the homes of their hosts."""
    from foragers.worlds.importing.importer import import_world
    from foragers.worlds.serving.answers import Answers, ServedRequest
    from foragers.worlds.serving.loopback import Loopback
    from foragers.worlds.store import open_world

    import_world(scratch / "world", [file])
    archive = open_world(scratch / "world")
    loopback = Loopback(archive.book, port)
    answers = Answers(archive, loopback)
    pages: Pages = {}
    first: dict[str, str] = {}
    for url in range(len(archive.book)):
        if archive.latest[url] < 0:
            continue
        address = loopback.address(archive.book.href(url))
        host, slash, path = address.removeprefix("http://").partition("/")
        answer = answers.answer(ServedRequest("GET", slash + path, host), archive.end)
        if answer.status == 200 and "html" in answer.headers.get("Content-Type", ""):
            pages[host, slash + path] = answer.body
            if host not in first or len(address) < len(first[host]):
                first[host] = address
    return pages, list(first.values())


def filed(folder: Path, port: int) -> tuple[Pages, list[str]]:
    """Return the HTML files of some sites, each in a folder of its own, and their homes."""
    pages: Pages = {}
    homes: list[str] = []
    for site in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = sorted(path for path in site.rglob("*.html") if path.is_file())
        if files:
            host = f"127.0.0.{len(homes) + 1}:{port}"
            home = min(files, key=lambda path: (path.name != "index.html", len(path.parts)))
            homes.append(f"http://{host}/{home.relative_to(site)}")
            for path in files:
                pages[host, f"/{path.relative_to(site)}"] = path.read_bytes()
    return pages, homes


class Speaker(asyncio.Protocol):
    """One connection: a request in, a page out, and so on."""

    def __init__(self, pages: Pages) -> None:
        self.pages = pages
        self.waiting = b""
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember whom to answer."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer all requests that are whole."""
        self.waiting += data
        while b"\r\n\r\n" in self.waiting:
            head, _, self.waiting = self.waiting.partition(b"\r\n\r\n")
            assert self.transport is not None
            self.transport.write(self.answer(head.decode("latin-1")))

    def answer(self, head: str) -> bytes:
        """Return the answer to a request."""
        path = head.split(" ", 2)[1]
        host = next(
            (line[5:].strip() for line in head.split("\r\n") if line.lower().startswith("host:")),
            "",
        )
        if path == "/robots.txt":
            return message("200 OK", "text/plain", b"User-agent: *\nDisallow: /private/\n")
        page = self.pages.get((host, path))
        if page is None:
            return message("404 Not Found", "text/html", b"<p>not found</p>")
        packed = page.startswith(GZIP)
        if packed and "gzip" not in head.lower():
            page, packed = gzip.decompress(page), False
        return message("200 OK", "text/html; charset=utf-8", page, "gzip" if packed else "")


def message(status: str, kind: str, body: bytes, coding: str = "") -> bytes:
    """Return an answer as it goes over the wire."""
    coded = f"Content-Encoding: {coding}\r\n" if coding else ""
    head = (
        f"HTTP/1.1 {status}\r\nServer: origin\r\nContent-Type: {kind}\r\n{coded}"
        f"Last-Modified: Mon, 06 Jan 2025 10:00:00 GMT\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def free_port() -> int:
    """Return a free port of four digits: five in every URL would count as a number in all pages."""
    for port in range(8200, 9999):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)):
                return port
    raise RuntimeError("no free port between 8200 and 9998")


async def serve(source: Path | int, scratch: Path, total: int) -> None:
    """Serve until standard input ends; first tell the number of pages and the homes."""
    pages: Pages = {}
    loop = asyncio.get_running_loop()
    port = free_port()
    await loop.create_server(lambda: Speaker(pages), "0.0.0.0", port, backlog=512)
    if isinstance(source, int):
        found, homes = made_up(port, source, total)
    else:
        folder = source.is_dir()
        found, homes = filed(source, port) if folder else recorded(source, port, scratch)
    pages.update(found)
    size = sum(map(len, pages.values())) / len(pages)
    pages.update({place: gzip.compress(page, 6) for place, page in pages.items()})
    print(len(pages), f"{size:.0f}", *homes, flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


def main() -> None:
    """Serve what the second argument names; the first is a folder for scratch files."""
    given = sys.argv[2] if len(sys.argv) > 2 else str(SITES)
    total = int(sys.argv[3]) if len(sys.argv) > 3 else PAGES
    asyncio.run(serve(int(given) if given.isdecimal() else Path(given), Path(sys.argv[1]), total))


if __name__ == "__main__":
    main()
