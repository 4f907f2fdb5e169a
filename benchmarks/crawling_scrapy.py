"""Scrapy on the same pages: as its documentation shows it, or tuned with uvloop and selectolax.

Both obey robots.txt, stay on the same hosts and write address, title, text and links of
each page as JSON lines.  Run by an interpreter that has Scrapy, not by ours.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

TUNED = {
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    "TELNETCONSOLE_ENABLED": False,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
}
COMMON = {
    "ROBOTSTXT_OBEY": True,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "AUTOTHROTTLE_ENABLED": False,
    "LOG_LEVEL": "WARNING",
}


class Documented(scrapy.Spider):
    """Links by the LinkExtractor, text by a selector: what the tutorial teaches."""

    name = "documented"

    def parse(self, response: Response, **_: Any) -> Iterator[object]:
        """Give the page, and follow its links."""
        assert isinstance(response, HtmlResponse)
        links = LinkExtractor().extract_links(response)
        yield {
            "url": response.url,
            "title": response.css("title::text").get(),
            # One string: a selector for every piece of text would cost Scrapy a fifth more.
            "text": response.xpath("string(//body)").get(),
            "links": [link.url for link in links],
        }
        for link in links:
            yield scrapy.Request(link.url, callback=self.parse)


class Tuned(scrapy.Spider):
    """Links and text by selectolax, each address asked for once only."""

    name = "tuned"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.seen = set(self.start_urls)
        self.homes = tuple("/".join(home.split("/", 3)[:3]) + "/" for home in self.start_urls)

    def parse(self, response: Response, **_: Any) -> Iterator[object]:
        """Give the page, and follow the links that are new."""
        from ada_url import join_url
        from selectolax.lexbor import LexborHTMLParser

        tree = LexborHTMLParser(response.body)
        title = tree.css_first("title")
        hrefs = (node.attributes["href"] or "" for node in tree.css("a[href]"))
        links = []
        for href in {href.partition("#")[0]: None for href in hrefs}:
            try:
                links.append(join_url(response.url, href))
            except ValueError:
                continue
        yield {
            "url": response.url,
            "title": title.text() if title else "",
            "text": tree.body.text(separator=" ") if tree.body is not None else "",
            "links": links,
        }
        for link in links:
            if link not in self.seen and link.startswith(self.homes):
                self.seen.add(link)
                yield scrapy.Request(link, callback=self.parse)


def crawl(kind: str, budget: int, file: str, homes: list[str]) -> None:
    """Crawl from some homes on."""
    settings: dict[str, object] = {
        **COMMON,
        **(TUNED if kind == "tuned" else {}),
        "CLOSESPIDER_ITEMCOUNT": budget,
        "FEEDS": {file: {"format": "jsonlines"}},
    }
    process = CrawlerProcess(settings)
    domains = [urlsplit(home).hostname or "" for home in homes]
    spider = Tuned if kind == "tuned" else Documented
    process.crawl(spider, start_urls=homes, allowed_domains=domains)
    process.start()


if __name__ == "__main__":
    crawl(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:])
