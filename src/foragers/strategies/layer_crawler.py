"""Crawlers that know how the pages of each layer speak: context graphs and HW."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from foragers.models import Model
from foragers.strategies.layer_words import KIND, fit
from foragers.strategies.layers import Layers
from foragers.strategies.page_by_page import PageByPage

LAYERS = 6
"""Wanted pages, four layers around them, and all the others."""


@dataclass
class LayerCrawler(PageByPage):
    """Learns the words of layers; what it makes of them is its reader's."""

    model_kind: ClassVar[tuple[str, int]] = KIND

    @property
    def layers(self) -> int:
        """In how many layers it is learned on the job."""
        return LAYERS

    def fit(self, layers: Layers) -> Model:
        """Learn the words of each layer."""
        return fit(layers)
