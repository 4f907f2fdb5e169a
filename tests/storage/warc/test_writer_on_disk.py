"""What is said to be on the disk has been sent there, and not only to the operating system."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.storage.warc import cdxj as capture_index
from foragers.storage.warc.writer import Appended, Recorder
from foragers.urls.strings import StringsFile
from foragers.urls.table import UrlTable
from support.recorded_replies import page


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the files that are synced from here on, as they come."""
    names: list[str] = []
    really = os.fsync

    def sync(descriptor: int) -> None:
        names.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        really(descriptor)

    monkeypatch.setattr(os, "fsync", sync)
    return names


def test_a_ledger_survives_a_crash_of_the_machine(tmp_path: Path) -> None:
    """With a log that is written ahead and synced, a crash loses the last visits at most."""
    ledger = SqliteLedger(tmp_path / "ledger.sqlite", UrlTable())
    connection = ledger._connection
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone()[0] >= 1  # normal, or full
    ledger.close()


def test_the_letters_of_a_checkpoint_are_on_the_disk(tmp_path: Path, synced: list[str]) -> None:
    letters = StringsFile(tmp_path / "addresses")
    letters.append(b"some letters")
    assert synced == []
    letters.keep()
    assert synced == ["addresses"]
    letters.close()


def test_a_file_that_grows_is_on_the_disk_when_it_is_synced(
    tmp_path: Path, synced: list[str]
) -> None:
    file = Appended(tmp_path / "file")
    file.append(b"piece")
    file.sync()
    file.close()
    assert synced == ["file"]


def test_an_index_is_on_the_disk_before_it_takes_the_place_of_another(
    tmp_path: Path, synced: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    really = Path.replace

    def replace(self: Path, target: Path) -> Path:
        synced.append("replaced")
        return really(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    capture_index.rewrite(tmp_path / "index.cdxj", [b"one\n", b"two\n"])
    assert (tmp_path / "index.cdxj").read_bytes() == b"one\ntwo\n"
    assert synced == [".index.cdxj.partial", "replaced"]


def test_a_recording_is_on_the_disk_when_it_is_closed_and_when_a_file_is_full(
    tmp_path: Path, synced: list[str]
) -> None:
    recorder = Recorder(tmp_path, "a test", limit=10_000)
    recorder.open()
    while len(list(tmp_path.glob("*.warc.gz"))) < 2:
        recorder.record(page(len(synced) + recorder._file.size if recorder._file else 0))
    first, second = sorted(path.name for path in tmp_path.glob("*.warc.gz"))
    assert synced == [first, "index.cdxj"]
    recorder.close()
    assert synced[2:4] == [second, "index.cdxj"]
