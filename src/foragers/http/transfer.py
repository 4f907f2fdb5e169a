"""The state of one download: what has been received, and whether more of it is wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from foragers.http.messages import FetchError, Limits, Request
from foragers.parsing.content_coding import is_whole

LINE_ENDS = (b"\r", b"\n", b"")
BLANKS = (b" ", b"\t")
LAST_CHUNK = (b"\n0\r\n\r\n", b"\n0\n\n")


@dataclass(slots=True)
class HttpTransfer:
    """A download in progress; times are those of a monotonic clock.

    `sent` is when the request was sent, `received` when data last arrived.  `refused` is
    why an IP address of the host was not connected to, which counts if no other was.  `complete`
    says that the whole body was received although libcurl would wait for more.
    """

    request: Request
    limits: Limits
    wanted: Callable[[str], bool]
    clock: Callable[[], float]
    started: float
    begun: float
    sent: float = 0.0
    received: float = 0.0
    address: str = ""
    refused: tuple[FetchError, str] | None = None
    head: list[bytes] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    head_bytes: int = 0
    head_done: bool = False
    body: bytearray = field(default_factory=bytearray)
    error: FetchError | None = None
    detail: str = ""
    cut: bool = False
    complete: bool = False

    def take_header(self, line: bytes) -> int:
        """Add a line of the head; another status line starts it over (100 Continue)."""
        self.head_bytes += len(line)
        if self.head_bytes > self.limits.headers:
            return self.refuse(FetchError.HEADERS, f"more than {self.limits.headers:,} bytes")
        if line.startswith(b"HTTP/") and not self.body:
            self.head.clear()
            self.headers.clear()
            self.head_done = False
        if not self.head_done:  # later lines are trailers, which are in the body as well
            self.head.append(line)
            if line[:1] in LINE_ENDS and not line.strip(b"\r\n"):
                self.read_head()
                self.head_done = True
                self.received = self.clock()
        return len(line)

    def read_head(self) -> None:
        """Read names and values of the header lines so far, all at once."""
        headers = self.headers
        headers.clear()
        for line in self.head:
            if line[:1] in BLANKS:
                if headers:
                    key, before = headers[-1]
                    headers[-1] = key, f"{before} {text_of(line)}".strip()
                continue
            name, colon, value = line.partition(b":")
            if colon and not line.startswith(b"HTTP/"):
                headers.append((text_of(name), text_of(value)))

    def take_body(self, data: bytes) -> int:
        """Add a piece of the body, as long as it is wanted and within the limits."""
        most, size = self.request.max_bytes, len(self.body) + len(data)
        if not self.body and not most:
            self.cut = not self.wanted(self.header("content-type"))
            size = max(size, self.declared)
        if self.cut:
            return -1
        if most and size > most:
            self.body += data[: most - len(self.body)]
            self.cut = True
            return -1
        if not most and not self.is_page and size > self.limits.ignored_body:
            self.cut = True
            return -1
        if not most and size > self.limits.body:
            return self.refuse(FetchError.TOO_LARGE, f"more than {self.limits.body:,} bytes")
        self.body += data
        self.received = self.clock()
        if self.body.endswith(LAST_CHUNK) and self.coding != "chunked" and self.has_last_chunk:
            self.complete = True
            return -1
        return len(data)

    @property
    def coding(self) -> str:
        """The transfer coding; libcurl recognises the end of plain chunks only."""
        return self.header("transfer-encoding").lower()

    @property
    def has_last_chunk(self) -> bool:
        """Whether the body is chunked and its last chunk was received, perhaps without trailers."""
        return "chunked" in self.coding and is_whole(self.body)

    @property
    def is_page(self) -> bool:
        """Whether the body is needed, which is not so for a redirect or an error."""
        status = self.head[0].split(None, 2)[1:2] if self.head else []
        return not status or status[0][:1] not in (b"3", b"4", b"5")

    @property
    def declared(self) -> int:
        """The length of the body as declared by the server."""
        length = self.header("content-length")
        return int(length[:18]) if length.isdecimal() and length.isascii() else 0

    def header(self, name: str) -> str:
        """Return the first header of a name in lower case, or ""."""
        size = len(name)
        for key, value in self.headers:
            if len(key) == size and key.lower() == name:
                return value
        return ""

    def refuse(self, error: FetchError, detail: str) -> int:
        """Set the error, and tell libcurl to stop."""
        self.error, self.detail = error, detail
        return -1

    def late(self, now: float) -> str:
        """Return which time limit was exceeded, or ""."""
        limits = self.limits
        if now - self.begun > limits.total:
            return f"not done after {limits.total:g} s"
        if self.head_done:
            late = now - self.received > limits.idle
            return f"nothing more for {limits.idle:g} s" if late else ""
        if self.sent:
            late = now - self.sent > limits.head
            return f"no whole answer after {limits.head:g} s" if late else ""
        late = now - self.begun > limits.connect
        return f"no connection after {limits.connect:g} s" if late else ""


def text_of(value: bytes) -> str:
    """Return part of a header as text: UTF-8 if that is valid, otherwise Latin-1."""
    try:
        return value.decode().strip()
    except UnicodeDecodeError:
        return value.decode("latin-1").strip()
