"""Auto: CPU time a page of asking and telling, as links become known, beside parsing the page.

The web is endless and made up as it is read: every page has forty links, twenty of them a menu,
fifteen to pages of a site that nobody linked to before, and five to any pages, on 64 hosts.
One crawl goes on until 300,000 links are known; measured are the last pages before each mark.
Two more go on until 100,000 links are known: one without words of a topic, and one after news.
"""

from __future__ import annotations

import gc
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from benchmarks.energy import Held
from benchmarks.timing import verdict
from foragers.core.links import ParsedLink, ParsedLinks
from foragers.core.loop import seed_visit
from foragers.core.types import Choice, Document, Ids, Link, Links, Page, Status, UrlId, Visit
from foragers.judges.keywords import Keywords
from foragers.judges.topic import NoTopic
from foragers.parsing.html.parse import parse
from foragers.strategies.auto.strategy import Auto
from foragers.worlds.html_writer import render

MARKS = (10_000, 100_000, 300_000)
SAMPLE = 500
"""So many pages before each mark are measured."""
HOSTS, NEIGHBOURS, MENU, NEW, ANY, WORDS = 64, 600, 20, 15, 5, 300
NEWS_WITHIN = 86_400.0
AIM_MS, FLAT = 0.5, 1.3
"""Milliseconds a page with 100,000 known links, and how much more there may be with 300,000."""
PARTS = ("ka", "lo", "mi", "nu", "re", "so", "ta", "vi", "we", "zo")
VOCABULARY = [a + b + c + d for a in PARTS for b in PARTS for c in PARTS for d in PARTS]


Number = TypeVar("Number", int, Ids)


def host_of(url: Number) -> Number:
    """Return the host of a URL."""
    return url // NEIGHBOURS % HOSTS


@dataclass
class Endless:
    """A web that is made up as it is read, and its addresses."""

    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))
    known: int = 1

    def href(self, url: UrlId) -> str:
        """Return the address of a URL."""
        directory, name = VOCABULARY[url % 97], VOCABULARY[url % 9_973]
        return f"http://www.site{host_of(url)}.test/{directory}/{name}-{url}.html"

    def hrefs(self, urls: Sequence[UrlId]) -> list[str]:
        """Return the addresses of many URLs."""
        return list(map(self.href, urls))

    def outlink(self, url: UrlId, around: str) -> ParsedLink:
        """Return a link to a URL."""
        anchor = f"{VOCABULARY[url % 97]} {VOCABULARY[url % 4_001]}"
        return ParsedLink(self.href(url), anchor, around, f"html body div.c{url % 7} ul li a")

    def page(self, choice: Choice) -> Page:
        """Return a page that links to pages known and unknown."""
        said = [VOCABULARY[word] for word in self.rng.zipf(1.3, WORDS) % len(VOCABULARY)]
        menu = np.arange(MENU) + host_of(choice.url) * NEIGHBOURS
        some = self.rng.integers(0, self.known, ANY)
        new = np.arange(self.known, self.known + NEW)
        targets = np.concatenate([menu % self.known, new, some]).astype(np.int32)
        self.known += NEW
        places = self.rng.integers(0, WORDS - 30, len(targets)).tolist()
        links = ParsedLinks.of(
            [
                self.outlink(url, " ".join(said[place : place + 30]))
                for url, place in zip(targets.tolist(), places, strict=True)
            ]
        )
        content = Held(Document(said[0], (" ".join(said[:4]),), " ".join(said)), links)
        columns = Links(targets, host_of(targets), self, content)
        url = choice.url
        return Page(choice, Status.OK, "", url, 0.0, 0.0, url, columns, content)


def topic_words() -> Keywords:
    """Return the topic of the crawls."""
    return Keywords(" ".join(VOCABULARY[100:400:100]))


def crawl(strategy: Auto, marks: tuple[int, ...], sample: int) -> list[tuple[float, float]]:
    """Return milliseconds a page of the strategy and of the parser, before each of some marks."""
    web, topic = Endless(), topic_words()
    strategy.tell([seed_visit([Link(0, 0, web.href(0))], 0.0)])
    found = []
    for mark in marks:
        own, parsing = deque[float](maxlen=sample), deque[float](maxlen=sample // 8)
        while web.known < mark:
            page, seconds = step(web, strategy, topic)
            own.append(seconds)
            if web.known % 8 == 0:
                parsing.append(parsed(page))
        found.append((1e3 * sum(own) / len(own), 1e3 * sum(parsing) / len(parsing)))
    return found


def step(web: Endless, strategy: Auto, topic: Keywords) -> tuple[Page, float]:
    """Fetch a page; return it, and the CPU seconds that the strategy took."""
    start = time.process_time()
    choice = strategy.ask(1, frozenset())[0]
    asked = time.process_time() - start
    page = web.page(choice)
    visit = Visit(page, relevance := topic.relevance(page), relevance >= topic.threshold)
    start = time.process_time()
    strategy.tell([visit])
    return page, asked + time.process_time() - start


def parsed(page: Page) -> float:
    """Return the CPU seconds that parsing a page takes."""
    html = render(page.document, page.links.outlinks)
    start = time.process_time()
    parse(html, page.href)
    return time.process_time() - start


def run() -> bool:
    """Measure a crawl as it grows."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)  # as a crawl from the command line has them
    found = crawl(Auto(topic_words()), MARKS, SAMPLE)
    for mark, (own, parsing) in zip(MARKS, found, strict=True):
        print(
            f"   {mark:,} known links: {own:.2f} ms a page, {own / parsing:.2f} of parsing it"
            f" ({parsing:.2f} ms)"
        )
    _, (own, _), (later, _) = found
    met = verdict("auto with 300,000 known links, against 100,000", later / own, FLAT)
    met &= verdict("auto with 100,000 known links", own, AIM_MS, "ms a page")
    others = {
        "the same without words of a topic": Auto(NoTopic()),
        "the same after news": Auto(topic_words(), new_within=NEWS_WITHIN),
    }
    for name, strategy in others.items():
        [(own, _)] = crawl(strategy, MARKS[1:2], SAMPLE)
        met &= verdict(name, own, AIM_MS, "ms a page")
    return met
