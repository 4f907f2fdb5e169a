"""Tag-path bandit: links at similar positions of their pages are one arm of a bandit.

SB-CLASSIFIER (Gauquier, Manolescu and Senellart, *Efficient Crawling for Scalable Web Data
Acquisition*, 2026, arXiv 2602.11874, and its source code).  A link's tag path leads from the root
of its page to the link: `html body ul.results li a`.  Paths are bags of pairs of neighbouring
elements, with a beginning and an end; a path joins the arm with the nearest centre if their
cosine is at least 0.75, else it begins a new arm.  The next link is drawn from the arm with the
largest

    mean reward + alpha · √(log downloads / (pages fetched of the arm + 1e-6))

among those that have links left; the others sleep (AUER).  The reward of a page is the number of
targets found by it.  An online classifier of URLs, logistic regression on pairs of characters,
says of a new link whether it leads to a target; such links go first.

The paper looks for files, which link to nothing and are known by their type; here targets are
relevant pages.
- A relevant page is a reward for the page that it was found on, and for itself.
- The classifier learns from downloads alone; the paper's sends HEAD requests to begin with.
- A page that cannot be fetched counts as fetched without reward; in the paper it does not count.
- Each path joins an arm once, however many links have it, and pairs are not hashed.
- Elements are named by their tag and first class, not by all classes and the id.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import exp_of, log_of
from foragers.core.types import NO_PARENT, Choice, HostId, Page, UrlId, Visit
from foragers.errors import UsageError
from foragers.frontier.columns import UrlColumn
from foragers.frontier.frontier import Frontier

BEGIN, END = "^", "$"
NO_ARM = -1


@dataclass(frozen=True)
class TagPathSettings:
    """The numbers that are no parameters of the strategy.

    Step t of the classifier is 1 / (penalty · (delay + t)) long.
    """

    alpha: float = 2 * sqrt(2.0)  # by default; the paper
    seldom: float = 1e-6  # added to the pages of an arm; the source code
    characters: int = 128  # ASCII, of which there are pairs; others count as one; the source code
    batch: int = 10  # new downloads, after which the classifier learns from them; the paper
    penalty: float = 1e-4  # on the weights; default of scikit-learn's `SGDClassifier`
    delay: int = 1000  # follows from the penalty; the same
    likely: float = 0.5  # probability above which a link goes first; the same


TAG_PATHS = TagPathSettings()
NO_PAIR = TAG_PATHS.characters * TAG_PATHS.characters
"""The index of the weight that every URL has."""


def pairs(path: str) -> Counter[tuple[str, str]]:
    """Return the pairs of neighbours in a tag path, each with its number."""
    elements = [BEGIN, *path.split(), END]
    return Counter(pairwise(elements))


@dataclass(slots=True)
class PathArms:
    """The arms: sums of the paths that joined them, and the outcomes of their links."""

    fetched: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    _arms: dict[str, int] = field(default_factory=dict)
    _sums: list[Counter[tuple[str, str]]] = field(default_factory=list)
    _having: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._sums)

    def arm(self, path: str, similarity: float) -> int:
        """Return the arm of a tag path, a new one if none is as similar."""
        known = self._arms.get(path)
        if known is None:
            known = self._arms[path] = self._join(pairs(path), similarity)
        return known

    def mean(self, arm: int) -> float:
        """Return the mean reward of the pages of an arm."""
        return self.rewards[arm] / max(self.fetched[arm], 1)

    def score(self, arm: int, alpha: float, log_downloads: float) -> float:
        """Return the mean reward, and more where few pages were fetched."""
        return self.mean(arm) + alpha * sqrt(log_downloads / (self.fetched[arm] + TAG_PATHS.seldom))

    def _join(self, path: Counter[tuple[str, str]], similarity: float) -> int:
        """Add a path to the nearest arm, if that is near enough, or to a new one."""
        products: dict[int, int] = defaultdict(int)
        for pair, count in path.items():
            for arm in self._having.get(pair, ()):
                products[arm] += count * self._sums[arm][pair]
        length = sqrt(sum(count * count for count in path.values()))
        near = {
            arm: product / (length * sqrt(sum(count * count for count in self._sums[arm].values())))
            for arm, product in sorted(products.items())
        }
        nearest = max(near, key=near.__getitem__, default=NO_ARM)
        if nearest == NO_ARM or near[nearest] < similarity:
            nearest = len(self._sums)
            self._sums.append(Counter())
            self.fetched.append(0)
            self.rewards.append(0.0)
        for pair in path:
            if pair not in self._sums[nearest]:
                self._having.setdefault(pair, []).append(nearest)
        self._sums[nearest].update(path)
        return nearest


@dataclass(slots=True)
class TargetClassifier:
    """Logistic regression from the pairs of characters of a URL to whether it is a target."""

    _weights: NDArray[np.float64] = field(default_factory=lambda: np.zeros(NO_PAIR + 1), repr=False)
    _batch: list[tuple[str, bool]] = field(default_factory=list, repr=False)
    _steps: int = 0

    def learn(self, href: str, target: bool) -> None:
        """Take a URL into the next batch, and learn from the batch when it is full."""
        self._batch.append((href, target))
        if len(self._batch) == TAG_PATHS.batch:
            for known, wanted in self._batch:
                self._step(known, wanted)
            self._batch.clear()

    def probability(self, href: str) -> float:
        """Return the probability that a URL leads to a target; one half before any batch."""
        indexes, counts = character_pairs(href)
        return 1 / (1 + exp_of(-float((self._weights[indexes] * counts).sum())))

    def _step(self, href: str, target: bool) -> None:
        """Learn from one URL."""
        rate = 1 / (TAG_PATHS.penalty * (TAG_PATHS.delay + self._steps))
        error = target - self.probability(href)
        indexes, counts = character_pairs(href)
        self._weights[:-1] *= 1 - rate * TAG_PATHS.penalty
        self._weights[indexes] += rate * error * counts
        self._steps += 1


def character_pairs(href: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places and counts of the pairs of characters in a URL, and of what all have."""
    codes = np.frombuffer(href.encode("ascii", "replace"), np.uint8).astype(np.int64)
    indexes, counts = np.unique(codes[:-1] * TAG_PATHS.characters + codes[1:], return_counts=True)
    return np.append(indexes, NO_PAIR), np.append(counts, 1)


