"""What becomes of the claims of the spider paper."""

from __future__ import annotations

import numpy as np

from foragers.evaluation.tables import Verdict
from foragers.papers.claims import less, more
from foragers.papers.spider.experiment import Experiment, named
from foragers.papers.spider.numbers import BREADTH_FIRST, FULL_PAGE, IMMEDIATE, RELATED, future
from foragers.papers.spider.tables import factor

EARLY, MIDDLE, LATE = 0.1, 0.3, 0.75


def followed(found: Experiment, spider: str, share: float | None = None) -> list[float]:
    """Return the percentages of links followed; a crawl that never got there counts as 100."""
    values: list[float] = np.nan_to_num(found.followed(spider, share), nan=100.0).tolist()
    return values


def verdicts(found: Experiment) -> list[Verdict]:
    """Judge the claims that are made of such a world."""
    return [*(many if found.has_many else single)(found), *accuracy(found)]


def many(found: Experiment) -> list[Verdict]:
    """Judge what is said of department sites."""
    where = found.title
    three, one = named(future(3), FULL_PAGE), named(IMMEDIATE, FULL_PAGE)
    related = named(future(3), RELATED)
    return [
        threefold(found, three),
        less(
            "RL Future finds the first 10 % sooner than RL Immediate (full-page)",
            followed(found, three, EARLY),
            followed(found, one, EARLY),
            world=where,
        ),
        less(
            "RL Immediate is the faster one later, at 75 % (full-page)",
            followed(found, one, LATE),
            followed(found, three, LATE),
            world=where,
        ),
        less(
            "Related text finds the first 30 % sooner than full-page (RL Future)",
            followed(found, related, MIDDLE),
            followed(found, three, MIDDLE),
            world=where,
        ),
        less(
            "Full-page text is the faster one later, at 75 % (RL Future)",
            followed(found, three, LATE),
            followed(found, related, LATE),
            world=where,
        ),
    ]


def threefold(found: Experiment, spider: str) -> Verdict:
    """Judge whether a spider follows a third of breadth-first's links."""
    times = factor(found, spider)
    means = [np.mean(followed(found, name)) for name in (spider, BREADTH_FIRST)]
    told = f"{means[0]:.1f} % against {means[1]:.1f} % of the links, a factor of {times:.1f}"
    claim = "RL Future is three times as efficient as Breadth-First at 75 %"
    reason = f"over {len(found.sites)} sites; the paper: 14 and 43"
    return Verdict(claim, times >= 3, told, reason, found.title)


def single(found: Experiment) -> list[Verdict]:
    """Judge what is said of company sites, where one page is wanted."""
    where = found.title
    bins = {many: followed(found, named(future(many), RELATED)) for many in (3, 4, 5)}
    one, plain = followed(found, named(IMMEDIATE, RELATED)), followed(found, BREADTH_FIRST)
    return [
        less(
            "RL Future (4 bins) follows fewer links than Breadth-First", bins[4], plain, world=where
        ),
        less("RL Future (4 bins) follows fewer links than RL Immediate", bins[4], one, world=where),
        less("RL Immediate follows fewer links than Breadth-First", one, plain, world=where),
        four_best(where, bins),
    ]


def four_best(where: str, bins: dict[int, list[float]]) -> Verdict:
    """Judge whether four bins do better than three and than five, both beyond chance."""
    tests = [less("", bins[4], bins[many]) for many in (3, 5)]
    against = [test.holds for test in tests]
    holds = False if False in against else (True if None not in against else None)
    # Both must hold, so the weaker of the two tests decides.
    ps = [test.p for test in tests if test.p is not None]
    means = ", ".join(f"{many} bins {np.mean(found):.1f} %" for many, found in bins.items())
    return Verdict(
        "Four bins are the best number", holds, means, "paired t-tests of 4 with 3 and 5",
        where, max(ps, default=None),
    )  # fmt: skip


def accuracy(found: Experiment) -> list[Verdict]:
    """Judge what is said of the classifiers."""
    known = {(one.text, one.bins): one for one in found.accuracies}
    if not known:
        return []
    text = FULL_PAGE if found.has_many else RELATED
    two, three, four = (known[text, bins] for bins in (2, 3, 4))
    where = f"{found.title}, {text}"
    return [
        more("Two bins are told better than four", two.right, four.right, world=where),
        more(
            "Three bins, mapped onto two, tell these better than two bins do",
            three.right_of_two,
            two.right_of_two,
            world=where,
        ),
        more(
            "Four bins, mapped onto two, tell these better than two bins do",
            four.right_of_two,
            two.right_of_two,
            world=where,
        ),
    ]
