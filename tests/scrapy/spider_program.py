"""A Scrapy crawl in a process of its own, since Twisted runs once in a process.

    python spider_program.py '{"start": [URL], "settings": {…}, "words": ["goal"]}'

It prints one JSON line: what was requested, what was found, and Scrapy's statistics.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response, TextResponse


class Follower(scrapy.Spider):
    """Follows every link, and gives an item for each page with enough of the words."""

    name = "follower"
    order: ClassVar[dict[str, Any]] = {}
    seen: ClassVar[list[str]] = []

    async def start(self) -> AsyncIterator[Any]:
        for url in self.order["start"]:
            yield scrapy.Request(url, **self.order.get("request", {}))

    def parse(self, response: Response) -> Iterator[Any]:
        self.seen.append(response.url)
        if self.order.get("trace"):
            print(response.url, file=sys.stderr, flush=True)
        if not isinstance(response, TextResponse):
            return
        text = " ".join(response.css("p::text").getall()).lower()
        if sum(text.count(word) for word in self.order.get("words", ())) >= 3:
            yield {"url": response.url}
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse)


if __name__ == "__main__":
    Follower.order = json.loads(sys.argv[1])
    plain = {"LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False}
    process = CrawlerProcess({**plain, **Follower.order["settings"]})
    crawler = process.create_crawler(Follower)
    process.crawl(crawler)
    process.start()
    stats = crawler.stats
    assert stats is not None
    numbers = {key: value for key, value in stats.get_stats().items() if isinstance(value, int)}
    print(json.dumps({"seen": Follower.seen, "stats": numbers}))
