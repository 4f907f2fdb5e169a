"""What was learned beforehand, in a file that is safe to open.

A model is a kind, a version, some facts and some arrays of numbers.  The file is a zip of
numpy arrays with the facts as JSON among them; nothing in it is ever executed, and
what would unpack to more than `LARGEST` bytes is not unpacked.  Lists of words are kept
as one array of letters.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias, cast
from zipfile import BadZipFile, ZipFile

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.errors import UsageError
from foragers.files import write

FORMAT = 1
LARGEST = 4 << 30
HEADER = "header"

Fact: TypeAlias = "str | int | float | bool | list[Fact] | dict[str, Fact] | None"
Numbers = NDArray[np.generic]


class Header(msgspec.Struct, frozen=True):
    """What stands before the arrays: which format, what kind of model, and what is known of it."""

    format: int
    kind: str
    version: int
    facts: dict[str, object]


@dataclass(frozen=True)
class Model:
    """Something learned: `kind` says who can use it, `version` how it is laid out."""

    kind: str
    version: int
    facts: Mapping[str, Fact] = field(default_factory=dict)
    arrays: Mapping[str, Numbers] = field(default_factory=dict, repr=False)


def save_model(model: Model, file: Path) -> None:
    """Write a model in one step; the same model gives the same bytes."""
    header = Header(FORMAT, model.kind, model.version, dict(model.facts))
    letters = np.frombuffer(msgspec.json.encode(header, order="sorted"), np.uint8)
    packed = io.BytesIO()
    arrays = {name: np.ascontiguousarray(model.arrays[name]) for name in sorted(model.arrays)}
    np.savez_compressed(packed, allow_pickle=False, **{HEADER: letters}, **arrays)
    try:
        write(file, packed.getvalue())
    except OSError as error:
        raise UsageError(f"{file} cannot be written ({error.strerror})") from error


def load_model(file: Path, kind: str, version: int) -> Model:
    """Read a model of a kind, or say in one line why that cannot be done."""
    remedy = "make one with 'foragers train'"
    try:
        with ZipFile(file) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
        if size > LARGEST:
            raise UsageError(f"{file}: unpacks to {size:,} bytes, more than any model; {remedy}")
        with np.load(file, allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
        header = msgspec.json.decode(arrays.pop(HEADER).tobytes(), type=Header)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror or error}; {remedy}") from error
    except (BadZipFile, ValueError, KeyError, EOFError, RuntimeError) as error:
        raise UsageError(f"{file}: not a model, or damaged; {remedy}") from error
    if header.kind != kind:
        raise UsageError(f"{file}: a model for '{header.kind}', not for '{kind}'; {remedy}")
    if (header.format, header.version) != (FORMAT, version):
        raise UsageError(f"{file}: written by another version of foragers; {remedy}")
    return Model(header.kind, header.version, cast(dict[str, Fact], header.facts), arrays)


def words_to_array(words: Sequence[str]) -> NDArray[np.uint8]:
    """Return a list of words as letters; a word never contains a line break."""
    return np.frombuffer("\n".join(words).encode(), np.uint8)


def array_to_words(letters: Numbers) -> list[str]:
    """Return the words that were made into letters."""
    text = letters.tobytes().decode()
    return text.split("\n") if text else []
