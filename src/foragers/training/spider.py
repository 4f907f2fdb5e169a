"""Training of the spider: word counts by Q-value (Rennie and McCallum 1999)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foragers.errors import UsageError
from foragers.evaluation.tables import Measured, Table
from foragers.strategies.spider.settings import DEFAULT_SPIDER
from foragers.text.bayes import weighted_log_odds
from foragers.text.link_counts import FEWEST, FINEST, LinkCounts, bin_names, merged
from foragers.text.link_text import TEXTS
from foragers.training.lesson import Lesson
from foragers.training.link_examples import ExampleReader, LinkExamples
from foragers.training.registry import Progress, Trained
from foragers.training.validation import Accuracy, accuracies

BOTH = "both"
TOLD = 10
"""The number of words shown for a bin."""


@dataclass(frozen=True)
class SpiderTrainer:
    """Counts the words of links by the Q-value of the links.

    `text` is related, full-page or both.  With `missing`, links to pages that a recording does not
    have count as Q = 0; otherwise they are ignored.  `bins` is the number of bins whose words are
    shown.
    """

    text: str = BOTH
    bins: int = 4
    missing: bool = True
    validate: bool = True

    def train(self, lessons: Sequence[Lesson], progress: Progress) -> Trained:
        """Learn from all lessons together."""
        examples = self.read(lessons, progress)
        tally = examples.tally()
        found = accuracies(examples, self.texts) if self.validate else []
        model = tally.model(
            {
                "learned from": ", ".join(lesson.name for lesson in lessons),
                "links": len(examples),
                "sites": len(np.unique(examples.sites)),
                "gamma": DEFAULT_SPIDER.gamma,
                "depth": DEFAULT_SPIDER.depth,
            }
        )
        tables = [bins_table(tally), *accuracy_tables(found)]
        tables += [words_table(tally, text, self.bins) for text in self.texts]
        notes = () if found or not self.validate else ("one site only: nothing to validate on",)
        return Trained(model, tables, notes)

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that are used for a link."""
        return tuple(TEXTS) if self.text == BOTH else (self.text,)

    def read(self, lessons: Sequence[Lesson], progress: Progress) -> LinkExamples:
        """Return the links of all lessons with their words and Q-values."""
        if self.text not in (*TEXTS, BOTH):
            raise UsageError(f"--kind spider: text={self.text}: use {', '.join((*TEXTS, BOTH))}")
        if not FEWEST <= self.bins <= FINEST:
            raise UsageError(f"--kind spider: bins={self.bins}: use {FEWEST} to {FINEST}")
        reader = ExampleReader([bag for text in self.texts for bag in TEXTS[text]], self.missing)
        for lesson in lessons:
            if not len(np.intersect1d(lesson.rewards, lesson.pages)):
                raise UsageError(
                    f"{lesson.name}: none of its pages is wanted, so nothing can be learned;"
                    " say what is with --relevant or --topic"
                )
            with progress(f"reading {lesson.name}", len(lesson.pages)) as meter:
                reader.read(lesson, meter)
        return reader.examples()


def bins_table(tally: LinkCounts) -> Table:
    """Return the number of links in each of five bins, and their mean Q."""
    means = np.divide(tally.worth, tally.links, where=tally.links > 0, out=np.zeros(FINEST))
    least = np.cumprod([1.0, *[DEFAULT_SPIDER.gamma] * (FINEST - 2)]).tolist()
    borders = [f"Q ≥ {border:g}" for border in least] + ["less"]
    rows = list(zip(bin_names(FINEST), borders, tally.links.tolist(), means.tolist(), strict=True))
    note = "A bin's value is the mean Q of its links. Fewer bins: the last ones put together."
    return Table("bins", "Bins", ("bin", "", "links", "value"), rows, note)


def accuracy_tables(found: Sequence[Accuracy]) -> list[Table]:
    """Return lines about the accuracy on sites that were left out."""
    if not found:
        return []
    rows = [
        (
            one.text,
            one.bins,
            Measured.of(100 * share for share in one.right),
            Measured.of(100 * share for share in one.right_of_two),
            Measured.of(100 * share for share in one.recall) if one.recall else None,
        )
        for one in found
    ]
    columns = ("text", "bins", "right %", "immediate or not %", "recall of immediate %")
    note = f"Of links on sites left out of training: mean and deviation over {len(found[0].right)}."
    return [Table("accuracy", "Accuracy", columns, rows, note)]


def words_table(tally: LinkCounts, text: str, bins: int, number: int = TOLD) -> Table:
    """Return the most typical words of each bin, with their bag (Table 2 of the paper)."""
    names = bin_names(bins)
    ranked: list[list[tuple[float, str]]] = [[] for _ in names]
    for bag in TEXTS[text]:
        odds = weighted_log_odds(merged(tally.counts[bag], bins))
        for index, row in enumerate(odds):
            best = np.argsort(-row, kind="stable")[:number].tolist()
            ranked[index] += [(-row[at], f"{tally.words[bag][at]} ({bag})") for at in best]
    rows = [
        (name, ", ".join(word for _, word in sorted(found)[:number]))
        for name, found in zip(names, ranked, strict=True)
    ]
    title = f"Most predictive words, {text}, {bins} bins"
    note = "By P(w|bin) · log(P(w|bin) / P(w|other bins)), within its bag."
    return Table(f"words-{text}", title, ("bin", "words"), rows, note)
