"""What a trained spider says of links, for auto, which believes it as far as it proves right."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from foragers import exact
from foragers.models import Model
from foragers.strategies.spider_reading import Lexicon, Said
from foragers.strategies.spider_scoring import Limits, Scorer, scorer_of
from foragers.text.bags import TEXTS
from foragers.text.tally import Tally
from foragers.types import Page

Floats = NDArray[np.float64]

TEXT = "related"
BINS = 4
LIMITS = Limits(page_words=5.0, link_words=10.0)
"""As the spider itself has them by default."""
LOUDEST = 3.0


@dataclass(frozen=True)
class Schooling:
    """A spider's model, ready to judge."""

    lexicon: Lexicon
    scorer: Scorer
    usual: float

    @classmethod
    def of(cls, model: Model) -> Schooling:
        """Take up what a model knows."""
        tally = Tally.of(model)
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
