"""The tables of the spider's exhibits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foragers.evaluation.tables import Cell, Measured, Table
from foragers.papers.spider.experiment import ALONE, ONLINE, Experiment, named, spiders
from foragers.papers.spider.numbers import (
    ACCURACY,
    AT_75,
    BREADTH_FIRST,
    FULL_PAGE,
    IMMEDIATE,
    MAPPED,
    OPTIMAL,
    RECALL,
    RELATED,
    TABLE_1,
    TABLE_2,
    future,
)
from foragers.training.spider import words_table

EARLY = (0.05, 0.1, 0.3)
"""Shares of the wanted pages that are found early in a crawl."""


def measured(values: Sequence[float]) -> Cell:
    """Return the mean and deviation over sites; a crawl that never got there counts as 100."""
    return Measured.of(np.nan_to_num(values, nan=100.0)) if len(values) else None


def factor(found: Experiment, spider: str) -> float:
    """Return how many times as many links breadth-first follows, by the means over sites."""
    ours = np.nan_to_num(found.followed(spider), nan=100.0).mean()
    return float(np.nan_to_num(found.followed(BREADTH_FIRST), nan=100.0).mean() / max(ours, 1e-9))


def followed_table(found: Experiment) -> Table:
    """Return how many links each spider follows: Table 1, or the links to 75 % of the papers."""
    rows = []
    for name in spiders():
        plain, _, rest = name.partition(", ")
        text, _, how = rest.partition(", ")
        rows.append(
            (
                plain if not how else f"{plain}, {how}",
                text,
                measured(found.followed(name)),
                factor(found, name),
                None if how else paper_of(found, plain, text),
            )
        )
    rows.sort(key=lambda row: row[2].mean if isinstance(row[2], Measured) else 100.0)
    what = "75 % of the wanted pages are" if found.has_many else "the first wanted page is"
    title = f"{found.title}: % of links followed before {what} found"
    if not found.has_many:
        title = f"Table 1, {title}"
    note = (
        f"Mean and deviation over {len(found.sites)} sites, each crawled by spiders that were"
        " trained on the others. 100 %: every URL that links within the site lead to, each"
        " counted once. online: learns on; no model: learns from this crawl alone; words"
        " limited: long texts count less, as `spider` has it unless told otherwise."
    )
    columns = ("spider", "text", "ours %", "factor over breadth-first", "paper %")
    return Table(f"links-{found.title}", title, columns, rows, note)


def paper_of(found: Experiment, spider: str, text: str) -> Cell:
    """Return what the paper says of a spider on a world of this kind."""
    if found.has_many:
        return AT_75.get(spider) if text in ("", FULL_PAGE) else None
    return TABLE_1.get(spider) if text in ("", RELATED) else None


def early_table(found: Experiment) -> Table:
    """Return how many links are followed before the first wanted pages are found."""
    names = [name for name in spiders() if not name.endswith((ONLINE, ALONE))]
    rows = [
        (name, *(measured(found.followed(name, share)) for share in (*EARLY, 0.75, 0.95)))
        for name in names
    ]
    columns = ("spider", *(f"{100 * share:g} % found" for share in (*EARLY, 0.75, 0.95)))
    title = f"{found.title}: % of links followed before a share of the wanted pages is found"
    return Table(f"early-{found.title}", title, columns, rows)


def accuracy_table(found: Experiment) -> Table:
    """Return how well bins are told on sites that were left out of training."""
    paper = found.has_many
    rows = []
    for one in found.accuracies:
        full = paper and one.text == FULL_PAGE
        rows.append(
            (
                one.text,
                one.bins,
                Measured.of(100 * share for share in one.right),
                ACCURACY.get(one.bins) if full else None,
                Measured.of(100 * share for share in one.right_of_two),
                MAPPED.get(one.bins) if full else None,
                Measured.of(100 * share for share in one.recall),
                RECALL.get((one.text, one.bins)) if paper else None,
            )
        )
    columns = ("text", "bins", "right %", "paper", "of two %", "paper ", "recall %", "paper  ")
    title = f"{found.title}: accuracy of naive Bayes on links of sites left out"
    note = (
        "right: put into their own bin. of two: told to give immediate reward or not, by whatever"
        " number of bins. recall: of the links that do give it, those told."
    )
    return Table(f"accuracy-{found.title}", title, columns, rows, note)


def predictive_table(found: Experiment) -> Table:
    """Return the most predictive words of four bins, beside the paper's (Table 2)."""
    ours = words_table(found.tally, RELATED, 4)
    rows = [(str(name), words, TABLE_2[str(name)]) for name, words in ours.rows]
    if found.has_many:
        rows = [(name, words, "") for name, words, _ in rows]
    title = f"Table 2, {found.title}: most predictive words, related, 4 bins"
    return Table(f"table-2-{found.title}", title, ("bin", "ours", "paper"), rows, ours.note)


def online_table(experiments: Sequence[Experiment]) -> Table:
    """Return what learning during the crawl adds, as links followed before the goal."""
    rows = []
    for found in experiments:
        for text in (FULL_PAGE, RELATED):
            values = [
                measured(found.followed(name))
                for name in (
                    BREADTH_FIRST,
                    named(future(3), text, ALONE),
                    named(future(3), text),
                    named(future(3), text, ONLINE),
                    OPTIMAL,
                )
            ]
            rows.append((found.title, text, *values))
    columns = ("world", "text", "breadth-first %", "online, no model %", "model %",
               "model, online %", "optimal %")  # fmt: skip
    title = "What learning during the crawl adds: % of links followed, RL Future (3 bins)"
    return Table("online", title, columns, rows)


def sites_table(found: Experiment) -> Table:
    """Return each site with how soon some of the spiders got there."""
    names = {"breadth-first": BREADTH_FIRST, "optimal": OPTIMAL}
    names |= {"immediate": named(IMMEDIATE, RELATED)}
    names |= {f"future {bins}": named(future(bins), RELATED) for bins in (3, 4)}
    values = {name: np.nan_to_num(found.followed(name), nan=100.0) for name in names.values()}
    rows: list[tuple[Cell, ...]] = [
        (run.site, run.links, run.targets, *(float(column[place]) for column in values.values()))
        for place, run in enumerate(found.of(BREADTH_FIRST))
    ]
    title = f"{found.title}: % of links followed, site by site (related text)"
    return Table(f"sites-{found.title}", title, ("site", "links", "wanted", *names), rows)
