"""The links of a page are taken apart in C as in Python: the same features and the same groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.core.links import ParsedLink, ParsedLinks
from foragers.core.loop import seed_visit
from foragers.core.types import Choice, Document, Links, Page, Status, UrlId, Visit
from foragers.judges.keywords import Keywords
from foragers.judges.topic import NoTopic, Topic, hints_of
from foragers.judges.words.judge import Words
from foragers.judges.words.meaning import Meaning
from foragers.strategies.auto import (
    combiner,
    features,
    group_rates,
    learning,
    pending_links,
    word_weights,
)
from foragers.strategies.auto.features import features_of, host_of
from foragers.strategies.auto.group_rates import Rates
from foragers.strategies.auto.settings import AutoSettings
from foragers.strategies.auto.strategy import Auto
from foragers.worlds.archive import Archive
from foragers.worlds.importing.importer import import_world
from foragers.worlds.replay import Recorded
from foragers.worlds.store import open_world
from support.shared_suites import recording

pytestmark = pytest.mark.skipif(features.LIBRARY is None, reason="the module was not built")


@dataclass
class Text:
    """The words and links of a page."""

    said: Document
    links: ParsedLinks

    def document(self) -> Document:
        return self.said

    def outlinks(self) -> ParsedLinks:
        return self.links


@dataclass
class Named:
    """URLs, by their numbers."""

    known: list[str] = field(default_factory=list)

    def href(self, url: UrlId) -> str:
        return self.known[url]

    def hrefs(self, urls: Sequence[UrlId]) -> list[str]:
        return [self.known[url] for url in urls]


def visit_of(page: str, found: list[ParsedLink], words: str, status: Status) -> Visit:
    """Return the visit of a page with some links, in whose words these stand one after another."""
    links = ParsedLinks.of(found)
    if words:
        steps = [len(words) * at // (len(found) + 1) for at in range(len(found) + 1)]
        spans = list(pairwise(steps))
        links.words, links.arounds = words, []
        links.starts = [start if start % 7 else -1 for start, _ in spans]
        links.ends = [(start + end) // 2 for start, end in spans]
    addresses = Named([page, *(link.href for link in found)])
    names = [host_of(link.href) for link in found]
    hosts = np.array([sorted(set(names)).index(name) for name in names], np.int32)
    targets = np.arange(1, len(found) + 1, dtype=np.int32)
    content = Text(Document("t", (), words), links)
    columns = Links(targets, hosts, addresses, content)
    choice = Choice(0, 0, 0.5, "", -1, 2)
    return Visit(Page(choice, status, "", 0, 0.0, 0.0, 0, columns, content), 0.4, False)


def told(
    visits: list[Visit], topic: Topic, by_page: bool, most: int, compiled: bool
) -> tuple[object, ...]:
    """Return the features of all links of pages, and the groups that these made."""
    rates, found = Rates(AutoSettings(most_groups=most)), []
    with pytest.MonkeyPatch.context() as patched:
        if not compiled:
            patched.setattr(features, "LIBRARY", None)
        for visit in visits:
            places = list(range(len(visit.links)))
            known = features_of(visit, places, 0.3, topic, rates, 0.0, by_page)
            found.append([column.tolist() for column in known])
            rates.odds[len(rates) // 2] += 0.25  # groups made later inherit it
    columns = (rates.parents, rates.levels, rates.odds, rates.doubts, rates.followed, rates.earned)
    return (found, rates._digests.column().tolist(), *(column.tolist() for column in columns))


PART = st.text("aBcXY09-_.%/+;~", max_size=9) | st.sampled_from(
    ["news", "GreenTea", "HTMLPage", "index.html", "a//b", "xn--bcher", "%C3%A9t%C3%A9", "2024/05"]
)
HREF = st.builds(
    "http{}://{}{}{}".format,
    st.sampled_from(["", "s"]),
    st.sampled_from(["a.test", "b.test:8080", "x", "www.c.test"]),
    st.lists(PART, max_size=7).map(lambda parts: "".join(f"/{part}" for part in parts)),
    st.sampled_from(["", "?", "?q=1", "?Tea=%20two&b", "/?/x/y.z"]),
)
ANCHOR = st.text("teaThe's TREE_re've \n\x00é’…京都", max_size=30) | st.sampled_from(
    ["green tea", "The Tea", "", "it's", "\ud800", "one two three four five six seven eight nine"]
)
LINK = st.builds(
    ParsedLink,
    HREF,
    ANCHOR,
    st.sampled_from(["", "all about tea and trees", "été"]),
    st.sampled_from(["ul li a", "p a", "", "div.é a", "div.\ud800"]),
)
PAGE = st.tuples(
    st.sampled_from(["http://a.test/", "http://b.test:8080/x/y", "http://b.test/\ud800"]),
    st.lists(LINK, min_size=1, max_size=9),
    st.just("") | st.text("tea rs TE é", min_size=300, max_size=500),
    st.sampled_from([Status.OK, Status.OK, Status.UNWANTED]),
)


@pytest.mark.parametrize("topic", [NoTopic(), Words("green tea, trees"), Keywords("tea thé")])
@given(st.lists(PAGE, min_size=1, max_size=4), st.booleans(), st.sampled_from([9, 40, 10_000]))
def test_links_are_taken_apart_the_same(
    topic: Topic,
    pages: list[tuple[str, list[ParsedLink], str, Status]],
    by_page: bool,
    most: int,
) -> None:
    visits = [visit_of(*page) for page in pages]
    quick = told(visits, topic, by_page, most, compiled=True)
    assert quick == told(visits, topic, by_page, most, compiled=False)


def test_only_some_links_of_a_page_are_taken_apart() -> None:
    found = [ParsedLink(f"http://a.test/d{n}/tea-{n}", f"Tea {n}", "", "ul a") for n in range(6)]
    visit, quick, slow = visit_of("http://a.test/", found, "", Status.OK), Rates(), Rates()
    some = features_of(visit, [1, 4], 0.0, NoTopic(), quick)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(features, "LIBRARY", None)
        same = features_of(visit, [1, 4], 0.0, NoTopic(), slow)
    assert [column.tolist() for column in some] == [column.tolist() for column in same]
    assert some.urls.tolist() == [2, 5]
    assert quick.parents == slow.parents


def test_many_groups_find_room() -> None:
    found = [
        ParsedLink(f"http://h{n}.test/a/b/c/d/x{n}.e{n}?", f"a{n}", "", f"p{n}") for n in range(700)
    ]
    visit = visit_of("http://a.test/", found, "", Status.OK)
    quick = told([visit], NoTopic(), True, 10_000, compiled=True)
    assert quick == told([visit], NoTopic(), True, 10_000, compiled=False)
    rates = Rates()
    features_of(visit, list(range(700)), 0.0, NoTopic(), rates)
    assert len(rates) > 4_000, "several times as many as the first table has"


def test_a_topic_that_sees_more_than_letters_has_no_hints() -> None:
    assert hints_of(Words("green tea")) == (b"gree", b"tea")
    assert hints_of(Meaning("green tea")) is None
    assert hints_of(NoTopic()) is None


def test_a_likeness_that_fails_is_not_passed_over() -> None:
    class Broken:
        def likeness(self, text: str) -> float:
            raise ZeroDivisionError(text)

    found = [ParsedLink("http://a.test/x", "tea", "", "ul a")]
    visit, rates = visit_of("http://a.test/", found, "", Status.OK), Rates()
    with pytest.raises(ZeroDivisionError):
        features_of(visit, [0], 0.0, Broken(), rates)
    assert len(rates) == 1


def crawled(archive: Archive, downloads: int) -> tuple[list[object], bytes]:
    """Crawl a recorded web, and return all choices and what was learned."""
    world, strategy = Recorded(archive), Auto(topic := Words("research faculty student"))
    strategy.tell([seed_visit(world.seeds, 0.0)])
    chosen: list[object] = []
    while len(chosen) < downloads and (choices := strategy.ask(1, frozenset())):
        chosen += [(choice.url, choice.promise) for choice in choices]
        for choice in choices:
            world.start(choice)
        for page in world.finished():
            relevance = topic.relevance(page)
            strategy.tell([Visit(page, relevance, relevance >= topic.threshold)])
    rates, words = strategy._rates, strategy._words
    columns = (rates.odds, rates.doubts, rates.earned, words.table, strategy._combiner.weights)
    return chosen, b"".join(column.tobytes() for column in columns)


def test_a_recorded_web_is_crawled_the_same(tmp_path: Path) -> None:
    import_world(tmp_path / "web", [recording("washington")])
    archive = open_world(tmp_path / "web")
    quick = crawled(archive, 300)
    with pytest.MonkeyPatch.context() as patched:
        for module in (combiner, features, group_rates, learning, pending_links, word_weights):
            patched.setattr(module, "LIBRARY", None)
        assert crawled(archive, 300) == quick
