"""How good estimates, stops and plans are, on webs that they were not fitted on.

For each recorded web the laws are fitted anew on all the others.  Generated webs are only tested
on.  At the end stand the laws fitted on all recorded webs, which are in the package
(`foragers.evaluation.metrics.fitted`).  `stopping_crawls` says which webs are crawled, and how;
FORAGERS_PROCESSES is how many are crawled at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np

from benchmarks.stopping_crawls import OWN, Crawled, Look, crawled, tasks
from benchmarks.stopping_law import (
    Rule,
    by_formula,
    fitted,
    fitted_plans,
    plan_cases,
    stop,
    usable,
)
from benchmarks.stopping_rules import by_chao, knee, last_as_sample, quiet_half
from foragers.evaluation.metrics.fitted import BY_STRATEGY, FITTED, PLANS, law_of
from foragers.evaluation.metrics.laws import Law
from foragers.evaluation.metrics.plan import PlanLaw, plan
from foragers.evaluation.metrics.recall import FEWEST, LEAST_SURE, combined

SHOWN = (0.1, 0.25, 0.5, 0.75, 1.0)
"""Looks are shown after these shares of a crawl's downloads."""
WANTED = (0.5, 0.8, 0.9, 0.95)
HELD, RIGHT = 0.85, 0.9
"""Least shares of intervals that hold, and of stops at 0.9 that are right, on webs left out."""
GENERATED = "generated"

Laws = dict[str, Law]
RuleFor = Callable[[Crawled], Rule]


def shown(crawl: Crawled) -> list[tuple[float, Look]]:
    """Return a few looks over the whole crawl."""
    last = crawl.looks[-1].downloads
    return [
        (share, min(crawl.looks, key=lambda look: abs(look.downloads - share * last)))
        for share in SHOWN
    ]


