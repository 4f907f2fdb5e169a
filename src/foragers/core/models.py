"""Learned models, in a file that is safe to open.

A model is a kind, a version, some facts and some arrays of numbers.  The file is a zip of numpy
arrays with the facts as JSON among them; nothing in it is ever executed, and a file that would
unpack to more than `LARGEST` bytes is not unpacked.  The file is treated as hostile: an array must
have the size that it declares, and consist of numbers.  Lists of words are stored as one array of
characters.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from tokenize import TokenError
from typing import TypeAlias, cast
from zipfile import BadZipFile, ZipFile

import msgspec
import numpy as np
from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic
from numpy.typing import NDArray

from foragers.core.files import write
from foragers.errors import UsageError

FORMAT = 1
LARGEST = 1 << 30
HEADER = "header"
NUMERIC = "biuf"
"""The kinds of numpy numbers in a model."""
DAMAGED = (
    BadZipFile, zlib.error, ValueError, KeyError, EOFError, RuntimeError, TokenError, SyntaxError,
    MemoryError, msgspec.DecodeError,
)  # fmt: skip
"""The errors of reading a damaged zip of arrays."""

Fact: TypeAlias = "str | int | float | bool | list[Fact] | dict[str, Fact] | None"
Numbers = NDArray[np.generic]


class Header(msgspec.Struct, frozen=True):
    """The header of a file: its format, the kind and version of the model, and its facts."""

    format: int
    kind: str
    version: int
    facts: dict[str, object]


@dataclass(frozen=True)
class Model:
    """A learned model: `kind` says which strategies can use it, `version` is that of its layout."""

    kind: str
    version: int
    facts: Mapping[str, Fact] = field(default_factory=dict)
    arrays: Mapping[str, Numbers] = field(default_factory=dict, repr=False)


def save_model(model: Model, file: Path) -> None:
    """Write a model atomically; the same model gives the same bytes."""
    header = Header(FORMAT, model.kind, model.version, dict(model.facts))
    letters = np.frombuffer(msgspec.json.encode(header, order="sorted"), np.uint8)
    packed = io.BytesIO()
    arrays = {name: np.ascontiguousarray(model.arrays[name]) for name in sorted(model.arrays)}
    np.savez_compressed(packed, allow_pickle=False, **{HEADER: letters}, **arrays)
    write(file, packed.getvalue())


def load_model(
    file: Path, kind: str, version: int, remedy: str = "make one with 'foragers train'"
) -> Model:
    """Read a model of a kind; a UsageError says why it cannot be read, and the remedy."""
    try:
        if file.exists() and not file.is_file():
            raise UsageError(f"{file}: not a file; {remedy}")
        with ZipFile(file) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
            if size > LARGEST:
                raise UsageError(
                    f"{file}: unpacks to {size:,} bytes, more than any model; {remedy}"
                )
            header = msgspec.json.decode(_array(packed, HEADER).tobytes(), type=Header)
            if header.kind != kind:
                raise UsageError(
                    f"{file}: a model for {header.kind[:40]!r}, not for {kind!r}; {remedy}"
                )
            if (header.format, header.version) != (FORMAT, version):
                raise UsageError(f"{file}: written by another version of foragers; {remedy}")
            names = [name.removesuffix(".npy") for name in packed.namelist()]
            arrays = {name: _array(packed, name) for name in names if name != HEADER}
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror or error}; {remedy}") from error
    except DAMAGED as error:
        raise UsageError(f"{file}: not a model, or damaged; {remedy}") from error
    return Model(header.kind, header.version, cast(dict[str, Fact], header.facts), arrays)


def _array(packed: ZipFile, name: str) -> Numbers:
    """Read an array of numbers; one that declares a wrong size gets no memory."""
    data = io.BytesIO(packed.read(f"{name}.npy"))
    read_header = {(1, 0): read_array_header_1_0, (2, 0): read_array_header_2_0}
    shape, by_columns, dtype = read_header[read_magic(data)](data)
    if dtype.kind not in NUMERIC:
        raise ValueError(f"{name} is not made of numbers")
    letters = data.getbuffer()[data.tell() :]
    if len(letters) != prod(shape) * dtype.itemsize:
        raise ValueError(f"{name} is not as large as it says")
    array = np.frombuffer(letters, dtype)
    return array.reshape(shape, order="F" if by_columns else "C").copy()


def words_to_array(words: Sequence[str]) -> NDArray[np.uint8]:
    """Return a list of words as an array of characters; a word never contains a line break."""
    return np.frombuffer("\n".join(words).encode(), np.uint8)


def array_to_words(letters: Numbers) -> list[str]:
    """Return the words of an array of characters."""
    text = letters.tobytes().decode()
    return text.split("\n") if text else []
