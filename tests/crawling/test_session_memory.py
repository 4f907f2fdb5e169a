"""What a long crawl remembers: so many bytes a page, and no more libraries than it needs."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np

from foragers.core.loop import Crawl
from foragers.evaluation.metrics.sightings import Sightings
from foragers.filters.traps import Traps
from foragers.judges.keywords import Keywords
from foragers.storage.ledger.memory import MemoryLedger
from foragers.storage.warc.dedup import Payloads
from foragers.storage.warc.exchange import EarlierResponse
from foragers.strategies.registry import StrategyInputs, build
from foragers.worlds.budget import Budget
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded

FEW, MANY = 750, 1500
MOST_BYTES_A_PAGE = 2000
"""With eight links a page it is 1,700; it was 3,100 when links and copies were kept as objects."""
NOT_NEEDED = ("sklearn", "scipy", "matplotlib", "aiohttp", "ray", "playwright", "pandas", "pyarrow")
STARTED = """
import sys
from pathlib import Path
from foragers.cli import main
from foragers.crawling.options import CrawlOptions
from foragers.crawling.session import Session
order = CrawlOptions(seeds=("http://127.0.0.1:9/",), budget=1, minutes=0,
                     allow_private=("127.0.0.0/8",))
session = Session.open(order, Path(sys.argv[1]))
session.run()
session.close()
print(*sys.modules)
"""


def held(*roots: object) -> int:
    """Return how many bytes some objects take with all that they refer to."""
    seen: set[int] = set()
    todo, total = list(roots), 0
    while todo:
        one = todo.pop()
        if id(one) in seen or isinstance(one, type | ModuleType | FunctionType):
            continue
        seen.add(id(one))
        total += sys.getsizeof(one)
        todo += gc.get_referents(one)
        if isinstance(one, np.ndarray) and one.base is not None:
            todo.append(one.base)
    return total


def test_what_is_remembered_of_a_page_is_bounded() -> None:
    archive = generate("topics", seed=1, pages=3000, links=8)
    topic = Keywords("robot sensor")
    strategy = build("auto", StrategyInputs(topic, np.random.default_rng(0)))
    traps, payloads, sightings = Traps(), Payloads(), Sightings()
    crawl = Crawl(strategy, Budget(Recorded(archive), MANY), topic, MemoryLedger())
    crawl.begin()
    sizes, pages = [], 0
    while (visits := crawl.step()) is not None:
        sightings.watch(visits)
        for visit in visits:
            href, document = archive.book.href(visit.page.final), visit.page.document
            links = [link.href for link in visit.links]
            traps.learn(href, document.text, links, href, document.title)
            payloads.add(href, document.text, EarlierResponse(pages, f"sha1:{pages:032d}"))
            pages += 1
            if pages in (FEW, MANY):
                sizes.append(held(strategy, traps, payloads, sightings))
    assert sizes[1] - sizes[0] < MOST_BYTES_A_PAGE * (MANY - FEW)


def test_a_plain_crawl_loads_no_library_that_it_does_not_need(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STARTED, str(tmp_path / "crawl")],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "pycurl" in loaded
    assert loaded.isdisjoint(NOT_NEEDED)
