"""`topics`: one large web of many hosts and many topics.

A host is about two or three topics; its pages form a tree below its home page, with pages of one
topic next to each other.  In addition, pages link to pages of their own topic, of a related one,
and of any, on any host; in each topic some pages have many links to them, and some are hubs that
consist mainly of links.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foragers.core.exact import exp, power
from foragers.worlds.archive import Archive
from foragers.worlds.generated.build import (
    DAY,
    Numbers,
    Origin,
    Pages,
    Strands,
    Timeline,
    members,
    world,
)
from foragers.worlds.generated.text.seeded import generator
from foragers.worlds.generated.text.style import Headline, PageKind, Role, Style
from foragers.worlds.generated.text.vocabulary import made_up, names_of_topics

HOME, ABOUT, HUB, PAGE = range(4)
KINDS = (
    PageKind(
        "home", ("Welcome to", "The home of"), ("welcome", "home", "members", "society", "visit")
    ),
    PageKind(
        "about",
        ("About us", "Contact", "Who we are"),
        ("contact", "address", "email", "history", "office", "phone"),
        Headline.NONE,
        topical=0.05,
    ),
    PageKind(
        "hub",
        ("Links to", "Resources on", "Guide to"),
        ("links", "resources", "directory", "guide", "collection", "index", "best"),
        topical=0.35,
        words=90,
    ),
    PageKind(
        "page",
        ("",),
        ("article", "introduction", "notes", "details", "chapter", "figure", "summary", "essay"),
        own=0.05,
    ),
)

MIXTURE = (0.6, 0.3, 0.1)
"""The shares of a host's pages among its topics."""

BRANCHES = 7
"""The number of children of a page in a host's tree."""

POPULARITY = 3.0
"""In a topic the page of rank r (from 0 to 1) is linked to like r^(1/3 - 1)."""


@dataclass(frozen=True)
class TopicsParameters:
    """The parameters of a `topics` world.

    `links` is the mean number of links in the text of a page; of these `same_host`, `same_topic`
    and `related` are the shares that stay on the host, go to the same topic and to a related one;
    the rest goes anywhere.  `general` is the share of pages that have no topic, `hubs` of those
    that are hubs.
    """

    topics: int = 20
    pages_per_host: float = 50.0
    links: float = 7.0
    same_host: float = 0.4
    same_topic: float = 0.35
    related: float = 0.1
    general: float = 0.2
    hubs: float = 0.005
    hub_links: int = 60
    fidelity: float = 0.8
    noise: float = 0.4
    seeds: int = 5


def topics_world(seed: int, pages: int, parameters: TopicsParameters, origin: Origin) -> Archive:
    """Make a `topics` world."""
    web = TopicWeb(seed, pages, parameters)
    names = names_of_topics(parameters.topics)
    labels = members("topic", ("", *names), web.topics)
    labels |= members("kind", [kind.name for kind in KINDS], web.kinds)
    return world(
        web.pages(names),
        Timeline.standing(web.ages),
        web.strands().weave(pages),
        Style(seed, names, KINDS, parameters.fidelity, parameters.noise),
        seeds=web.seeds(),
        labels=labels,
        origin=origin,
    )


