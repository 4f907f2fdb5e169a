"""Commands of Foragers that the server runs in the background, each in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from foragers.core.display import plain

LOG = "log.txt"


def spawn(command: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    """Start a command in a session of its own, so that it can go on when the server ends."""
    with log.open("ab") as stream:
        return subprocess.Popen(
            [sys.executable, "-m", "foragers.cli.main", *command],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            env={**os.environ, "PYTHONSAFEPATH": "1"},
            start_new_session=True,
        )


def last_line(log: Path) -> str:
    """Return the last line that a command has printed."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - 4096))
            lines = stream.read().decode("utf-8", "replace").strip().splitlines()
    except OSError:
        return ""
    return plain(lines[-1], 300) if lines else ""


@dataclass
class CommandChain:
    """Commands that run one after the other, as long as each succeeds."""

    commands: Sequence[Sequence[str]]
    log: Path
    _process: subprocess.Popen[bytes] | None = None
    _ended: bool = False
    _thread: threading.Thread | None = field(default=None, repr=False)

    def start(self) -> None:
        """Begin with the first."""
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        for command in self.commands:
            if self._ended:
                return
            self._process = spawn(command, self.log)
            if self._process.wait() != 0:
                return

    @property
    def is_running(self) -> bool:
        """Whether a command runs or is to follow."""
        return self._thread is not None and self._thread.is_alive()

    def stop(self) -> None:
        """End the command that runs, and start no other."""
        self._ended = True
        process = self._process
        if process is not None and process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        if self._thread is not None:
            self._thread.join()
