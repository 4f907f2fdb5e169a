"""Writing named files so that each is complete or absent."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from foragers.errors import UsageError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
STREAM = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")


def write(file: Path, data: bytes) -> None:
    """Write a file atomically; see `replacing`."""
    with replacing(file) as stream:
        stream.write(data)


@contextmanager
def replacing(file: Path) -> Iterator[BinaryIO]:
    """Yield a stream to write to; its content then replaces a file atomically.

    A device, a pipe or another special file is written to directly.  If the name is a symbolic
    link, the file that it points to is replaced, not the link.
    """
    try:
        with direct(file) or whole(target_of(file)) as stream:
            yield stream
    except BrokenPipeError:  # the reader of a pipe has closed it
        raise
    except OSError as error:
        why = error.strerror or error
        if error.errno in NO_ROOM:  # not caused by the name
            raise OSError(error.errno, why, str(file)) from error
        raise UsageError(f"{file} cannot be written: {why}; name another") from error


def direct(file: Path) -> BinaryIO | None:
    """Return a stream for a special file; None for a file that can be replaced."""
    number = stream_number(file)
    if number is not None:  # opening a file by name that output goes to would truncate it
        return os.fdopen(os.dup(number), "wb")
    try:
        kind = file.stat().st_mode
    except OSError:
        return None
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return None if stat.S_ISREG(kind) else file.open("wb")


def stream_number(file: Path) -> int | None:
    """Return the descriptor of the stream that a name stands for, such as 1 for /dev/stdout."""
    name = str(file)
    numbered = STREAM.fullmatch(name)
    return int(numbered[1]) if numbered else STREAMS.get(name)


def target_of(file: Path) -> Path:
    """Return the file at the end of symbolic links."""
    try:
        return file.resolve()
    except RuntimeError as error:  # Python 3.11 raises it for links that lead in a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from error


@contextmanager
def whole(target: Path) -> Iterator[BinaryIO]:
    """Yield a new file, which replaces another when it is complete."""
    partial = target.with_name(f".{target.name}.partial")
    try:
        stream = created(partial)
    except PermissionError:
        if not target.exists():
            raise
        with target.open("wb") as stream:  # the file may be written, but not its folder
            yield stream
        return
    try:
        with stream:
            with suppress(FileNotFoundError):  # a file that was not readable by everybody stays so
                os.fchmod(stream.fileno(), stat.S_IMODE(target.stat().st_mode))
            yield stream
        put(partial, target)
    finally:
        partial.unlink(missing_ok=True)


def created(file: Path) -> BinaryIO:
    """Open a new file, after removing a leftover or a link of that name."""
    file.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(file, flags, 0o666), "wb")


def put(partial: Path, target: Path) -> None:
    """Rename a file to its final name; a target that cannot be replaced (a mount) is written to."""
    try:
        partial.replace(target)
    except OSError as error:
        if error.errno not in (errno.EBUSY, errno.EXDEV):
            raise
        shutil.copyfile(partial, target)


def read(file: Path, most: int = 1 << 26) -> bytes:
    """Return the content of a regular file that is not too large; a pipe might never end."""
    with os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
        found = os.fstat(stream.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > most:
            raise OSError(errno.EINVAL, "not a regular file, or too large", str(file))
        return stream.read(most)


def check_own(folder: Path, names: tuple[str, ...] = ("",)) -> None:
    """Raise a UsageError if files in a folder with some prefixes are links or special files.

    Otherwise the author of the folder could make us overwrite any file of this user through a link.
    """
    if not folder.is_dir():
        return
    with os.scandir(folder) as entries:
        found = list(entries)
    for entry in found:
        if not entry.name.startswith(names):
            continue
        if entry.is_dir(follow_symlinks=False):
            check_own(Path(entry.path))
        elif not entry.is_file(follow_symlinks=False):
            what = "a link" if entry.is_symlink() else "not a regular file"
            raise UsageError(
                f"{entry.path} is {what}, and would be written to; remove it or choose another"
                " folder"
            )


def check_writable(file: Path, option: str) -> None:
    """Raise a UsageError now, before long work, if a file cannot be written."""
    if file.is_dir():
        raise UsageError(f"{option} {file}: is a folder; name a file")
    if not target_of(file).parent.is_dir():
        raise UsageError(f"{option} {file}: its folder does not exist; make it first")