class WaitingLink(NamedTuple):
    """What a choice of a link that waits must say."""

    host: HostId
    parent: UrlId
    depth: int


@dataclass(slots=True)
class TagPathBandit:
    """Draws links from places in pages whose links led to relevant pages before.

    Without `classify` no link goes first.
    """

    rng: np.random.Generator
    alpha: float = TAG_PATHS.alpha
    similarity: float = 0.75
    classify: bool = True
    frontier: dict[UrlId, WaitingLink] = field(default_factory=dict, repr=False)
    targets: Frontier = field(default_factory=Frontier, repr=False)
    classifier: TargetClassifier = field(default_factory=TargetClassifier, init=False, repr=False)
    arms: PathArms = field(default_factory=PathArms, init=False, repr=False)
    _by_arm: list[list[UrlId]] = field(default_factory=list, init=False, repr=False)
    _arm_of: UrlColumn[np.int32] = field(
        default_factory=lambda: UrlColumn(np.int32(NO_ARM)), init=False, repr=False
    )
    _downloads: int = field(default=0, init=False, repr=False)

    def check(self) -> None:
        """Refuse what makes no sense."""
        if self.alpha < 0:
            raise UsageError(f"tag-path-bandit: alpha={self.alpha:g}: must be 0 or more")
        if not 0 <= self.similarity <= 1:
            raise UsageError(
                f"tag-path-bandit: similarity={self.similarity:g}: must be between 0 and 1"
            )

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose likely targets, then links of the best arm that has some on open hosts."""
        choices = list(self.targets.pop(n, closed))
        for choice in choices:
            self.frontier.pop(choice.url, None)
        while len(choices) < n and (drawn := self._draw(closed)) is not None:
            choices.append(drawn)
        return choices

    def tell(self, visits: Sequence[Visit]) -> None:
        """Reward arms, and give each new link to its arm."""
        for visit in visits:
            page, choice = visit.page, visit.page.choice
            self.targets.fetched(page)
            for url in (choice.url, page.final):
                self.frontier.pop(url, None)
            if choice.url != NO_PARENT:
                self._arrive(visit)
            self._find(page)

    def _arrive(self, visit: Visit) -> None:
        """Count a page for its arm, and reward that and the arm of the page it was found on."""
        page, choice, arms = visit.page, visit.page.choice, self.arms
        known = self._arm_of.reach(max(choice.url, page.final, choice.parent))
        arm = int(known[choice.url])
        if arm == NO_ARM or choice.purpose.is_own:
            return
        known[page.final] = arm
        self._downloads += 1
        arms.fetched[arm] += 1
        if visit.relevant:
            arms.rewards[arm] += 1
            above = int(known[choice.parent]) if choice.parent >= 0 else NO_ARM
            if above != NO_ARM:
                arms.rewards[above] += 1
        self.classifier.learn(page.links.addresses.href(choice.url), visit.relevant)

    def _find(self, page: Page) -> None:
        """Give the links of a page that are not known yet to their arms, or fetch them first."""
        links, depth = page.links, page.choice.depth + 1
        if not len(links):
            return
        known = self._arm_of.reach(int(links.targets.max()))
        fresh = np.flatnonzero(known[links.targets] == NO_ARM).tolist()
        for link in links.at(fresh):
            if known[link.url] != NO_ARM or not self.targets.wants(link.url):
                continue
            arm = self.arms.arm(link.path, self.similarity)
            known[link.url] = arm
            if arm == len(self._by_arm):
                self._by_arm.append([])
            self.frontier[link.url] = WaitingLink(link.host, page.final, depth)
            likely = self.classifier.probability(link.href) if self.classify else 0.0
            if likely > TAG_PATHS.likely:
                self.targets.push(link.url, link.host, likely, page.final, depth)
            else:
                self._by_arm[arm].append(link.url)

    def _draw(self, closed: AbstractSet[HostId]) -> Choice | None:
        """Draw a link from the best arm that has one on an open host."""
        log_downloads = log_of(max(self._downloads, 1))
        awake = [arm for arm, urls in enumerate(self._by_arm) if urls]
        scores = {arm: self.arms.score(arm, self.alpha, log_downloads) for arm in awake}
        for arm in sorted(awake, key=lambda one: -scores[one]):
            url = self._pick(self._by_arm[arm], closed)
            if url is not None:
                link = self.frontier.pop(url)
                return Choice(url, link.host, self.arms.mean(arm), "", link.parent, link.depth)
        return None

    def _pick(self, urls: list[UrlId], closed: AbstractSet[HostId]) -> UrlId | None:
        """Draw a URL that waits on an open host, and take it off the list; None if there is none.

        URLs that were fetched in another way are taken off too.
        """
        if closed:
            urls[:] = [url for url in urls if url in self.frontier]
            ready = [i for i, url in enumerate(urls) if self.frontier[url].host not in closed]
            return urls.pop(ready[int(self.rng.integers(len(ready)))]) if ready else None
        while urls:
            index = int(self.rng.integers(len(urls)))
            urls[index], urls[-1] = urls[-1], urls[index]
            if (url := urls.pop()) in self.frontier:
                return url
        return None
