"""Crawlers that follow the path to a page through hidden layers: HMM and BPM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from foragers.models import Model
from foragers.strategies.hmm_model import KIND, fit
from foragers.strategies.layers import Layers
from foragers.strategies.page_by_page import PageByPage

STATES, CLUSTERS, RANK = 4, 8, 20
"""What is learned on the job; trained beforehand, a model may have more."""


@dataclass
class PathCrawler(PageByPage):
    """Learns a hidden Markov model; what it makes of it is its reader's."""

    model_kind: ClassVar[tuple[str, int]] = KIND

    @property
    def layers(self) -> int:
        """In how many layers it is learned on the job."""
        return STATES

    def fit(self, layers: Layers) -> Model:
        """Learn the hidden Markov model."""
        return fit(layers, CLUSTERS, RANK)