def intervals(title: str, crawls: Sequence[Crawled], laws: Laws, by_web: bool) -> float:
    """Print how the intervals held, and return the share that did."""
    print(f"\n| {title} | estimates | given | held | truth above | error | width |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    cases = [(crawl, share, look) for crawl in crawls for share, look in shown(crawl)]
    names = {crawl.web if by_web else f"{share:.0%}" for crawl, share, _ in cases}
    overall = 0.0
    for name in [*sorted(names, key=lambda one: (len(one) * (not by_web), one)), ""]:
        some = [x for x in cases if name in ("", x[0].web if by_web else f"{x[1]:.0%}")]
        told = [measured(look, laws[crawl.web]) for crawl, _, look in some if usable(look)]
        if told:
            held, above, error, width = np.array(told).T
            overall = float(held.mean())
            print(
                f"| {name or 'all'} | {len(told)} | {len(told) / len(some):.0%} | {overall:.0%}"
                f" | {above.mean():.0%} | {np.median(error):.0%} | {np.median(width):.1f} |"
            )
    return overall


def measured(look: Look, law: Law) -> tuple[bool, bool, float, float]:
    """Return whether an interval held, or the truth was above, the error, and the width."""
    told, truth = combined(look.counts, law), look.counts.found + look.left
    assert told.total is not None
    assert told.high is not None
    held = bool(np.floor(told.low) <= truth <= np.ceil(told.high))
    error = abs(told.total - truth) / truth
    return held, bool(truth > np.ceil(told.high)), error, told.high / told.low


def stops(name: str, crawls: Sequence[Crawled], rule: RuleFor, recall: float) -> float:
    """Print a line on how a rule stops crawls, and return the share of stops that were right."""
    ends = [(crawl.reached(recall), stop(crawl, rule(crawl))) for crawl in crawls]
    told = [end for _, end in ends if end]
    reaching = [end for reached, end in ends if reached is not None]
    fired = sum(end is not None for end in reaching)
    right = [one >= recall for one, _ in told]
    cost = [end[1] / reached for reached, end in ends if end and reached]
    recalls = [one for one, _ in told] or [np.nan]
    print(
        f"| {name} | {len(crawls)} | {len(reaching)} | {fired} | {len(told)} | {sum(right)}"
        f" | {np.mean(right) if right else np.nan:.0%} | {np.median(recalls):.0%}"
        f" | {np.quantile(recalls, 0.1):.0%} | {np.median(cost) if cost else np.nan:.2f} |"
    )
    return float(np.mean(right)) if right else 1.0


def stop_table(title: str) -> None:
    """Print the head of a table of stops."""
    columns = "crawls | reach it | of these stopped | stopped in all | right | share right"
    print(f"\n| {title} | {columns} | median recall | lowest tenth | downloads / needed |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")


def formula(laws: Laws, recall: float) -> RuleFor:
    """Return the rule in use, with the law of each web."""
    return lambda crawl: by_formula(laws[crawl.web].enough, max(recall, LEAST_SURE))


def estimate_reaches(laws: Laws, recall: float) -> RuleFor:
    """Return the rule that trusts the bare estimate."""
    return lambda crawl: (
        lambda look: bool(
            usable(look) and (combined(look.counts, laws[crawl.web]).recall or 0) >= recall
        )
    )


def lower_end_reaches(laws: Laws, recall: float) -> RuleFor:
    """Return the rule that waits for the lower end of the interval."""
    return lambda crawl: (
        lambda look: bool(
            usable(look) and (combined(look.counts, laws[crawl.web]).recall_low or 0) >= recall
        )
    )


def compared(crawls: Sequence[Crawled], laws: Laws) -> None:
    """Print how all rules stop crawls at a recall of 0.9."""
    rules: dict[str, RuleFor] = {
        "in use": formula(laws, 0.9),
        "lower end of the interval": lower_end_reaches(laws, 0.9),
        "estimate": estimate_reaches(laws, 0.9),
        "nothing in the last half": quiet_half,
        "knee": knee,
        "Chao": lambda _: by_chao(0.9),
        "last pages as a sample": partial(last_as_sample, recall=0.9),
    }
    stop_table("rule, at 0.9")
    for name, rule in rules.items():
        stops(name, crawls, rule, 0.9)


def plans(title: str, crawls: Sequence[Crawled], laws: dict[str, PlanLaw]) -> None:
    """Print how plans held: shares and numbers of pages."""
    print(f"\n| {title} | plans | share told | held | width | error | pages held | pages width |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    cases = list(plan_cases(crawls))
    kinds: dict[str, Callable[[bool], bool]] = {
        "after 100 downloads": lambda first: first,
        "at a quarter and a half of the budget": lambda first: not first,
        "all": lambda _: True,
    }
    for name, wanted in kinds.items():
        shares, counts, some = [], [], 0
        for one in (case for case in cases if wanted(case.is_first)):
            some += 1
            made = plan(one.look.counts, laws[one.web], one.look.downloads, one.budget, "")
            assert made.pages_low is not None
            assert made.pages_high is not None
            came = one.look.counts.found + one.gained
            held = made.pages_low <= came <= made.pages_high
            counts.append((held, made.pages_high / max(1, made.pages_low)))
            if made.low is not None and made.high is not None and made.share is not None:
                slack = 0.5 / one.total
                held = made.low - slack <= one.share <= made.high + slack
                shares.append((held, made.high - made.low, abs(made.share - one.share)))
        if shares and counts:
            held_shares, width, error = np.array(shares).T
            held_pages, pages_width = np.array(counts).T
            print(
                f"| {name} | {some} | {len(shares) / some:.0%} | {held_shares.mean():.0%}"
                f" | {np.median(width):.2f} | {np.median(error):.2f} | {held_pages.mean():.0%}"
                f" | {np.median(pages_width):.1f} |"
            )


def run() -> bool:
    """Crawl all webs, and tell how estimates, stops and plans turned out."""
    processes = int(os.environ.get("FORAGERS_PROCESSES", os.cpu_count() or 1))
    with TemporaryDirectory() as folder, ProcessPoolExecutor(processes) as pool:
        orders = Path(os.environ.get("FORAGERS_ORDERS", folder))
        scratch = orders if orders.exists() else Path(folder)
        every = list(filter(None, pool.map(partial(crawled, orders=orders), tasks(scratch))))
    crawls = [crawl for crawl in every if crawl.total >= FEWEST]
    made = [crawl for crawl in crawls if crawl.web.startswith(GENERATED)]
    recorded = [crawl for crawl in crawls if not crawl.web.startswith(GENERATED)]
    own = [crawl for crawl in recorded if crawl.strategy == OWN]
    others = [crawl for crawl in recorded if crawl.strategy != OWN]
    in_use = {crawl.web: law_of(OWN) for crawl in made}
    print(f"{len(own)} crawls by {OWN} and {len(others)} by others, of recorded webs")
    good = True
    if own:
        good = reported(own, others)
    intervals("generated web, auto", made, in_use, by_web=True)
    stop_table("--until-recall, generated webs")
    for wanted in WANTED:
        stops(f"{wanted:g}", made, formula(in_use, wanted), wanted)
    if OWN in PLANS:
        plans("generated webs", made, {crawl.web: PLANS[OWN] for crawl in made})
    return good


def reported(own: Sequence[Crawled], others: Sequence[Crawled]) -> bool:
    """Print the tables of recorded webs, and say whether the least shares are reached."""
    webs = sorted({crawl.web for crawl in own})
    laws = {web: fitted([one for one in own if one.web != web]) for web in webs}
    general = {web: fitted([one for one in others if one.web != web]) for web in webs}
    held = intervals("web, auto", own, laws, by_web=True)
    intervals("downloads, auto", own, laws, by_web=False)
    intervals("downloads, other strategies", others, general, by_web=False)
    stop_table("--until-recall, auto")
    right = 1.0
    for wanted in WANTED:
        share = stops(f"{wanted:g}", own, formula(laws, wanted), wanted)
        right = share if wanted == 0.9 else right
    compared(own, laws)
    stop_table("--until-recall, other strategies")
    for wanted in WANTED:
        stops(f"{wanted:g}", others, formula(general, wanted), wanted)
    plan_laws = {web: fitted_plans([one for one in own if one.web != web]) for web in webs}
    plans("auto", own, plan_laws)
    found = {"FITTED": fitted(others), OWN: fitted(own), f"plans, {OWN}": fitted_plans(own)}
    in_use = {"FITTED": FITTED, OWN: BY_STRATEGY.get(OWN), f"plans, {OWN}": PLANS.get(OWN)}
    for name, law in found.items():
        print(f"\n{name}: {msgspec.json.encode(law).decode()}")
        print("   as in the package" if law == in_use[name] else "   the package has another")
    print(f"   intervals that held: {held:.1%}, aim >= {HELD:.0%}")
    print(f"   stops at 0.9 that were right: {right:.1%}, aim >= {RIGHT:.0%}")
    return held >= HELD and right >= RIGHT


if __name__ == "__main__":
    sys.exit(0 if run() else 1)
