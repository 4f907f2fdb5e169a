"""Errors with the files of a crawl, turned into one line for the user."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from foragers.errors import UsageError, WriteError
from foragers.storage.ledger.stores import LEDGER_FILE

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
"""Errors of a disk that is full or fails."""


def remove_empty(folder: Path) -> None:
    """Remove the folder of a crawl that cannot begin, if there is nothing in it."""
    with suppress(OSError):
        folder.rmdir()


def quietly(close: Callable[[], None]) -> None:
    """Close a part of a crawl that cannot begin; the first error is the one to report."""
    with suppress(OSError, sqlite3.Error, UsageError):
        close()


class Storing:
    """Turns errors with the files of a crawl into one line for the user.

    It is entered in every step, so it is no generator, which would take several times as long.
    """

    __slots__ = ("folder", "name")

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Raise another error in place of one with a file."""
        if isinstance(error, sqlite3.Error):
            remedy = "make room" if "full" in str(error) else "repair it"
            if "locked" in str(error):
                remedy = "end the program that holds it"
            raise WriteError(self.folder / LEDGER_FILE, error, remedy) from error
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            place = error.filename or self.folder / self.name
            raise WriteError(place, error.strerror) from error


def storing(folder: Path, name: str = "") -> Storing:
    """Turn errors with the files of a crawl into one line for the user."""
    return Storing(folder, name)
