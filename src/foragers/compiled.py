"""Compiled modules, which are optional: each has a twin in Python with the same results.

A file `_NAME.c` beside a module is built when Foragers is installed and there is a compiler (see
`setup.py`).  One that is older than its source is not used.  With the environment variable
FORAGERS_PURE=1 none is used.
"""

from __future__ import annotations

import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any

PURE = "FORAGERS_PURE"
INCLUDED = re.compile('#include "([^"]+)"')


def compiled(name: str) -> Any | None:
    """Return a compiled module, or None if it was not built from its source or is not wanted."""
    if os.environ.get(PURE, "0") not in ("", "0"):
        return None
    try:
        module = import_module(name)
    except ImportError:
        return None
    return None if _is_outdated(Path(module.__file__ or "")) else module


def _is_outdated(built: Path) -> bool:
    """Return whether a source of a module was changed since it was built, in a checkout."""
    source = built.with_name(f"{built.name.partition('.')[0]}.c")
    try:
        made, text = built.stat().st_mtime, source.read_text(encoding="utf-8")
        headers = [source.parent / name for name in INCLUDED.findall(text)]
        return any(file.stat().st_mtime > made for file in (source, *headers))
    except FileNotFoundError:
        return False
