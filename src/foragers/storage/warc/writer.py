"""Writing the responses of a live crawl, so that a kill at any moment loses nothing.

A response is passed to the operating system in one piece, the request record before the response,
then its line of the index.  What a killed crawl leaves behind is repaired when the folder is opened
again: the index says up to where a file is complete, and only the rest is examined.
"""

from __future__ import annotations

import fcntl
import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from types import TracebackType
from typing import Self

from foragers.errors import UsageError, WriteError
from foragers.http.messages import Response
from foragers.storage.warc import cdxj as capture_index
from foragers.storage.warc.cdxj import REVISIT, Entry
from foragers.storage.warc.dedup import Payloads
from foragers.storage.warc.exchange import (
    EarlierResponse,
    Exchange,
    Headers,
    conversion_record,
    date,
    exchange,
    lines_of,
    record_id,
    request_record,
    response_record,
    revisit_record,
)
from foragers.storage.warc.playback import number_of, numbered, recordings, series_of
from foragers.storage.warc.records import member
from foragers.storage.warc.repair import mend


@dataclass
class Appended:
    """A file to which pieces are appended, each completely or not at all."""

    path: Path
    size: int = field(init=False)
    _descriptor: int = field(init=False)

    def __post_init__(self) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._descriptor = os.open(self.path, flags, 0o644)
        self.size = os.fstat(self._descriptor).st_size

    def append(self, piece: bytes) -> None:
        """Append a piece; if that fails, cut off what was written of it."""
        start = self.size
        rest = memoryview(piece)
        try:
            # A disk that becomes full takes part of a piece first, and refuses the next part.
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except BaseException:
            self.cut(start)
            raise
        self.size = start + len(piece)

    def cut(self, size: int) -> None:
        """Cut the file to a length."""
        os.ftruncate(self._descriptor, size)
        self.size = size

    def sync(self) -> None:
        """Write the file to the disk itself."""
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


DAY = 86_400
LOOK_AGAIN = 0.05
"""Seconds between two tries to lock a folder."""
CONFORMS_TO = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"


