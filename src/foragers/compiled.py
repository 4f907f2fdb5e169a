"""Compiled modules, which are optional: each has a twin in Python with the same results.

A file `_NAME.c` beside a module is built when Foragers is installed and there is a compiler (see
`setup.py`).  With the environment variable FORAGERS_PURE=1 none is used.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

PURE = "FORAGERS_PURE"


def compiled(name: str) -> Any | None:
    """Return a compiled module, or None if it was not built or is not wanted."""
    if os.environ.get(PURE, "0") not in ("", "0"):
        return None
    try:
        return import_module(name)
    except ImportError:
        return None
