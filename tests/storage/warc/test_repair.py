"""WARC files and their index after a crash."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from foragers.storage.warc.cdxj import NAME, entries
from foragers.storage.warc.dedup import Payloads
from foragers.storage.warc.playback import read_record, recordings
from foragers.storage.warc.repair import mend
from support.recorded_replies import check, page, record_all, recorder


@pytest.mark.parametrize("compress", [True, False])
def test_a_record_cut_off_anywhere_is_taken_back(tmp_path: Path, compress: bool) -> None:
    whole = tmp_path / "whole" / "crawl"
    out = recorder(whole, compress=compress)
    sizes = [0]
    for n in range(3):
        out.record(page(n, 300))
        sizes.append(recordings(whole)[0].stat().st_size)
    data = recordings(whole)[0].read_bytes()
    lines = (whole / NAME).read_bytes().splitlines(keepends=True)
    for size in (*range(0, len(data), 61), len(data) - 1, len(data)):
        complete = sum(end <= size for end in sizes[1:])
        for indexed in {0, max(0, complete - 1), complete}:
            folder = tmp_path / f"{size}-{indexed}" / "crawl"
            folder.mkdir(parents=True)
            (folder / recordings(whole)[0].name).write_bytes(data[:size])
            (folder / NAME).write_bytes(b"".join(lines[:indexed]) + b"torn"[: size % 5])
            mend(folder, Payloads())
            assert (folder / NAME).read_bytes() == b"".join(lines[:complete])
            record_all(folder, [page(n, 300) for n in range(complete, 3)], compress=compress)
            assert recordings(folder)[0].read_bytes() == data
    out.close()


def test_lines_whose_records_never_reached_the_disk_are_dropped(tmp_path: Path) -> None:
    record_all(tmp_path, [page(n) for n in range(5)])
    (path,) = recordings(tmp_path)
    third = sorted(int(entry.offset) for entry in entries(tmp_path / NAME))[2]
    os.truncate(path, third + 50)
    record_all(tmp_path, [page(7)])
    assert sorted(check(tmp_path)) == [f"http://www.site.test/{n}" for n in (0, 1, 7)]


def test_a_lost_index_is_made_anew(tmp_path: Path) -> None:
    record_all(tmp_path, [page(n) for n in range(9)], limit=8000)
    before = (tmp_path / NAME).read_bytes()
    (tmp_path / NAME).unlink()
    record_all(tmp_path, [])
    assert (tmp_path / NAME).read_bytes() == before


WRITER = """
import sys
from pathlib import Path
from support.recorded_replies import page
from foragers.storage.warc.writer import Recorder
with Recorder(Path(sys.argv[1]), "foragers/test", limit=2_000_000) as out:
    for n in range(int(sys.argv[2]), 10**9):
        print(n, out.record(page(n, 3000 + n % 7 * 60_000)), flush=True)
"""


def writer(folder: Path, start: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", WRITER, str(folder), str(start)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )


def test_a_crawl_killed_at_any_moment_loses_nothing_it_was_told_is_kept(tmp_path: Path) -> None:
    chance = random.Random(5)
    kept: dict[int, str] = {}
    for _ in range(25):
        with writer(tmp_path, max(kept, default=-1) + 1) as process:
            assert process.stdout
            said = [process.stdout.readline()]
            time.sleep(chance.uniform(0, 0.03))
            process.send_signal(signal.SIGKILL)
            said += process.stdout.readlines()
        for line in said:
            if line.endswith("\n"):
                kept[int(line.split()[0])] = line.split()[1]
        mend(tmp_path, Payloads())
        indexed = check(tmp_path)
        assert {f"http://www.site.test/{n}" for n in kept} <= indexed.keys()
    for number, place in kept.items():
        assert read_record(tmp_path, place).url == page(number).request.url
    assert len(kept) >= 25, "each writer says at least one thing before it is killed"


def test_recovery_looks_only_at_what_the_index_does_not_know(tmp_path: Path) -> None:
    record_all(tmp_path, [page(n) for n in range(6)])
    (path,) = recordings(tmp_path)
    with path.open("r+b") as file:
        file.seek(700)
        file.write(b"damage")
    size = path.stat().st_size
    record_all(tmp_path, [])
    assert path.stat().st_size == size
