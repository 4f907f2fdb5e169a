"""LAFC beside the algorithm of section 3.2 written down once more, in plain dictionaries."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foragers.core.loop import Crawl
from foragers.core.models import Model
from foragers.core.types import Page, Status
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.automata.lafc import Lafc
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded
from support.worlds_by_hand import small_world

START = "the seeds"


@dataclass
class Book:
    """The automata of a topic: chances of links, best similarity and best link of documents."""

    a: float
    b: float
    control: float
    literal: bool
    beyond: bool
    chances: dict[str, dict[str, float]] = field(default_factory=dict)
    tau: dict[str, float] = field(default_factory=dict)
    best: dict[str, str] = field(default_factory=dict)
    asleep: dict[str, dict[str, float]] = field(default_factory=dict)

    def meet(self, document: str, links: list[str]) -> None:
        """Bring the action set of a document up to date, link by link (7, 8)."""
        p = self.asleep.pop(document, None) or self.chances.get(document)
        if not links:
            # There is nothing to scale: it is as if the page had not been seen.
            self.asleep[document], self.chances[document] = p or {}, {}
            return
        if not p:
            self.chances[document] = {link: 1 / len(links) for link in links}
            return
        for gone in [link for link in p if link not in links]:
            share = p.pop(gone)
            for link in p:
                p[link] *= 1 + share / (1 - share) if share < 1 else 1
            if self.best.get(document) == gone:
                del self.best[document], self.tau[document]
        for link in links:
            if link not in p:
                n = len(p) + 1
                for old in p:
                    p[old] *= (n - 1) / n
                p[link] = 1 / n
        self.chances[document] = {link: p[link] for link in links}

    def learn(self, document: str, enabled: list[str], link: str, similarity: float | None) -> None:
        """Reward or penalise a link among the enabled ones (1, 2, 3, 6)."""
        p, best = self.chances[document], self.tau.get(document, 0.0)
        k = sum(p[one] for one in enabled)
        scaled = {one: p[one] / k for one in enabled}
        if similarity is not None and similarity >= best:
            self.tau[document], self.best[document] = similarity, link
            after = {one: (1 - self.a) * scaled[one] for one in enabled}
            after[link] += self.a
        elif len(enabled) > 1:
            others = self.b / (len(enabled) - 1)
            after = {one: others + (1 - self.b) * scaled[one] for one in enabled}
            after[link] -= others
        else:
            after = scaled
        p.update({one: after[one] * k for one in enabled})

    def crawl(
        self,
        web: dict[str, list[str]],
        seeds: list[str],
        similarity: dict[str, float],
        rng: np.random.Generator,
        budget: int,
    ) -> list[str]:
        """Return the pages in the order in which they are fetched."""
        visited: list[str] = []
        aside: list[tuple[float, int, str]] = []
        self.meet(START, seeds)
        stack, here = [START], START
        while len(visited) < budget:
            enabled = [link for link in self.chances[here] if link not in visited]
            if not enabled:
                if not self.literal:
                    stack.pop()
                if not stack and any(seed not in visited for seed in seeds):
                    stack.append(START)
                while not stack and self.beyond and aside:
                    aside.sort()
                    _, _, document = aside.pop(0)
                    if any(link not in visited for link in self.chances[document]):
                        stack.append(document)
                if not stack:
                    break
                here = stack.pop() if self.literal else stack[-1]
                continue
            weights = np.array([self.chances[here][link] for link in enabled])
            link = enabled[int(np.searchsorted(np.cumsum(weights) / weights.sum(), rng.random()))]
            visited.append(link)
            there = link in web
            self.learn(here, enabled, link, similarity.get(link, 0.0) if there else None)
            if there:
                self.meet(link, list(dict.fromkeys(web[link])))
                only = here == START and (len(seeds) == 1 or not self.beyond)
                if similarity.get(link, 0.0) >= self.control or only:
                    stack.append(link)
                    here = link
                    continue
                aside.append((-similarity.get(link, 0.0), len(visited), link))
            if stack:
                here = stack.pop() if self.literal else stack[-1]
            elif self.literal:
                # Nothing to go back to: let the search above find the next.
                here = EMPTY
        return visited

    def __post_init__(self) -> None:
        self.chances[EMPTY] = {}


EMPTY = "nothing"


@dataclass
class ByTable:
    similarity: dict[str, float]
    threshold: float = 0.75

    def relevance(self, page: Page) -> float:
        return self.similarity.get(page.document.title, 0.0) if page.status is Status.OK else 0.0


def names(count: int) -> list[str]:
    return [f"p{number}" for number in range(count)]


def some_web(rng: np.random.Generator, pages: int) -> dict[str, list[str]]:
    """Return a web with dead ends, links to oneself, links told twice and links to nowhere."""
    known = [*names(pages), "gone", "lost"]
    return {
        name: [known[at] for at in rng.integers(len(known), size=rng.integers(0, 7))]
        for name in names(pages)
    }


def some_similarity(rng: np.random.Generator, pages: int) -> dict[str, float]:
    # Thresholds are kept in single precision: sixteenths are the same in both.
    return {name: int(rng.integers(17)) / 16 for name in names(pages)}


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    a=st.sampled_from([0.05, 0.09, 0.5]),
    b=st.sampled_from(["inaction", "penalty", "epsilon"]),
    literal=st.booleans(),
    beyond=st.booleans(),
    several=st.booleans(),
)
def test_walks_and_automata_are_those_of_the_paper_crawl_after_crawl(
    seed: int, a: float, b: str, literal: bool, beyond: bool, several: bool
) -> None:
    chance = np.random.default_rng(seed)
    penalty = {"inaction": 0.0, "penalty": a, "epsilon": a / 10}[b]
    book = Book(a, penalty, 0.6, literal, beyond)
    pages = int(chance.integers(3, 14))
    seeds = names(3) if several else ["p0"]
    model: Model | None = None
    for crawl in range(4):
        # Every crawl finds other links and other words than the one before.
        web, similarity = some_web(chance, pages), some_similarity(chance, pages)
        budget = int(chance.integers(1, 2 * pages))
        expected = book.crawl(web, seeds, similarity, np.random.default_rng(crawl), budget)
        archive = small_world(web, seeds=seeds)
        strategy = Lafc(
            np.random.default_rng(crawl), model, a, penalty, 0.6, literal=literal, beyond=beyond
        )
        ledger = MemoryLedger()
        work = Crawl(strategy, Budget(Recorded(archive), budget), ByTable(similarity), ledger)
        work.begin()
        work.run()
        found = [archive.book.href(visit.url).rpartition("/")[2] for visit in ledger.read()]
        assert found == expected
        for name in expected:
            number = strategy.automata.find(archive.book.find(f"http://site.test/{name}") or 0)
            if web.get(name):
                links = book.chances[name]
                assert strategy.automata.probabilities(number) == pytest.approx(
                    list(links.values()), abs=1e-5
                )
                assert strategy.automata.threshold(number) == book.tau.get(name, 0.0)
        model = strategy.learned(archive.book)
