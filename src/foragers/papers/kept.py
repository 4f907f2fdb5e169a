"""What came of a piece of work, kept in a file, so that a reproduction that is resumed goes on."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import msgspec

from foragers.core.files import write
from foragers.version import __version__

Result = TypeVar("Result")


def kept_file(folder: Path, *told: object) -> Path:
    """Return the file for a piece of work, named by all that decides its result."""
    name = blake2b(repr((__version__, *told)).encode(), digest_size=8).hexdigest()
    return folder / f"{name}.json"


def kept(
    file: Path, kind: type[Result], make: Callable[[], Result], fits: Callable[[Result], bool]
) -> Result:
    """Return the result in a file if it is there and fits; else make it and keep it."""
    try:
        found = msgspec.json.decode(file.read_bytes(), type=kind)
        if fits(found):
            return found
    except (OSError, ValueError, msgspec.MsgspecError):
        pass
    made = make()
    file.parent.mkdir(parents=True, exist_ok=True)
    write(file, msgspec.json.encode(made))
    return made
