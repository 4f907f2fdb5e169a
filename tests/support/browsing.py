"""What tests that need a browser share: whether there is one, and how to wait for it."""

from __future__ import annotations

import importlib.util
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from foragers.rendering.client import Renderer
from foragers.rendering.messages import Rendered, RenderJob
from support.waiting import until

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), "")

needs_browser = pytest.mark.skipif(
    importlib.util.find_spec("playwright") is None or not CHROMIUM,
    reason="needs the playwright package and a Chromium (on Debian: apt-get install chromium)",
)


def rendered(renderer: Renderer, html: str, url: str = "https://shop.test/") -> Rendered:
    """Have a page rendered, and wait for it."""
    renderer.start(RenderJob(url, "text/html; charset=utf-8", html.encode()))
    return awaited(renderer)


def awaited(renderer: Renderer) -> Rendered:
    """Wait for what is being rendered: it ends by itself, whatever the page does."""
    while (found := renderer.finished()) is None:
        time.sleep(0.02)
    return found


def press(tab: Page, name: str) -> None:
    """Press a button of a form, and wait for the page that answers."""
    with tab.expect_navigation():
        tab.get_by_role("button", name=name, exact=True).click()


def visit(tab: Page, url: str, says: str = "") -> None:
    """Load a page once its server answers with some words, and with no page that reloads by itself.

    The server is asked beside the tab, which stays where it is until then: a tab that is sent
    elsewhere while its page goes on by itself may go to neither.
    """

    def is_whole() -> bool:
        html = tab.request.get(url).text()
        return says in html and "data-reload" not in html

    until(is_whole, f"{url} does not say {says}")
    tab.goto(url)
