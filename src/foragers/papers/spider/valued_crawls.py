"""Crawls of a site by values of its links that were computed beforehand.

The promise of a link follows from its text and a model that does not change.  So a variant of the
text, or of the model, can be crawled with without a spider of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import times
from foragers.core.loop import Crawl
from foragers.core.types import NO_PARENT, Choice, HostId, UrlId, Visit
from foragers.evaluation.metrics import harvest
from foragers.frontier.frontier import Frontier
from foragers.papers.spider.sites import SiteRun, SpiderSite, study_of
from foragers.storage.ledger.memory import MemoryLedger
from foragers.text.bayes import posteriors
from foragers.text.link_counts import FINEST, bins_of
from foragers.training.lesson import Lesson
from foragers.training.link_examples import Ints, LinkExamples, sources_and_targets
from foragers.training.validation import bin_scores
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded

Floats = NDArray[np.float64]

SEED_VALUE = 3.0
"""More than any link is worth, which is at most the sum of all discounts, 2."""


@dataclass(slots=True)
class ValuedLinks:
    """Follows the known link of the highest value, given for pairs of pages and targets."""

    values: Mapping[tuple[UrlId, UrlId], float]
    frontier: Frontier = field(default_factory=Frontier)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose the n links of the highest value on open hosts."""
        return self.frontier.pop(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Queue each link by its value."""
        for visit in visits:
            page, links = visit.page, visit.page.links
            self.frontier.fetched(page)
            is_seed, depth = page.choice.url == NO_PARENT, page.choice.depth + 1
            for url, host in zip(links.targets.tolist(), links.hosts.tolist(), strict=True):
                value = SEED_VALUE if is_seed else self.values[page.final, url]
                self.frontier.push(url, host, value, page.final, depth)


def values_of(
    examples: LinkExamples, site: int, bags: Sequence[str], shrink: float = 0.0
) -> tuple[Ints, Floats]:
    """Return the links of a site, and the value of each by the links of all other sites."""
    here = examples.sites == site
    links, others = np.flatnonzero(here), np.flatnonzero(~here)
    bins = bins_of(examples.values[others])
    counts = {bag: examples.counted(bag, others, bins, FINEST) for bag in bags}
    held = np.bincount(bins, minlength=FINEST)
    there, scores = bin_scores(examples, links, counts, held, FINEST, shrink)
    worth = np.bincount(bins, examples.values[others], minlength=FINEST)[there] / held[there]
    return links, times(posteriors(scores), worth)


def crawl_by_values(
    lesson: Lesson, site: SpiderSite, links: Ints, values: Floats, name: str
) -> SiteRun:
    """Crawl a site, always to the link of the highest value."""
    sources, targets = sources_and_targets(lesson)
    valued: dict[tuple[UrlId, UrlId], float] = {}
    pairs = zip(sources[links].tolist(), targets[links].tolist(), strict=True)
    for pair, value in zip(pairs, values.tolist(), strict=True):
        valued[pair] = max(value, valued.get(pair, value))
    rewards = np.array(site.rewards, np.int32)
    study = study_of(lesson.archive, lesson.sites == site.number, site.seeds, rewards)
    known = len(np.unique(study.archive.targets)) + len(site.seeds)
    ledger = MemoryLedger()
    work = Crawl(ValuedLinks(valued), Budget(Recorded(study.archive), known), study.judge, ledger)
    work.begin()
    work.run()
    facts = ledger.facts()
    found = harvest.found(facts, study.truth)[facts.parents >= 0]
    return SiteRun(site.name, name, found, max(len(found), 1), len(site.rewards))
