"""Keyword scorer: the share of the topic's words that stand in a URL.

crawl4ai (`BestFirstCrawlingStrategy` with a `KeywordRelevanceScorer`, version 0.7.4): a link's
score is

    words of the topic that stand anywhere in the URL / words of the topic

Escapes are decoded, upper and lower case are alike, and "art" stands in "party".  The page and
the anchor text play no part, and nothing is learned.  Of equal scores the page nearer to the
seeds goes first.

Left out are crawl4ai's limits of depth and scope, which are options of a crawl here, and its
batches of ten pages, which are a way to fetch in parallel.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import ClassVar
from urllib.parse import unquote

from foragers.core.types import Choice, HostId, Visit
from foragers.frontier.frontier import Frontier
from foragers.judges.topic import Topic
from foragers.text.words import ENGLISH_STOPWORDS, words


@dataclass(frozen=True)
class KeywordScorerSettings:
    """How ties are broken."""

    nearer: float = 1e-6  # promise that a page at depth 0 has above one far away; breaks ties only


DEFAULT_SETTINGS = KeywordScorerSettings()


@dataclass(slots=True)
class KeywordScorer:
    """Follows the links whose URLs have most of the topic's words in them.

    `keywords` replaces the words of the topic.
    """

    needs_link_context: ClassVar[bool] = False

    topic: Topic
    keywords: str = ""
    frontier: Frontier = field(default_factory=Frontier)
    settings: KeywordScorerSettings = field(default=DEFAULT_SETTINGS, repr=False)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose the n pages on open hosts with the best scores."""
        return self.frontier.pop(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Queue each link by its score."""
        wanted = self.wanted_words()
        for visit in visits:
            page, links = visit.page, visit.page.links
            self.frontier.fetched(page)
            depth = page.choice.depth + 1
            places = self.frontier.wanted(links)
            urls, hosts = links.targets[places].tolist(), links.hosts[places].tolist()
            hrefs = links.addresses.hrefs(urls)
            for url, host, href in zip(urls, hosts, hrefs, strict=True):
                promise = score(href, wanted) + self.settings.nearer / (1 + depth)
                self.frontier.push(url, host, promise, page.final, depth)

    def wanted_words(self) -> tuple[str, ...]:
        """Return the words to look for, each once; none if the topic has no words."""
        given = self.keywords or getattr(self.topic, "words", "")
        text = given if isinstance(given, str) else " ".join(given)
        return tuple(dict.fromkeys(words(text, ENGLISH_STOPWORDS)))


def score(href: str, wanted: Sequence[str]) -> float:
    """Return the share of some words that stand in a URL."""
    if not wanted:
        return 0.0
    decoded = unquote(href).lower()
    return sum(word in decoded for word in wanted) / len(wanted)
