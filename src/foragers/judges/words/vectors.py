"""Word vectors: similar for words of similar meaning.

They come from the files in the wheel of `wordllama` (`pip install 'foragers[meaning]'`), which are
read directly, since its own loader asks the network; or from a file of the user's in the text
format of word2vec: a word and its numbers on every line, after an optional first line with
how many words and numbers there are.

Numbers are rounded to integers, and sums of integers are the same on every processor.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from itertools import chain, islice, pairwise
from math import sqrt
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.errors import UsageError

SCALE = 1024
"""One is so many steps: the vectors of wordllama have no finer ones that matter."""
PACKAGE, WEIGHTS, TOKENS = (
    "wordllama",
    "weights/l2_supercat_256.safetensors",
    "tokenizers/l2_supercat_tokenizer_config.json",
)
INSTALL = "pip install 'foragers[meaning]', or give --vectors FILE"
START = "▁"
"""Begins the first piece of a word."""
MOST_WORDS, MOST_KNOWN = 400_000, 50_000
"""The most words read from a file of the user, and the most rows cached."""

Vector = NDArray[np.int64]


class VectorSource(Protocol):
    """A source of word vectors."""

    @property
    def size(self) -> int:
        """How many numbers a vector has."""
        ...

    def vector(self, word: str) -> Vector | None:
        """Return the vector of a word, if it has one."""
        ...


class _Tensor(msgspec.Struct):
    dtype: str
    shape: tuple[int, int]
    data_offsets: tuple[int, int]


class _Model(msgspec.Struct):
    vocab: dict[str, int]
    merges: list[str]


class _Tokens(msgspec.Struct):
    model: _Model


@dataclass(frozen=True)
class WordPieces:
    """Vectors of pieces of words; a word has the mean of its pieces."""

    rows: NDArray[np.int16]
    numbers: Mapping[str, int]
    ranks: Mapping[tuple[str, str], int]

    @classmethod
    def installed(cls) -> WordPieces:
        """Read the files of the package `wordllama`, or say how to get them."""
        spec = find_spec(PACKAGE)
        places = list(spec.submodule_search_locations or ()) if spec else []
        if not places:
            raise UsageError(f"--similarity meaning needs word vectors: {INSTALL}")
        folder = Path(places[0])
        try:
            tokens = msgspec.json.decode((folder / TOKENS).read_bytes(), type=_Tokens).model
            rows = read_safetensors((folder / WEIGHTS).read_bytes())
        except (OSError, ValueError, struct.error) as error:
            raise UsageError(
                f"--similarity meaning: the files of {PACKAGE} cannot be read ({error}): {INSTALL}"
            ) from error
        pairs = (tuple(merge.split(" ", 1)) for merge in tokens.merges)
        ranks = {(pair[0], pair[1]): rank for rank, pair in enumerate(pairs)}
        return cls(rows, tokens.vocab, ranks)

    @property
    def size(self) -> int:
        """How many numbers a vector has."""
        return int(self.rows.shape[1])

    def vector(self, word: str) -> Vector | None:
        """Return the mean of the vectors of a word's pieces."""
        found = [self.numbers[piece] for piece in self.pieces(word) if piece in self.numbers]
        if not found:
            return None
        total: Vector = self.rows[found].astype(np.int64).sum(axis=0)
        return total // len(found)

    def pieces(self, word: str) -> list[str]:
        """Cut a word into pieces: the pair that was merged first in training is merged first."""
        if START + word in self.numbers:
            return [START + word]
        found = list(START + word)
        while len(found) > 1:
            ranked = ((self.ranks.get(pair, -1), at) for at, pair in enumerate(pairwise(found)))
            best = min((one for one in ranked if one[0] >= 0), default=None)
            if best is None:
                break
            at = best[1]
            found[at : at + 2] = [found[at] + found[at + 1]]
        return found


