"""The crawl's side of a rendering process: pass it a page, and fetch the result later."""

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

START_SECONDS, END_SECONDS, GRACE = 60.0, 3.0, 20.0
"""Longest times for a process to start, to end, and to exceed the time of a page; guesses."""

BROKEN = "the browser broke down"


@dataclass
class Renderer:
    """Renders one page at a time in a separate process, which may crash without harm."""

    options: RenderOptions
    browser: str = ""
    _process: subprocess.Popen[bytes] | None = field(default=None)
    _folder: str = ""
    _deadline: float = 0.0
    _busy: bool = False
    _error: str = ""

    @property
    def pid(self) -> int:
        """The id of the process, or 0 if there is none."""
        return self._process.pid if self._process else 0

    def open(self) -> None:
        """Start the process and its browser and wait for it; raise if something is missing."""
        self._begin()
        hello = receive(self._pipes()[1], Hello) if self._readable(START_SECONDS) else None
        if error := self._error_in(hello):
            self._kill()
            raise UsageError(error)

    def start(self, job: RenderJob) -> None:
        """Start to render a page, in a new process if there is none, without waiting."""
        self._busy = True
        self._deadline = time.monotonic() + self.options.seconds + GRACE
        if self._process is not None and self._process.poll() is not None:
            self._kill()
        try:
            if self._process is None:
                self._begin()
        except UsageError as error:
            self._error = str(error)
            return
        # Writing to the pipe would block while the process at its other end is starting.
        Thread(target=deliver, args=(self._pipes()[0], job), daemon=True).start()

    def finished(self) -> Rendered | None:
        """Return the result of the page, or None if it is not ready."""
        if not self._busy:
            return None
        if self._process is None:
            return self._give_up(self._error)
        if not self._readable(0.0):
            late = time.monotonic() > self._deadline + (0.0 if self.browser else START_SECONDS)
            return self._give_up("the browser hangs") if late else None
        if not self.browser:
            error = self._error_in(receive(self._pipes()[1], Hello))
            return self._give_up(error) if error else None
        rendered = receive(self._pipes()[1], Rendered)
        if rendered is None:
            return self._give_up(self._exit_reason())
        self._busy = False
        return rendered

    def close(self) -> None:
        """Stop the process, and the browser with it."""
        self._busy = False
        self._kill()

    def _begin(self) -> None:
        """Start the process and send it the options."""
        if find_spec("playwright") is None:
            raise UsageError("--render needs Playwright: pip install 'foragers[render]'")
        chromium = named(self.options.chromium)
        self._folder = tempfile.mkdtemp(prefix="foragers-browser-")
        self._process = subprocess.Popen(
            # Without -P, modules in the current directory could shadow ours.
            [sys.executable, "-P", "-m", "foragers.rendering.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is for the crawl, which then stops this process and its children.
            start_new_session=True,
            env={**os.environ, "TMPDIR": self._folder},
        )
        deliver(self._pipes()[0], replace(self.options, folder=self._folder, chromium=chromium))

    def _error_in(self, hello: Hello | None) -> str:
        """Set the browser that is ready; return the error, or ""."""
        self.browser = hello.browser if hello else ""
        return hello.error if hello else "--render: the browser does not start"

    def _exit_reason(self) -> str:
        """Return why the process ended."""
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            return REASONS.get(self._process.wait(END_SECONDS), BROKEN)
        return BROKEN

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        """Return the pipe for jobs and the pipe for results."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        return process.stdin, process.stdout

    def _readable(self, seconds: float) -> bool:
        return bool(select.select([self._pipes()[1]], [], [], seconds)[0])

    def _give_up(self, reason: str) -> Rendered:
        """Stop the process; the next page gets a new one."""
        self._busy = False
        self._kill()
        return Rendered(reason=reason)

    def _kill(self) -> None:
        process, self._process, self.browser = self._process, None, ""
        if process is None:
            return
        with suppress(OSError):
            # If it ended before its children, they could no longer be found.
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
    """Return the path of the browser that the user names, or "" if none is named."""
    wanted = chromium or os.environ.get("FORAGERS_CHROMIUM", "")
    path = shutil.which(wanted) if wanted else ""
    if path is None:
        raise UsageError(f"--chromium {wanted}: there is no such program; name a Chromium")
    return path


def deliver(pipe: IO[bytes], message: Struct) -> None:
    """Write to a process that may have ended; its missing result shows that later."""
    with suppress(OSError, ValueError):
        send(pipe, message)
