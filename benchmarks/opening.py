"""Opening a world of 50,000 pages, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.timing import verdict
from foragers.worlds.generated import generate
from foragers.worlds.store import save

AIM = 1.0
OPEN = """
import sys, time
from pathlib import Path
from foragers.worlds.store import open_world
start = time.perf_counter()
world = open_world(Path(sys.argv[1]))
world.texts.document(world.versions - 1)
world.book.find(world.book.href(world.seeds[0]))
print(time.perf_counter() - start)
"""


def run() -> bool:
    """Open a world, and look up one page and one address in it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "world"
        save(generate("topics", seed=1, pages=50_000), path)
        done = subprocess.run(
            [sys.executable, "-c", OPEN, path], capture_output=True, text=True, check=True
        )
    return verdict("opening 50,000 pages", float(done.stdout), AIM, "s")
