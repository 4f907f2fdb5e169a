"""The add-on for Scrapy: it sets the scheduler, and tells it what came of each request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from foragers.scrapy.signals import PARENT, page_parsed, request_failed

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

NEXT_TO_SPIDER = 990
NEXT_TO_ENGINE = 5
"""Places among the middlewares: after the last one that may change the output of a spider, and
after the last one that may try a request again."""


class Addon:
    """Orders the requests of any spider: `ADDONS = {"foragers.scrapy.Addon": 500}`."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the scheduler and the two middlewares to the settings of a crawl."""
        settings.set("SCHEDULER", "foragers.scrapy.Scheduler", "addon")
        settings.setdefault_in_component_priority_dict(
            "SPIDER_MIDDLEWARES", OutputMiddleware, NEXT_TO_SPIDER
        )
        settings.setdefault_in_component_priority_dict(
            "DOWNLOADER_MIDDLEWARES", FailureMiddleware, NEXT_TO_ENGINE
        )


@dataclass
class Output:
    """The requests and items that a callback has given so far."""

    response: Response
    urls: list[str] = field(default_factory=list)
    items: int = 0

    def add(self, element: Any) -> Any:
        """Count a request or an item, and return it."""
        if isinstance(element, Request):
            element.meta.setdefault(PARENT, self.response.url)
            self.urls.append(element.url)
        elif element is not None:
            self.items += 1
        return element


class OutputMiddleware:
    """Tells the scheduler what a spider made of each response."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        return cls(crawler)

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        """Pass on the output of a callback."""
        output = Output(response)
        try:
            for element in result:
                yield output.add(element)
        finally:
            self._tell(output)

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Pass on the output of an asynchronous callback."""
        output = Output(response)
        try:
            async for element in result:
                yield output.add(element)
        finally:
            self._tell(output)

    def process_spider_exception(
        self,
        response: Response,
        exception: Exception,  # noqa: ARG002 - Scrapy passes it by name
    ) -> None:
        """Tell the scheduler a response that the spider does not take."""
        self._tell(Output(response))

    def _tell(self, output: Output) -> None:
        self._crawler.signals.send_catch_log(
            page_parsed, response=output.response, urls=output.urls, items=output.items
        )


class FailureMiddleware:
    """Tells the scheduler which requests have no response."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        return cls(crawler)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Tell the scheduler that a request failed, and was not tried again."""
        skipped = isinstance(exception, IgnoreRequest)
        reason = str(exception) or type(exception).__name__
        self._crawler.signals.send_catch_log(
            request_failed, request=request, reason=reason, skipped=skipped
        )
