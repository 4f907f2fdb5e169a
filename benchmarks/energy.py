"""The energy model with 1,000 agents after 1,000,000 pages, against parsing the same pages.

The history is put in beforehand: ranked relevance, births and deaths, known URLs.  Strategy time
is that of asking and telling, parsing that of the HTML which such pages have.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from benchmarks.timing import verdict
from foragers.core.links import ParsedLinks
from foragers.core.loop import seed_visit
from foragers.core.types import Document, Link, Links, Page, Visit
from foragers.judges.keywords import Keywords
from foragers.parsing.html.parse import parse
from foragers.strategies.population.energy import Energy
from foragers.strategies.population.infospiders import InfoSpiders
from foragers.worlds.generated import generate
from foragers.worlds.html_writer import render
from foragers.worlds.replay import Recorded

AGENTS, HISTORY, PAGES = 1_000, 1_000_000, 3_000
AIM = 1.0


def aged(kind: type[Energy], seeds: Sequence[Link]) -> Energy:
    """Return a population that has seen a million pages."""
    rng = np.random.default_rng(1)
    energy = kind(Keywords("robot sensor actuator"), rng, agents=AGENTS, least=900, most=AGENTS)
    energy.tell([seed_visit(seeds, 0.0)])
    for relevance in rng.beta(0.3, 3, HISTORY).tolist():
        energy.balance.add(relevance)
    for number in range(HISTORY):
        energy.population.events.died(float(number), number, AGENTS)
    for url in range(10**7, 10**7 + HISTORY):
        energy.frontier.take(url)
    return energy


@dataclass(frozen=True)
class Held:
    """The words of a page that was just read."""

    said: Document
    links: ParsedLinks

    def document(self) -> Document:  # noqa: D102
        return self.said

    def outlinks(self) -> ParsedLinks:  # noqa: D102
        return self.links


def in_memory(page: Page) -> Page:
    """Return a page with its words at hand, as a parser leaves it: they are not made up again."""
    links = page.links
    content = Held(page.document, ParsedLinks.of(list(links.outlinks)))
    columns = Links(links.targets, links.hosts, links.addresses, content)
    return replace(page, links=columns, content=content)


def measure(kind: type[Energy]) -> float:
    """Print the cost per page of strategy and parser, and return the ratio."""
    archive = generate("topics", seed=1, pages=20_000, links=40)
    world = Recorded(archive, connections=AGENTS)
    energy = aged(kind, world.seeds)
    asked = told = parsed = 0.0
    done = 0
    while done < PAGES:
        start = time.process_time()
        choices = energy.ask(50, set())
        asked += time.process_time() - start
        pages = [in_memory(world.answer(choice)) for choice in choices]
        visits = [Visit(page, energy.topic.likeness(page.document.text), False) for page in pages]
        start = time.process_time()
        energy.tell(visits)
        told += time.process_time() - start
        for page in pages:
            html = render(page.document, page.links.outlinks)
            start = time.process_time()
            parse(html, page.href)
            parsed += time.process_time() - start
        done += len(pages)
        if not pages:
            break
    mine = (asked + told) / max(done, 1)
    print(
        f"   {kind.__name__}: {done:,} pages, {len(energy.population):,} agents:"
        f" strategy {1e6 * mine:.0f} us a page, parsing {1e6 * parsed / max(done, 1):.0f} us"
    )
    return mine / (parsed / max(done, 1))


def run() -> bool:
    """Measure both kinds of agents."""
    plain = verdict("energy model against parsing", measure(Energy), AIM)
    return verdict("InfoSpiders against parsing", measure(InfoSpiders), AIM) and plain
