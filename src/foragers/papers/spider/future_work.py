"""What the spider paper leaves to future work, each with its effect on bins and on crawls.

How much text around a link is read, with the width that does best on the other sites; the tags that
a link stands in as one more bag; and the counts of five bins shrunk towards those of all bins
without immediate reward.  The bins are told by naive Bayes on sites that were left out of training,
and these sites are crawled by the values that follow from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foragers.evaluation.metrics.significance import paired
from foragers.evaluation.tables import Cell, Measured, Table, number
from foragers.papers.request import Progress
from foragers.papers.spider.sites import SpiderSite, share_wanted
from foragers.papers.spider.valued_crawls import crawl_by_values, values_of
from foragers.text.link_text import NEAR, TEXTS
from foragers.training.lesson import Lesson
from foragers.training.link_examples import ExampleReader, LinkExamples
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
    """The accuracy of each variant, and the % of links its crawls followed, a value a site."""

    title: str
    found: Mapping[str, Accuracy]
    followed: Mapping[str, Sequence[float]]


def effects(lesson: Lesson, sites: Sequence[SpiderSite], progress: Progress) -> Effects:
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
            found[shrunk_by(shrink)] = one
    return Effects(lesson.name, found, crawls(lesson, sites, examples, progress))


def shrunk_by(words: float) -> str:
    """Return the name of the variant with shrunk counts."""
    return f"counts shrunk by {words:,.0f} words"


def crawls(
    lesson: Lesson, sites: Sequence[SpiderSite], examples: LinkExamples, progress: Progress
) -> dict[str, list[float]]:
    """Return the % of links that each variant followed on each site, trained on the others."""
    bags = variants()
    work = {name: (bags[name], 0.0) for name in bags}
    work |= {shrunk_by(words): (bags[PLAIN], words) for words in SHRINKS}
    share = share_wanted(len(site.rewards) for site in sites)
    found: dict[str, list[float]] = {name: [] for name in work}
    with progress(f"{lesson.name}: crawling by variants", len(sites)) as meter:
        for done, site in enumerate(sites, 1):
            for name, (some, shrink) in work.items():
                links, values = values_of(examples, site.number, some, shrink)
                run = crawl_by_values(lesson, site, links, values, name)
                followed = run.share_followed(share)
                found[name].append(100.0 if followed is None else 100 * followed)
            meter(done, site.name)
    widths = np.array([found[name] for name in bags if name != TAGS])
    best = best_elsewhere(-widths)
    found[CHOSEN] = [float(widths[width, site]) for site, width in enumerate(best)]
    return found


def best_elsewhere(values: NDArray[np.float64]) -> list[int]:
    """Return for each site (a column) the row with the highest mean on all other sites."""
    sites = range(values.shape[1])
    return [int(np.argmax(np.delete(values, site, axis=1).mean(axis=1))) for site in sites]


def chosen(widths: Sequence[Accuracy]) -> Accuracy:
    """Return for each site the accuracy with the width that is best on the others."""
    best = best_elsewhere(np.array([one.right for one in widths]))
    sites = range(len(best))
    return Accuracy(
        CHOSEN,
        BINS,
        tuple(widths[best[site]].right[site] for site in sites),
        tuple(widths[best[site]].right_of_two[site] for site in sites),
        widths[max(set(best), key=best.count)].recall,
    )


def effect(ours: Sequence[float], plain: Sequence[float], is_plain: bool) -> tuple[Cell, ...]:
    """Return the mean difference to the plain variant, its interval and its p."""
    if is_plain:
        return (None, None, None)
    found = paired(ours, plain)
    told = "–"
    if found.low is not None and found.high is not None:
        told = f"{number(found.low)} to {number(found.high)}"
    return found.mean, told, None if found.p is None else f"{found.p:.2g}"


def effects_table(found: Effects) -> Table:
    """Return each variant with its effect and the interval of that."""
    rows: list[tuple[Cell, ...]] = []
    plain = found.found.get(PLAIN)
    for name, one in found.found.items():
        assert plain is not None
        rows.append(
            (
                name,
                Measured.of(100 * share for share in one.right),
                *effect([100 * v for v in one.right], [100 * v for v in plain.right], one is plain),
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


def crawls_table(found: Effects) -> Table:
    """Return how many links the crawls of each variant followed, with the effect."""
    rows: list[tuple[Cell, ...]] = []
    plain = found.followed[PLAIN]
    for name, one in found.followed.items():
        rows.append((name, Measured.of(one), *effect(one, plain, one is plain)))
    return Table(
        f"future-crawls-{found.title}",
        f"{found.title}: crawls with the paper's future work, five bins",
        ("variant", "links followed %", "effect", "95 %", "p"),
        rows,
        "Crawls of the sites left out, to the same goal as above. Effect: more (−: fewer) links,"
        " paired by site; p is not corrected. Width: for each site the one with which the other"
        " sites were crawled best.",
    )
