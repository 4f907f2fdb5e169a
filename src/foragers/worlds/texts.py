"""The words of a recorded world: two files of compressed blocks, one block a version."""

from __future__ import annotations

from collections.abc import Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from shutil import copyfile
from types import TracebackType
from typing import ClassVar

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from foragers.types import Document, Outlink
from foragers.worlds.archive import Body

LEVEL = 3
"""How hard to compress: a higher level costs more than parsing the page."""


class Words(msgspec.Struct, frozen=True, array_like=True):
    """All that a version says."""

    document: Document
    outlinks: tuple[Outlink, ...]


class BlockWriter:
    """Appends compressed blocks to a file and remembers where they start."""

    def __init__(self, folder: Path, name: str) -> None:
        self._file = (folder / f"{name}.bin").open("wb")
        self._index = folder / f"{name}_starts.npy"
        self._starts = [0]
        self._compressor = zstandard.ZstdCompressor(level=LEVEL)

    def add(self, block: bytes) -> None:
        """Append one block."""
        written = self._file.write(self._compressor.compress(block))
        self._starts.append(self._starts[-1] + written)

    def close(self) -> None:
        """Finish the file and write its index."""
        self._file.close()
        np.save(self._index, np.array(self._starts, np.int64))


class TextWriter:
    """Writes the texts of a world, version after version."""

    def __init__(self, folder: Path) -> None:
        self._words = BlockWriter(folder, "words")
        self._bodies = BlockWriter(folder, "bodies")
        self._encode = msgspec.msgpack.Encoder().encode

    def add(self, document: Document, outlinks: Sequence[Outlink], body: Body) -> None:
        """Write the next version."""
        self._words.add(self._encode(Words(document, tuple(outlinks))))
        self._bodies.add(self._encode(body))

    def __enter__(self) -> TextWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._words.close()
        self._bodies.close()


class BlockReader:
    """Reads blocks that a `BlockWriter` wrote."""

    def __init__(self, folder: Path, name: str) -> None:
        self._starts: NDArray[np.int64] = np.load(folder / f"{name}_starts.npy", mmap_mode="r")
        with (folder / f"{name}.bin").open("rb") as file:
            empty = self._starts[-1] == 0
            self._data = b"" if empty else mmap(file.fileno(), 0, access=ACCESS_READ)
        self._decompressor = zstandard.ZstdDecompressor()

    def read(self, index: int) -> bytes:
        """Return a block as it was."""
        first, last = self._starts[index : index + 2].tolist()
        return self._decompressor.decompress(self._data[first:last])


class StoredTexts:
    """The texts of a world in a folder."""

    kind: ClassVar[str] = "stored"

    def __init__(self, folder: Path) -> None:
        self._words = BlockReader(folder, "words")
        self._bodies = BlockReader(folder, "bodies")
        self._decode_words = msgspec.msgpack.Decoder(Words).decode
        self._decode_body = msgspec.msgpack.Decoder(Body).decode
        self._folder = folder
        # A judge asks for the document and then the strategy for the links of the same version.
        self._last: tuple[int, Words | None] = (-1, None)

    def save(self, folder: Path) -> None:
        """Copy the files."""
        for name in ("words.bin", "words_starts.npy", "bodies.bin", "bodies_starts.npy"):
            copyfile(self._folder / name, folder / name)

    def words(self, version: int) -> Words:
        """Return all that a version says."""
        seen, words = self._last
        if seen != version or words is None:
            words = self._decode_words(self._words.read(version))
            self._last = (version, words)
        return words

    def document(self, version: int) -> Document:
        """Return what a version says."""
        return self.words(version).document

    def outlinks(self, version: int) -> Sequence[Outlink]:
        """Return a version's links as the page shows them."""
        return self.words(version).outlinks

    def body(self, version: int) -> Body:
        """Return the bytes of a version."""
        return self._decode_body(self._bodies.read(version))
