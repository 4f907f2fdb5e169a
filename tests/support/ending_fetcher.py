"""A process that fetches for a crawl, and ends at a page called /poison."""

from __future__ import annotations

import os
import sys

from foragers.crawling.nodes import fetcher
from foragers.fetching.job import FetchJob
from foragers.fetching.remote.answering import AnsweringDownloads

consider = AnsweringDownloads._consider


def end_at_poison(self: AnsweringDownloads, job: FetchJob) -> None:
    """End the process before a page is requested."""
    if job.url.endswith("/poison"):
        os._exit(1)
    consider(self, job)


if __name__ == "__main__":
    setattr(fetcher.FetcherDownloads, "_consider", end_at_poison)  # noqa: B010
    fetcher.main(int(sys.argv[1]))
