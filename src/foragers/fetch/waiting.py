"""Waiting for many connections at once, without the limit of 1,024 that select has.

libcurl tells which sockets it wants to hear of, and by when it wants to be called
anyway; the operating system tells which of them have something to say.
"""

from __future__ import annotations

import selectors
import time
from math import inf

import pycurl

EVENTS = {
    pycurl.POLL_IN: selectors.EVENT_READ,
    pycurl.POLL_OUT: selectors.EVENT_WRITE,
    pycurl.POLL_INOUT: selectors.EVENT_READ | selectors.EVENT_WRITE,
}


class Waiting:
    """The sockets of a multi handle, and when it is to be called at the latest."""

    def __init__(self, multi: pycurl.CurlMulti) -> None:
        self._multi = multi
        self._selector = selectors.DefaultSelector()
        self._due = inf
        multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)

    def wait(self, seconds: float) -> None:
        """Let libcurl work on what happens within some seconds, or until it has been called."""
        now = time.monotonic()
        for key, happened in self._selector.select(max(0.0, min(seconds, self._due - now))):
            flags = pycurl.CSELECT_IN if happened & selectors.EVENT_READ else 0
            flags |= pycurl.CSELECT_OUT if happened & selectors.EVENT_WRITE else 0
            self._multi.socket_action(key.fd, flags)
        if self._due <= time.monotonic():
            self._due = inf
            self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)

    def close(self) -> None:
        """Let go of the operating system's part."""
        self._selector.close()

    def _watch(self, what: int, fd: int, multi: pycurl.CurlMulti, data: object) -> None:
        """Note which socket libcurl wants to hear of, and of what."""
        del multi, data
        known = fd in self._selector.get_map()
        if what == pycurl.POLL_REMOVE:
            if known:
                self._selector.unregister(fd)
            return
        if known:
            try:
                self._selector.modify(fd, EVENTS[what])
            except OSError:  # another socket has its number now
                known = False
        if not known:
            self._selector.register(fd, EVENTS[what])

    def _set_timer(self, milliseconds: int) -> None:
        """Note by when libcurl wants to be called."""
        self._due = inf if milliseconds < 0 else time.monotonic() + milliseconds / 1000
