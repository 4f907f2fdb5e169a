"""Ray starts the nodes of a crawl, and keeps nothing of it."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from foragers.cli.main import main
from support.clusters import sites

with_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")


@with_ray
def test_nodes_on_ray_do_the_crawl(database: str, tmp_path: Path) -> None:
    with sites(2, 5) as servers:
        given = [server.url() for server in servers] + ["--out", "out", "--ledger", database]
        given += ["--cluster", "local", "--allow-private", "127.0.0.0/8", "--delay", "0.1"]
        command = [sys.executable, "-m", "foragers.cli.main", "crawl", *given]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        assert "nothing left to fetch" in done.stdout
        paths = [path for server in servers for path in server.paths if path != "/robots.txt"]
        assert len(paths) == 2 * (2 * 5 + 2)
    assert list(tmp_path.glob("out/nodes/*/warc/*.warc.gz"))
    assert not (tmp_path / "out" / "warc").exists()


def test_wrong_clusters_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = "postgresql://crawler@127.0.0.1:1/none"
    for more, why in (
        (["--cluster", "nodes"], "give --ledger too"),
        (["--cluster", "many", "--ledger", place], "use nodes, local, auto or ray://HOST:PORT"),
    ):
        assert main(["crawl", "http://127.0.0.1/", "--out", str(tmp_path / "out"), *more]) == 2
        assert why in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@with_ray
def test_a_cluster_that_does_not_answer_is_refused_and_nothing_stays_open(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    order = ["crawl", "http://127.0.0.1/", "--out", str(tmp_path), "--ledger", database]
    assert main([*order, "--cluster", "ray://127.0.0.1:1"]) == 2
    assert "--cluster ray://127.0.0.1:1: nothing answers there" in capsys.readouterr().err
    assert main([*order, "--cluster", "ray://127.0.0.1:1"]) == 2, "the lock is free again"
    assert "nothing answers" in capsys.readouterr().err
