"""Explains the promise of a link in a sentence.

The sentence names the two features that raised the promise most, each with the observations
behind it: the link text that matches the topic, or how many links of the same group were worth
following so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from foragers.core.display import counted
from foragers.core.types import Link
from foragers.strategies.auto.combiner import BIAS, Floats
from foragers.strategies.auto.features import addresses_of, anchor_words, prefixes_of
from foragers.strategies.auto.group_rates import ROOT, Rates
from foragers.strategies.auto.pending_links import LinkFeatures, LinkGroups
from foragers.strategies.auto.settings import DEFAULTS, ExplainSettings
from foragers.strategies.auto.word_weights import WordWeights, bucket
from foragers.text.words import ENGLISH_STOPWORDS

IN_WORDS = {
    "tag path": "the place in the HTML where a link stands",
    "directory": "the directory of its URL",
    "anchor": "other links with the same text",
    "shape": "the form of its URL",
    "link words": "the words of the link and of its URL",
    "words of relevant pages": "words that relevant pages use",
    "parent": "the relevance of the page that it stands on",
    "topic in link": "words of the topic in the link",
    "topic around": "words of the topic around the link",
    "words of parent": "the words of the page that it stands on",
    "in-links": "the number of pages that link to it",
    "depth": "the distance from the seeds",
    "trained model": "the trained model",
    "place on page": "the position on the page",
    "parent page": "other links of the same page",
    "mean word rate": "how often links with its words were worth following",
    "best word rate": "how often links with its best word were worth following",
}
"""The features as a reader knows them."""
TO_HOST = ("to this host", "to hosts first met on other hosts")
"""What the group of a host, and the one around it if there is one, have in common."""


def lessons_in(
    spread: Mapping[str, float], least: float = DEFAULTS.explain.least_spread
) -> list[str]:
    """Return in words which features decide, the strongest first."""
    known = [(name, by) for name, by in spread.items() if name in IN_WORDS and abs(by) >= least]
    known.sort(key=lambda item: -abs(item[1]))
    return [
        f"{IN_WORDS[name]}: {strength(by)}{'raises' if by > 0 else 'lowers'} the promise"
        f" ({by:+.2f})"
        for name, by in known
    ]


def strength(by: float, settings: ExplainSettings = DEFAULTS.explain) -> str:
    """Return an adverb for what a feature adds; nothing for a middling one."""
    if abs(by) < settings.slight:
        return "slightly "
    return "strongly " if abs(by) >= settings.strong else ""


Phrase = str | None
"""Part of a sentence, or None if there is nothing to tell."""


@dataclass(frozen=True)
class LinkReasons:
    """One link as it was when it was chosen, and the state that scored it.

    `known` holds the features of this link alone; `adds` says how much each feature added to the
    log-odds.
    """

    link: Link
    known: LinkFeatures
    adds: Mapping[str, float]
    rates: Rates
    words: WordWeights
    in_links: int
    settings: ExplainSettings = DEFAULTS.explain

    def sentence(self) -> str:
        """Return the main reasons as the end of a sentence."""
        phrases = list(self._phrases())[: self.settings.most_reasons]
        if phrases:
            return f"mainly because {', and '.join(phrases)}"
        return "although no feature speaks for it: other links looked even less likely"

    def _phrases(self) -> Iterator[str]:
        """Return the reasons, the strongest first, as far as they matter beside it."""
        raised = {name: added for name, added in self.adds.items() if added > 0 and name != BIAS}
        order = sorted(raised, key=lambda name: -raised[name])
        least = raised[order[0]] * self.settings.least_share if order else 0.0
        told = set[str]()
        for name in order:
            phrase = self._phrase(name) if raised[name] >= least else None
            if phrase is not None and phrase not in told:
                told.add(phrase)
                yield phrase

    def _phrase(self, feature: str) -> Phrase:
        """Return what is known behind a feature."""
        tellers: dict[str, Callable[[], Phrase]] = {
            "topic in link": self._topic_in_link,
            "topic around": lambda: "the text around the link matches the topic",
            "parent": lambda: "the page it is on matches the target",
            "tag path": self._tag_path,
            "directory": self._directory,
            "anchor": self._anchor,
            "shape": self._shape,
            "parent page": self._parent_page,
            "link words": lambda: self._spoken(self.words.weights, "link_words"),
            "mean word rate": lambda: self._spoken(self.words.rates, "link_words"),
            "best word rate": lambda: self._spoken(self.words.rates, "link_words"),
            "words of relevant pages": lambda: self._spoken(self.words.leans, "page_words"),
            "words of parent": lambda: "the page it is on uses the words of relevant pages",
            "in-links": lambda: f"{counted(self.in_links, 'page')} linked to it",
            "trained model": lambda: "the trained model expects relevant pages there",
            "place on page": lambda: "links at its position on a page were often worth following",
            "depth": lambda: "pages at its distance from the seeds were often worth following",
        }
        return tellers[feature]() if feature in tellers else None

    def _topic_in_link(self) -> str:
        text = " ".join(self.link.anchor.split())
        if not text:
            return "its URL matches the topic"
        return f"the link text “{text[: self.settings.most_characters]}” matches the topic"

    def _tag_path(self) -> Phrase:
        return self._group(
            LinkGroups._fields.index("tag_path"),
            (
                "in the same list on this page",
                "in such lists on pages of this host",
                *TO_HOST,
            ),
        )

    def _directory(self) -> Phrase:
        prefixes = [*prefixes_of(addresses_of([self.link.href]).directories[0])][::-1]
        names = (*(f"to {prefix}/" for prefix in prefixes), *TO_HOST)
        return self._group(LinkGroups._fields.index("directory"), names)

    def _anchor(self) -> Phrase:
        row = LinkGroups._fields.index("anchor")
        return self._group(row, ("with the same text",))

    def _shape(self) -> Phrase:
        row = LinkGroups._fields.index("shape")
        return self._group(row, ("to URLs of this form", "to files of this type"))

    def _parent_page(self) -> Phrase:
        row = LinkGroups._fields.index("parent_page")
        return self._group(row, ("on this page", *TO_HOST))

    def _group(self, row: int, names: tuple[str, ...]) -> Phrase:
        """Return how many links of the innermost group with observations were worth following."""
        group = int(self.known.groups[row, 0])
        for name in names:
            if group == ROOT:
                return None
            followed = self.rates.followed[group]
            if followed > 0:
                good = round(self.rates.earned[group])
                links = counted(followed, "link")
                verb = "was" if good == 1 else "were"
                return f"{good:,} of {links} {name} {verb} worth following"
            group = self.rates.parents[group]
        return None

    def _spoken(self, weights: Floats, kind: str) -> Phrase:
        """Return the words of the link that speak for it."""
        words = *anchor_words([self.link.anchor])[0], *addresses_of([self.link.href]).words[0]
        numbers = {word: bucket(word) for word in words if word not in ENGLISH_STOPWORDS}
        good = [word for word in numbers if weights[numbers[word]] > 0]
        good.sort(key=lambda word: -weights[numbers[word]])
        if not good:
            return None
        quoted = ", ".join(f"“{word}”" for word in good[: self.settings.most_words])
        if kind == "link_words":
            return f"links with {quoted} were worth following before"
        verb = "is" if len(good[: self.settings.most_words]) == 1 else "are"
        return f"{quoted} {verb} more frequent on relevant pages than on others"
