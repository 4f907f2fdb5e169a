"""What this user signed is read, and nothing else."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.crawling.signed import PIECE, checking, opened, signing, state_folder, user_key

KEY = bytes(range(32))
SAID = b"so it was" * 1000


def signed(said: bytes, key: bytes = KEY) -> bytes:
    out = io.BytesIO()
    with signing(out, key) as stream:
        stream.write(said)
    return out.getvalue()


def read(data: bytes, key: bytes = KEY) -> bytes:
    with checking(io.BytesIO(data), key) as stream:
        return stream.read()


@pytest.mark.parametrize("length", [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 5])
def test_what_was_signed_is_read_again(length: int) -> None:
    said = os.urandom(length)
    assert read(signed(said)) == said


def test_large_writes_and_small_reads_give_the_same() -> None:
    out = io.BytesIO()
    said = os.urandom(2 * PIECE + 77)
    with signing(out, KEY) as stream:
        for start in range(0, len(said), 100_001):
            stream.write(said[start : start + 100_001])
    with checking(io.BytesIO(out.getvalue()), KEY) as stream:
        parts = list(iter(lambda: stream.read(99_999), b""))
    assert b"".join(parts) == said


@given(st.data())
def test_no_changed_byte_is_read(data: st.DataObject) -> None:
    whole = bytearray(signed(SAID))
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(ValueError, match=r"signed|cut off|too long"):
        read(bytes(whole))


@given(st.integers(0, len(signed(SAID)) - 1))
def test_what_is_cut_off_is_not_read_to_the_end(length: int) -> None:
    with pytest.raises(ValueError, match=r"signed|cut off"):
        read(signed(SAID)[:length])


def test_the_key_of_somebody_else_is_of_no_use() -> None:
    with pytest.raises(ValueError, match="somebody else"):
        read(signed(SAID, bytes(32)))


def test_pieces_keep_their_place() -> None:
    one = signed(os.urandom(2 * PIECE))
    head, step = len(one) - 36 - 2 * (PIECE + 36), PIECE + 36
    first, second = one[head : head + step], one[head + step : head + 2 * step]
    with pytest.raises(ValueError, match="was changed"):
        read(one[:head] + second + first + one[-36:])


def test_pieces_of_another_file_do_not_fit() -> None:
    one, other = signed(SAID), signed(SAID)
    with pytest.raises(ValueError, match="was changed"):
        read(one[:40] + other[40:])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "foragers" / "checkpoint.key"


def test_a_key_is_made_once_and_nobody_else_may_read_it(home: Path) -> None:
    key = user_key()
    assert key is not None
    assert len(key) == 32
    assert user_key() == key == home.read_bytes()
    assert stat.S_IMODE(home.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.parent.stat().st_mode) == 0o700
    assert [file.name for file in home.parent.iterdir()] == ["checkpoint.key"]


def test_a_key_that_others_could_know_is_replaced(home: Path) -> None:
    key = user_key()
    home.chmod(0o644)
    assert user_key() not in (None, key)
    home.write_bytes(b"short")
    assert len(user_key() or b"") == 32


def test_a_link_in_place_of_the_key_is_not_followed(home: Path, tmp_path: Path) -> None:
    known = tmp_path / "known"
    known.write_bytes(KEY)
    known.chmod(0o600)
    home.parent.mkdir()
    home.symlink_to(known)
    assert user_key() not in (None, KEY)
    assert known.read_bytes() == KEY


def test_without_a_place_for_it_there_is_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert user_key() is None


def test_a_relative_folder_of_state_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "here")
    monkeypatch.setenv("HOME", "/somewhere")
    assert state_folder() == Path("/somewhere/.local/state/foragers")


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="regular"), opened(tmp_path / "pipe"):
        pass
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    with pytest.raises(OSError, match="links"), opened(tmp_path / "link"):
        pass
