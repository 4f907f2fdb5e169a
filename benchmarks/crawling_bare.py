"""The least that a crawl can do: aiohttp fetches, selectolax parses, a set and a queue steer."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import aiohttp
from ada_url import join_url
from selectolax.lexbor import LexborHTMLParser

WORKERS = 16


async def crawl(homes: list[str], budget: int, file: Path) -> None:
    """Fetch pages breadth-first and write address, title, text and links of each."""
    hosts = tuple("/".join(home.split("/", 3)[:3]) + "/" for home in homes)
    seen = set(homes)
    queue: asyncio.Queue[str] = asyncio.Queue()
    for home in homes:
        queue.put_nowait(home)
    left = budget

    async def work(session: aiohttp.ClientSession) -> None:
        nonlocal left
        while True:
            url = await queue.get()
            if left > 0:
                async with session.get(url) as answer:
                    body = await answer.read()
                    if answer.status == 200:
                        left -= 1
                        take(url, body)
            queue.task_done()

    def take(url: str, body: bytes) -> None:
        tree = LexborHTMLParser(body)
        hrefs = (node.attributes["href"] or "" for node in tree.css("a[href]"))
        links = []
        for href in {href.partition("#")[0]: None for href in hrefs}:
            try:
                link = join_url(url, href)
            except ValueError:
                continue
            links.append(link)
            if link not in seen and link.startswith(hosts):
                seen.add(link)
                queue.put_nowait(link)
        title = tree.css_first("title")
        text = tree.body.text(separator=" ") if tree.body is not None else ""
        page = {"url": url, "title": title.text() if title else "", "text": text, "links": links}
        out.write(json.dumps(page) + "\n")

    with file.open("w") as out:
        async with aiohttp.ClientSession() as session:
            workers = [asyncio.create_task(work(session)) for _ in range(WORKERS)]
            await queue.join()
            for worker in workers:
                worker.cancel()


if __name__ == "__main__":
    asyncio.run(crawl(sys.argv[3:], int(sys.argv[1]), Path(sys.argv[2])))
