"""Layers: pages by their distance in links from a relevant page.

Layer 0 has the relevant pages, layer 1 those that link to one of them, and so on; the last
has pages at that distance or further, or from which no relevant page can be reached.  Context
graphs consist of layers, and layers are the hidden states of the Markov model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foragers.text.bag_of_words import BagStore

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Layers:
    """Training data.

    `texts` has the words of pages, `of_text` their layers; `links[i, j]` is the number of
    links from layer i to layer j, over all pages.
    """

    texts: BagStore
    of_text: Numbers
    links: Numbers

    @property
    def count(self) -> int:
        """The number of layers."""
        return len(self.links)


def layers_of(sources: Numbers, ends: Numbers, wanted: Flags, count: int) -> Numbers:
    """Return the layer of every page, given the links between pages and the number of layers."""
    layers = np.full(len(wanted), count - 1, np.int64)
    layers[wanted] = 0
    for layer in range(1, count - 1):
        before = sources[layers[ends] == layer - 1]
        layers[before[layers[before] > layer]] = layer
    return layers


def links_between(layers: Numbers, sources: Numbers, ends: Numbers, count: int) -> Numbers:
    """Return the number of links between layers; links from one page to another count once."""
    pairs = np.unique(sources * len(layers) + ends)
    first, last = layers[pairs // max(len(layers), 1)], layers[pairs % max(len(layers), 1)]
    return np.bincount(first * count + last, minlength=count * count).reshape(count, count)
