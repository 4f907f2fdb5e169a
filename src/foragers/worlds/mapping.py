"""The columns of a world on disk: mapped, not read, and checked, since they may be hostile."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foragers.errors import DamagedError

Column = NDArray[Any]
NUMBERS = "iu"
LATEST = 6e10
"""Times beyond this, in either direction, are no dates."""
DAMAGED = (
    IndexError, ValueError, KeyError, TypeError, OverflowError, ZeroDivisionError, RecursionError,
)  # fmt: skip
"""The errors of generating the text of a damaged world."""


def mapped(file: Path, kinds: str = "biuf", dimensions: int = 1) -> Column:
    """Return an array of numbers that stays on disk until it is used."""
    if file.exists() and not file.is_file():  # a pipe would never end
        raise DamagedError(f"{file.name} is not a file")
    try:
        loaded = np.load(file, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, TokenError, SyntaxError, MemoryError, OverflowError) as error:
        raise DamagedError(f"{file.name} is not an array of numbers") from error
    is_array = isinstance(loaded, np.ndarray)
    if not is_array or loaded.ndim != dimensions or loaded.dtype.kind not in kinds:
        raise DamagedError(f"{file.name} is not an array of such numbers")
    return np.asarray(loaded)


def check_starts(name: str, starts: Column, count: int, total: int) -> None:
    """Check a column with the starts of parts of another, and the end of the last part."""
    sound = len(starts) == count + 1 and starts[0] == 0 and starts[-1] == total
    if not sound or (starts[1:] < starts[:-1]).any():
        raise DamagedError(f"{name} does not fit what it divides")


def check_range(name: str, column: Column, least: int, below: int) -> None:
    """Check that all numbers of a column exist."""
    if len(column) and not (least <= column.min() and column.max() < below):
        raise DamagedError(f"{name} points at what is not there")


def check_world(columns: Mapping[str, Column], book: Mapping[str, Column], hosts: int) -> None:
    """Check that the columns of a world fit each other."""
    urls, versions = len(book["host_ids"]), len(columns["times"])
    check_starts("version_starts", columns["version_starts"], urls, versions)
    check_starts("link_starts", columns["link_starts"], versions, len(columns["targets"]))
    check_starts("url_starts", book["starts"], urls, len(book["letters"]))
    for name in ("codes", "redirects", "same_as"):
        if len(columns[name]) != versions:
            raise DamagedError(f"{name} is not as long as it should be")
    for name in ("sorted_keys", "sorted_ids"):
        if len(book[name]) != urls:
            raise DamagedError(f"url_{name} is not as long as it should be")
    if not (np.abs(columns["times"]) < LATEST).all():
        raise DamagedError("times are no times")
    check_range("redirects", columns["redirects"], -1, urls)
    check_range("same_as", columns["same_as"], 0, versions)
    check_range("targets", columns["targets"], 0, urls)
    check_range("url_host_ids", book["host_ids"], 0, hosts)
    check_range("url_sorted_ids", book["sorted_ids"], 0, urls)
