"""Worlds on disk: whole, newer, damaged, half-written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from foragers.core.types import Choice
from foragers.errors import UsageError
from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded
from foragers.worlds.store import BOOK, COLUMNS, VERSION, new_folder, open_world, save
from support.random_worlds import random_world
from support.worlds_by_hand import small_world

WORLD = random_world(1, changes=20)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a world on disk."""
    save(WORLD, tmp_path / "world")
    return tmp_path / "world"


def refusal(path: Path) -> str:
    with pytest.raises(UsageError) as caught:
        open_world(path)
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def assert_same(one: Archive, other: Archive) -> None:
    for name in COLUMNS:
        left, right = getattr(one, name), getattr(other, name)
        assert left.dtype == right.dtype
        assert np.array_equal(left, right), name
    for name in BOOK:
        assert np.array_equal(getattr(one.book, name), getattr(other.book, name)), name
    assert one.book.host_names == other.book.host_names
    for name in ("seeds", "evolving", "start", "end", "origin"):
        assert getattr(one, name) == getattr(other, name)
    assert {name: urls.tolist() for name, urls in one.labels.urls.items()} == {
        name: urls.tolist() for name, urls in other.labels.urls.items()
    }
    for version in range(one.versions):
        assert one.texts.document(version) == other.texts.document(version)
        assert list(one.texts.outlinks(version)) == list(other.texts.outlinks(version))
        assert one.texts.body(version) == other.texts.body(version)


def test_saved_and_opened_a_world_is_the_same(folder: Path) -> None:
    opened = open_world(folder)
    assert_same(opened, WORLD)
    assert opened.path == folder


def test_opened_world_can_be_saved_again(folder: Path, tmp_path: Path) -> None:
    save(open_world(folder), tmp_path / "again")
    shutil.rmtree(folder)
    assert_same(open_world(tmp_path / "again"), WORLD)


def test_same_world_gives_the_same_files(folder: Path, tmp_path: Path) -> None:
    save(WORLD, tmp_path / "again")
    names = sorted(file.name for file in folder.iterdir())
    assert names == sorted(file.name for file in (tmp_path / "again").iterdir())
    for name in names:
        assert (folder / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_generated_world_survives_saving(tmp_path: Path) -> None:
    archive = generate("topics", seed=1, pages=300)
    save(archive, tmp_path / "world")
    assert_same(open_world(tmp_path / "world"), archive)


def test_world_moved_to_another_place_opens_there(folder: Path, tmp_path: Path) -> None:
    folder.rename(tmp_path / "moved")
    assert_same(open_world(tmp_path / "moved"), WORLD)


@pytest.mark.parametrize(
    "archive",
    [small_world({"a": []}), small_world({}, seeds=["a"]), small_world({"a": ["b"]}, labels={})],
    ids=["no links", "no pages", "no labels"],
)
def test_poor_world_survives_saving(archive: Archive, tmp_path: Path) -> None:
    save(archive, tmp_path / "world")
    opened = open_world(tmp_path / "world")
    assert_same(opened, archive)
    Recorded(opened).answer(Choice(0, 0))


def test_odd_addresses_survive_saving(tmp_path: Path) -> None:
    odd = ["http://a.test/ä?q=€#no", "http://xn--bcher-kva.test/\U0001f578", "http://a.test/%F0"]
    archive = small_world({odd[0]: odd[1:], odd[1]: [], odd[2]: []})
    save(archive, tmp_path / "world")
    book = open_world(tmp_path / "world").book
    assert [book.href(url) for url in range(3)] == odd
    assert [book.find(href) for href in odd] == [0, 1, 2]


def test_existing_folder_is_refused_and_left_as_it_is(folder: Path) -> None:
    before = sorted(file.name for file in folder.iterdir())
    with pytest.raises(UsageError, match="exists already"):
        save(small_world({"a": []}), folder)
    assert sorted(file.name for file in folder.iterdir()) == before
    assert_same(open_world(folder), WORLD)


def test_half_written_world_is_not_there_and_does_not_stand_in_the_way(tmp_path: Path) -> None:
    path = tmp_path / "world"
    leftover = tmp_path / ".world.partial"
    leftover.mkdir()
    (leftover / "world.json").write_text("{")
    (leftover / "stale.npy").write_text("")
    assert "does not exist" in refusal(path)
    save(WORLD, path)
    assert [file.name for file in tmp_path.iterdir()] == ["world"]
    assert not (path / "stale.npy").exists()


@pytest.mark.parametrize("trouble", [RuntimeError, KeyboardInterrupt])
def test_interrupted_writing_leaves_nothing(trouble: type[BaseException], tmp_path: Path) -> None:
    def interrupted() -> None:
        with new_folder(tmp_path / "deep" / "world") as folder:
            (folder / "targets.npy").write_text("half")
            raise trouble

    with pytest.raises(trouble):
        interrupted()
    assert list((tmp_path / "deep").iterdir()) == []


def change(folder: Path, **values: object) -> None:
    manifest = json.loads((folder / "world.json").read_text())
    (folder / "world.json").write_text(json.dumps({**manifest, **values}))


def test_newer_format_is_refused(folder: Path) -> None:
    change(folder, version=VERSION + 1)
    assert "upgrade foragers" in refusal(folder)


def test_newer_format_is_refused_even_if_nothing_else_is_as_it_was(folder: Path) -> None:
    (folder / "world.json").write_text('{"format": "foragers-world", "version": 99, "new": 1}')
    assert "upgrade foragers" in refusal(folder)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '"x"', "{}", '{"format": "foragers-world"}', '{"format": "other"}'],
)
def test_damaged_manifest_is_refused(text: str, folder: Path) -> None:
    (folder / "world.json").write_text(text)
    refusal(folder)


def test_manifest_of_random_bytes_is_refused(folder: Path) -> None:
    (folder / "world.json").write_bytes(b"\xff\xfe{\x00")
    refusal(folder)


@pytest.mark.parametrize("value", [{"version": "new"}, {"seeds": "a"}, {"texts": "unknown"}])
def test_manifest_with_a_wrong_value_is_refused(value: dict[str, object], folder: Path) -> None:
    change(folder, **value)
    refusal(folder)


FILES = [
    *(f"{name}.npy" for name in COLUMNS),
    *(f"url_{name}.npy" for name in BOOK),
    "label_starts.npy",
    "label_urls.npy",
    "words.bin",
    "words_spans.npy",
    "bodies.bin",
    "bodies_spans.npy",
]


@pytest.mark.parametrize("name", FILES)
def test_missing_cut_or_overwritten_file_is_found_on_opening(name: str, folder: Path) -> None:
    file = folder / name
    whole = file.read_bytes()
    file.write_bytes(whole[:-8])
    assert "damaged" in refusal(folder)
    file.write_bytes(b"")
    assert "damaged" in refusal(folder)
    if name.endswith(".npy"):
        file.write_bytes(b"nonsense" * 100)
        assert "damaged" in refusal(folder)
    file.unlink()
    assert "damaged" in refusal(folder)
    file.write_bytes(whole)
    open_world(folder)


def test_folder_that_is_no_world_is_refused(tmp_path: Path) -> None:
    assert "is not a world" in refusal(tmp_path)
    assert "does not exist" in refusal(tmp_path / "nowhere")
