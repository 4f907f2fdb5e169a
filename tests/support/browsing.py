"""What tests that need a browser share: whether there is one, and how to wait for it."""

from __future__ import annotations

import importlib.util
import shutil
import time

import pytest

from foragers.rendering.client import Renderer
from foragers.rendering.messages import Rendered, RenderJob

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
