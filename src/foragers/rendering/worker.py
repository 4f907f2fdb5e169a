"""The process that renders: reads jobs from its input and writes what comes of them."""

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
from foragers.rendering.resources import Supply
from foragers.rendering.tab import Tab
from foragers.rendering.watchdog import LATE, REASONS, Watchdog

START_SECONDS = 30.0
"""How long a browser may take to start."""


@dataclass
class Press:
    """Renders one page after another, with a new browser every so many of them."""

    driver: Playwright
    terms: RenderOptions
    supply: Supply
    watch: Watchdog
    _browser: Browser | None = field(default=None)
    _pages: int = 0

    def open(self) -> Browser:
        """Return a browser that runs and is not too old."""
        old = self._browser
        if old is not None and (self._pages >= self.terms.pages or not old.is_connected()):
            with suppress(Error):
                old.close()
            self._browser = None
        if self._browser is None:
            self._browser, self._pages = launch(self.driver, self.terms.chromium), 0
        return self._browser

    def render(self, job: RenderJob) -> Rendered:
        """Render a page, or say why that could not be."""
        self.watch.deadline = time.monotonic() + START_SECONDS
        tab = Tab(job, self.supply, self.terms.limits.unpacked)
        try:
            tab.open(self.open())
            self._pages += 1
            deadline = time.monotonic() + self.terms.seconds
            self.watch.deadline = deadline + self.terms.grace
            self.supply.begin(deadline)
            return tab.render(deadline)
        except TimeoutError:
            self.watch.wait_if_over()
            return Rendered(reason=REASONS[LATE])
        except (Error, UsageError, KeyError) as error:
            self.watch.wait_if_over()
            return Rendered(reason=f"the browser failed: {first_line(error)}")
        finally:
            tab.close()
            self.watch.wait_if_over()
            self.watch.deadline = inf


def first_line(error: Exception) -> str:
    """Return the first line of what an error says, not at length."""
    return str(error).strip().partition("\n")[0][:200]


def main(jobs: BinaryIO, results: BinaryIO) -> None:
    """Render until there are no more jobs."""
    terms = receive(jobs, RenderOptions)
    if terms is None:
        return
    watch = Watchdog(terms.folder, terms.megabytes)
    watch.start()
    guard = Guard(tuple(AddressException.parse(text) for text in terms.allow_private))
    supply = Supply(Client(terms.agent, guard, terms.limits), terms)
    with sync_playwright() as driver:
        press = Press(driver, terms, supply, watch)
        try:
            send(results, Hello(browser=press.open().version))
        except UsageError as error:
            send(results, Hello(trouble=str(error)))
            return
        except Error as error:
            send(results, Hello(trouble=f"--render: Chromium does not start: {told_by(error)}"))
            return
        while job := receive(jobs, RenderJob):
            send(results, press.render(job))


def told_by(error: Error) -> str:
    """Return why Chromium did not start, in a line."""
    text = str(error)
    if "sandbox" in text.lower() and "no usable sandbox" in text.lower():
        return "it has no sandbox here; set FORAGERS_NO_SANDBOX=1 to go without, if you must"
    return first_line(error)


if __name__ == "__main__":
    # What others print must not get between our messages.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    main(sys.stdin.buffer, out)
