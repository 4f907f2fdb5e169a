"""Sites as trees of pages below a home page, with links across.

A site is planned as branches: a number of pages of a kind, each listed on a page of one of its
parent kinds.  Children resemble their parents: they mostly have the same topic, and some kinds are
on the host and in the directory of the page that lists them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import power
from foragers.errors import UsageError
from foragers.worlds.generated.build import DAY, Numbers, Pages, Strands, Timeline
from foragers.worlds.generated.text.seeded import generator
from foragers.worlds.generated.text.style import Role
from foragers.worlds.generated.text.vocabulary import made_up


@dataclass(frozen=True)
class Branch:
    """The pages of one kind in a site.

    There are `share` of all pages, or one if that is 0.  Each is listed on a page of a parent kind,
    and on `again` others of these on average; `across` links lead from each to pages of the
    `beside` kinds.  `host` is a host of the site, or "" for the parent's; a page with a `folder`
    has its children below it.
    """

    kind: int
    parents: tuple[tuple[int, float], ...] = ()
    share: float = 0.0
    again: float = 0.0
    across: float = 0.0
    beside: tuple[int, ...] = ()
    host: str = ""
    folder: str = ""
    file: str = ""
    role: Role = Role.LISTING


@dataclass(slots=True)
class GeneratedSite:
    """One site as it grows: pages by kind, with parents, topics, hosts and folders."""

    name: str
    kinds: Numbers
    parents: Numbers
    topics: Numbers
    hosts: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    hrefs: list[str] = field(default_factory=list)


class Grower:
    """Grows sites from plans, one after the other."""

    def __init__(self, preset: str, seed: int, inherit: float, back: float) -> None:
        self.random = generator(preset, seed, "sites")
        self.inherit = inherit
        self.back = back
        self.strands = Strands()
        self.sites: list[GeneratedSite] = []
        self.firsts: list[int] = []
        self.count = 0

    def grow(self, name: str, plan: Sequence[Branch], pages: int, topics: Numbers) -> None:
        """Add a site of some pages and topics."""
        if pages < 2 * len(plan):
            raise UsageError(
                f"{pages} pages are too few for a site; ask for more pages or fewer sites"
            )
        counts = [max(1, int(pages * branch.share)) for branch in plan]
        counts[int(np.argmax(counts))] += pages - sum(counts)
        firsts = dict(zip((branch.kind for branch in plan), np.cumsum([0, *counts]), strict=False))
        spans = {
            branch.kind: (int(firsts[branch.kind]), count)
            for branch, count in zip(plan, counts, strict=True)
        }
        site = GeneratedSite(
            name, np.zeros(pages, np.int64), np.full(pages, -1), np.zeros(pages, np.int64)
        )
        for branch in plan:
            self._populate(site, branch, spans, topics)
            self._address(site, branch, spans[branch.kind])
        for branch in plan:
            self._link(site, branch, spans)
        self.sites.append(site)
        self.firsts.append(self.count)
        self.count += pages

    def _populate(
        self,
        site: GeneratedSite,
        branch: Branch,
        spans: dict[int, tuple[int, int]],
        topics: Numbers,
    ) -> None:
        """Assign parents and topics to the pages of a branch."""
        first, count = spans[branch.kind]
        mine = slice(first, first + count)
        site.kinds[mine] = branch.kind
        site.topics[mine] = self.random.choice(topics, count)
        if branch.parents:
            parents = self._members(branch.parents, spans, count)
            # A page that would be below a later one of its own kind is below the first.
            late = parents >= np.arange(first, first + count)
            parents[late] = spans[branch.parents[0][0]][0]
            site.parents[mine] = parents
            # An index of people is about none of them in particular.
            single = [kind for kind, (_, members) in spans.items() if members == 1]
            same = self.random.random(count) < self.inherit
            same &= ~np.isin(site.kinds[parents], single)
            site.topics[mine] = np.where(same, site.topics[parents], site.topics[mine])

    def _members(
        self, kinds: Sequence[tuple[int, float]], spans: dict[int, tuple[int, int]], count: int
    ) -> Numbers:
        """Draw pages of some kinds; within a kind the first are drawn more often."""
        weights = np.array([weight for _, weight in kinds])
        which = self.random.choice(len(kinds), count, p=weights / weights.sum())
        bounds = np.array([spans[kind] for kind, _ in kinds])[which]
        skewed = power(self.random.random(count), 1.5)
        return np.asarray(bounds[:, 0] + (bounds[:, 1] * skewed).astype(np.int64))

    def _address(self, site: GeneratedSite, branch: Branch, span: tuple[int, int]) -> None:
        """Assign hosts, directories and URLs to the pages of a branch."""
        first, count = span
        for at in range(first, first + count):
            parent = int(site.parents[at])
            word = made_up(self.count + at * 13)
            host = branch.host.format(site=site.name) if branch.host else site.hosts[parent]
            above = site.folders[parent] if not branch.host and parent >= 0 else "/"
            folder = above + branch.folder.format(word=word) if branch.folder else above
            file = branch.file.format(word=word, number=at)
            site.hosts.append(host)
            site.folders.append(folder)
            site.hrefs.append(f"http://{host}{folder}{file}")

    def _link(self, site: GeneratedSite, branch: Branch, spans: dict[int, tuple[int, int]]) -> None:
        """Link the pages of a branch: from their parents, back, home and across."""
        first, count = spans[branch.kind]
        mine = np.arange(first, first + count)
        if not branch.parents:
            return
        parents = site.parents[mine]
        self._add(parents, mine, branch.role)
        home = self.random.random(count) < 0.6
        self._add(mine[home], np.zeros(np.count_nonzero(home), np.int64), Role.NAVIGATION)
        back = self.random.random(count) < self.back
        self._add(mine[back], parents[back], Role.NAVIGATION)
        again = np.repeat(mine, self.random.poisson(branch.again, count))
        self._add(self._members(branch.parents, spans, len(again)), again, branch.role)
        if branch.beside:
            across = np.repeat(mine, self.random.poisson(branch.across, count))
            kinds = [(kind, 1.0) for kind in branch.beside]
            self._add(across, self._members(kinds, spans, len(across)), Role.CONTENT)

    def _add(self, sources: Numbers, targets: Numbers, role: Role) -> None:
        self.strands.add(sources + self.count, targets + self.count, role)

    def pages(self, topics: int) -> Pages:
        """Return the columns of all pages of all sites."""
        rows = np.concatenate([site.topics for site in self.sites])
        return Pages(
            [href for site in self.sites for href in site.hrefs],
            rows,
            np.where(rows > 0, rows % topics + 1, 0),
            np.concatenate([site.kinds for site in self.sites]),
        )

    def timeline(self) -> Timeline:
        """Return the one version of each page."""
        return Timeline.standing(self.random.exponential(200 * DAY, self.count))

    def site_numbers(self) -> Numbers:
        """Return the site that each page belongs to."""
        sizes = [len(site.kinds) for site in self.sites]
        return np.repeat(np.arange(len(self.sites)), sizes)


def sizes_of(weights: NDArray[np.float64], pages: int) -> list[int]:
    """Divide pages in proportion to weights."""
    ends = np.cumsum(weights)
    cuts = (ends / ends[-1] * pages).round().astype(np.int64)
    return [int(size) for size in np.diff(cuts, prepend=0)]
