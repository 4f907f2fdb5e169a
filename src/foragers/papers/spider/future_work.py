"""What the spider paper leaves to future work, each with its effect on telling bins apart.

Measured like its accuracies, by naive Bayes on sites that were left out of training: how much text
around a link is read, with the width that does best on the other sites; the tags that a link
stands in as one more bag; and the counts of five bins shrunk towards those of all bins without
immediate reward.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from foragers.evaluation.metrics.significance import paired
from foragers.evaluation.tables import Cell, Measured, Table
from foragers.papers.claims import signed
from foragers.papers.request import Progress
from foragers.text.link_text import NEAR, TEXTS
from foragers.training.lesson import Lesson
from foragers.training.link_examples import ExampleReader
from foragers.training.validation import Accuracy, accuracies

BINS = 5
PLAIN = "related text, as it is"
WIDTHS = (0, 60, 240)
"""Characters around a link that are tried beside the usual 120."""
SHRINKS = (100.0, 1000.0)
CHOSEN = "width chosen on the other sites"
TAGS = "with the tag path as a bag"
RELATED = TEXTS["related"]


def variants() -> dict[str, tuple[str, ...]]:
    """Return the bags of each variant by name."""
    own = tuple(bag for bag in RELATED if bag != "near")
    widths = {f"{letters} characters around": (*own, f"{NEAR}{letters}") for letters in WIDTHS}
    return {PLAIN: RELATED, **widths, TAGS: (*RELATED, "path")}


@dataclass(frozen=True)
class Effects:
    """The accuracy of each variant, a value a site."""

    title: str
    found: Mapping[str, Accuracy]


def effects(lesson: Lesson, progress: Progress) -> Effects:
    """Measure all variants on one world."""
    bags = variants()
    reader = ExampleReader(list(dict.fromkeys(bag for some in bags.values() for bag in some)))
    with progress(f"{lesson.name}: reading links again", len(lesson.pages)) as meter:
        reader.read(lesson, meter)
    examples = reader.examples()
    told = [one for one in accuracies(examples, list(bags), bags) if one.bins == BINS]
    found = {one.text: one for one in told}
    if found:
        found[CHOSEN] = chosen([found[name] for name in found if name != TAGS])
        for shrink in SHRINKS:
            (one,) = (
                one for one in accuracies(examples, [PLAIN], bags, shrink) if one.bins == BINS
            )
            found[f"counts shrunk by {shrink:,.0f} words"] = one
    return Effects(lesson.name, found)


def chosen(widths: Sequence[Accuracy]) -> Accuracy:
    """Return for each site the accuracy with the width that is best on the others."""
    right = np.array([one.right for one in widths])
    sites = range(right.shape[1])
    best = [int(np.argmax(np.delete(right, site, axis=1).mean(axis=1))) for site in sites]
    return Accuracy(
        CHOSEN,
        BINS,
        tuple(widths[best[site]].right[site] for site in sites),
        tuple(widths[best[site]].right_of_two[site] for site in sites),
        widths[max(set(best), key=best.count)].recall,
    )


def effects_table(found: Effects) -> Table:
    """Return each variant with its effect and the interval of that."""
    rows: list[tuple[Cell, ...]] = []
    plain = found.found.get(PLAIN)
    for name, one in found.found.items():
        assert plain is not None
        difference = paired([100 * v for v in one.right], [100 * v for v in plain.right])
        told = "–"
        if difference.low is not None and difference.high is not None:
            told = f"{signed(difference.low)} to {signed(difference.high)}"
        rows.append(
            (
                name,
                Measured.of(100 * share for share in one.right),
                None if one is plain else difference.mean,
                None if one is plain else told,
                None if one is plain or difference.p is None else f"{difference.p:.2g}",
                Measured.of(100 * share for share in one.right_of_two),
                Measured.of(100 * share for share in one.recall),
            )
        )
    return Table(
        f"future-work-{found.title}",
        f"{found.title}: the paper's future work, five bins",
        ("variant", "right %", "effect", "95 %", "p", "of two %", "recall %"),
        rows,
        "Naive Bayes on links of sites left out. Effect: on the share put into its own bin, paired"
        " by site; p is not corrected. Width: for each site the one that is best on the others.",
    )
