"""Training the spider on as many links as the paper had, and ranking links against parsing.

The world is as large as the paper's departments: 53,012 pages and some 600,000 links.
Ranking is measured on the recorded webs where there are some: of pages in any order the
links to those not fetched before, as in a crawl, and for comparison all links of each page.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.recordings import recordings
from benchmarks.timing import best_of, verdict
from foragers.pages.html import parse
from foragers.strategies.spider_reading import Lexicon
from foragers.strategies.spider_scoring import scorer_of
from foragers.text.bags import TEXTS
from foragers.text.tally import Tally
from foragers.training.lesson import Lesson
from foragers.training.registry import Meter
from foragers.training.sites import sites_of
from foragers.training.spider import Trainer
from foragers.types import Choice, Document, Link, Page
from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from foragers.worlds.importing import import_world
from foragers.worlds.recorded import Recorded
from foragers.worlds.store import open_world

PAGES, LINKS = 53_012, 592_216
MINUTES, GIGABYTES = 5.0, 4.0
RANKED = 1500
"""How many pages of each recorded web are ranked."""


def nothing(_done: int, _note: str = "") -> None:
    """Show nothing."""


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
    trained = Trainer().train([lesson], silent)
    minutes = (time.process_time() - start) / 60
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    links = trained.model.facts["links"]
    print(f"   {len(lesson.pages):,} pages, {links:,} links, {len(lesson.rewards):,} wanted")
    met = verdict("training, CPU minutes", minutes, MINUTES, "min")
    return verdict("peak memory", peak, GIGABYTES, "GB") and met


def pages_of(archive: Archive) -> list[Page]:
    """Return some pages that have links."""
    world, found = Recorded(archive), []
    for url in range(len(archive.book)):
        page = world.answer(Choice(url, 0))
        if page.version >= 0 and page.final == url and len(page.links):
            found.append(page)
        if len(found) == RANKED:
            break
    return found


def ratio(archive: Archive, name: str) -> float:
    """Print what ranking and parsing cost on a web, and return the first in parts of the second."""
    pages, tally = pages_of(archive), model(archive)
    bodies = [archive.texts.body(int(archive.latest[page.final])) for page in pages]
    said = [(page.document, list(page.links)) for page in pages]
    fetched, left = set[int](), []
    for page, (document, links) in zip(pages, said, strict=True):
        fetched.add(page.final)
        left.append((document, [link for link in links if link.url not in fetched]))

    def rank_with(text: str, told: list[tuple[Document, list[Link]]]) -> None:
        lexicon = Lexicon.of(TEXTS[text], tally)
        scorer = scorer_of(lexicon, tally, 4)
        for document, links in told:
            if links:
                scorer.worth(scorer.scores(lexicon.of_page(document), lexicon.of_links(links)))

    def parse_all() -> None:
        for page, body in zip(pages, bodies, strict=True):
            parse(body.data, page.href, body.content_type)

    contenders = {"parsing": parse_all}
    for text in TEXTS:
        contenders[text] = partial(rank_with, text, left)
        contenders[f"{text}, all links"] = partial(rank_with, text, said)
    best = best_of(contenders, rounds=3)
    links = sum(len(links) for _, links in said) / len(pages)
    costs = ", ".join(f"{what} {1000 * cost / len(pages):.2f}" for what, cost in best.items())
    print(f"   {name}: {links:.0f} links a page; ms a page: {costs}", flush=True)
    return max(best[text] for text in TEXTS) / best["parsing"]


def model(archive: Archive) -> Tally:
    """Return what is learned from a web where any page in ten is wanted."""
    sites, names = sites_of(archive, "host")
    lesson = Lesson("web", archive, np.empty(0, np.int32), sites, names)
    lesson = replace(lesson, rewards=lesson.pages[::10])
    return Trainer(validate=False).read([lesson], silent).tally()


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
