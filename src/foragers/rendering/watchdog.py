"""Looking after a browser: it ends when its time is over, when it takes too much, or alone."""

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
LATE, LARGE, ORPHANED = 71, 72, 73
REASONS = {LATE: "the page took too long", LARGE: "the page took too much memory"}
MEGABYTE = 1 << 20
DYING_SECONDS = 3.0


@dataclass
class Watchdog:
    """Ends this process and all it has started when something goes beyond a limit.

    Once it is `over`, nothing that fails says anything but that.
    """

    folder: str
    megabytes: int
    deadline: float = inf
    over: bool = False
    _parent: int = field(default_factory=os.getppid)

    def start(self) -> None:
        """Look from now on."""
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while not (code := self._verdict()):
            time.sleep(LOOK)
        self.over = True
        end(os.getpid(), self.folder)
        os._exit(code)

    def wait_if_over(self) -> None:
        """Do nothing more, if this process is about to end."""
        while self.over:
            time.sleep(LOOK)

    def _verdict(self) -> int:
        """Return why it is over, as the code to exit with, or 0."""
        if os.getppid() != self._parent:
            return ORPHANED
        if time.monotonic() > self.deadline:
            return LATE
        return LARGE if self.deadline < inf and memory(os.getpid()) > self.megabytes else 0


def end(pid: int, folder: str) -> None:
    """End all that a process has started, and remove what it wrote."""
    doomed = {*descendants(pid), *users_of(folder)} - {os.getpid()}
    for one in doomed:
        with suppress(OSError):
            os.kill(one, signal.SIGKILL)
    patience = time.monotonic() + DYING_SECONDS
    while any(map(is_running, doomed)) and time.monotonic() < patience:
        time.sleep(0.01)
    remove(folder)


def remove(folder: str) -> None:
    """Remove a folder in which someone who is dying may write once more."""
    patience = time.monotonic() + DYING_SECONDS
    shutil.rmtree(folder, ignore_errors=True)
    while Path(folder).exists() and time.monotonic() < patience:
        time.sleep(0.02)
        shutil.rmtree(folder, ignore_errors=True)


def users_of(folder: str) -> list[int]:
    """Return the processes that were told to work in a folder, whoever has started them."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if folder and f"={folder}/".encode() in line.read_bytes():
                found.append(int(line.parent.name))
    return found


def is_running(pid: int) -> bool:
    """Say whether a process runs, and does not only wait to be forgotten."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, and those have; none where unknowable."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    found = [pid]
    for one in found:
        found += children.get(one, ())
    return found[1:]


def memory(pid: int) -> float:
    """Return the megabytes that a process and its descendants hold and share with no other."""
    pages = 0
    for one in (pid, *descendants(pid)):
        with suppress(OSError, ValueError, IndexError):
            _, resident, shared, *_ = Path(f"/proc/{one}/statm").read_text().split()
            pages += int(resident) - int(shared)
    return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE
