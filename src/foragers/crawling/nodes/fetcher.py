"""The process that fetches for a crawl on the same machine, with `--workers 1`.

It fetches, extracts and archives by order, with the rate limits and the guard of a crawl.  It ends
when its socket is closed: that is when the crawl ends, whatever ended it.
"""

from __future__ import annotations

import pickle
import signal
import socket
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from foragers.core.clock import steady
from foragers.core.processes import give_back, keep_large_apart
from foragers.core.types import Status
from foragers.crawling.build import (
    CrawlRules,
    FetcherSetup,
    fetching_parts,
    list_sources,
    open_recorder,
)
from foragers.crawling.interrupts import SIGNALS
from foragers.errors import UsageError
from foragers.fetching.extractor import Extracted
from foragers.fetching.job import FetchJob, ResponseRecorder
from foragers.fetching.remote.answering import AnsweringDownloads
from foragers.fetching.remote.messages import AnswerBatch, OrderBatch, pack_answers, unpack_orders
from foragers.fetching.remote.pipe import MessagePipe
from foragers.fetching.throttle import Throttle


@dataclass(slots=True)
class FetcherDownloads(AnsweringDownloads):
    """Downloads by order of a crawl on the same machine."""

    def _hand_over(
        self, job: FetchJob, extracted: Extracted, record: str, retry_at: float | None
    ) -> None:
        """Answer an order, and remember the page: redirects to it need not be followed."""
        if extracted.status is Status.OK:
            self.history.fetched.add(self.table.intern(job.url))
        AnsweringDownloads._hand_over(self, job, extracted, record, retry_at)


@dataclass
class Fetcher:
    """Fetches what a crawl orders, until the crawl ends."""

    pipe: MessagePipe
    downloads: FetcherDownloads
    tidied: int = 0

    def run(self, messages: Iterable[bytes]) -> None:
        """Say that all is ready, take the first messages, and fetch until the crawl ends."""
        pipe, downloads = self.pipe, self.downloads
        downloads.scheduler.client.listen(pipe.descriptor)
        pipe.send(pack_answers(AnswerBatch([], [])))
        settings = downloads.settings
        while not pipe.is_over:
            for message in messages:
                self._follow(unpack_orders(message))
            now = steady()
            downloads.send_due(now)
            if not downloads.answers:
                downloads.wait(now + (settings.process.full if pipe.is_full else settings.turn))
            self._tell()
            messages = pipe.received()

    def _follow(self, told: OrderBatch) -> None:
        """Begin with orders."""
        downloads, now = self.downloads, steady()
        for url in told.widened:
            downloads.widen(url)
        delays = {host: (now + wait, busy) for host, (wait, busy) in told.delays.items()}
        downloads.throttle.restore(delays)
        for number, order in told.orders:
            downloads.take(number, order)
            if number >= self.tidied + downloads.settings.process.tidy:
                self.tidied = number
                give_back()

    def _tell(self) -> None:
        """Send what there is to tell."""
        downloads, outages, now = self.downloads, self.downloads.outages, steady()
        if not (downloads.answers or downloads.notices):
            self.pipe.flush()
            return
        probe_in = max(0.0, outages.probe_at - now) if outages.is_down else 0.0
        told = AnswerBatch(downloads.answers, downloads.notices, outages.down_for(now), probe_in)
        downloads.answers, downloads.notices = [], []
        self.pipe.send(pack_answers(told))


def downloads_of(setup: FetcherSetup, recorder: ResponseRecorder | None) -> FetcherDownloads:
    """Return the downloads of the process."""
    options, settings = setup.options, setup.settings
    throttle = Throttle(options.delay, settings.fetching.throttle)
    rules = CrawlRules.of(options)
    return FetcherDownloads(
        *fetching_parts(options, setup.needs, rules, None, throttle, setup.limits, settings),
        recorder=recorder,
        lists=list_sources(options, setup.needs, settings),
        settings=settings.fetching,
    )


def serve(pipe: MessagePipe) -> None:
    """Fetch for the crawl at the other end of a pipe."""
    messages: list[bytes] = []
    while not messages:
        if pipe.is_over:
            return
        pipe.wait(1.0)
        messages = pipe.received()
    setup: FetcherSetup = pickle.loads(messages[0])
    recorder = open_recorder(setup.options, setup.folder, setup.settings)
    try:
        downloads = downloads_of(setup, recorder)
        try:
            Fetcher(pipe, downloads).run(messages[1:])
        finally:
            downloads.close()
    finally:
        if recorder is not None:
            recorder.close()


def main(descriptor: int) -> None:
    """Fetch for the crawl that has the other end of a socket."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # the crawl says when to end
    keep_large_apart()
    pipe = MessagePipe(socket.socket(fileno=descriptor))
    try:
        serve(pipe)
    except UsageError as error:
        pipe.send(pack_answers(AnswerBatch([], [], failed=str(error))))


if __name__ == "__main__":
    main(int(sys.argv[1]))
