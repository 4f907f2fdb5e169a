"""Stops a browser that takes too long or too much memory, or whose crawl has ended."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

LOOK = 0.3
"""Seconds between two checks; CPU."""
LATE, LARGE, ORPHANED = 71, 72, 73
REASONS = {LATE: "the page took too long", LARGE: "the page took too much memory"}
MEGABYTE = 1 << 20
DYING_SECONDS = 3.0
"""Longest wait for killed processes to end; guess."""


@dataclass
class Watchdog:
    """Stops this process and its descendants when a limit is exceeded.

    Once it is `over`, other failures are only a consequence and are not reported.
    """

    folder: str
    megabytes: int
    deadline: float = inf
    over: bool = False
    _parent: int = field(default_factory=os.getppid)

    def start(self) -> None:
        """Check the limits from now on."""
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while not (code := self._verdict()):
            time.sleep(LOOK)
        self.over = True
        end(os.getpid(), self.folder)
        os._exit(code)

    def wait_if_over(self) -> None:
        """Wait for the end, if this process is about to be stopped."""
        while self.over:
            time.sleep(LOOK)

    def _verdict(self) -> int:
        """Return the exit code for the limit that is exceeded, or 0."""
        if os.getppid() != self._parent:
            return ORPHANED
        if time.monotonic() > self.deadline:
            return LATE
        return LARGE if self.deadline < inf and memory(os.getpid()) > self.megabytes else 0


def end(pid: int, folder: str) -> None:
    """Kill the descendants of a process, and remove its folder."""
    doomed = {*descendants(pid), *users_of(folder)} - {os.getpid()}
    for child in doomed:
        with suppress(OSError):
            os.kill(child, signal.SIGKILL)
    patience = time.monotonic() + DYING_SECONDS
    while any(map(is_running, doomed)) and time.monotonic() < patience:
        time.sleep(0.01)
    remove(folder)


def remove(folder: str) -> None:
    """Remove a folder that a terminating process may still write to."""
    patience = time.monotonic() + DYING_SECONDS
    shutil.rmtree(folder, ignore_errors=True)
    while Path(folder).exists() and time.monotonic() < patience:
        time.sleep(0.02)
        shutil.rmtree(folder, ignore_errors=True)


def users_of(folder: str) -> list[int]:
    """Return the processes with a folder in their arguments, whichever process started them."""
    pids = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if folder and f"={folder}/".encode() in line.read_bytes():
                pids.append(int(line.parent.name))
    return pids


def is_running(pid: int) -> bool:
    """Return whether a process runs and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


def descendants(pid: int) -> list[int]:
    """Return the descendants of a process, or none if the system has no /proc."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    pids = [pid]
    for parent in pids:
        pids += children.get(parent, ())
    return pids[1:]


def memory(pid: int) -> float:
    """Return the unshared memory of a process and its descendants, in megabytes."""
    pages = 0
    for member in (pid, *descendants(pid)):
        with suppress(OSError, ValueError, IndexError):
            _, resident, shared, *_ = Path(f"/proc/{member}/statm").read_text().split()
            pages += int(resident) - int(shared)
    return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE
