"""Stop rules of other authors, to compare with; each is as its paper has it, for the web as list.

- *Knee* (Cormack and Grossman, SIGIR 2016): stop when the curve of finds bends sharply enough.
- *Chao*: stop when what was found is enough of Chao's lower bound for all there is (1984).
- *Last pages as a sample* (Callaghan and Müller-Hansen 2020, `buscarpy`): the last pages, however
  many, are taken as a random sample of those that were left; stop when the hypergeometric test
  rejects that the recall is too low.
- *Nothing in the last half*: no relevant page in the second half of the downloads.

The target method (Cormack and Grossman 2016) and QBCB (Lewis, Yang and Frieder 2021) need a random
sample of all pages beforehand.  A crawler cannot draw one: it does not know the pages yet.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import hypergeom

from benchmarks.stopping_crawls import Crawled, Look
from benchmarks.stopping_law import Rule, usable

KNEE_BASE, KNEE_CAP, FIRST_LOOK = 156, 150, 100
CONFIDENCE = 0.95
MOST_STARTS = 12
"""At how many places the sample of the last pages may begin; CPU."""


def knee(crawl: Crawled) -> Rule:
    """Stop when the slope before the bend is 156 − min(found, 150) times the slope after it."""

    def bent(look: Look) -> bool:
        at = crawl.found_at[crawl.found_at <= look.downloads]
        if not len(at):
            return False
        ranks, found = at, np.arange(1, len(at) + 1)
        distance = found / len(at) - ranks / look.downloads
        place = int(np.argmax(distance))
        before = found[place] / ranks[place]
        after = (len(at) - found[place] + 1) / max(1, look.downloads - ranks[place])
        return bool(before / after >= KNEE_BASE - min(found[place], KNEE_CAP))

    return bent


def by_chao(recall: float) -> Rule:
    """Stop when what was found is this share of Chao's lower bound."""
    return lambda look: usable(look) and look.counts.found >= recall * look.chao.value


def last_as_sample(crawl: Crawled, recall: float) -> Rule:
    """Stop when the last pages are too poor a sample of what was left for a lower recall."""

    def rejected(look: Look) -> bool:
        at = crawl.found_at[crawl.found_at <= look.downloads]
        if not len(at) or look.downloads < FIRST_LOOK:
            return False
        left = look.counts.waiting - look.counts.silent
        places = np.linspace(0, len(at) - 1, min(len(at), MOST_STARTS)).astype(int)
        starts = np.unique(np.append(0, at[places]))
        before = np.searchsorted(at, starts, side="right")
        sample = look.downloads - starts
        missed = np.floor(len(at) / recall + 1) - before
        tested = hypergeom.cdf(len(at) - before, left + sample, missed, sample)
        chances = np.asarray(tested, np.float64)
        return bool(np.nanmin(chances[sample > 0], initial=1.0) < 1 - CONFIDENCE)

    return rejected


def quiet_half(crawl: Crawled) -> Rule:
    """Stop when the second half of the downloads found nothing."""

    def quiet(look: Look) -> bool:
        late = crawl.found_at[crawl.found_at <= look.downloads] > look.downloads / 2
        return usable(look) and look.downloads >= FIRST_LOOK and not late.any()

    return quiet
