"""The origin of the long crawl of real pages: recorded webs on loopback, each many times over.

Copy c of web w is at 127.(10 c + w).x.y, where x.y is the host within the web.  The links of a copy
stay inside it.  The long words of its pages are others of the same recordings, so that no copy
is a duplicate of another; only the words of the topic stay where they are.  Pages, menus,
URLs, redirects and missing pages are as they were recorded.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections import Counter
from functools import lru_cache
from pathlib import Path
from zlib import crc32

from benchmarks.crawling_origin import Speaker, message
from benchmarks.recordings import recordings
from foragers.worlds.archive import Archive
from foragers.worlds.importing.importer import import_world
from foragers.worlds.serving.answers import Answers, ServedRequest
from foragers.worlds.serving.loopback import Loopback
from foragers.worlds.store import open_world

WEBS = 10
"""So many webs at most: each has every tenth block of addresses."""
LEFT_OUT = ("departments", "washington")
"""Most links of these lead to pages that were never recorded, which is like no real web."""
TOPIC = "software computer science research project"
KEPT = frozenset(TOPIC.encode().split())
SAMPLED = 300
"""Number of pages of each web that supply the words for all copies."""
_PIECE = re.compile(rb"<[^>]*>|[A-Za-z]{5,}")
_WORD = re.compile(rb"[a-z]{5,}")
_MARKUP = re.compile(rb"<[^>]*>")


class Web:
    """A recorded web at the loopback addresses of its first copy."""

    def __init__(self, archive: Archive, port: int) -> None:
        self.archive = archive
        self.loopback = Loopback(archive.book, port)
        self.answers = Answers(archive, self.loopback)
        with_pages = {archive.book.host(int(url)) for url in pages_of(archive)}
        # Hosts of which there is nothing stay where they are, and out of scope.
        original = self.loopback.local_origin
        local = {self.loopback.origin(host) for host in with_pages}
        self.loopback.local_origin = lru_cache(65536)(
            lambda authority: found if (found := original(authority)) in local else None
        )

    def seeds(self) -> list[str]:
        """Return the first address of every host that has pages."""
        first: dict[int, str] = {}
        book = self.archive.book
        for url in pages_of(self.archive):
            host, href = book.host(url), book.href(url)
            if host not in first or len(href) < len(first[host]):
                first[host] = href
        return [self.loopback.address(href) for href in first.values()]


def pages_of(archive: Archive) -> list[int]:
    """Return the URLs that have a page at the end of a recording."""
    found = []
    for url in range(len(archive.book)):
        version = int(archive.latest[url])
        if version >= 0 and archive.codes[version] == 200:
            found.append(url)
    return found


def imported(folder: Path) -> list[Path]:
    """Return recorded webs as worlds in a folder, imported unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    worlds = []
    for file in recordings(folder):
        name = file.name.removesuffix(".warc.gz")
        if name in LEFT_OUT:
            continue
        if not (folder / name).exists():
            import_world(folder / name, [file])
        worlds.append(folder / name)
    return worlds[:WEBS]


def vocabulary(webs: list[Web]) -> list[bytes]:
    """Return the common words of some pages of all webs, in a fixed order."""
    counts: Counter[bytes] = Counter()
    for web in webs:
        urls = pages_of(web.archive)
        for url in urls[:: max(1, len(urls) // SAMPLED)]:
            body = web.archive.texts.body(int(web.archive.latest[url]))
            counts.update(set(_WORD.findall(_MARKUP.sub(b" ", body.data.lower()))))
    return sorted(word for word, count in counts.items() if count > 1 and word not in KEPT)


class Copier(Speaker):
    """A connection at which all copies of all webs are to be had."""

    def __init__(self, webs: list[Web], words: list[bytes]) -> None:
        super().__init__({})
        self.webs = webs
        self.words = words

    def answer(self, head: str) -> bytes:
        """Return the answer to a request."""
        path = head.split(" ", 2)[1]
        if path == "/robots.txt":
            return message("200 OK", "text/plain", b"User-agent: *\nDisallow: /private/\n")
        host = head.partition("127.")[2].split("\r\n")[0]
        block, _, rest = host.partition(".")
        copy, number = divmod(int(block), WEBS)
        web = self.webs[number]
        answer = web.answers.answer(ServedRequest("GET", path, f"127.0.{rest}"), web.archive.end)
        here = f"//127.{block}.".encode()
        if location := answer.headers.get("Location"):
            there = location.replace("//127.0.", here.decode())
            return message(f"{answer.status} Moved\r\nLocation: {there}", "text/html", b"")
        if answer.status != 200:
            return message(f"{answer.status} Sorry", "text/html", answer.body)
        body = answer.body.replace(b"//127.0.", here)
        kind = answer.headers.get("Content-Type", "")
        if copy and ("html" in kind or not kind):
            body = self.reworded(body, copy)
        return message("200 OK", kind, body)

    def reworded(self, body: bytes, copy: int) -> bytes:
        """Return a page with other words."""
        words = self.words

        def other(found: re.Match[bytes]) -> bytes:
            word = found[0]
            if word[:1] == b"<" or word.lower() in KEPT:
                return word
            return words[(crc32(word.lower()) + 7919 * copy) % len(words)]

        return _PIECE.sub(other, body)


async def serve(folder: Path, copies: int) -> None:
    """Serve until standard input ends; first tell all seeds."""
    loop = asyncio.get_running_loop()
    webs: list[Web] = []
    words: list[bytes] = []
    server = await loop.create_server(lambda: Copier(webs, words), "0.0.0.0", 0, backlog=1024)
    port = server.sockets[0].getsockname()[1]
    webs += [Web(open_world(path), port) for path in imported(folder)]
    words += vocabulary(webs)
    seeds = [
        home.replace("//127.0.", f"//127.{WEBS * copy + number}.")
        for copy in range(copies)
        for number, web in enumerate(webs)
        for home in web.seeds()
    ]
    print(*seeds, flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), int(sys.argv[2])))
