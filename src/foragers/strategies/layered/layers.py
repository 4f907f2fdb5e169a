"""Layers: pages by how many links it takes from them to a page that is wanted.

Layer 0 holds the wanted pages, layer 1 those that link to one of them, and so on; the last
holds what is that far, or farther, or leads to none.  Context graphs are made of layers, and
the hidden states of the Markov model are these.
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
    """What there is to learn from.

    `texts` holds the words of some pages, whose layers are `of_text`; `links[i, j]` says how many
    links lead from layer i to layer j, over all pages.
    """

    texts: BagStore
    of_text: Numbers
    links: Numbers

    @property
    def count(self) -> int:
        """How many layers there are."""
        return len(self.links)


def layers_of(sources: Numbers, ends: Numbers, wanted: Flags, count: int) -> Numbers:
    """Return the layer of every page, given the links between pages, for so many layers."""
    layers = np.full(len(wanted), count - 1, np.int64)
    layers[wanted] = 0
    for layer in range(1, count - 1):
        before = sources[layers[ends] == layer - 1]
        layers[before[layers[before] > layer]] = layer
    return layers


def links_between(layers: Numbers, sources: Numbers, ends: Numbers, count: int) -> Numbers:
    """Return how many links lead from layer to layer; those of one page to another count once."""
    pairs = np.unique(sources * len(layers) + ends)
    first, last = layers[pairs // max(len(layers), 1)], layers[pairs % max(len(layers), 1)]
    return np.bincount(first * count + last, minlength=count * count).reshape(count, count)