class TopicWeb:
    """Hosts, pages and links of a `topics` world."""

    def __init__(self, seed: int, pages: int, parameters: TopicsParameters) -> None:
        self.seed = seed
        self.parameters = parameters
        self.count = pages
        random = generator("topics", seed, "pages")
        # A host has at least a home page and an about page, and as a rule every topic has a host.
        hosts = int(pages / max(parameters.pages_per_host, 2.0))
        hosts = max(min(parameters.topics, pages // 4), hosts)
        weights = exp(random.standard_normal(hosts))
        self.sizes = 2 + random.multinomial(pages - 2 * hosts, weights / weights.sum())
        self.firsts = np.concatenate(([0], np.cumsum(self.sizes[:-1])))
        self.hosts = np.repeat(np.arange(hosts), self.sizes)
        self.places = np.arange(pages) - self.firsts[self.hosts]
        self.host_topics = self._host_topics(random, hosts)
        self.topics = self._page_topics(random)
        self.kinds = self._kinds(random)
        self.ages = random.exponential(300 * DAY, pages)
        # The pages of each topic, by the number of links to them.
        shuffled = random.permutation(pages)
        self.by_topic = shuffled[np.argsort(self.topics[shuffled], kind="stable")]
        self.topic_sizes = np.bincount(self.topics, minlength=parameters.topics + 1)
        self.topic_firsts = np.concatenate(([0], np.cumsum(self.topic_sizes[:-1])))

    def _host_topics(self, random: np.random.Generator, hosts: int) -> Numbers:
        """Assign a main topic, a related one and any other to each host."""
        topics = self.parameters.topics
        likely = 1.0 / (np.arange(topics) + 4.0)
        # Which topics are large is random, but every topic has a host.
        main = random.permutation(topics)[random.choice(topics, hosts, p=likely / likely.sum())]
        main[: min(topics, hosts)] = random.permutation(topics)[: min(topics, hosts)]
        beside = (main + random.choice((-1, 1), hosts)) % topics
        return np.column_stack((main, beside, random.integers(topics, size=hosts))) + 1

    def _page_topics(self, random: np.random.Generator) -> Numbers:
        part = (self.places + 0.5) / self.sizes[self.hosts]
        which = np.searchsorted(np.cumsum(MIXTURE)[:-1], part)
        topics = self.host_topics[self.hosts, which]
        topics[(random.random(self.count) < self.parameters.general) & (self.places > 0)] = 0
        topics[self.places == 1] = 0
        return topics

    def _kinds(self, random: np.random.Generator) -> Numbers:
        kinds = np.where(random.random(self.count) < self.parameters.hubs, HUB, PAGE)
        kinds[self.topics == 0] = PAGE
        kinds[self.firsts] = HOME
        kinds[self.firsts + 1] = ABOUT
        return kinds

    def pages(self, names: tuple[str, ...]) -> Pages:
        """Return the columns of the pages."""
        leading = self.host_topics[self.hosts, 0]
        seconds = np.where(self.topics == leading, self.host_topics[self.hosts, 1], leading)
        return Pages(self.hrefs(names), self.topics, seconds, self.kinds)

    def hrefs(self, names: tuple[str, ...]) -> list[str]:
        """Return the URLs: the directory often names the topic, the file name never."""
        folders = np.array(("archive", *names), np.object_)
        named = generator("topics", self.seed, "folders").random(self.count) < 0.5
        rows = np.where(named, self.topics, 0)
        hosts = [host_name(host) for host in range(len(self.sizes))]
        return [
            f"http://{hosts[host]}/{folder}/{made_up(number * 31 + host)}-{number}.html"
            if number
            else f"http://{hosts[host]}/"
            for host, number, folder in zip(
                self.hosts.tolist(), self.places.tolist(), folders[rows].tolist(), strict=True
            )
        ]

    def seeds(self) -> list[int]:
        """Return home pages of hosts of different topics."""
        return [int(first) for first in self.firsts[: self.parameters.seeds]]

    def strands(self) -> Strands:
        """Draw all links."""
        strands = Strands()
        random = generator("topics", self.seed, "links")
        self._host_links(strands, random)
        self._home_links(strands, random)
        self._text_links(strands, random)
        self._hub_links(strands, random)
        return strands

    def _host_links(self, strands: Strands, random: np.random.Generator) -> None:
        """Link the tree of each host downwards, and pages to their home and about pages."""
        below = np.flatnonzero(self.places > 0)
        firsts = self.firsts[self.hosts[below]]
        strands.add(firsts + (self.places[below] - 1) // BRANCHES, below, Role.LISTING)
        home = random.random(len(below)) < 0.7
        strands.add(below[home], firsts[home], Role.NAVIGATION)
        about = random.random(len(below)) < 0.4
        strands.add(below[about], firsts[about] + 1, Role.FOOTER)

    def _home_links(self, strands: Strands, random: np.random.Generator) -> None:
        """Link home pages from earlier hosts, so that all can be reached, and from their topics."""
        hosts = np.arange(1, len(self.sizes))
        origins = (hosts * random.random(len(hosts))).astype(np.int64)
        offset = (self.sizes[origins] * random.random(len(hosts))).astype(np.int64)
        strands.add(self.firsts[origins] + offset, self.firsts[1:], Role.CONTENT)
        for _ in range(2):
            topics = self.host_topics[1:, 0]
            strands.add(self._of_topic(topics, random), self.firsts[1:], Role.CONTENT)

    def _text_links(self, strands: Strands, random: np.random.Generator) -> None:
        """Link pages in their text: to the host, to the topic, to a related topic, anywhere."""
        parameters = self.parameters
        # Pareto with a finite mean: most pages have few links, some have very many.
        many = 0.4 * parameters.links * power(1 - random.random(self.count), -0.6)
        counts = np.minimum(many + random.random(self.count), 300).astype(np.int64)
        sources = np.repeat(np.arange(self.count), counts)
        shares = np.cumsum((parameters.same_host, parameters.same_topic, parameters.related))
        where = np.searchsorted(shares, random.random(len(sources)), side="right")
        self._add_near(strands, sources[where == 0], random)
        same = sources[where == 1]
        strands.add(same, self._of_topic(self.topics[same], random), Role.CONTENT)
        beside = sources[where == 2]
        topics = self._related(self.topics[beside], random)
        strands.add(beside, self._of_topic(topics, random), Role.CONTENT)
        rest = sources[where == 3]
        strands.add(rest, random.integers(self.count, size=len(rest)), Role.CONTENT)

    def _add_near(self, strands: Strands, sources: Numbers, random: np.random.Generator) -> None:
        hosts = self.hosts[sources]
        offset = (self.sizes[hosts] * np.square(random.random(len(sources)))).astype(np.int64)
        strands.add(sources, self.firsts[hosts] + offset, Role.CONTENT)

    def _hub_links(self, strands: Strands, random: np.random.Generator) -> None:
        hubs = np.flatnonzero(self.kinds == HUB)
        sources = np.repeat(hubs, random.poisson(self.parameters.hub_links, len(hubs)))
        targets = self._of_topic(self.topics[sources], random, 1.5)
        strands.add(sources, targets, Role.LISTING)

    def _related(self, topics: Numbers, random: np.random.Generator) -> Numbers:
        steps = random.choice((-1, 1), len(topics))
        return np.where(topics == 0, 0, (topics - 1 + steps) % self.parameters.topics + 1)

    def _of_topic(
        self, topics: Numbers, random: np.random.Generator, popularity: float = POPULARITY
    ) -> Numbers:
        """Draw a page of each topic, the popular ones more often."""
        rank = self.topic_sizes[topics] * power(random.random(len(topics)), popularity)
        pages: Numbers = self.by_topic[self.topic_firsts[topics] + rank.astype(np.int64)]
        return pages


def host_name(host: int) -> str:
    """Return the name of a host."""
    return f"www.{made_up(host * 7 + 3)}.{('com', 'org', 'net', 'info')[host % 4]}"
