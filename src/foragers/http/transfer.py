"""One download under way: what has come so far, and whether more of it is wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from foragers.http.messages import FetchError, Limits, Request
from foragers.parsing.content_coding import is_whole

MAX_ASIDE = 64 << 10
"""How much is read of a body that does not matter."""
LAST_CHUNK = (b"\n0\r\n\r\n", b"\n0\n\n")


@dataclass(slots=True)
class HttpTransfer:
    """One download under way; times are of a clock that is never set.

    `asked` is when the request was sent, `heard` when something last came.  `turned_away`
    tells why an address of the host was not reached, which counts if no other was.  A body is
    `whole` that has come to its end although libcurl would wait for more.
    """

    request: Request
    limits: Limits
    wanted: Callable[[str], bool]
    clock: Callable[[], float]
    started: float
    begun: float
    asked: float = 0.0
    heard: float = 0.0
    address: str = ""
    turned_away: tuple[FetchError, str] | None = None
    head: list[bytes] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    head_bytes: int = 0
    head_done: bool = False
    body: bytearray = field(default_factory=bytearray)
    trouble: FetchError | None = None
    detail: str = ""
    cut: bool = False
    whole: bool = False

    def take_header(self, line: bytes) -> int:
        """Keep a line of the head; a new status line starts it over (100 Continue)."""
        self.head_bytes += len(line)
        if self.head_bytes > self.limits.headers:
            return self.refuse(FetchError.HEADERS, f"more than {self.limits.headers:,} bytes")
        if line.startswith(b"HTTP/") and not self.body:
            self.head.clear()
            self.headers.clear()
            self.head_done = False
        if not self.head_done:  # what comes later are trailers, which are in the body as well
            self.head.append(line)
            self._read_header(line)
        return len(line)

    def _read_header(self, line: bytes) -> None:
        """Note the name and value in a line, if it has them."""
        name, colon, value = line.partition(b":")
        if not line.strip(b"\r\n"):
            self.head_done = True
            self.heard = self.clock()
        elif line[:1] in b" \t":
            if self.headers:
                key, before = self.headers[-1]
                self.headers[-1] = key, f"{before} {text_of(line)}".strip()
        elif colon and not line.startswith(b"HTTP/"):
            self.headers.append((text_of(name), text_of(value)))

    def take_body(self, data: bytes) -> int:
        """Keep a piece of the body, as long as it is wanted and not too much."""
        enough, size = self.request.enough, len(self.body) + len(data)
        if not self.body and not enough:
            self.cut = not self.wanted(self.header("content-type"))
            size = max(size, self.declared)
        if self.cut:
            return -1
        if enough and size > enough:
            self.body += data[: enough - len(self.body)]
            self.cut = True
            return -1
        if not enough and not self.is_page and size > MAX_ASIDE:
            self.cut = True
            return -1
        if not enough and size > self.limits.body:
            return self.refuse(FetchError.TOO_LARGE, f"more than {self.limits.body:,} bytes")
        self.body += data
        self.heard = self.clock()
        if self.body.endswith(LAST_CHUNK) and self.coding != "chunked" and self.has_last_chunk:
            self.whole = True
            return -1
        return len(data)

    @property
    def coding(self) -> str:
        """The transfer coding; libcurl sees the end of nothing but plain chunks."""
        return self.header("transfer-encoding").lower()

    @property
    def has_last_chunk(self) -> bool:
        """Whether the body is in chunks and the last has come, if perhaps not all behind it."""
        return "chunked" in self.coding and is_whole(self.body)

    @property
    def is_page(self) -> bool:
        """Whether it is the body that matters: not where a redirect or an error is told of."""
        status = self.head[0].split(None, 2)[1:2] if self.head else []
        return not status or status[0][:1] not in (b"3", b"4", b"5")

    @property
    def declared(self) -> int:
        """How long the body is said to be."""
        length = self.header("content-length")
        return int(length[:18]) if length.isdecimal() and length.isascii() else 0

    def header(self, name: str) -> str:
        """Return the first header of a name in lower case, or nothing."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    def refuse(self, trouble: FetchError, detail: str) -> int:
        """Note what is wrong, and tell libcurl to stop."""
        self.trouble, self.detail = trouble, detail
        return -1

    def late(self, now: float) -> str:
        """Return which time limit has passed, if one has."""
        limits = self.limits
        if now - self.begun > limits.total:
            return f"not done after {limits.total:g} s"
        if self.head_done:
            late = now - self.heard > limits.idle
            return f"nothing more for {limits.idle:g} s" if late else ""
        if self.asked:
            late = now - self.asked > limits.head
            return f"no whole answer after {limits.head:g} s" if late else ""
        late = now - self.begun > limits.connect
        return f"no connection after {limits.connect:g} s" if late else ""


def text_of(value: bytes) -> str:
    """Return part of a header as text: UTF-8 if it is that."""
    try:
        return value.decode().strip()
    except UnicodeDecodeError:
        return value.decode("latin-1").strip()
