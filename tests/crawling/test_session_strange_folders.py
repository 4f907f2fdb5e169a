"""A crawl folder that somebody else made runs no code here and writes nowhere else."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from foragers.crawling.session import Session
from foragers.crawling.signed import MAGIC, signing, user_key
from foragers.errors import UsageError
from foragers.worlds.store import save
from support.crawl_folders import crawl_folder, refused, said
from support.crawling import crawl, order_of, serving
from support.hostile_server import page
from support.worlds_by_hand import address, small_world

PAGES = [f"/{number}" for number in range(20)]


class Trap:
    """What a stranger would have run when it is loaded."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return os.mkdir, (str(self.mark),)


def signed_by_another(trap: bytes, file: Path) -> None:
    with file.open("wb") as stream, signing(stream, bytes(32)) as out:
        out.write(trap)


def site() -> dict[str, bytes]:
    return {path: page(*PAGES) for path in PAGES}


@pytest.mark.parametrize("kind", ["plain", "magic", "another's key"])
def test_the_checkpoint_of_somebody_else_is_not_loaded(kind: str, tmp_path: Path) -> None:
    folder, mark = tmp_path / "crawl", tmp_path / "was here"
    with serving(site()) as server:
        crawl(folder, server.url("/"), budget=5)
        trap = pickle.dumps(Trap(mark))
        if kind == "another's key":
            signed_by_another(trap, folder / "checkpoint")
        else:
            head = MAGIC + bytes(16) if kind == "magic" else b""
            (folder / "checkpoint").write_bytes(head + trap)
        crawl(folder, server.url("/"), budget=60)
        pages = Counter(path for path in server.paths if path != "/robots.txt")
    assert not mark.exists()
    assert pages == Counter(["/", *PAGES]), "the ledger was taken up in its place"


def test_our_own_checkpoint_is_loaded(tmp_path: Path) -> None:
    """Else the test above would be of no worth."""
    folder, mark = tmp_path / "crawl", tmp_path / "was here"
    with serving(site()) as server:
        crawl(folder, server.url("/"), budget=5)
        key = user_key()
        assert key is not None
        with (folder / "checkpoint").open("wb") as stream, signing(stream, key) as out:
            out.write(pickle.dumps(Trap(mark)))
        crawl(folder, server.url("/"), budget=6)
    assert mark.exists()


def test_without_a_key_the_ledger_is_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no folder").write_text("")
    folder = tmp_path / "crawl"
    with serving(site()) as server:
        crawl(folder, server.url("/"), budget=5)
        assert (folder / "checkpoint").exists()
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "no folder"))
        crawl(folder, server.url("/"), budget=10)
        assert not (folder / "checkpoint").exists()
        crawl(folder, server.url("/"), budget=60)
        pages = Counter(path for path in server.paths if path != "/robots.txt")
    assert pages == Counter(["/", *PAGES])


@pytest.mark.parametrize(
    "name",
    [
        "crawl.json",
        "ledger.sqlite",
        "ledger.sqlite-wal",
        "checkpoint",
        "addresses",
        "agents.npz",
        "warc",
        "warc/index.cdxj",
        "warc/crawl-00000.warc.gz",
    ],
)
def test_nothing_is_written_through_links(name: str, tmp_path: Path) -> None:
    mine, folder = tmp_path / "mine", tmp_path / "crawl"
    mine.write_bytes(b"mine")
    (folder / name).parent.mkdir(parents=True)
    (folder / name).symlink_to(tmp_path if name == "warc" else mine)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UsageError, match="is a link, and would be written to; remove it"):
        Session.open(order_of("http://127.0.0.1:1/", warc=True), folder)
    assert mine.read_bytes() == b"mine"
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", [".checkpoint.partial", ".crawl.json.partial"])
def test_links_under_hidden_names_are_removed(name: str, tmp_path: Path) -> None:
    mine, folder = tmp_path / "mine", tmp_path / "crawl"
    mine.write_bytes(b"mine")
    folder.mkdir()
    (folder / name).symlink_to(mine)
    with serving({}) as server:
        crawl(folder, server.url("/"))
    assert mine.read_bytes() == b"mine"
    assert not (folder / name).is_symlink()


