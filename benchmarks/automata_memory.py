"""A million learning automata in memory, each of which has learned, and written down."""

from __future__ import annotations

import subprocess
import sys
from tempfile import TemporaryDirectory

from benchmarks.timing import verdict

PAGES, LINKS = 1_000_000, (20, 60)
AIM_GB = 1.0
MILLION = """
import resource, sys, time
from pathlib import Path
import numpy as np

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**30

from foragers.core.models import (load_model, save_model)
from foragers.strategies.automata.table import Automata
from foragers.strategies.automata.saved import (KIND, Remembered)
from foragers.core.types import Links

class Addresses:
    def href(self, url):
        return f"http://site{url % 1009}.test/page/{url}.html"

pages, links, file = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
rng, addresses = np.random.default_rng(1), Addresses()
before = resident()
automata, enabled = Automata(), np.ones(links, bool)
for page in range(pages):
    targets = np.unique(rng.integers(5 * pages, size=links, dtype=np.int32))
    number = automata.add(page, 1, Links(targets, targets, addresses, None))
    flags = enabled[: len(targets)]
    automata.update(number, flags, page % len(targets), 0.5, 0.09, 0.0)
held, start = resident() - before, time.process_time()
save_model(automata.as_model(addresses), file)
seconds = time.process_time() - start
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20 - before
del automata
empty = resident()
known = Remembered.of(load_model(file, *KIND))
print(held, most, seconds, resident() - empty, file.stat().st_size / 2**20)
"""


def run() -> bool:
    """Measure pages with few links and with many, each in a process of its own."""
    met = True
    for links in LINKS:
        with TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-c", MILLION, str(PAGES), str(links), f"{folder}/model"],
                capture_output=True,
                text=True,
                check=True,
            )
        held, most, seconds, known, size = map(float, done.stdout.split())
        print(
            f"   {links} links a page: {held * 2**30 / PAGES:.0f} bytes a page; written down in"
            f" {seconds:.0f} CPU s to {size:.0f} MB, {most:.2f} GB at most in the meantime;"
            f" taken up again {known:.2f} GB"
        )
        met &= verdict("a million automata, all of them learned", held, AIM_GB, "GB")
    return met
