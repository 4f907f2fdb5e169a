"""A model comes back as it was, and a file that is none is refused in one line."""

from __future__ import annotations

import os
import pickle
import random
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import foragers.core.models as models
from foragers.core.models import Model, array_to_words, load_model, save_model, words_to_array
from foragers.errors import UsageError

WORDS = ["crawler", "straße", "日本"]
MODEL = Model(
    "spider",
    3,
    {"bins": [1.0, 0.5], "trained on": "two sites", "nested": {"deep": [None, True]}},
    {"weights": np.arange(6, dtype=np.float32).reshape(2, 3), "words": words_to_array(WORDS)},
)


def test_a_model_comes_back_as_it_was(tmp_path: Path) -> None:
    save_model(MODEL, tmp_path / "m")
    found = load_model(tmp_path / "m", "spider", 3)
    assert (found.kind, found.version, found.facts) == ("spider", 3, MODEL.facts)
    assert found.arrays["weights"].dtype == np.float32
    assert found.arrays["weights"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert array_to_words(found.arrays["words"]) == WORDS


def test_no_words_come_back_as_none() -> None:
    assert array_to_words(words_to_array([])) == []


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    save_model(MODEL, tmp_path / "a")
    save_model(MODEL, tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@dataclass
class Bomb:
    """Something that, unpickled, leaves a trace."""

    trace: Path

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.trace,)


def test_nothing_in_a_file_is_executed(tmp_path: Path) -> None:
    trace, file = tmp_path / "trace", tmp_path / "m"
    np.savez(file.with_suffix(".npz"), header=np.array([Bomb(trace)], dtype=object))
    (tmp_path / "p").write_bytes(pickle.dumps(Bomb(trace)))
    for bad in (file.with_suffix(".npz"), tmp_path / "p"):
        with pytest.raises(UsageError, match="not a model, or damaged"):
            load_model(bad, "spider", 3)
    assert not trace.exists()


@pytest.mark.parametrize(
    ("kind", "version", "why"),
    [("hmm", 3, "a model for 'spider', not for 'hmm'"), ("spider", 4, "another version")],
)
def test_a_model_of_another_kind_is_refused(
    kind: str, version: int, why: str, tmp_path: Path
) -> None:
    save_model(MODEL, tmp_path / "m")
    with pytest.raises(UsageError, match=why):
        load_model(tmp_path / "m", kind, version)


def test_a_damaged_or_missing_file_is_refused(tmp_path: Path) -> None:
    save_model(MODEL, tmp_path / "m")
    whole = (tmp_path / "m").read_bytes()
    for cut in (0, 10, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut").write_bytes(whole[:cut])
        with pytest.raises(UsageError, match="cut: not a model, or damaged; make one"):
            load_model(tmp_path / "cut", "spider", 3)
    with pytest.raises(UsageError, match="No such file"):
        load_model(tmp_path / "none", "spider", 3)
    with zipfile.ZipFile(tmp_path / "other", "w") as other:
        other.writestr("readme.txt", "hello")
    with pytest.raises(UsageError, match="not a model"):
        load_model(tmp_path / "other", "spider", 3)


def test_what_unpacks_to_too_much_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_model(MODEL, tmp_path / "m")
    monkeypatch.setattr(models, "LARGEST", 100)
    with pytest.raises(UsageError, match="more than any model"):
        load_model(tmp_path / "m", "spider", 3)


def array_that_says(description: str, data: bytes = b"") -> bytes:
    """Return an array in a file of its own, with such a description before its numbers."""
    letters = description.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(letters).to_bytes(2, "little") + letters + data


@pytest.mark.parametrize(
    "description",
    [
        "{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000,)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (-5,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (5,)}",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (5,)}",
        "{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (5,)}",
        "(" * 800,
        3 * "'",
        "",
    ],
)
def test_an_array_that_is_not_what_it_says_is_refused(description: str, tmp_path: Path) -> None:
    save_model(MODEL, tmp_path / "m")
    with zipfile.ZipFile(tmp_path / "m", "a") as packed:
        packed.writestr("more.npy", array_that_says(description, bytes(40)))
    with pytest.raises(UsageError, match="not a model, or damaged"):
        load_model(tmp_path / "m", "spider", 3)


def test_any_damage_is_told_in_one_line(tmp_path: Path) -> None:
    save_model(MODEL, tmp_path / "m")
    whole, chance = (tmp_path / "m").read_bytes(), random.Random(1)
    told = []
    for _ in range(400):
        damaged = bytearray(whole)
        for _ in range(chance.choice((1, 2, 5))):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        (tmp_path / "m").write_bytes(damaged)
        try:
            load_model(tmp_path / "m", "spider", 3)
        except UsageError as error:
            told.append(str(error))
    assert len(told) > 200
    assert not any("\n" in line for line in told)


def test_what_a_file_calls_itself_stays_on_its_line(tmp_path: Path) -> None:
    save_model(Model("a\n\x1b[31m" + 500 * "b", 1), tmp_path / "m")
    with pytest.raises(UsageError) as caught:
        load_model(tmp_path / "m", "spider", 3)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 150 + len(str(tmp_path))


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "."):
        with pytest.raises(UsageError, match="not a file"):
            load_model(tmp_path / name, "spider", 3)
