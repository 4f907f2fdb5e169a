"""WARC files to measure on: recorded webs where there are some, else a generated one."""

from __future__ import annotations

import os
from pathlib import Path

from foragers.worlds.export import export_warc
from foragers.worlds.generated import generate

SHARED = Path(os.environ.get("FORAGERS_SHARED", Path(__file__).parents[2] / "shared"))


def recordings(scratch: Path) -> list[Path]:
    """Return some WARC files."""
    real = sorted((SHARED / "worlds").glob("*.warc.gz"))
    if real:
        return real
    made = scratch / "generated.warc.gz"
    export_warc(generate("topics", seed=1, pages=5000, links=50), made)
    return [made]
