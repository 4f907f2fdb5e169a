"""Worker processes that do not outlive the one that started them."""

from __future__ import annotations

import os
import signal
import threading
import time


def end_with(parent: int) -> None:
    """End this process when another is gone, even if that was killed, and not at Ctrl-C.

    Ctrl-C goes to all processes of a terminal; the one that started us tells us what to do.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
