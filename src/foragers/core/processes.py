"""Worker processes, and the memory of this one.

`in_processes` yields results as they finish, for comparisons and the papers; `in_order` yields them
in the order of the items, for imports.  Both use one kind of pool, whose workers end with the
process that started them.

`give_back` and `keep_large_apart` return free memory to the system, if the C library allows it.  By
default, glibc raises its limit for separate blocks to 32 MB after the first large array is freed.
Columns that grow over a long crawl then leave holes of many megabytes.  With a fixed limit large
arrays have memory of their own, which is returned when they are freed.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from foragers.errors import UsageError

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Item = TypeVar("Item")
Key = TypeVar("Key")
Result = TypeVar("Result")

LARGE = 512 << 10
"""Blocks of at least this many bytes get memory of their own."""
CHOSEN = "MALLOC_MMAP_THRESHOLD_"
"""Environment variable with the user's own limit, which is left as it is."""
SPARE = 8 << 20
"""Up to this many bytes at the end of the heap may be free until the next checkpoint."""
_MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of malloc.h
_TRIM_THRESHOLD = -1  # M_TRIM_THRESHOLD


def in_processes(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    jobs: int,
    *,
    begin: Callable[..., None] | None = None,
    arguments: tuple[object, ...] = (),
    remedy: str = "give it fewer --jobs",
) -> Iterator[tuple[int, Result]]:
    """Yield the index of each item and its result as they finish, from at most `jobs` processes.

    A single job or item is done in this process, where `begin` is not called; workers call `begin`
    with its arguments first.  `remedy` is what to do if a worker was killed.
    """
    if jobs == 1 or len(items) < 2:
        yield from ((index, function(item)) for index, item in enumerate(items))
        return
    from concurrent.futures import as_completed

    with _workers(min(jobs, len(items)), remedy, begin, arguments) as pool:
        futures = {pool.submit(function, item): index for index, item in enumerate(items)}
        for future in as_completed(futures):
            yield futures[future], future.result()


def in_order(
    function: Callable[[Item], Result], items: Iterable[tuple[Key, Item]], jobs: int, ahead: int
) -> Iterator[tuple[Key, Result]]:
    """Yield the key of each item and its result, in order, from `jobs` processes.

    Items are taken as needed: at most `ahead` of them for each process are in progress.  Keys stay
    in this process.
    """
    with _workers(jobs, "free some memory and try again") as pool:
        waiting: deque[tuple[Key, Future[Result]]] = deque()
        for key, item in items:
            waiting.append((key, pool.submit(function, item)))
            if len(waiting) > ahead * jobs:
                first, future = waiting.popleft()
                yield first, future.result()
        for first, future in waiting:
            yield first, future.result()


@contextmanager
def _workers(
    count: int,
    remedy: str,
    begin: Callable[..., None] | None = None,
    arguments: tuple[object, ...] = (),
) -> Iterator[ProcessPoolExecutor]:
    """Give a pool of processes; work that has not begun is dropped after an error."""
    # Imported here, since a crawl has no pool.
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    first = (os.getpid(), begin, arguments)
    with ProcessPoolExecutor(count, get_context("spawn"), _begin_worker, first) as pool:
        try:
            yield pool
        except BrokenProcessPool as error:
            raise UsageError(f"a worker process was killed; {remedy}") from error
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _begin_worker(
    parent: int, begin: Callable[..., None] | None, arguments: tuple[object, ...]
) -> None:
    end_with(parent)
    if begin is not None:
        begin(*arguments)


def end_with(parent: int) -> None:
    """End this process when another has ended, even if that was killed, and not at Ctrl-C.

    Ctrl-C goes to all processes of a terminal; the one that started this process stops it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def keep_large_apart() -> bool:
    """Give large arrays memory of their own from now on; return whether that is possible."""
    if CHOSEN in os.environ:
        return False
    try:
        library = ctypes.CDLL(None)
        are_set = library.mallopt(_MMAP_THRESHOLD, LARGE), library.mallopt(_TRIM_THRESHOLD, SPARE)
        return all(are_set)
    except (AttributeError, OSError, TypeError):  # another C library
        return False


def give_back() -> bool:
    """Return free memory to the system; return whether there was any."""
    try:
        return bool(ctypes.CDLL(None).malloc_trim(0))
    except (AttributeError, OSError, TypeError):
        return False
