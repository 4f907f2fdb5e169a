"""The origin of the long crawl: as many pages as are wanted, made when they are asked for.

Each of 64 hosts is a tree of pages, each with links to its children and to some others, and
with words of its own.  Nothing is kept, so that the origin costs little beside the crawl.
"""

from __future__ import annotations

import asyncio
import sys
from random import Random

from benchmarks.crawling_origin import Speaker, message, vocabulary

HOSTS, CHILDREN, OTHERS, WORDS = 64, 4, 12, 120
VOCABULARY = vocabulary(Random(1))


def page(host: int, number: int, pages: int, port: int) -> bytes:
    """Return a page of a host, always the same."""
    chance = Random(host * 1_000_003 + number)
    words = chance.choices(VOCABULARY, k=WORDS)
    children = range(CHILDREN * number + 1, min(pages, CHILDREN * (number + 1) + 1))
    others = [chance.randrange(pages) for _ in range(OTHERS)]
    links = "".join(
        f'<li><a href="/part{to % 30}/{to}.html">{words[to % WORDS]} {to}</a></li>'
        for to in [*children, *others]
    )
    beyond = f'<a href="http://127.0.0.{(host + 1) % HOSTS + 1}:{port}/">next</a>'
    return (
        f"<!DOCTYPE html><html><head><title>{' '.join(words[:4])}</title></head><body>"
        f"<ul>{links}</ul>{beyond}<p>{' '.join(words)}</p></body></html>"
    ).encode()


class Maker(Speaker):
    """A connection at which pages are made."""

    def __init__(self, pages: int, port: int) -> None:
        super().__init__({})
        self.most = pages
        self.port = port

    def answer(self, head: str) -> bytes:
        """Return the answer to a request."""
        path = head.split(" ", 2)[1]
        if path == "/robots.txt":
            return message("200 OK", "text/plain", b"User-agent: *\nDisallow: /private/\n")
        host = int(head.partition("127.0.0.")[2].partition(":")[0]) - 1
        name = path.rpartition("/")[2].removesuffix(".html")
        number = int(name) if name else 0
        body = page(host, number, self.most, self.port)
        return message("200 OK", "text/html; charset=utf-8", body)


async def serve(pages: int) -> None:
    """Serve so many pages on each host until standard input ends; first tell the first home."""
    loop = asyncio.get_running_loop()
    ports: list[int] = []
    server = await loop.create_server(lambda: Maker(pages, ports[0]), "0.0.0.0", 0, backlog=512)
    ports.append(server.sockets[0].getsockname()[1])
    print(f"http://127.0.0.1:{ports[0]}/", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
