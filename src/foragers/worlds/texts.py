"""The content of a recorded world: two files of compressed blocks, one block per content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from shutil import copyfile
from typing import ClassVar

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from foragers.core.links import LinkColumns, ParsedLink, ParsedLinks
from foragers.core.packing import decoder_of, unpacked
from foragers.core.types import Document
from foragers.errors import DamagedError, UsageError
from foragers.worlds.archive import Body
from foragers.worlds.mapping import NUMBERS, mapped

LEVEL = 1
"""The compression level: 3 makes pages 4 % smaller, and takes a third longer."""
BUFFER = 1 << 20
"""Bytes that are written at once: a call for each block takes longer than copying them."""


class VersionText(msgspec.Struct, frozen=True, array_like=True):
    """The text and links of a version; worlds of the first format have links one by one."""

    document: Document
    listed: tuple[ParsedLink, ...] = ()
    hrefs: list[str] = []
    told: LinkColumns = LinkColumns()

    @classmethod
    def of(cls, document: Document, outlinks: Sequence[ParsedLink]) -> VersionText:
        """Return the form to be written."""
        links = ParsedLinks.of(outlinks)
        return cls(document, (), links.hrefs, links.columns())

    @property
    def outlinks(self) -> Sequence[ParsedLink]:
        """The links as parsed."""
        return self.listed or ParsedLinks.read(self.hrefs, self.told)


class StoredText(VersionText, frozen=True, array_like=True):
    """The text and links of a version from a file, which may be damaged."""

    def __post_init__(self) -> None:
        self.told.check(len(self.hrefs))


class Packed(msgspec.Struct, frozen=True):
    """A block of text and one of a body, compressed."""

    words: bytes
    body: bytes


@lru_cache(maxsize=1)
def _packer() -> Callable[[object], bytes]:
    compress, encode = zstandard.ZstdCompressor(level=LEVEL).compress, msgspec.msgpack.Encoder()
    return lambda content: compress(encode.encode(content))


def pack(document: Document, outlinks: Sequence[ParsedLink], body: Body) -> Packed:
    """Pack the content of a version."""
    packed = _packer()
    return Packed(packed(VersionText.of(document, outlinks)), packed(body))


class BlockWriter:
    """Appends compressed blocks to a file and records their positions."""

    def __init__(self, folder: Path, name: str) -> None:
        self._path = folder / f"{name}.bin"
        self._file = self._path.open("wb", BUFFER)
        self._index = folder / f"{name}_spans.npy"
        self._ends = [0]

    def add(self, block: bytes) -> None:
        """Append one block."""
        self._ends.append(self._ends[-1] + self._file.write(block))

    def read(self, block: int) -> bytes:
        """Return a block that was added before."""
        self._file.flush()
        with self._path.open("rb") as file:
            file.seek(self._ends[block])
            packed = file.read(self._ends[block + 1] - self._ends[block])
        return zstandard.ZstdDecompressor().decompress(packed)

    def stop(self) -> None:
        """Close the file."""
        self._file.close()

    def close(self, blocks: NDArray[np.int64]) -> None:
        """Finish, with an index of the block of each version."""
        self.stop()
        ends = np.array(self._ends, np.int64)
        np.save(self._index, np.stack([ends[blocks], ends[blocks + 1]], axis=1))


class TextWriter:
    """Writes the texts of a world, block after block."""

    def __init__(self, folder: Path) -> None:
        self._words = BlockWriter(folder, "words")
        self._bodies = BlockWriter(folder, "bodies")
        self._blocks = 0

    def add(self, packed: Packed) -> int:
        """Write one block and return its number."""
        self._words.add(packed.words)
        self._bodies.add(packed.body)
        self._blocks += 1
        return self._blocks - 1

    def body(self, block: int) -> Body:
        """Return the body in a block that was added before."""
        return msgspec.msgpack.decode(self._bodies.read(block), type=Body)

    def close(self, blocks: NDArray[np.int64]) -> None:
        """Finish, with the block of each version; several versions may share one."""
        self._words.close(blocks)
        self._bodies.close(blocks)

    def __enter__(self) -> TextWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self._words.stop()
        self._bodies.stop()


class BlockReader:
    """Reads blocks that a `BlockWriter` wrote."""

    def __init__(self, folder: Path, name: str) -> None:
        self._spans: NDArray[np.int64] = mapped(folder / f"{name}_spans.npy", NUMBERS, 2)
        if not (folder / f"{name}.bin").is_file():  # a pipe would never end
            raise DamagedError(f"{name}.bin is not a file")
        with (folder / f"{name}.bin").open("rb") as file:
            self._data = mmap(file.fileno(), 0, access=ACCESS_READ) if len(self._spans) else b""
        if self._spans.shape[1:] != (2,):
            raise DamagedError(f"{name}_spans is not an array of such numbers")
        if len(self._spans) and int(self._spans[:, 1].max()) > len(self._data):
            raise DamagedError(f"{name}.bin is cut off")
        self._name = folder / f"{name}.bin"

    def read(self, version: int) -> bytes:
        """Return the unpacked block of a version."""
        try:
            first, last = self._spans[version].tolist()
            return unpacked(self._data[first:last])
        except (DamagedError, IndexError) as error:
            raise self.damaged(error) from error

    def damaged(self, error: Exception) -> UsageError:
        """Return the error for damaged blocks."""
        return UsageError(f"{self._name} is damaged ({error}); make the world again")


class StoredTexts:
    """The texts of a world in a folder."""

    kind: ClassVar[str] = "stored"

    def __init__(self, folder: Path) -> None:
        self._words = BlockReader(folder, "words")
        self._bodies = BlockReader(folder, "bodies")
        self._decode_words = decoder_of(StoredText)
        self._decode_body = decoder_of(Body)
        self._folder = folder
        # A judge asks for the document, and then the strategy for the links of the same version.
        self._last: tuple[int, VersionText | None] = (-1, None)

    def save(self, folder: Path) -> None:
        """Copy the files."""
        for name in ("words.bin", "words_spans.npy", "bodies.bin", "bodies_spans.npy"):
            copyfile(self._folder / name, folder / name)

    def words(self, version: int) -> VersionText:
        """Return the content of a version."""
        seen, words = self._last
        if seen != version or words is None:
            raw = self._words.read(version)
            try:
                words = self._decode_words(raw)
            except DamagedError as error:
                raise self._words.damaged(error) from error
            self._last = (version, words)
        return words

    def document(self, version: int) -> Document:
        """Return the text of a version."""
        return self.words(version).document

    def outlinks(self, version: int) -> Sequence[ParsedLink]:
        """Return a version's links as parsed."""
        return self.words(version).outlinks

    def body(self, version: int) -> Body:
        """Return the bytes of a version."""
        raw = self._bodies.read(version)
        try:
            return self._decode_body(raw)
        except DamagedError as error:
            raise self._bodies.damaged(error) from error
