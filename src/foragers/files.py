"""Files that are there whole, or not at all."""

from __future__ import annotations

from pathlib import Path

from foragers.errors import UsageError


def write(file: Path, data: bytes) -> None:
    """Write a file in one step; into what is no regular file, a pipe say, write directly."""
    if file.exists() and not file.is_file():
        with file.open("wb") as stream:
            stream.write(data)
        return
    # What a link points at is replaced, not the link.
    target = file.resolve()
    partial = target.with_name(f".{target.name}.partial")
    try:
        partial.write_bytes(data)
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def check_writable(file: Path, option: str) -> None:
    """Say now, before long work, if a file could not be written."""
    if file.is_dir():
        raise UsageError(f"{option} {file}: is a folder; name a file")
    if not file.resolve().parent.is_dir():
        raise UsageError(f"{option} {file}: its folder does not exist; make it first")
