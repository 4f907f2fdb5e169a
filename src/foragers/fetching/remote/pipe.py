"""Messages between two processes of one machine, over a socket that neither waits for.

What does not fit into the socket stays here until there is room, so two processes that write at
the same time do not hold each other up.
"""

from __future__ import annotations

import select
import socket
from contextlib import suppress
from dataclasses import dataclass
from struct import Struct

LENGTH = Struct(">I")
"""The length before each message."""


@dataclass(frozen=True)
class PipeSettings:
    """How a pipe is read."""

    at_once: int = 1 << 18  # bytes; CPU


DEFAULT_PIPE = PipeSettings()


class MessagePipe:
    """One end of a socket; `is_over` if the other is closed."""

    def __init__(self, end: socket.socket, settings: PipeSettings = DEFAULT_PIPE) -> None:
        end.setblocking(False)
        self._end = end
        self._settings = settings
        self._poll = select.poll()
        self._out = bytearray()
        self._in = bytearray()
        self.is_over = False

    @property
    def descriptor(self) -> int:
        """The number of the socket."""
        return self._end.fileno()

    @property
    def is_full(self) -> bool:
        """Whether something waits for room in the socket."""
        return bool(self._out)

    def send(self, body: bytes) -> None:
        """Send a message, or as much of it as there is room for."""
        self._out += LENGTH.pack(len(body))
        self._out += body
        self.flush()

    def flush(self) -> None:
        """Send as much as there is room for."""
        try:
            while self._out:
                del self._out[: self._end.send(self._out)]
        except BlockingIOError:
            pass
        except OSError:
            self.is_over = True
            self._out.clear()

    def wait(self, seconds: float) -> bool:
        """Wait until there is something to read; return whether there is."""
        ready = select.POLLIN | (select.POLLOUT if self._out else 0)
        self._poll.register(self._end, ready)
        events = self._poll.poll(1000 * max(0.0, seconds))
        if self._out:
            self.flush()
        return any(happened & ~select.POLLOUT for _, happened in events)

    def received(self) -> list[bytes]:
        """Return the messages that have arrived."""
        try:
            while piece := self._end.recv(self._settings.at_once):
                self._in += piece
                if len(piece) < self._settings.at_once:
                    break
            else:
                self.is_over = True
        except BlockingIOError:
            pass
        except OSError:
            self.is_over = True
        return self._messages()

    def close(self) -> None:
        """Close this end."""
        with suppress(OSError):
            self._end.close()

    def _messages(self) -> list[bytes]:
        """Take the complete messages out of what was read."""
        messages, start, view = [], 0, memoryview(self._in)
        while len(view) >= start + LENGTH.size:
            first = start + LENGTH.size
            end = first + LENGTH.unpack_from(view, start)[0]
            if end > len(view):
                break
            messages.append(bytes(view[first:end]))
            start = end
        view.release()
        del self._in[:start]
        return messages
