"""What `automata` claims, and what became of it."""

from __future__ import annotations

import numpy as np

from foragers.evaluation.tables import Verdict
from foragers.papers.automata.crawls import MARKS, AutomataResults, last_precisions
from foragers.papers.automata.numbers import BPM, CRAWLERS, HW, LAFC, LJM, UNTRAINED
from foragers.papers.automata.tables import settled
from foragers.papers.claims import less, more


def claims(results: AutomataResults) -> list[Verdict]:
    """Judge all claims but that of convergence."""
    return [
        *precision_claims(results),
        *recall_claims(results),
        *time_claims(results),
        *calibration_claims(results),
        *learning_claims(results),
    ]


def precision_claims(results: AutomataResults) -> list[Verdict]:
    """Judge who finds more, at the end and at first, and that precision falls."""
    found = [
        more(
            f"LAFC is more precise than {other}{when}",
            results.precisions(LAFC, mark),
            results.precisions(other, mark),
        )
        for mark, when in ((MARKS - 1, ""), (0, " in the first tenth"))
        for other in CRAWLERS
        if other != LAFC
    ]
    found += [
        more(
            f"LAFC is more precise than {told}",
            results.precisions(LAFC),
            results.precisions(told),
            "without the model of another web",
        )
        for told in UNTRAINED.values()
        if told in results.crawlers
    ]
    for one, other in ((BPM, HW), (BPM, LJM), (HW, LJM)):
        ours, theirs = results.precisions(one), results.precisions(other)
        found.append(more(f"{one} is more precise than {other}", ours, theirs))
    for crawler in CRAWLERS:
        curves = results.curves(crawler)
        claim = f"The precision of {crawler} falls as the crawl goes on"
        found.append(less(claim, curves[:, -1].tolist(), curves[:, 0].tolist()))
    return found


def recall_claims(results: AutomataResults) -> list[Verdict]:
    """Judge the recall of LAFC."""
    recalls = results.recalls(LAFC)
    others = np.array([results.recalls(name) for name in CRAWLERS if name != LAFC])
    return [
        more("LAFC has a higher recall than any other", recalls, others.max(axis=0).tolist()),
        Verdict(
            "LAFC finds more than 75 % of the pooled relevant pages of every topic",
            min(recalls) > 0.75,
            f"least {min(recalls):.2f}, mean {np.mean(recalls):.2f}",
        ),
    ]


def time_claims(results: AutomataResults) -> list[Verdict]:
    """Judge running times."""
    lafc = results.seconds(LAFC)
    found = [
        less(f"LAFC needs less time than {other}", lafc, results.seconds(other), "CPU time")
        for other in CRAWLERS
        if other != LAFC
    ]
    return [
        *found,
        less(
            "LJM needs less time than BPM", results.seconds(LJM), results.seconds(BPM), "CPU time"
        ),
        less("HW needs less time than BPM", results.seconds(HW), results.seconds(BPM), "CPU time"),
    ]


def calibration_claims(results: AutomataResults) -> list[Verdict]:
    """Judge what control threshold and learning rate do."""
    low, high = min(results.by_control), max(results.by_control)
    slow, fast = min(results.by_rate), max(results.by_rate)
    first, last = results.by_rate[slow], results.by_rate[fast]
    crawls = len(first[0].traces)
    return [
        more(
            f"A higher control threshold is more precise (C = {high:g} against {low:g})",
            last_precisions(results.by_control[high]),
            last_precisions(results.by_control[low]),
        ),
        first_crawl_claim(last_precisions(first), last_precisions(last), slow, fast),
        more(
            f"In crawl {crawls} a lower rate is more precise (a = {slow:g} against {fast:g})",
            last_precisions(first, crawls - 1),
            last_precisions(last, crawls - 1),
        ),
        more(
            f"After {crawls} crawls a higher rate has converged further (a = {fast:g})",
            settled(last, crawls - 1),
            settled(first, crawls - 1),
        ),
        more(
            f"In the first tenth of crawl {crawls} a lower rate is more precise",
            last_precisions(first, crawls - 1, 0),
            last_precisions(last, crawls - 1, 0),
        ),
    ]


def first_crawl_claim(
    slow: list[float], fast: list[float], low_rate: float, high_rate: float
) -> Verdict:
    """Judge that the learning rate matters in a first crawl."""
    claim = "In a first crawl a lower rate is more precise"
    if slow != fast:
        return more(claim, slow, fast)
    return Verdict(
        claim,
        False,
        f"exactly {np.mean(slow):.4f} with a = {low_rate:g} and with a = {high_rate:g}",
        "a link is chosen at most once, and to reward one leaves the others in proportion",
    )


def learning_claims(results: AutomataResults) -> list[Verdict]:
    """Judge that later crawls are better for what earlier ones learned."""
    last = len(results.apart[0].traces) - 1
    found = []
    for rate, outcomes in results.in_turn.items():
        for mark, when in ((0, "in its first tenth"), (MARKS - 1, "at its end")):
            claim = f"Crawl {last + 1} is better {when} for what was learned (a = {rate:g})"
            learned = last_precisions(outcomes, last, mark)
            found.append(more(claim, learned, last_precisions(results.apart, last, mark)))
    return found
