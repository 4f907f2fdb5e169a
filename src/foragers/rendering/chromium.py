"""Which Chromium is used, and the flags that keep it off the network."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright

from foragers.errors import UsageError

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
ALONE = (
    # No request of any kind can leave the browser: everything goes to a proxy, even requests to
    # this machine, and no name is resolved, not even the proxy's.
    "--proxy-server=http://nowhere.invalid:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--dns-prefetch-disable",
)
QUIET = (
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--mute-audio",
    "--blink-settings=imagesEnabled=false",
    "--js-flags=--max-old-space-size=512",
)
NOT_FOUND = "Executable doesn't exist"


def launch(driver: Playwright, wanted: str) -> Browser:
    """Start the browser that the user names, or Playwright's, or the system's."""
    if wanted:
        return started(driver, wanted)
    try:
        return started(driver, None)
    except Error as error:
        if NOT_FOUND not in str(error):
            raise
    for name in NAMES:
        if path := shutil.which(name):
            return started(driver, path)
    raise UsageError(
        "--render needs a Chromium: 'playwright install chromium', the system's own"
        " (on Debian: apt-get install chromium), or name one with --chromium PATH"
    )


def started(driver: Playwright, path: str | None) -> Browser:
    """Start a browser that has no network."""
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    without_sandbox = as_root or bool(os.environ.get("FORAGERS_NO_SANDBOX"))
    return driver.chromium.launch(
        executable_path=path and Path(path),
        headless=True,
        chromium_sandbox=not without_sandbox,
        args=[*ALONE, *QUIET],
        ignore_default_args=["--disable-popup-blocking"],
        handle_sigint=False,
    )
