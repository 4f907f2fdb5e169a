"""Ray starts the nodes of a crawl, and keeps nothing of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from foragers.cli.main import main
from foragers.storage.ledger.postgres import connect, tables_of
from support.clusters import sites
from support.postgres import free_port
from support.waiting import LONG, until

with_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")


@with_ray
def test_nodes_on_ray_do_the_crawl(database: str, tmp_path: Path) -> None:
    with sites(2, 5) as servers:
        given = [server.url() for server in servers] + ["--out", "out", "--ledger", database]
        given += ["--cluster", "local", "--allow-private", "127.0.0.0/8", "--delay", "0.1"]
        command = [sys.executable, "-m", "foragers.cli.main", "crawl", *given]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LONG)
        assert done.returncode == 0, done.stderr
        assert "nothing left to fetch" in done.stdout
        paths = [path for server in servers for path in server.paths if path != "/robots.txt"]
        assert len(paths) == 2 * (2 * 5 + 2)
    assert list(tmp_path.glob("out/nodes/*/warc/*.warc.gz"))
    assert not (tmp_path / "out" / "warc").exists()


PATIENCE = {"RAY_gcs_rpc_server_reconnect_timeout_s": "3"}
"""A program that has lost the head of its cluster ends after so many seconds instead of 60."""


@contextmanager
def ray_head(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run the head of a Ray cluster, in a session of its own."""
    ray = Path(sys.executable).with_name("ray")
    command = [str(ray), "start", "--head", "--block", f"--port={port}"]
    command += ["--num-cpus=1", "--include-dashboard=false", "--disable-usage-stats"]
    command += [f"--temp-dir={folder}", "--object-store-memory=80000000"]
    head = subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        until(lambda: (folder / "ray_current_cluster").exists())
        yield head
    finally:
        lose(head, folder)


def lose(head: subprocess.Popen[bytes], folder: Path) -> None:
    """Kill a head and all that it started: what is in its session, or names its folder."""
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            told = (place / "cmdline").read_bytes()
            session = int((place / "stat").read_text().rpartition(")")[2].split()[3])
            if session == head.pid or (str(folder).encode() in told and b"pytest" not in told):
                os.kill(int(place.name), signal.SIGKILL)
    head.wait()


@with_ray
def test_after_the_loss_of_the_head_the_same_command_goes_on(database: str, tmp_path: Path) -> None:
    with sites(3, 12) as servers, TemporaryDirectory(prefix="ray-") as short:
        command = [sys.executable, "-m", "foragers.cli.main", "crawl"]
        command += [*(server.url() for server in servers), "--out", "out", "--ledger", database]
        command += ["--cluster", "auto", "--allow-private", "127.0.0.0/8", "--delay", "0.2"]
        command += ["--no-traps"]
        port = free_port()
        around = {**os.environ, "RAY_ADDRESS": f"127.0.0.1:{port}", **PATIENCE}
        with ray_head(Path(short) / "1", port) as head:
            first = subprocess.Popen(command, cwd=tmp_path, env=around, stdout=subprocess.DEVNULL)
            until(lambda: visits_in(database)[0] >= 6)
            lose(head, Path(short) / "1")
            assert first.wait(LONG) != 0, "the crawl ends with its cluster"
        before = visits_in(database)[0]
        assert 6 <= before < 3 * 13
        with ray_head(Path(short) / "2", port):
            done = subprocess.run(
                command, cwd=tmp_path, env=around, capture_output=True, text=True, timeout=LONG
            )
        assert "nothing left to fetch" in done.stdout, done.stderr
    assert visits_in(database) == (3 * 14, 3 * 14), "all pages are told, and each once"


def visits_in(database: str) -> tuple[int, int]:
    """Return the number of visits in a ledger, and of different URLs among them."""
    with suppress(psycopg.errors.UndefinedTable), closing(psycopg.connect(database)) as connection:
        row = connection.execute("SELECT count(*), count(DISTINCT url) FROM visits").fetchone()
        assert row is not None
        return row[0], row[1]
    return 0, 0


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
    out = tmp_path / "out"
    order = ["crawl", "http://127.0.0.1/", "--out", str(out), "--ledger", database]
    assert main([*order, "--cluster", "ray://127.0.0.1:1"]) == 2
    assert "--cluster ray://127.0.0.1:1: nothing answers there" in capsys.readouterr().err
    assert main([*order, "--cluster", "ray://127.0.0.1:1"]) == 2, "the lock is free again"
    assert "nothing answers" in capsys.readouterr().err
    assert not out.exists()
    with closing(connect(database)) as connection:
        assert not tables_of(connection), "nothing was written"
