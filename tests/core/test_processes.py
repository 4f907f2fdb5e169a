"""Free memory goes back to the system."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from foragers.core import processes
from foragers.errors import UsageError

LARGE_FREED = """
import sys
import numpy as np
from foragers.core.processes import (give_back, keep_large_apart)

def held():
    line = next(line for line in open("/proc/self/status") if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024

np.ones(3_000_000)  # 24 MB: glibc learns from its end to keep such arrays among all else
if "apart" in sys.argv:
    assert keep_large_apart()
before, small, large = held(), [], []
for _ in range(40):  # what stays stands behind what goes
    large.append(np.ones(250_000))
    small.append(bytearray(100_000))
del large
if "back" in sys.argv:
    assert give_back()
print(held() - before)
"""


def is_glibc() -> bool:
    return sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim")


def held(*given: str) -> float:
    """Return how many of 80 megabytes a process holds after it has freed them."""
    done = subprocess.run(
        [sys.executable, "-c", LARGE_FREED, *given], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


@pytest.mark.skipif(not is_glibc(), reason="only glibc can be told")
def test_large_arrays_leave_no_holes_behind() -> None:
    assert held() > 60
    assert held("apart") < 20
    assert held("back") < 20


FREED_AND_TAKEN = """
import sys
from resource import RUSAGE_SELF, getrusage
from foragers.core.processes import keep_large_apart

assert keep_large_apart()
for _ in range(40):
    before = getrusage(RUSAGE_SELF).ru_minflt
    pieces = [bytearray(10_000) for _ in range(300)]
    del pieces
print(getrusage(RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(not is_glibc(), reason="only glibc can be told")
def test_memory_of_a_page_is_kept_for_the_next_one() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FREED_AND_TAKEN], capture_output=True, text=True, check=True
    )
    assert int(ran.stdout) < 100  # three megabytes are seven hundred pages of memory


@pytest.mark.skipif(not is_glibc(), reason="only glibc can be told")
def test_a_limit_of_the_users_own_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(processes.CHOSEN, "131072")
    assert not processes.keep_large_apart()


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    assert not processes.keep_large_apart()
    assert not processes.give_back()


def doubled(number: int) -> tuple[int, int]:
    return 2 * number, os.getpid()


def killed(number: int) -> int:
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_results_come_with_the_index_of_their_item_from_other_processes() -> None:
    results = dict(processes.in_processes(doubled, [5, 7, 9], 2))
    assert {index: result for index, (result, _) in results.items()} == {0: 10, 1: 14, 2: 18}
    assert os.getpid() not in {process for _, process in results.values()}


def test_one_job_is_done_in_this_process() -> None:
    assert list(processes.in_processes(doubled, [5], 4)) == [(0, (10, os.getpid()))]
    assert list(processes.in_processes(doubled, [5, 6], 1)) == [
        (0, (10, os.getpid())),
        (1, (12, os.getpid())),
    ]


def test_a_killed_worker_is_told_with_what_to_do() -> None:
    with pytest.raises(UsageError, match="a worker process was killed; wait"):
        list(processes.in_processes(killed, [0, 1, 2], 2, remedy="wait"))


def test_results_come_in_the_order_of_their_items_which_are_taken_as_needed() -> None:
    taken: list[int] = []

    def items() -> Iterator[tuple[str, int]]:
        for number in range(9):
            taken.append(number)
            yield f"item {number}", number

    found = processes.in_order(doubled, items(), jobs=2, ahead=1)
    key, (result, process) = next(found)
    assert (key, result, process != os.getpid()) == ("item 0", 0, True)
    assert taken == [0, 1, 2], "one is in progress for each process, and one result is out"
    assert [result for _, (result, _) in found] == [2, 4, 6, 8, 10, 12, 14, 16]
