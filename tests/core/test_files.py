"""How a named file is written: whole, through links, into devices and pipes."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from foragers.core.files import check_writable, replacing, write
from foragers.errors import UsageError

INTO = "import sys; from pathlib import Path; from foragers.core.files import write;"


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    file = tmp_path / "it"
    file.write_bytes(b"old")
    with replacing(file) as stream:
        stream.write(b"new")
        assert file.read_bytes() == b"old"
    assert file.read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["it"]


def test_what_fails_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "it"
    file.write_bytes(b"old")

    def fail() -> None:
        with replacing(file) as stream:
            stream.write(b"new")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert file.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["it"]


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to("far/file")
    for said in (b"one", b"two"):  # there is no such file at first
        write(tmp_path / "link", said)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "far" / "file").read_bytes() == said


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe, heard = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    write(pipe, b"through")
    reader.join()
    assert heard == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_is_written_to_and_stays(tmp_path: Path) -> None:
    before = Path("/dev/null").stat().st_mode
    (tmp_path / "null").symlink_to("/dev/null")
    for file in (Path("/dev/null"), tmp_path / "null"):
        write(file, b"away")
    assert Path("/dev/null").stat().st_mode == before
    assert stat.S_ISCHR(before)
    assert (tmp_path / "null").is_symlink()


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_is_added_to_not_replaced(name: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"before ")
    with out.open("ab") as stream:
        command = [sys.executable, "-c", f"{INTO} write(Path('{name}'), b'after')"]
        subprocess.run(command, stdout=stream, check=True)
    assert out.read_bytes() == b"before after"


def test_a_file_keeps_who_may_read_it(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.touch(mode=0o600)
    write(file, b"new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_link_left_under_the_hidden_name_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / ".it.partial").symlink_to("mine")
    write(tmp_path / "it", b"new")
    assert (tmp_path / "mine").read_bytes() == b"mine"
    assert (tmp_path / "it").read_bytes() == b"new"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_in_a_folder_that_is_closed_is_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "it").write_bytes(b"old")
    folder.chmod(0o500)
    write(folder / "it", b"new")
    folder.chmod(0o700)
    assert (folder / "it").read_bytes() == b"new"


def test_what_cannot_be_written_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "round").symlink_to("round")
    for name in ("no/such", ".", "round"):
        with pytest.raises(UsageError, match=r"cannot be written: [\w ]+; name another"):
            write(tmp_path / name, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_names_the_file() -> None:
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write(Path("/dev/full"), b"x" * 100_000)


def test_trouble_is_found_before_long_work(tmp_path: Path) -> None:
    check_writable(tmp_path / "new", "--out")
    with pytest.raises(UsageError, match=r"--out .*: is a folder"):
        check_writable(tmp_path, "--out")
    with pytest.raises(UsageError, match=r"--out .*: its folder does not exist"):
        check_writable(tmp_path / "no" / "such", "--out")
