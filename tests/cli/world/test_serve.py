"""`foragers world serve`: what it prints, and how it ends."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from urllib.request import urlopen

import pytest
from rich.console import Console

from foragers.cli.world.serve import announce, moment, serve_world
from foragers.errors import UsageError
from foragers.worlds.archive import Archive
from foragers.worlds.serving.server import WorldServer
from support.worlds_by_hand import small_world

NEWS = "http://news.test/"


@pytest.fixture
def world() -> Archive:
    return small_world(
        {NEWS: ["http://shop.test/"], "http://shop.test/": [NEWS]}, born={NEWS: 1000.5}
    )


def test_ctrl_c_ends_a_served_world() -> None:
    script = """
from foragers.worlds.generated import generate
from foragers.worlds.serving.server import serve
serve(generate("topics", pages=200), port=0, ready=lambda server: print(server.port, flush=True))
print("ended")
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            port = int(process.stdout.readline())
            with urlopen(f"http://127.0.0.1:{port}/", timeout=10) as response:
                assert response.status == 200
            process.send_signal(signal.SIGINT)
            assert process.stdout.read() == b"ended\n"
            assert process.wait() == 0
        finally:
            process.kill()


def test_the_command_says_where_to_look_and_how_to_stop(world: Archive) -> None:
    written = io.StringIO()
    console = Console(file=written, width=200)
    with WorldServer(world, since=0.0, speed=60.0) as server:
        announce(server, console)
        address = server.address(NEWS)
    said = written.getvalue()
    assert "2 pages, 2 hosts" in said
    assert f"{address}  is {NEWS}" in said
    assert "time runs from 1970-01-01T00:00:00Z, 60 seconds a second" in said
    assert "Ctrl-C stops" in said


def test_since_is_start_end_or_a_date(world: Archive) -> None:
    assert moment(world, "start") == 0.0
    assert moment(world, "end") is None
    assert moment(world, "1970-01-01") == 0.0
    assert moment(world, "1970-01-01T01:00:10+01:00") == 10.0
    with pytest.raises(UsageError, match="give start, end or a date such as 1970-01-01T00:00:00Z"):
        moment(world, "yesterday")
    with pytest.raises(UsageError, match="after the end of this world"):
        moment(world, "2020-01-01")


def test_time_cannot_run_backwards(world: Archive) -> None:
    with pytest.raises(UsageError, match="--speed -1"):
        serve_world(world, Console(quiet=True), port=0, speed=-1.0)
    with pytest.raises(UsageError, match="speed -1"):
        WorldServer(world, speed=-1.0).start()
