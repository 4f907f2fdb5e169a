"""A process that looks after itself, and ends with all it has started."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from foragers.rendering.watchdog import LARGE, LATE, descendants, is_running

WATCHED = """
import subprocess, sys, time
from foragers.rendering.watchdog import Watchdog

folder, megabytes, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
watch = Watchdog(folder, megabytes)
watch.deadline = time.monotonic() + seconds
print(child.pid, flush=True)
watch.start()
time.sleep(600)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
@pytest.mark.parametrize(("megabytes", "seconds", "code"), [(1, 500, LARGE), (5000, 0, LATE)])
def test_beyond_a_limit_all_of_it_ends(
    tmp_path: Path, megabytes: int, seconds: int, code: int
) -> None:
    folder = tmp_path / "browser"
    folder.mkdir()
    command = [sys.executable, "-c", WATCHED, str(folder), str(megabytes), str(seconds)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=60, check=False)
    assert ended.returncode == code
    assert not folder.exists()
    while is_running(int(ended.stdout)):
        time.sleep(0.01)


def test_a_process_that_has_started_none_has_no_descendants() -> None:
    with subprocess.Popen(["sleep", "600"]) as child:
        assert descendants(child.pid) == []
        child.kill()
