"""Errors with the files of a crawl, turned into one line for the user."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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


@contextmanager
def storing(folder: Path, name: str = "") -> Iterator[None]:
    """Turn errors with the files of a crawl into one line for the user."""
    try:
        yield
    except sqlite3.Error as error:
        remedy = "make room" if "full" in str(error) else "repair it"
        if "locked" in str(error):
            remedy = "end the program that holds it"
        raise WriteError(folder / LEDGER_FILE, error, remedy) from error
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise WriteError(error.filename or folder / name, error.strerror) from error