@pytest.fixture
def strange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that names a judge, whose module is in it, and in which the user stands."""
    world = small_world({"home": ["a"], "a": ["t"], "t": []}, texts={"t": "robot arms"})
    folder = crawl_folder(tmp_path, world)
    told = json.loads((folder / "crawl.json").read_text())
    told["aim"] = {"judge": "strangers_judge:judge", "threshold": 0.5}
    (folder / "crawl.json").write_text(json.dumps(told))
    code = "import os; os.mkdir('was here')\ndef judge(page): return 1.0\n"
    (folder / "strangers_judge.py").write_text(code)
    (folder / "ledgers").mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return folder


def test_no_command_imports_the_judge_that_a_folder_names(
    strange: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (
        ("explain", ".", address("t")),
        ("explain", ".", address("t"), "--strategy", "auto"),
        ("report", "."),
        ("export", "."),
        ("export", ".", "--format", "warc", "--out", "out.warc.gz"),
    ):
        assert said(capsys, *command)[0] == 0, command
        assert not (strange / "was here").exists(), command
    assert "strangers_judge" not in sys.modules


def test_a_crawl_imports_only_the_judge_that_the_user_names(
    strange: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = "http://127.0.0.1:1/"
    assert "another" in refused(capsys, "crawl", url, "--out", ".", "--strategy", "best-first")
    assert not (strange / "was here").exists()


@pytest.mark.parametrize("out", [(), ("--out", "report.html"), ("--out", "sub/report.html")])
def test_a_report_is_not_written_through_a_link_in_the_folder(
    out: tuple[str, ...], strange: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "report.html"
    mine.write_bytes(b"mine")
    (strange / "report.html").symlink_to(mine)
    (strange / "sub").symlink_to(tmp_path)
    assert "is a link in the folder of a crawl" in refused(capsys, "report", ".", *out)
    if out:
        assert "is a link in the folder" in refused(capsys, "export", strange, *out)
    assert mine.read_bytes() == b"mine"


def test_examples_that_a_folder_names_are_read_within_bounds(
    strange: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(strange / "pipe")
    for named in ("/dev/zero", "/", "pipe", "/proc/self/mem"):
        told = json.loads((strange / "crawl.json").read_text())
        told["aim"] = {"examples": named}
        (strange / "crawl.json").write_text(json.dumps(told))
        code, out, _ = said(capsys, "explain", ".", address("t"))
        assert code == 0
        assert "cannot be asked" in out, named


def test_processes_that_we_start_take_no_modules_from_where_the_user_stands(
    strange: Path, tmp_path: Path
) -> None:
    for name in ("multiprocessing", "foragers", "numpy"):
        (strange / f"{name}.py").write_text("import os; os.mkdir('was here')\n")
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "command.py"  # begins as the installed one does
    code = ["import sys", "from foragers.cli.main import main"]
    script.write_text("\n".join([*code, "if __name__ == '__main__': sys.exit(main())"]))
    save(small_world({"home": ["a"], "a": []}), tmp_path / "world")
    options = ("--budget", "5", "--jobs", "2", "--strategies", "breadth-first,random")
    compare = ("compare", str(tmp_path / "world"), "--topic", "robot", *options)
    command = [sys.executable, str(script), *compare]
    subprocess.run(command, check=True, capture_output=True)
    assert not (strange / "was here").exists()


@pytest.mark.parametrize("file", ["world.json", "comparison.json", "exhibits.json"])
def test_a_folder_with_something_else_gets_no_crawl(file: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text("{}")
    with pytest.raises(UsageError, match=r"--out .* holds .*; choose another folder"):
        Session.open(order_of("http://127.0.0.1:9/"), tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == [file]
