"""InfoSpiders: agents of the energy model who each learn which links to follow.

Every agent has keywords, a tanh unit over how near these stand to a link (`text.link_inputs`),
and a sharpness β (`fleet.neuron`).  It learns by temporal differences from the pages it
reaches; clones differ a little from their parent, and swap one keyword for a frequent word
of the page where the parent throve.  Energy, bounds and all else are those of `energy`.

Open in what we know of the paper, and chosen here:
- e(D) is the relevance of the page, from 0 to 1, since λ is no more than 1; what could not be
  had is worth 0.  μ = 0.5, learning rate 0.1, no hidden layer; weights begin at `trust`.
- Weights and β of a clone are off by up to a fifth; β stays from 1 to 100.
- The first keywords are the words of the topic, at most eight; without a topic, frequent
  words of the page where the agent starts.
- Distances are counted in links, up to five; a page is read for the keywords that agents have
  when it comes in, and for its own ten most frequent words, which are those that clones may take.
- Documents that are known already cost nothing: jumps and moves are free.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from foragers.core.population import NOBODY
from foragers.core.types import Status, UrlId, Visit
from foragers.errors import UsageError
from foragers.strategies.population.accounts import PopulationWalker
from foragers.strategies.population.energy import Energy
from foragers.strategies.population.policies import Mind, Neuron
from foragers.strategies.population.restart_points import Ways
from foragers.text.link_text import contexts, frequent, link_inputs
from foragers.text.words import ENGLISH_STOPWORDS, words_apart

MOST_KEYWORDS, FREQUENT = 8, 10


@dataclass(slots=True)
class InfoSpiders(Energy):
    """Like energy; each agent learns which links to follow, and its offspring inherit that.

    `sharpness` is the β of the first agents, `trust` the weight that they give each keyword.
    """

    sharpness: float = 40.0
    trust: float = 0.5
    _lexicon: Counter[str] = field(default_factory=Counter, init=False, repr=False)

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        Energy.check(self)
        for name in ("sharpness", "trust"):
            if not 0 < getattr(self, name) < np.inf:
                raise UsageError(f"{name}={getattr(self, name):g}: must be above 0")

    def _first_mind(self, ways: Ways | None) -> Mind:
        """Return a mind that looks for the words of the topic."""
        given = tuple(getattr(self.topic, "weights", ()))[:MOST_KEYWORDS]
        keywords = given or (ways.words[:MOST_KEYWORDS] if ways is not None else ())
        weights = np.full(len(keywords) + 1, self.trust)
        weights[-1] = 0.0
        return Neuron(keywords, weights, self.sharpness)

    def _bear(self, energy: float, at: UrlId, mind: Mind, parent: int = NOBODY) -> PopulationWalker:
        if isinstance(mind, Neuron):
            self._lexicon.update(mind.keywords)
        return Energy._bear(self, energy, at, mind, parent)

    def _die(self, walker: PopulationWalker) -> None:
        if isinstance(walker.mind, Neuron):
            for word in walker.mind.keywords:
                self._lexicon[word] -= 1
                if self._lexicon[word] <= 0:
                    del self._lexicon[word]
        Energy._die(self, walker)

    def _read(self, visit: Visit, places: list[int]) -> Ways:
        """Note how near which words stand to the links of a page."""
        links, is_kept = visit.page.links, visit.page.status is Status.OK
        # The judge has often cut the same text into words just before.
        text = words_apart(visit.page.document.text).decode("utf-8", "surrogatepass").split()
        often = frequent(text, FREQUENT, ENGLISH_STOPWORDS)
        wanted = self._lexicon.keys() | set(often) | set(getattr(self.topic, "weights", ()))
        near = link_inputs(contexts(links, range(len(links)), "window"), wanted)
        return Ways(
            links.targets[places].tolist(),
            links.hosts[places].tolist(),
            np.full(len(places), visit.relevance * is_kept, np.float32),
            visit.page.choice.depth + 1,
            {word: column[places] for word, column in near.items()},
            often,
        )