@dataclass
class Recorder:
    """Appends responses to the WARC files of a folder, with a new file every `limit` bytes.

    A `daily` recorder begins a new file every day (UTC) as well.  It waits with some `patience` for
    another process to close the files.

    Files are called SERIES-NUMBER.warc.gz.  In a folder with files, they are continued.
    """

    folder: Path
    software: str
    series: str = ""
    limit: int = 1_000_000_000
    daily: bool = False
    compress: bool = True
    user_agent: str = ""
    robots: str = "obey"
    patience: float = 0.0
    payloads: Payloads = field(default_factory=Payloads)
    _index: Appended | None = field(init=False, default=None)
    _file: Appended | None = field(init=False, default=None)
    _lock: int = field(init=False, default=-1)

    def open(self) -> None:
        """Repair what a killed crawl left behind, and open the files."""
        if self._index:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = locked(self.folder, self.patience)
            mend(self.folder, self.payloads)
            self._index = Appended(self.folder / capture_index.NAME)
            self._file = self._current()
        except BaseException as error:
            self._release()
            if isinstance(error, OSError):
                raise cannot_write(self.folder, error) from error
            raise

    def record(self, response: Response) -> str:
        """Append a response and return its place, FILE#OFFSET; "" if there was no response."""
        this = exchange(response)
        if this is None:
            return ""
        self.open()
        earlier = self.payloads.earlier(this)
        try:
            entry = self._write(this, earlier)
        except OSError as error:
            raise cannot_write(self._place, error) from error
        if not earlier and this.repeatable:
            self.payloads.add(this.url, this.content, EarlierResponse(this.moment, this.payload))
        return f"{entry.filename}#{entry.offset}"

    def convert(self, response: Response, html: bytes, moment: int) -> None:
        """Append the rendered version of a recorded page, made at a time in ms."""
        this = exchange(response)
        if this is None:
            return
        self.open()
        source = self.payloads.earlier(this) or EarlierResponse(this.moment, this.payload)
        headers = conversion_record(this, source, html, moment)
        whole = member(lines_of(headers), html, self.compress)
        try:
            self._room_for(len(whole), moment).append(whole)
        except OSError as error:
            raise cannot_write(self._place, error) from error

    def sync(self) -> None:
        """Write everything to the disk itself."""
        try:
            for part in (self._file, self._index):
                if part:
                    part.sync()
        except OSError as error:
            raise cannot_write(self._place, error) from error

    def close(self) -> None:
        """Write everything to disk and sort the index."""
        if not self._index:
            return
        self.sync()
        path = self._index.path
        self._release()
        # On a full disk the index stays as it is: complete, but not sorted.
        with suppress(OSError):
            capture_index.sort(path)

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _write(self, this: Exchange, earlier: EarlierResponse | None) -> Entry:
        """Append an exchange and its line of the index: both, or neither."""
        assert self._index
        headers, body, mime = self._answer(this, earlier)
        request, block = request_record(this, headers["WARC-Record-ID"], self.user_agent)
        asked = member(lines_of(request), block, self.compress)
        lines = lines_of(headers) + this.response.head
        answer = member(lines, body, self.compress, dense=this.dense)
        file = self._room_for(len(asked) + len(answer), this.moment)
        start, indexed = file.size, self._index.size
        entry = Entry(
            url=this.url,
            mime=mime,
            status=str(this.response.code),
            digest=headers.get("WARC-Payload-Digest", "-"),
            length=str(len(answer)),
            offset=str(start + len(asked)),
            filename=file.path.name,
            date=headers["WARC-Date"],
            content=this.content if body and this.content != this.payload else "",
            truncated=this.truncated,
        )
        try:
            file.append(asked + answer)
            self._index.append(entry.line())
        except BaseException:
            self._index.cut(indexed)
            file.cut(start)
            raise
        return entry

    def _answer(
        self, this: Exchange, earlier: EarlierResponse | None
    ) -> tuple[Headers, bytes, str]:
        """Return the headers of the record of a response, its body, and its type in the index."""
        if this.not_modified or earlier:
            return revisit_record(this, earlier), b"", REVISIT
        response = this.response
        mime = response.header("Content-Type").partition(";")[0].strip().lower() or "unk"
        return response_record(this), response.body, mime

    def _room_for(self, size: int, moment: int) -> Appended:
        """Return the file to write to, a new one if the current one is full."""
        is_full = self._file and self._file.size and self._file.size + size > self.limit
        if self._file and (is_full or (self.daily and self._is_of_yesterday(self._file, moment))):
            self.sync()
            self._file.close()
            self._file = None
        if self._file is None:
            number = max(map(number_of, recordings(self.folder)), default=-1) + 1
            ending = ".warc.gz" if self.compress else ".warc"
            self._file = Appended(self.folder / f"{self._series()}-{number:05d}{ending}")
        if not self._file.size:
            self._begin(self._file, moment)
        return self._file

    def _is_of_yesterday(self, file: Appended, moment: int) -> bool:
        """Return whether a file was last written on an earlier day."""
        days = file.path.stat().st_mtime // DAY, moment / 1000 // DAY
        return bool(file.size) and days[0] < days[1]

    def prune(self, before: float) -> int:
        """Remove the files last written before a time, and their lines of the index."""
        current = self._file.path if self._file else None
        files = [path for path in numbered(self.folder) if path.stat().st_mtime < before]
        names = {path.name for path in files if path != current}
        if not names or self._index is None:
            return 0
        index = self._index.path
        self._index.close()
        try:
            kept = [entry.line() for entry in capture_index.entries(index)
                    if entry.filename not in names]  # fmt: skip
            capture_index.rewrite(index, kept)
            for name in names:
                (self.folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise cannot_write(index, error) from error
        finally:
            self._index = Appended(index)
        self.payloads = Payloads()  # what is gone cannot be referred to
        return len(names)

    def _series(self) -> str:
        """Return the prefix of the file names."""
        before = numbered(self.folder)
        return series_of(before[-1]) if before else self.series or name_for(self.folder)

    def _begin(self, file: Appended, moment: int) -> None:
        """Write the record that describes a file."""
        fields = {
            "software": self.software,
            "format": "WARC File Format 1.1",
            "conformsTo": CONFORMS_TO,
            "robots": self.robots,
            "http-header-user-agent": self.user_agent,
        }
        block = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value).encode()
        headers = {
            "WARC-Type": "warcinfo",
            "WARC-Record-ID": record_id("warcinfo", file.path.name, moment, self.software),
            "WARC-Filename": file.path.name,
            "WARC-Date": date(moment),
            "Content-Type": "application/warc-fields",
            "Content-Length": str(len(block)),
        }
        file.append(member(lines_of(headers), block, self.compress))

    def _current(self) -> Appended | None:
        """Return the last file, to be continued, unless its compression differs."""
        last = recordings(self.folder)[-1:]
        fitting = [path for path in last if path.name.endswith(".gz") == self.compress]
        return Appended(fitting[0]) if fitting else None

    @property
    def _place(self) -> Path:
        """The current file, or the folder before there is one."""
        return self._file.path if self._file else self.folder

    def _release(self) -> None:
        """Close all files."""
        for part in (self._file, self._index):
            if part:
                part.close()
        self._file = self._index = None
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = -1


def name_for(folder: Path) -> str:
    """Return the prefix of the names of files in a folder."""
    return re.sub(r"[^A-Za-z0-9._]+", "-", folder.resolve().name).strip("-.") or "crawl"


def series_for(folder: Path) -> str:
    """Return a unique name for the files of a crawl: folder, time and random digits.

    So the files of many crawls can be put into one folder.
    """
    return f"{name_for(folder)}-{time.strftime('%Y%m%d%H%M%S', time.gmtime())}-{token_hex(4)}"


def locked(folder: Path, patience: float = 0.0, by: str = "crawl") -> int:
    """Lock a folder, so that no other crawl records into it; wait some seconds for it."""
    lock, until = os.open(folder, os.O_RDONLY), time.monotonic() + patience
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError as error:
            if time.monotonic() < until:
                time.sleep(LOOK_AGAIN)
                continue
            os.close(lock)
            raise UsageError(
                f"{folder} is being written by another {by}; wait for it or choose another folder"
            ) from error


def cannot_write(path: Path, error: OSError) -> WriteError:
    """Return the error for a file that cannot be written."""
    return WriteError(error.filename or path, error.strerror)
