"""The boxes of a page: its lists of links, each with a tag path of its own, and what they show.

A list of news shows a link when its page is new.  A box of what is read most, or of what is
related, shows links of any age.  Two things tell them apart:

- what the links led to: each box has counts of new articles, of all links of it that were fetched;
- how links come: into a list of news at its top, above those that were there before.  A link that
  comes in between, or that was met elsewhere before the last look at the page, speaks against it.

On a site whose pages give no dates only the second tells, and only boxes with something in their
favour are believed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Ids, Page
from foragers.frontier.columns import grown
from foragers.strategies.watch.settings import DEFAULT_WATCH, WatchSettings
from foragers.urls.shapes import path_shape

HEADLINE = DEFAULT_WATCH.article.headline_words - 1
"""Spaces in the text of a link that reads like a title, at least."""


@dataclass(slots=True)
class Met:
    """When URLs were first met, in whole seconds; 0 stands for those never met."""

    times: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(64, np.uint32))

    def __contains__(self, number: int) -> bool:
        return number < len(self.times) and bool(self.times.item(number))

    def of(self, numbers: Ids) -> NDArray[np.uint32]:
        """Return when some URLs were first met."""
        try:
            return self.times[numbers]
        except IndexError:
            self.times = grown(self.times, int(numbers.max()) + 1, 0)
            return self.times[numbers]

    def add(self, numbers: Ids, now: float) -> None:
        """Note that some URLs were met."""
        unmet = numbers[self.of(numbers) == 0]
        self.times[unmet] = int(max(1.0, now))


@dataclass(slots=True)
class Boxes:
    """What pages showed at the last look, by their places."""

    settings: WatchSettings = DEFAULT_WATCH
    shown: dict[int, bytes] = field(default_factory=dict)
    """The links of each page, as bytes: thousands of them are pickled when a watch is stopped."""

    def keep(self, place: int, page: Page) -> None:
        """Remember what a page shows; feeds and sitemaps have no boxes."""
        if 0 < len(page.links) <= self.settings.most_shown and not page.choice.purpose.is_list:
            self.shown[place] = np.unique(page.links.targets).astype(np.int32).tobytes()

    def came(self, place: int, page: Page, since: float, met: Met) -> Iterator[tuple[int, bool]]:
        """Give the boxes into which links with titles came, and whether as in a list of news.

        A link that was met elsewhere after the last look, at `since`, says nothing, and neither
        does a box of which nothing is left.
        """
        before = self.shown.get(place)
        if before is None or not len(page.links):
            return
        stayed = np.isin(page.links.targets, np.frombuffer(before, np.int32)).tolist()
        times, outs = met.of(page.links.targets).tolist(), page.links.outlinks
        first = {path: i for i, path in reversed(list(enumerate(outs.paths))) if stayed[i]}
        href = page.links.addresses.href(page.final)
        for i, path in enumerate(outs.paths):
            is_title = outs.anchors[i].count(" ") >= HEADLINE
            if stayed[i] or not is_title or times[i] > since or path not in first:
                continue
            yield box_of(href, path), not times[i] and i < first[path]


def box_of(href: str, path: str) -> int:
    """Return the number of a box, on all pages whose URLs have the same shape; never 0."""
    return crc32(f"{path_shape(href)} {path}".encode("utf-8", "replace")) or 1