@dataclass(frozen=True)
class GivenVectors:
    """Vectors of whole words, from a file of the user's."""

    rows: NDArray[np.int16]
    numbers: Mapping[str, int]

    @classmethod
    def read(cls, path: str | Path) -> GivenVectors:
        """Read a file in the text format of word2vec, or say what is wrong with it."""
        place = Path(path)
        numbers: dict[str, int] = {}
        rows: list[NDArray[np.int16]] = []
        try:
            with place.open(encoding="utf-8", errors="replace") as lines:
                for number, parts in _numbered(lines):
                    row = _rounded(np.array(parts[1:], np.float64))
                    if rows and len(row) != len(rows[0]):
                        raise ValueError(
                            f"line {number} has {len(row)} numbers, not {len(rows[0])}"
                        )
                    if numbers.setdefault(parts[0].casefold(), len(rows)) == len(rows):
                        rows.append(row)
        except OSError as error:
            raise UsageError(f"--vectors {place}: {error.strerror}; check the path") from error
        except ValueError as error:
            raise UsageError(
                f"--vectors {place}: {error}; write a word and its numbers on every line"
            ) from error
        if not rows:
            raise UsageError(f"--vectors {place}: holds no vectors")
        return cls(np.stack(rows), numbers)

    @property
    def size(self) -> int:
        """How many numbers a vector has."""
        return int(self.rows.shape[1])

    def vector(self, word: str) -> Vector | None:
        """Return the vector of a word, if the file has it."""
        at = self.numbers.get(word)
        return None if at is None else self.rows[at].astype(np.int64)


def _numbered(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Give the lines of a file with their numbers; the first may tell how much there is."""
    whole = iter(lines)
    first = next(whole, "").split()
    begun = [] if len(first) == 2 else [" ".join(first)]
    for number, line in enumerate(chain(begun, islice(whole, MOST_WORDS)), 2 - len(begun)):
        if parts := line.split():
            yield number, parts


def _rounded(numbers: NDArray[np.float64]) -> NDArray[np.int16]:
    """Return numbers in whole steps."""
    found: NDArray[np.int16] = np.clip(np.rint(numbers * SCALE), -32_767, 32_767).astype(np.int16)
    return found


def read_safetensors(data: bytes) -> NDArray[np.int16]:
    """Return the one table of a safetensors file: its length, a header in JSON, the numbers."""
    (length,) = struct.unpack("<Q", data[:8])
    header = msgspec.json.decode(data[8 : 8 + length], type=dict[str, msgspec.Raw])
    (name,) = (name for name in header if name != "__metadata__")
    tensor = msgspec.json.decode(header[name], type=_Tensor)
    if tensor.dtype != "F16":
        raise ValueError(f"numbers are {tensor.dtype}, not F16")
    begin, end = tensor.data_offsets
    numbers = np.frombuffer(data[8 + length + begin : 8 + length + end], "<f2")
    return _rounded(numbers.astype(np.float64).reshape(tensor.shape))


@dataclass
class WordTable:
    """Rows of the words that were seen, to add up many at once."""

    source: VectorSource
    _places: dict[bytes, int] = field(default_factory=dict)
    _rows: NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        self._rows = np.zeros((1024, self.source.size), np.int32)

    def total(self, counts: Mapping[bytes, int]) -> Vector:
        """Return the sum of the vectors of some words, each so many times, at most 65,536."""
        if len(self._places) > MOST_KNOWN:
            self._places.clear()
        known = self._places
        places = [known[word] if word in known else self._place(word) for word in counts]
        rows = self._rows.take(places, axis=0)
        rows *= np.fromiter(counts.values(), np.int32, len(counts))[:, np.newaxis]
        total: Vector = rows.sum(axis=0, dtype=np.int64)
        return total

    def _place(self, word: bytes) -> int:
        """Add the row of a word, which is nothing but zeros if it has no vector."""
        place = self._places[word] = len(self._places)
        if place >= len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        found = self.source.vector(word.decode("utf-8", "replace"))
        self._rows[place] = 0 if found is None else found
        return place


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of the angle between two vectors, 0 where one is nothing."""
    left, right = one.astype(np.float64), other.astype(np.float64)
    squares = float((left * left).sum()), float((right * right).sum())
    if not (squares[0] and squares[1]):
        return 0.0
    return float((left * right).sum()) / (sqrt(squares[0]) * sqrt(squares[1]))


@lru_cache(maxsize=2)
def table_of(path: str | None) -> WordTable:
    """Return the vectors of a file of the user's, or those that are installed."""
    return WordTable(WordPieces.installed() if path is None else GivenVectors.read(path))
