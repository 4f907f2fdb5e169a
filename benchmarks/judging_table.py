"""How good the decisions of judges are, in tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from benchmarks.judging_topics import FORMS

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Relevance is compared with the truth between these."""


class Outcome(msgspec.Struct, frozen=True):
    """What a judge made of one topic.

    `said` and `true` are the mean relevance and the share of pages with the label, by relevance.
    """

    judge: str
    web: str
    label: str
    form: str
    topic: str
    by_people: bool
    share: float
    passing: float
    f1: float
    f1_last: float
    auc: float
    auc_last: float
    said: list[float | None]
    true: list[float | None]


def f1(has: NDArray[np.bool_], passed: NDArray[np.bool_]) -> float:
    """Return the harmonic mean of precision and recall."""
    right = int((has & passed).sum())
    return 2 * right / int(has.sum() + passed.sum()) if right else 0.0


def auc(has: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """Return how likely a page with the label scores higher than one without."""
    ranks, with_it = rankdata(scores), int(has.sum())
    above = ranks[has].sum() - with_it * (with_it + 1) / 2
    return float(above / (with_it * (len(has) - with_it)))


def bins_of(
    has: NDArray[np.bool_], scores: NDArray[np.float64]
) -> tuple[list[float | None], list[float | None]]:
    """Return what was said and what was true, by relevance; nothing where no page is."""
    places = np.clip(np.searchsorted(EDGES, scores, "right") - 1, 0, len(EDGES) - 2)
    groups = [places == place for place in range(len(EDGES) - 1)]
    said = [float(scores[group].mean()) if group.any() else None for group in groups]
    true = [float(has[group].mean()) if group.any() else None for group in groups]
    return said, true


def tables(outcomes: Sequence[Outcome]) -> list[str]:
    """Return all tables."""
    names, lists = ([one for one in outcomes if one.form == FORMS[at]] for at in (0, -1))
    return [
        *overall(outcomes), "",
        *by("web", outcomes, lambda one: one.web), "",
        *by("label, its name typed", names, labelled), "",
        *by("label, a list typed", lists, labelled), "",
        *calibration(outcomes), "",
    ]  # fmt: skip


def labelled(one: Outcome) -> str:
    """Return a label with its web."""
    return f"{one.web} {one.label}"


def overall(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Give the table by what was typed."""
    yield "| judge | labels | typed | F1 crawling | F1 at the end | AUC crawling | AUC at the end |"
    yield "|---|---|---|--:|--:|--:|--:|"
    for judge in dict.fromkeys(one.judge for one in outcomes):
        own = [one for one in outcomes if one.judge == judge]
        rows: list[tuple[str, str, list[Outcome]]] = [("all", "all ways", own)]
        for by_people, kind in ((True, "by people"), (False, "by rule")):
            for form in FORMS:
                some = [one for one in own if one.by_people is by_people and one.form == form]
                rows.append((kind, form, some))
        for kind, form, some in rows:
            if some:
                yield f"| {judge} | {kind} | {form} | {' | '.join(means(some))} |"


def means(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the means of what is measured."""
    columns = ([one.f1, one.f1_last, one.auc, one.auc_last] for one in outcomes)
    return [f"{mean:.2f}" for mean in np.mean(list(columns), axis=0)]


def by(title: str, outcomes: Sequence[Outcome], key: Callable[[Outcome], str]) -> Iterator[str]:
    """Give the F1 of each judge by web or label."""
    judges = list(dict.fromkeys(one.judge for one in outcomes))
    yield f"| {title} | have it | {' | '.join(f'{judge}: F1, AUC, pass' for judge in judges)} |"
    yield f"|---|--:|{'--:|' * len(judges)}"
    for name in dict.fromkeys(map(key, outcomes)):
        own = [one for one in outcomes if key(one) == name]
        cells = []
        for judge in judges:
            some = [(one.f1, one.auc, one.passing) for one in own if one.judge == judge]
            decided, ordered, passing = np.mean(some, axis=0)
            cells.append(f"{decided:.2f}, {ordered:.2f}, {passing:.1%}")
        share = float(np.mean([one.share for one in own]))
        yield f"| {name} | {share:.1%} | {' | '.join(cells)} |"


def calibration(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Give, by relevance, what was said and what was true, on the mean over topics."""
    spans = [f"{low:g} to {high:g}" for low, high in pairwise(EDGES)]
    yield f"| relevance said → true | {' | '.join(spans)} |"
    yield f"|---|{'--:|' * len(spans)}"
    for judge in dict.fromkeys(one.judge for one in outcomes):
        own = [one for one in outcomes if one.judge == judge]
        cells = []
        for place in range(len(spans)):
            pairs = [
                (said, true)
                for one in own
                if (said := one.said[place]) is not None and (true := one.true[place]) is not None
            ]
            said, true = np.mean(pairs, axis=0) if pairs else (np.nan, np.nan)
            cells.append(f"{said:.2f} → {true:.2f}" if pairs else "–")
        yield f"| {judge} | {' | '.join(cells)} |"
