"""Memory that is free goes back to the system, where the C library can be told to do so.

By itself glibc learns from the first large array that is freed to keep arrays of up to 32 MB
among all other memory.  Columns that grow over a long crawl then leave holes of many megabytes.
With a fixed limit large arrays have memory of their own, which goes back when they do.
"""

from __future__ import annotations

import ctypes
import os

LARGE = 512 << 10
"""From so many bytes on a piece of memory is one of its own."""
CHOSEN = "MALLOC_MMAP_THRESHOLD_"
"""The user's own limit, in the environment, is left as it is."""
_MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of malloc.h


def keep_large_apart() -> bool:
    """Give large arrays memory of their own from now on; say whether that could be had."""
    if CHOSEN in os.environ:
        return False
    try:
        return bool(ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, LARGE))
    except (AttributeError, OSError, TypeError):  # another C library
        return False


def give_back() -> bool:
    """Return free memory to the system; say whether there was any."""
    try:
        return bool(ctypes.CDLL(None).malloc_trim(0))
    except (AttributeError, OSError, TypeError):
        return False
