"""Q-learning: the discounted sum of all that follows a link, learned by replaying experience.

deep-deep (TeamHG-Memex, `QLearner` and `QSpider`).  The state is not used, so that Q depends on
the link alone (`link_values`).  Every page fetched is an experience: the link followed, the
reward r (the page's relevance), and the links of the page.  After each, a sample of all
experiences is learned from, each by one gradient step towards

    r + gamma · Q(a')         a' the best of the page's links

where the *online* Q chooses a', and the *target* Q values it (double learning).  The target Q,
by which links are chosen, is a copy of the online one, made every `switch` pages.  Until the first
copy every link is worth the same.

A link is chosen in two steps: a host with a probability proportional to exp(best Q of its links /
temperature), and its best link.  With probability `explore` both host and link are drawn.

Differences: deep-deep hashes n-grams into more places, and has a penalty of 1e-6 on the weights,
too small to matter here.  It draws some links on top of those chosen, instead of in their place.
Its hosts are registered domains.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from foragers.core.exact import exp
from foragers.core.types import NO_PARENT, Choice, HostId, Page, UrlId, Visit
from foragers.errors import UsageError
from foragers.strategies.peers.host_queues import HostQueues
from foragers.strategies.peers.link_values import ALWAYS, Floats, LinkActions, Numbers


@dataclass(frozen=True)
class QLearningSettings:
    """The numbers that are no parameters of the strategy."""

    seed: float = 5.0  # promise of a seed, more than of any link; `initial_priority` of deep-deep
    unlearned: float = 0.05  # of a link before anything was learned; `initial_predictions`


Q_LEARNING = QLearningSettings()


class FoundLink(NamedTuple):
    """A link that waits: its action (-1 for a seed), and what a choice of it must say."""

    action: int
    host: HostId
    parent: UrlId
    depth: int


class LinkExperience(NamedTuple):
    """A link that was followed, what its page was worth, and the links found there."""

    action: int
    reward: float
    links: Numbers


@dataclass(slots=True)
class QLearner:
    """The two functions Q, and the experiences that they are learned from."""

    actions: LinkActions = field(default_factory=LinkActions)
    online: Floats = field(default_factory=lambda: np.zeros(ALWAYS + 1), repr=False)
    target: Floats | None = field(default=None, repr=False)
    memory: list[LinkExperience] = field(default_factory=list, repr=False)

    def values(self, actions: Numbers) -> Floats:
        """Return what links are worth by the target Q."""
        if self.target is None:
            return np.full(len(actions), Q_LEARNING.unlearned)
        return self.actions.values(self.target, actions)

    def remember(self, new: LinkExperience, most: int, rng: np.random.Generator) -> None:
        """Add an experience; in a full memory it takes the place of another one."""
        if len(self.memory) < most:
            self.memory.append(new)
        else:
            self.memory[int(rng.integers(most))] = new

    def learn(self, sample: Sequence[LinkExperience], gamma: float, rate: float) -> None:
        """Take a step towards the goal of each experience."""
        for experience, goal in zip(sample, self.goals(sample, gamma), strict=True):
            self.actions.step(self.online, experience.action, goal, rate)

    def goals(self, sample: Sequence[LinkExperience], gamma: float) -> list[float]:
        """Return r + gamma · Q(a') of each experience."""
        met = np.unique(np.concatenate([experience.links for experience in sample]))
        chosen_by, valued_by = self.actions.values(self.online, met), self.values(met)
        goals = []
        for _, reward, links in sample:
            indexes = np.searchsorted(met, links)
            best = indexes[chosen_by[indexes].argmax()] if len(links) else -1
            goals.append(reward + gamma * float(valued_by[best]) if len(links) else reward)
        return goals


@dataclass(slots=True)
class QLearning:
    """Learns by Q-learning which anchors lead to relevant pages, at once or later."""

    needs_link_context: ClassVar[bool] = False

    rng: np.random.Generator
    gamma: float = 0.4
    explore: float = 0.2
    temperature: float = 1.0
    rate: float = 0.1
    replay: int = 100
    switch: int = 100
    memory: int = 10_000
    frontier: HostQueues = field(default_factory=HostQueues)
    learner: QLearner = field(default_factory=QLearner, init=False, repr=False)
    _links: dict[UrlId, FoundLink] = field(default_factory=dict, init=False, repr=False)
    _by_host: dict[HostId, list[UrlId]] = field(default_factory=dict, init=False, repr=False)
    _steps: int = field(default=0, init=False, repr=False)

    def check(self) -> None:
        """Refuse what makes no sense."""
        for name, value in (("gamma", self.gamma), ("explore", self.explore), ("rate", self.rate)):
            if not 0 <= value <= 1:
                raise UsageError(f"q-learning: {name}={value:g}: must be between 0 and 1")
        for name, count in (("replay", self.replay), ("switch", self.switch)):
            if count < 1:
                raise UsageError(f"q-learning: {name}={count}: must be at least 1")
        if self.memory < 1:
            raise UsageError(f"q-learning: memory={self.memory}: must be at least 1")
        if not self.temperature > 0:
            raise UsageError(f"q-learning: temperature={self.temperature:g}: must be above 0")

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose n times an open host, and a link to it."""
        choices: list[Choice] = []
        while len(choices) < n and len(hosts := self.frontier.waiting(closed)):
            if self.rng.random() < self.explore:
                host = int(hosts[self.rng.integers(len(hosts))])
                choices += filter(None, [self._draw(host)])
            else:
                host = int(hosts[self.balanced(self.frontier.best(hosts))])
                choices += filter(None, [self.frontier.pop(host)])
        return choices

    def tell(self, visits: Sequence[Visit]) -> None:
        """Learn from what came back, and queue new links."""
        for visit in visits:
            page, choice = visit.page, visit.page.choice
            self.frontier.fetched(page)
            followed = self._links.pop(choice.url, None)
            met = self._find(page)
            if followed is not None and followed.action >= 0 and not choice.purpose.is_own:
                self._learn(LinkExperience(followed.action, visit.relevance, met))

    def balanced(self, best: Floats) -> int:
        """Draw one of several hosts, the more likely the better its best link is."""
        shares = exp((best - best.max()) / self.temperature).cumsum()
        index = int(shares.searchsorted(self.rng.random() * shares[-1], "right"))
        return min(index, len(best) - 1)

    def _draw(self, host: HostId) -> Choice | None:
        """Take a link of a host at random; None if that one is gone."""
        urls = self._by_host[host]
        index = int(self.rng.integers(len(urls)))
        urls[index], urls[-1] = urls[-1], urls[index]
        url = urls.pop()
        found = self._links.get(url)
        if found is None or not self.frontier.wants(url):
            return None
        self.frontier.take(url, host)
        value = self._values([found])[0]
        return Choice(url, host, value, parent=found.parent, depth=found.depth)

    def _values(self, links: Sequence[FoundLink]) -> list[float]:
        """Return what links promise."""
        actions = np.array([max(link.action, 0) for link in links], np.int32)
        known = self.learner.values(actions) if len(self.learner.actions) else np.zeros(len(links))
        promises: list[float] = np.where(
            [link.action < 0 for link in links], Q_LEARNING.seed, known
        ).tolist()
        return promises

    def _find(self, page: Page) -> Numbers:
        """Queue the links of a page that are not known yet, and return the actions of all."""
        links, depth, here = page.links, page.choice.depth + 1, page.choice.host
        urls, hosts = links.targets.tolist(), links.hosts.tolist()
        if page.choice.url == NO_PARENT:
            actions = [-1] * len(urls)
        else:
            number = self.learner.actions.number
            anchors = links.anchors or [""] * len(urls)
            actions = [number(a, host == here) for a, host in zip(anchors, hosts, strict=True)]
        fresh: dict[UrlId, FoundLink] = {}
        for url, host, action in zip(urls, hosts, actions, strict=True):
            if url not in self.frontier:
                fresh.setdefault(url, FoundLink(action, host, page.final, depth))
        for (url, link), value in zip(fresh.items(), self._values([*fresh.values()]), strict=True):
            self._links[url] = link
            self._by_host.setdefault(link.host, []).append(url)
            self.frontier.push(url, link.host, value, page.final, depth)
        return np.unique(np.array(actions, np.int32))

    def _learn(self, experience: LinkExperience) -> None:
        """Take in an experience, and learn from a sample of all."""
        learner, self._steps = self.learner, self._steps + 1
        learner.remember(experience, self.memory, self.rng)
        count = min(self.replay, len(learner.memory))
        indexes = self.rng.permutation(len(learner.memory))[:count].tolist()
        learner.learn([learner.memory[index] for index in indexes], self.gamma, self.rate)
        if self._steps % self.switch == 0:
            learner.target = learner.online.copy()
            waiting = {url: link for url, link in self._links.items() if self.frontier.wants(url)}
            urls = np.fromiter(waiting, np.int32, len(waiting))
            self.frontier.rescore(urls, np.array(self._values([*waiting.values()])))
