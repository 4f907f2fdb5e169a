"""InfoSpiders: agents of the energy model that each learn which links to follow.

Every agent has keywords, a tanh unit over their closeness to a link (`text.link_text.link_inputs`),
and a sharpness β (`policies.Neuron`).  It learns by temporal differences from the pages it
reaches.  Clones differ a little from their parent, and replace one keyword by a frequent word
of the page where they are born.  Energy, bounds and everything else are those of `energy`.

What the paper leaves open, as far as we know it, and our choice:
- e(D) is the relevance of the page, from 0 to 1, since λ is at most 1; a page that could not be
  fetched counts 0.  μ = 0.5, learning rate 0.1, no hidden layer; weights begin at `trust`.
- Weights and β of a clone differ by up to a fifth; β stays from 1 to 100.
- The first keywords are the words of the topic, at most eight; without a topic, frequent
  words of the page where the agent starts.
- Distances are counted in links, up to five.  They are computed for the keywords that agents have
  when a page is fetched, and for the ten most frequent words of the page, which clones may take.
- Known documents cost nothing: jumps and moves are free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from foragers.core.population import NOBODY
from foragers.core.types import Status, UrlId, Visit
from foragers.errors import UsageError
from foragers.strategies.population.accounts import PopulationWalker
from foragers.strategies.population.energy import Energy
from foragers.strategies.population.policies import LinkPolicy, Neuron
from foragers.strategies.population.restart_points import OpenLinks
from foragers.text.link_text import contexts, frequent, link_inputs
from foragers.text.words import ENGLISH_STOPWORDS, words_apart


@runtime_checkable
class WeightedTopic(Protocol):
    """A topic with weighted words."""

    @property
    def weights(self) -> Mapping[str, float]:
        """The words and their weights."""
        ...


@dataclass(slots=True)
class InfoSpiders(Energy):
    """Like energy; each agent learns which links to follow, and its offspring inherit that.

    `sharpness` is the β of the first agents, `trust` the weight that they give each keyword.
    """

    sharpness: float = 40.0
    trust: float = 0.5
    _lexicon: Counter[str] = field(default_factory=Counter, init=False, repr=False)

    def check(self) -> None:
        """Raise a UsageError for invalid parameters."""
        Energy.check(self)
        for name in ("sharpness", "trust"):
            if not 0 < getattr(self, name) < np.inf:
                raise UsageError(f"{name}={getattr(self, name):g}: must be above 0")

    @property
    def _topic_words(self) -> tuple[str, ...]:
        return tuple(self.topic.weights) if isinstance(self.topic, WeightedTopic) else ()

    def _first_policy(self, links: OpenLinks | None) -> LinkPolicy:
        """Return a policy for the words of the topic."""
        settings = self.settings.neuron
        others = links.words if links is not None else ()
        keywords = (self._topic_words or others)[: settings.keywords]
        weights = np.full(len(keywords) + 1, self.trust)
        weights[-1] = 0.0
        return Neuron(keywords, weights, self.sharpness, settings)

    def _bear(
        self, energy: float, at: UrlId, policy: LinkPolicy, parent: int = NOBODY
    ) -> PopulationWalker:
        if isinstance(policy, Neuron):
            self._lexicon.update(policy.keywords)
        return Energy._bear(self, energy, at, policy, parent)

    def _die(self, walker: PopulationWalker) -> None:
        if isinstance(walker.policy, Neuron):
            for word in walker.policy.keywords:
                self._lexicon[word] -= 1
                if self._lexicon[word] <= 0:
                    del self._lexicon[word]
        Energy._die(self, walker)

    def _score(self, visit: Visit, indexes: list[int]) -> OpenLinks:
        """Compute the closeness of words to the links of a page."""
        links, is_kept = visit.page.links, visit.page.status is Status.OK
        # Usually cached, since the judge has split the same text just before.
        text = words_apart(visit.page.document.text).decode("utf-8", "surrogatepass").split()
        often = frequent(text, self.settings.neuron.frequent, ENGLISH_STOPWORDS)
        wanted = self._lexicon.keys() | set(often) | set(self._topic_words)
        near = link_inputs(contexts(links, range(len(links)), "window"), wanted)
        return OpenLinks(
            links.targets[indexes].tolist(),
            links.hosts[indexes].tolist(),
            np.full(len(indexes), visit.relevance * is_kept, np.float32),
            visit.page.choice.depth + 1,
            {word: column[indexes] for word, column in near.items()},
            often,
        )
