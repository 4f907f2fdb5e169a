"""The process that renders pages: it reads jobs from its input and writes results to its output."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import BinaryIO

from playwright.sync_api import Browser, Error, Playwright, TimeoutError, sync_playwright

from foragers.errors import UsageError
from foragers.http.address_guard import AddressException, Guard
from foragers.http.client import Client
from foragers.rendering.chromium import launch
from foragers.rendering.messages import Hello, Rendered, RenderJob, RenderOptions, receive, send
from foragers.rendering.resources import ResourceLoader
from foragers.rendering.tab import Tab
from foragers.rendering.watchdog import LATE, REASONS, Watchdog

START_SECONDS = 30.0
"""Longest time for a browser to start; guess."""


@dataclass
class PageWorker:
    """Renders one page after another, and replaces the browser from time to time."""

    driver: Playwright
    options: RenderOptions
    loader: ResourceLoader
    watchdog: Watchdog
    _browser: Browser | None = field(default=None)
    _pages: int = 0

    def open(self) -> Browser:
        """Return a running browser that has not rendered too many pages."""
        old = self._browser
        if old is not None and (self._pages >= self.options.pages or not old.is_connected()):
            with suppress(Error):
                old.close()
            self._browser = None
        if self._browser is None:
            self._browser, self._pages = launch(self.driver, self.options.chromium), 0
        return self._browser

    def render(self, job: RenderJob) -> Rendered:
        """Render a page, or return the reason why not."""
        self.watchdog.deadline = time.monotonic() + START_SECONDS
        tab = Tab(job, self.loader, self.options.limits.unpacked)
        try:
            tab.open(self.open())
            self._pages += 1
            deadline = time.monotonic() + self.options.seconds
            self.watchdog.deadline = deadline + self.options.grace
            self.loader.begin(deadline)
            return tab.render(deadline)
        except TimeoutError:
            self.watchdog.wait_if_over()
            return Rendered(reason=REASONS[LATE])
        except (Error, UsageError, KeyError) as error:
            self.watchdog.wait_if_over()
            return Rendered(reason=f"the browser failed: {first_line(error)}")
        finally:
            tab.close()
            self.watchdog.wait_if_over()
            self.watchdog.deadline = inf


def first_line(error: Exception) -> str:
    """Return the beginning of the first line of an error message."""
    return str(error).strip().partition("\n")[0][:200]


def main(jobs: BinaryIO, results: BinaryIO) -> None:
    """Render until there are no more jobs."""
    options = receive(jobs, RenderOptions)
    if options is None:
        return
    watchdog = Watchdog(options.folder, options.megabytes)
    watchdog.start()
    guard = Guard(tuple(AddressException.parse(text) for text in options.allow_private))
    loader = ResourceLoader(Client(options.agent, guard, options.limits), options)
    with sync_playwright() as driver:
        worker = PageWorker(driver, options, loader, watchdog)
        try:
            send(results, Hello(browser=worker.open().version))
        except UsageError as error:
            send(results, Hello(error=str(error)))
            return
        except Error as error:
            send(results, Hello(error=f"--render: Chromium does not start: {start_error(error)}"))
            return
        while job := receive(jobs, RenderJob):
            send(results, worker.render(job))


def start_error(error: Error) -> str:
    """Return why Chromium did not start, in one line."""
    text = str(error)
    if "sandbox" in text.lower() and "no usable sandbox" in text.lower():
        return "it has no sandbox here; set FORAGERS_NO_SANDBOX=1 to go without, if you must"
    return first_line(error)


if __name__ == "__main__":
    # Output of libraries must not get between the messages.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    main(sys.stdin.buffer, out)
