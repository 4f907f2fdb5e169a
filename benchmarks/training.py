"""Training the spider on as many links as the paper had, and ranking links against parsing.

The world is as large as the paper's departments: 53,012 pages and some 600,000 links.
Ranking is measured on the recorded webs where there are some, as a spider crawls them: what
it takes to be told of a page, and what it takes to parse the same page, one after the other.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np

from benchmarks.energy import Held
from benchmarks.recordings import recordings
from benchmarks.timing import verdict
from foragers.core.loop import seed_visit
from foragers.core.types import Links, Page, Visit
from foragers.judges.topic import NoTopic
from foragers.parsing.html.parse import parse
from foragers.strategies.spider.strategy import Spider
from foragers.text.link_counts import LinkCounts
from foragers.text.link_text import TEXTS
from foragers.training.lesson import Lesson, sites_of
from foragers.training.registry import Meter
from foragers.training.spider import SpiderTrainer
from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from foragers.worlds.importing.importer import import_world
from foragers.worlds.replay import Recorded
from foragers.worlds.store import open_world

PAGES, LINKS = 53_012, 592_216
MINUTES, GIGABYTES = 5.0, 4.0
RANKED = 1500
"""How many pages of each recorded web are ranked."""


def nothing(done: int, note: str = "") -> None:
    """Show nothing."""
    del done, note


@contextmanager
def silent(_what: str, _total: int) -> Iterator[Meter]:
    """Give a meter that shows nothing."""
    yield nothing


def large() -> Lesson:
    """Return a world of the paper's size, in which one page in twenty-five is wanted."""
    archive = generate("topics", seed=1, pages=PAGES, links=9.5)
    sites, names = sites_of(archive, "domain")
    wanted = archive.labels.urls["topic:robotics"]
    return Lesson("large", archive, np.asarray(wanted), sites, names)


def train() -> bool:
    """Train on all of it, cross-validation included."""
    lesson = large()
    start = time.process_time()
    trained = SpiderTrainer().train([lesson], silent)
    minutes = (time.process_time() - start) / 60
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    links = trained.model.facts["links"]
    print(f"   {len(lesson.pages):,} pages, {links:,} links, {len(lesson.rewards):,} wanted")
    met = verdict("training, CPU minutes", minutes, MINUTES, "min")
    return verdict("peak memory", peak, GIGABYTES, "GB") and met


def in_memory(page: Page) -> Page:
    """Return a page with its words at hand, as a parser leaves it."""
    links = page.links
    content = Held(page.document, links.outlinks)
    columns = Links(links.targets, links.hosts, links.addresses, content)
    return msgspec.structs.replace(page, links=columns, content=content)


def costs(archive: Archive, tally: LinkCounts, text: str) -> tuple[float, float, int]:
    """Return the CPU seconds of ranking and of parsing in a crawl, and of how many pages."""
    world, spider = Recorded(archive), Spider(NoTopic(), tally.model({}), text=text)
    spider.tell([seed_visit(world.seeds, 0.0)])
    ranking = parsing = 0.0
    pages = 0
    while pages < RANKED and (choices := spider.ask(1, set())):
        page = in_memory(world.answer(choices[0]))
        start = time.process_time()
        spider.tell([Visit(page, 0.0, False)])
        ranked = time.process_time()
        if page.version >= 0:
            body = archive.texts.body(page.version)
            read = time.process_time()
            parse(body.data, page.href, body.content_type)
            parsing += time.process_time() - read
            ranking += ranked - start
            pages += 1
    return ranking, parsing, pages


def ratio(archive: Archive, name: str) -> float:
    """Print what ranking and parsing cost on a web, and return the first in parts of the second."""
    tally, worst = model(archive), 0.0
    for text in TEXTS:
        ranking, parsing, pages = costs(archive, tally, text)
        each = f"ranking {1000 * ranking / pages:.2f}, parsing {1000 * parsing / pages:.2f}"
        print(f"   {name}, {text}: {pages:,} pages; ms a page: {each}", flush=True)
        worst = max(worst, ranking / parsing)
    return worst


def model(archive: Archive) -> LinkCounts:
    """Return what is learned from a web where any page in ten is wanted."""
    sites, names = sites_of(archive, "host")
    lesson = Lesson("web", archive, np.empty(0, np.int32), sites, names)
    lesson = replace(lesson, rewards=lesson.pages[::10])
    return SpiderTrainer(validate=False).read([lesson], silent).tally()


def rank() -> bool:
    """Rank the links of real pages, and parse the pages."""
    worst = 0.0
    with TemporaryDirectory() as scratch:
        for file in recordings(Path(scratch)):
            import_world(Path(scratch) / file.stem, [file])
            worst = max(worst, ratio(open_world(Path(scratch) / file.stem), file.name))
    return verdict("ranking a page's links against parsing it, the worst web", worst, 1.0)


def run() -> bool:
    """Measure both."""
    met = rank()
    return train() and met
