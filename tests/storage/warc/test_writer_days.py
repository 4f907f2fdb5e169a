"""A recorder with a file for every day, from which old files are removed."""

from __future__ import annotations

import os
from pathlib import Path

from foragers.storage.warc.cdxj import NAME, entries
from foragers.storage.warc.playback import recordings
from foragers.storage.warc.writer import Recorder
from support.recorded_replies import START, reply

DAY = 86_400.0


def recorded(folder: Path, days: int) -> Recorder:
    """Record a page a day, with files that are as old as their pages."""
    recorder = Recorder(folder, "test", daily=True)
    recorder.open()
    for day in range(days):
        moment = START + day * DAY
        recorder.record(reply(f"http://a.test/{day}", f"page {day}".encode(), moment))
        last = recordings(folder)[-1]
        os.utime(last, (moment, moment))
    return recorder


def test_every_day_has_a_file_of_its_own(tmp_path: Path) -> None:
    with recorded(tmp_path, 3):
        assert len(recordings(tmp_path)) == 3
    with Recorder(tmp_path, "test", daily=True) as resumed:
        resumed.record(reply("http://a.test/more", b"more", START + 2 * DAY + 60))
    assert len(recordings(tmp_path)) == 3, "the file of the day is continued"


def test_old_files_are_removed_with_their_lines_of_the_index(tmp_path: Path) -> None:
    with recorded(tmp_path, 4) as recorder:
        assert recorder.prune(START + 1.5 * DAY) == 2
        assert recorder.prune(START + 1.5 * DAY) == 0
        recorder.record(reply("http://a.test/0", b"page 0", START + 3 * DAY + 60))
    kept = {entry.filename for entry in entries(tmp_path / NAME)}
    assert kept == {path.name for path in recordings(tmp_path)}
    urls = [entry.url for entry in entries(tmp_path / NAME)]
    assert sorted(urls) == ["http://a.test/0", "http://a.test/2", "http://a.test/3"]
    assert all(entry.mime != "warc/revisit" for entry in entries(tmp_path / NAME))


def test_the_file_in_use_is_never_removed(tmp_path: Path) -> None:
    with recorded(tmp_path, 1) as recorder:
        assert recorder.prune(START + 100 * DAY) == 0
    assert len(recordings(tmp_path)) == 1
