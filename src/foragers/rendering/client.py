"""A process that renders, as the crawl sees it: give it a page, and look later what came of it."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from threading import Thread
from typing import IO

from msgspec import Struct
from msgspec.structs import replace

from foragers.errors import UsageError
from foragers.rendering.messages import Hello, Rendered, RenderJob, RenderOptions, receive, send
from foragers.rendering.watchdog import REASONS, end, remove

START_SECONDS, END_SECONDS = 60.0, 3.0
GRACE = 20.0
"""Seconds after which a process that should have given up by itself is ended."""

BROKEN = "the browser broke down"


@dataclass
class Renderer:
    """Renders one page at a time in a process of its own, which may die without harm."""

    terms: RenderOptions
    browser: str = ""
    _process: subprocess.Popen[bytes] | None = field(default=None)
    _folder: str = ""
    _deadline: float = 0.0
    _busy: bool = False
    _trouble: str = ""

    @property
    def pid(self) -> int:
        """The number of the process, or 0 if there is none."""
        return self._process.pid if self._process else 0

    def open(self) -> None:
        """Start the process and its browser and wait for it, or say what is missing."""
        self._begin()
        hello = receive(self._pipes()[1], Hello) if self._readable(START_SECONDS) else None
        if trouble := self._trouble_with(hello):
            self._kill()
            raise UsageError(trouble)

    def start(self, job: RenderJob) -> None:
        """Begin to render a page, with a new process if there is none; wait for nothing."""
        self._busy = True
        self._deadline = time.monotonic() + self.terms.seconds + GRACE
        if self._process is not None and self._process.poll() is not None:
            self._kill()
        try:
            if self._process is None:
                self._begin()
        except UsageError as error:
            self._trouble = str(error)
            return
        # A pipe takes only so much while the process at its other end is still starting.
        Thread(target=deliver, args=(self._pipes()[0], job), daemon=True).start()

    def finished(self) -> Rendered | None:
        """Return what came of the page, or None if that is not known yet."""
        if not self._busy:
            return None
        if self._process is None:
            return self._give_up(self._trouble)
        if not self._readable(0.0):
            late = time.monotonic() > self._deadline + (0.0 if self.browser else START_SECONDS)
            return self._give_up("the browser hangs") if late else None
        if not self.browser:
            trouble = self._trouble_with(receive(self._pipes()[1], Hello))
            return self._give_up(trouble) if trouble else None
        rendered = receive(self._pipes()[1], Rendered)
        if rendered is None:
            return self._give_up(self._last_words())
        self._busy = False
        return rendered

    def close(self) -> None:
        """End the process, and the browser with it."""
        self._busy = False
        self._kill()

    def _begin(self) -> None:
        """Start the process and tell it its terms."""
        if find_spec("playwright") is None:
            raise UsageError("--render needs Playwright: pip install 'foragers[render]'")
        chromium = named(self.terms.chromium)
        self._folder = tempfile.mkdtemp(prefix="foragers-browser-")
        self._process = subprocess.Popen(
            # Not a module that happens to be called like one of ours where the user stands.
            [sys.executable, "-P", "-m", "foragers.rendering.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is for the crawl, which then ends us; and what we start ends with us.
            start_new_session=True,
            env={**os.environ, "TMPDIR": self._folder},
        )
        deliver(self._pipes()[0], replace(self.terms, folder=self._folder, chromium=chromium))

    def _trouble_with(self, hello: Hello | None) -> str:
        """Take note of the browser that is ready; return what is wrong, if something is."""
        self.browser = hello.browser if hello else ""
        return hello.trouble if hello else "--render: the browser does not start"

    def _last_words(self) -> str:
        """Return why a process that is gone has ended."""
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            return REASONS.get(self._process.wait(END_SECONDS), BROKEN)
        return BROKEN

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        """Return where jobs go in and results come out."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        return process.stdin, process.stdout

    def _readable(self, seconds: float) -> bool:
        return bool(select.select([self._pipes()[1]], [], [], seconds)[0])

    def _give_up(self, reason: str) -> Rendered:
        """End what does not work; the next page gets a new one."""
        self._busy = False
        self._kill()
        return Rendered(reason=reason)

    def _kill(self) -> None:
        process, self._process, self.browser = self._process, None, ""
        if process is None:
            return
        with suppress(OSError):
            # What it has started must not see it go first, or it could no longer be found.
            os.kill(process.pid, signal.SIGSTOP)
        end(process.pid, self._folder)
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                if pipe:
                    pipe.close()
        remove(self._folder)


def named(chromium: str) -> str:
    """Return where the browser is that the user names, if one is named."""
    wanted = chromium or os.environ.get("FORAGERS_CHROMIUM", "")
    found = shutil.which(wanted) if wanted else ""
    if found is None:
        raise UsageError(f"--chromium {wanted}: there is no such program; name a Chromium")
    return found


def deliver(pipe: IO[bytes], message: Struct) -> None:
    """Write to a process that may be gone: that is noticed when its answer is due."""
    with suppress(OSError, ValueError):
        send(pipe, message)
