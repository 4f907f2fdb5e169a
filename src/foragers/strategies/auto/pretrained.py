"""What a trained spider says of links, for auto, which believes it as far as it proves right."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from foragers.core import exact
from foragers.core.models import Model
from foragers.core.types import Page
from foragers.strategies.spider.features import Lexicon, Said
from foragers.strategies.spider.scoring import Scorer, WordLimits, scorer_of
from foragers.text.link_counts import LinkCounts
from foragers.text.link_text import TEXTS

Floats = NDArray[np.float64]

TEXT = "related"
BINS = 4
LIMITS = WordLimits(page_words=5.0, link_words=10.0)
"""As the spider itself has them by default."""
LOUDEST = 3.0


@dataclass(frozen=True)
class PretrainedScorer:
    """A spider's model, ready to judge."""

    lexicon: Lexicon
    scorer: Scorer
    usual: float

    @classmethod
    def of(cls, model: Model) -> PretrainedScorer:
        """Take up what a model knows."""
        tally = LinkCounts.of(model)
        lexicon = Lexicon.of(TEXTS[TEXT], tally)
        scorer = replace(scorer_of(lexicon, tally, BINS), limits=LIMITS)
        return cls(lexicon, scorer, exact.dot(exact.exp(scorer.priors), scorer.values))

    def says(self, page: Page, places: list[int]) -> Floats:
        """Return the logarithm of how much more than usual each link of a page is worth."""
        said = Said.at(page.links, places, self.lexicon.reads_around)
        own = self.lexicon.of_links(said)
        worth = self.scorer.worth(self.scorer.scores(self.lexicon.of_page(page.document), own))
        more = exact.log(np.maximum(worth, 1e-9) / max(self.usual, 1e-9))
        return np.clip(more, -LOUDEST, LOUDEST)
