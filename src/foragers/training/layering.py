"""From recorded worlds to layers: how far every page is from what is wanted, and some of the words.

Distances and links are those of all pages.  Words are read of at most so many pages a layer,
spread evenly over it, as Diligenti and others do: more of them tell no more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from foragers.errors import UsageError
from foragers.strategies.layers import Layers, Numbers, layers_of, links_between
from foragers.strategies.page_by_page import MOST_LETTERS, text_of
from foragers.text.shelf import Shelf
from foragers.topics.relevance import full_text
from foragers.training.lesson import Lesson
from foragers.training.registry import Progress


def layered(
    lessons: Sequence[Lesson], count: int, pages_a_layer: int, progress: Progress
) -> Layers:
    """Return the pages of all lessons in so many layers."""
    shelf = Shelf()
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
    places = np.repeat(first - begins[:-1], degrees) + np.arange(begins[-1])
    number = np.full(len(lesson.finals) + 1, -1, np.int64)
    number[pages] = np.arange(len(pages))
    # A final of -1 takes the last entry, which is -1 too.
    ends = number[lesson.finals[archive.targets[places]]]
    sources = np.repeat(np.arange(len(pages)), degrees)
    kept = (ends >= 0) & (ends != sources)
    sources, ends = sources[kept], ends[kept]
    layers = layers_of(sources, ends, np.isin(pages, lesson.rewards), count)
    return layers, links_between(layers, sources, ends, count)


def read(
    lesson: Lesson, layers: Numbers, most: int, shelf: Shelf, watch: Callable[[], None]
) -> list[int]:
    """Put the words of some pages of each layer on a shelf, and return their layers."""
    found: list[int] = []
    for layer in range(int(layers.max(initial=-1)) + 1):
        members = lesson.pages[layers == layer]
        for url in members[:: max(1, -(-len(members) // most))].tolist():
            document = lesson.archive.texts.document(int(lesson.shown[url]))
            shelf.add(text_of(full_text(document)[:MOST_LETTERS]))
            found.append(layer)
            watch()
    return found
