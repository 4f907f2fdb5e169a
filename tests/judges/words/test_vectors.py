"""Word vectors, from the files of a package and from a file of the user's."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

from foragers.errors import UsageError
from foragers.judges.words.vectors import (
    TOKENS,
    WEIGHTS,
    GivenVectors,
    WordPieces,
    WordTable,
    cosine,
    read_safetensors,
)

VOCABULARY = ["▁", "t", "e", "a", "▁t", "ea", "▁tea", "s", "c", "u", "p"]
MERGES = ["▁ t", "e a", "▁t ea"]


def package(folder: Path) -> Path:
    """Write a package with the two files that are read, and vectors that count pieces."""
    rows = np.eye(len(VOCABULARY), dtype="<f2")
    header = {"embedding.weight": {"dtype": "F16", "shape": rows.shape}}
    header["embedding.weight"]["data_offsets"] = (0, rows.nbytes)
    packed = json.dumps(header).encode()
    for name in (WEIGHTS, TOKENS):
        (folder / "wordllama" / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / "wordllama" / "__init__.py").write_text("raise ImportError('it asks the network')")
    data = struct.pack("<Q", len(packed)) + packed + rows.tobytes()
    (folder / "wordllama" / WEIGHTS).write_bytes(data)
    model = {"vocab": {piece: n for n, piece in enumerate(VOCABULARY)}, "merges": MERGES}
    (folder / "wordllama" / TOKENS).write_text(json.dumps({"model": model}))
    return folder


@pytest.fixture
def pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WordPieces:
    monkeypatch.setattr(sys, "path", [str(package(tmp_path)), *sys.path])
    return WordPieces.installed()


def test_words_are_cut_into_pieces_in_the_order_of_their_merges(pieces: WordPieces) -> None:
    assert pieces.pieces("tea") == ["▁tea"]
    assert pieces.pieces("teas") == ["▁tea", "s"]
    assert pieces.pieces("eat") == ["▁", "ea", "t"]


def test_a_word_has_the_mean_of_its_pieces(pieces: WordPieces) -> None:
    # One is 1,024 steps, and each of two pieces has half of it.
    found = pieces.vector("teas")
    assert found is not None
    assert {VOCABULARY[n]: found[n] for n in np.flatnonzero(found)} == {"▁tea": 512, "s": 512}
    assert pieces.vector("東") is not None  # its first piece is the space
    assert pieces.size == len(VOCABULARY)


def test_a_package_that_is_missing_or_damaged_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = package(tmp_path)
    (folder / "wordllama" / WEIGHTS).write_bytes(b"short")
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    with pytest.raises(UsageError, match="cannot be read"):
        WordPieces.installed()
    monkeypatch.setattr("foragers.judges.words.vectors.find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'foragers\[meaning\]'"):
        WordPieces.installed()


def test_other_numbers_than_halves_are_refused() -> None:
    header = json.dumps({"a": {"dtype": "F32", "shape": (1, 1), "data_offsets": (0, 4)}}).encode()
    with pytest.raises(ValueError, match="F32"):
        read_safetensors(struct.pack("<Q", len(header)) + header + b"\0" * 4)


@pytest.mark.parametrize("first", ["", "2 3\n"])
def test_a_file_of_the_users_has_a_word_and_its_numbers_on_every_line(
    tmp_path: Path, first: str
) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text(f"{first}Tee 1 0 0.5\nKaffee 0 1 -40\n", encoding="utf-8")
    given = GivenVectors.read(file)
    tea, coffee = given.vector("tee"), given.vector("kaffee")
    assert tea is not None
    assert coffee is not None
    assert tea.tolist() == [1024, 0, 512]
    assert coffee.tolist() == [0, 1024, -32767]
    assert given.vector("wasser") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [("tee 1 2\nkaffee 1\n", "line 2 has 1"), ("tee eins zwei\n", "could not"), ("", "no vectors")],
)
def test_a_file_that_is_none_is_named_with_the_remedy(
    tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text(text)
    with pytest.raises(UsageError, match=message) as error:
        GivenVectors.read(file)
    assert str(file) in str(error.value)
    with pytest.raises(UsageError, match="check the path"):
        GivenVectors.read(tmp_path / "none")


def test_rows_are_added_up_as_whole_numbers(tmp_path: Path) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("tea 1 0\ncup 0 1\n")
    table = WordTable(GivenVectors.read(file))
    assert table.total({b"tea": 3, b"cup": 1, b"moon": 5}).tolist() == [3072, 1024]
    assert table.total({}).tolist() == [0, 0]


def test_the_cosine_is_one_for_the_same_direction_and_zero_for_nothing() -> None:
    one, other = np.array([3, 4]), np.array([4, 3])
    assert cosine(one, 2 * one) == pytest.approx(1)
    assert cosine(one, other) == pytest.approx(24 / 25)
    assert cosine(one, np.array([0, 0])) == 0
