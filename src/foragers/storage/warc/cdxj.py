"""The index of a recording: one CDXJ line per response, in the order of writing until sorted.

Lines are added as responses are recorded, so the index also says up to where each file is complete.
Besides the usual fields a line has `date`, to the millisecond, `content`, the digest without chunks
if there were any, and `truncated`.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import datetime
from heapq import merge
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile

import msgspec

from foragers.core.files import created
from foragers.urls.surt import surt

NAME = "index.cdxj"
REVISIT = "warc/revisit"
NO_SIGNS = str.maketrans("", "", "-:T")
"""Turns a date into the fourteen digits by which lines are sorted."""
ENCODE = msgspec.json.Encoder().encode
BATCH = 200_000
"""The number of lines sorted at once: some hundred megabytes at most."""


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """The place of a recorded response; numbers are written as text, as other tools do."""

    url: str
    mime: str
    status: str
    digest: str
    length: str
    offset: str
    filename: str
    date: str = ""
    content: str = ""
    truncated: str = ""

    @property
    def end(self) -> int:
        """The end of the record in its file."""
        return int(self.offset) + int(self.length)

    def line(self) -> bytes:
        """Return the line of the index."""
        stamp = self.date[:19].translate(NO_SIGNS)
        return b"%b %b %b\n" % (surt(self.url).encode(), stamp.encode(), ENCODE(self))


def entries(path: Path) -> Iterator[Entry]:
    """Yield the entries of an index; invalid lines are skipped."""
    decode = msgspec.json.Decoder(Entry).decode
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            try:
                entry = decode(line[line.index(b" {") + 1 :])
                _ = entry.end, entry.date and datetime.fromisoformat(entry.date)
            except (ValueError, RecursionError):
                continue
            yield entry


def find(path: Path, url: str, date: str) -> Entry | None:
    """Return the entry of a response by its URL and time."""
    wanted = Entry(url, "", "", "", "", "", "", date).line().partition(b"{")[0]
    if not path.exists() or not path.stat().st_size:
        return None
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        start = text.find(wanted)
        while start >= 0:
            end = text.find(b"\n", start)
            if end < 0:
                break
            entry = msgspec.json.decode(text[start + len(wanted) : end], type=Entry)
            if entry.date == date and entry.url == url and entry.mime != REVISIT:
                return entry
            start = text.find(wanted, start + 1)
    return None


def drop_torn_line(path: Path) -> None:
    """Cut off a last line without a line break."""
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        start = max(0, size - (1 << 20))
        file.seek(start)
        tail = file.read()
        if not tail.endswith(b"\n"):
            file.truncate(start + tail.rfind(b"\n") + 1)


def rewrite(path: Path, lines: Iterable[bytes]) -> None:
    """Replace an index by other lines, atomically."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        with created(partial) as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def sort(path: Path, batch: int = BATCH) -> None:
    """Sort an index by URL and time, whatever its length."""
    with path.open("rb") as file, ExitStack() as stack:
        runs: list[Iterable[bytes]] = []
        while lines := sorted(islice(file, batch)):
            if len(lines) < batch and not runs:
                runs.append(lines)
                break
            run = stack.enter_context(TemporaryFile(dir=path.parent))
            run.writelines(lines)
            run.seek(0)
            runs.append(run)
        rewrite(path, merge(*runs))
