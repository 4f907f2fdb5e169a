"""Training of the layered strategies, from the distance of every page to the nearest wanted page.

`ContextGraphTrainer` counts the words of the layers around wanted pages, for `context-graph` and
`hw`.  `HmmTrainer` makes the hidden Markov model of `hmm` and `bpm`.

Distances and links are those of all pages.  Words are read from a limited number of pages per
layer, spread evenly over it, as Diligenti and others do: more pages do not help.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from foragers.core.models import Model, array_to_words
from foragers.errors import UsageError
from foragers.evaluation.tables import Cell, Table
from foragers.judges.topic import full_text
from foragers.strategies.layered.hmm_model import fit_hmm
from foragers.strategies.layered.layer_words import fit_layers
from foragers.strategies.layered.layers import Layers, Numbers, layers_of, links_between
from foragers.strategies.layered.page_scorer import text_of
from foragers.strategies.layered.settings import DEFAULT_LAYERED
from foragers.text.bag_of_words import BagStore
from foragers.text.bayes import weighted_log_odds
from foragers.training.lesson import Lesson
from foragers.training.registry import Progress, Trained


def layered(
    lessons: Sequence[Lesson], count: int, pages_a_layer: int, progress: Progress
) -> Layers:
    """Return the pages of all lessons in `layers` layers."""
    shelf = BagStore()
    of_text: list[int] = []
    links = np.zeros((count, count), np.int64)
    with progress("reading pages", count * pages_a_layer * len(lessons)) as meter:
        for lesson in lessons:
            layers, between = of_lesson(lesson, count)
            links += between
            of_text += read(lesson, layers, pages_a_layer, shelf, lambda: meter(len(shelf)))
    if 0 not in of_text:
        names = ", ".join(lesson.name for lesson in lessons)
        raise UsageError(
            f"no page of {names} is wanted, so that there is nothing to learn;"
            " say what is with --relevant LABEL, --topic WORDS or --examples FILE"
        )
    return Layers(shelf, np.array(of_text, np.int64), links)


def of_lesson(lesson: Lesson, count: int) -> tuple[Numbers, Numbers]:
    """Return the layer of every page of a lesson, and the number of links from layer to layer."""
    pages, archive = lesson.pages, lesson.archive
    versions = lesson.shown[pages]
    first, last = archive.link_starts[versions], archive.link_starts[versions + 1]
    degrees = (last - first).astype(np.int64)
    begins = np.concatenate(([0], np.cumsum(degrees)))
    indexes = np.repeat(first - begins[:-1], degrees) + np.arange(begins[-1])
    number = np.full(len(lesson.finals) + 1, -1, np.int64)
    number[pages] = np.arange(len(pages))
    # An index of -1 takes the last entry, which is also -1.
    ends = number[lesson.finals[archive.targets[indexes]]]
    sources = np.repeat(np.arange(len(pages)), degrees)
    kept = (ends >= 0) & (ends != sources)
    sources, ends = sources[kept], ends[kept]
    layers = layers_of(sources, ends, np.isin(pages, lesson.rewards), count)
    return layers, links_between(layers, sources, ends, count)


def read(
    lesson: Lesson, layers: Numbers, most: int, shelf: BagStore, watch: Callable[[], None]
) -> list[int]:
    """Store the words of some pages of each layer, and return their layers."""
    found: list[int] = []
    for layer in range(int(layers.max(initial=-1)) + 1):
        members = lesson.pages[layers == layer]
        for url in members[:: max(1, -(-len(members) // most))].tolist():
            document = lesson.archive.texts.document(int(lesson.shown[url]))
            shelf.add(text_of(full_text(document)[: DEFAULT_LAYERED.max_chars]))
            found.append(layer)
            watch()
    return found


SHOWN = 10
"""The number of words shown for a layer."""


@dataclass(frozen=True)
class ContextGraphTrainer:
    """Learns the words of layers around the wanted pages, from some pages of each."""

    layers: int = 4
    pages: int = 300

    def train(self, lessons: Sequence[Lesson], progress: Progress) -> Trained:
        """Learn from all lessons together; pages farther away form one more layer."""
        for option in ("layers", "pages"):
            if getattr(self, option) < 1:
                raise UsageError(f"--kind context-graph: {option} must be at least 1")
        model = fit_layers(layered(lessons, self.layers + 2, self.pages, progress))
        names = ", ".join(lesson.name for lesson in lessons)
        return Trained(replace(model, facts={**model.facts, "worlds": names}), (table(model),))


def table(model: Model) -> Table:
    """Return the most typical words of each layer."""
    known = array_to_words(model.arrays["words"])
    counts = model.arrays["counts"].astype(np.float64)
    odds = weighted_log_odds(counts)
    rows: list[tuple[Cell, ...]] = []
    for layer, row in enumerate(odds):
        best = [known[index] for index in np.argsort(-row, kind="stable")[:SHOWN].tolist()]
        name = f"{layer}" if layer < len(odds) - 1 else "farther"
        rows.append((name, int(model.arrays["pages"][layer]), ", ".join(best)))
    return Table("layers", "Layers by distance", ("links away", "pages read", "words"), rows)


@dataclass(frozen=True)
class HmmTrainer:
    """Learns with given numbers of hidden states, clusters and LSI directions."""

    states: int = 4
    clusters: int = 12
    rank: int = 50
    pages: int = 300

    def train(self, lessons: Sequence[Lesson], progress: Progress) -> Trained:
        """Learn from all lessons together; `pages` pages of each state are read in every world."""
        for option, least in (("states", 2), ("clusters", 1), ("rank", 1), ("pages", 1)):
            if getattr(self, option) < least:
                raise UsageError(f"--kind hmm: {option} must be at least {least}")
        layers = layered(lessons, self.states, self.pages, progress)
        model = fit_hmm(layers, self.clusters, self.rank)
        names = ", ".join(lesson.name for lesson in lessons)
        model = replace(model, facts={**model.facts, "worlds": names})
        return Trained(model, (transitions(model), emissions(model)))


def transitions(model: Model) -> Table:
    """Return the transition probabilities of a link."""
    values = model.arrays["transitions"]
    columns = ("from", *(f"to T{state}" for state in range(len(values))))
    rows: list[tuple[Cell, ...]] = [(f"T{i}", *row) for i, row in enumerate(values.tolist())]
    return Table("transitions", "From state to state", columns, rows)


def emissions(model: Model) -> Table:
    """Return the emission probabilities of the states, one cluster per row."""
    values = model.arrays["emissions"].T
    columns = ("cluster", *(f"in T{state}" for state in range(values.shape[1])))
    rows: list[tuple[Cell, ...]] = [(str(i), *row) for i, row in enumerate(values.tolist())]
    note = "Cluster 0 is around the wanted pages."
    return Table("emissions", "What pages look like", columns, rows, note)
