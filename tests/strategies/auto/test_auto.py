"""What auto fetches first, in small worlds."""

from __future__ import annotations

import numpy as np
import pytest

from foragers.core.content import MemoryContent
from foragers.core.loop import seed_visit
from foragers.core.types import Choice, Document, Link, Page, Status, Visit
from foragers.judges.keywords import Keywords
from foragers.judges.topic import NoTopic, Topic
from foragers.strategies.auto.combiner import FEATURES, Combiner
from foragers.strategies.auto.group_rates import ROOT
from foragers.strategies.auto.pending_links import LinkGroups
from foragers.strategies.auto.reward import Likeness
from foragers.strategies.auto.settings import AutoSettings
from foragers.strategies.auto.strategy import Auto
from foragers.strategies.auto.word_weights import bucket

PRIOR = {feature.name: feature.prior for feature in FEATURES}


def link(url: int, directory: str, anchor: str = "") -> Link:
    return Link(url, 0, f"http://a.test/{directory}/{url}", anchor, path=f"ul.{directory} a")


def visit(choice: Choice, relevance: float, *links: Link, status: Status = Status.OK) -> Visit:
    content = MemoryContent(Document(), links)
    page = Page(choice, status, "", choice.url, 0.0, 0.0, choice.url, content.columns(), content)
    return Visit(page, relevance, relevance > 0.5)


def crawl(
    strategy: Auto, pages: dict[int, list[Link]], good: set[int], downloads: int
) -> list[int]:
    order: list[int] = []
    while len(order) < downloads and (chosen := strategy.ask(1, frozenset())):
        order.append(chosen[0].url)
        url = order[-1]
        strategy.tell([visit(chosen[0], float(url in good), *pages.get(url, ()))])
    return order


def begun(strategy: Auto, *links: Link) -> Auto:
    strategy.tell([seed_visit(links, 0.0)])
    return strategy


def test_the_directory_that_pays_is_emptied_first() -> None:
    teas, taxes = range(100, 120), range(200, 220)
    mixed = [page for pair in zip(taxes, teas, strict=True) for page in pair]
    links = [link(page, "tea" if page in teas else "tax") for page in mixed]
    strategy = begun(Auto(NoTopic()), link(0, "home"))
    order = crawl(strategy, {0: links}, set(teas), 41)
    places = [order.index(page) for page in teas]
    assert max(places) <= 26, "after a few tries it keeps to the teas"


def test_a_hub_is_worth_what_is_found_through_it() -> None:
    """Lists lead to targets and notes to nothing; both are not relevant themselves."""
    lists, notes, targets = range(10, 22), range(30, 42), range(100, 160)
    pages = {
        0: [
            link(page, "list" if page in lists else "note")
            for page in sorted([*lists, *notes], key=lambda page: page % 10)
        ]
    }
    for number, page in enumerate(lists):
        pages[page] = [link(target, "item") for target in targets[5 * number : 5 * number + 5]]
    order = crawl(begun(Auto(NoTopic()), link(0, "home")), pages, set(targets), 85)
    seen = [page for page in order if page in lists or page in notes]
    assert np.mean([seen.index(page) for page in lists]) < np.mean(
        [seen.index(page) for page in notes]
    )


def test_likeness_teaches_nothing_where_it_is_not_enough() -> None:
    """Notes are somewhat like what is wanted, the few teams are what is wanted."""
    notes, teams = range(10, 60), range(100, 105)
    links = [link(page, "note", "more news") for page in notes]
    for place, team in enumerate(teams):
        links.insert(9 * (place + 1), link(team, "team", "our team"))
    strategy = begun(Auto(NoTopic()), link(0, "home"))
    order: list[int] = []
    while len(order) < 40 and (chosen := strategy.ask(1, frozenset())):
        url = chosen[0].url
        order.append(url)
        likeness = {**dict.fromkeys(teams, 0.8), **dict.fromkeys(notes, 0.45)}.get(url, 0.0)
        strategy.tell([visit(chosen[0], likeness, *(links if not url else ()))])
    assert set(teams) <= set(order[:30])


def test_likeness_leads_where_nothing_is_good_enough() -> None:
    """Nothing is relevant, but notes on tea are alike and the many others are not."""
    teas, others = range(10, 60), range(100, 200)
    links = [link(other, "b") for other in others]
    for place, tea in enumerate(teas):
        links.insert(3 * place, link(tea, "a"))
    strategy = begun(Auto(NoTopic()), link(0, "home"))
    order: list[int] = []
    while len(order) < 75 and (chosen := strategy.ask(1, frozenset())):
        url = chosen[0].url
        order.append(url)
        strategy.tell([visit(chosen[0], 0.45 * (url in teas), *(links if not url else ()))])
    assert len(set(order) & set(teas)) > 45, "breadth-first finds 25"


def test_what_is_alike_is_worth_less_the_more_pages_are_and_the_more_is_found() -> None:
    likeness = Likeness()
    for alike in (0.0, 0.0, 0.0, 0.5):
        likeness.worth(alike, False)
    assert likeness.worth(0.5, False) == pytest.approx(0.5 * (3 / 5) ** 8)
    assert likeness.worth(0.8, True) == 1
    assert likeness.worth(0.75, False) == pytest.approx(0.75 * (5 / 6) ** 8 / 2)
    assert likeness.worth(0.0, False) == 0


def test_the_words_of_a_hub_are_learned_once_something_is_found_through_it() -> None:
    strategy = begun(Auto(NoTopic()), link(0, "home"))
    pages = {0: [link(1, "x", "governance")], 1: [link(2, "y", "officers")]}
    assert crawl(strategy, pages, {2}, 2) == [0, 1]
    word = bucket("governance")
    before = strategy._words.weights[word]
    assert before < 0, "it was not relevant itself"
    assert crawl(strategy, pages, {2}, 1) == [2]
    assert strategy._words.weights[word] > 0


def test_words_of_the_topic_lead_before_anything_is_learned() -> None:
    links = [link(1, "x", "about us"), link(2, "x", "green tea"), link(3, "x", "imprint")]
    strategy = begun(Auto(Keywords("green tea")), *links)
    assert strategy.ask(1, frozenset())[0].url == 2


def test_a_host_that_never_answers_is_left_for_last() -> None:
    dead = [Link(url, 1, f"http://dead.test/{url}") for url in range(10, 20)]
    alive = [Link(url, 2, f"http://alive.test/{url}") for url in range(20, 30)]
    links = [page for pair in zip(dead, alive, strict=True) for page in pair]
    strategy = begun(Auto(NoTopic()), link(0, "home"))
    order: list[int] = []
    while chosen := strategy.ask(1, frozenset()):
        url = chosen[0].url
        status = Status.MISSING if 10 <= url < 20 else Status.OK
        order.append(url)
        strategy.tell([visit(chosen[0], 0.0, *(links if not url else ()), status=status)])
    assert set(order[-5:]) <= set(range(10, 20))


def test_many_seeds_have_their_turns_whatever_else_promises_more() -> None:
    seeds = [Link(url, url, f"http://s{url}.test/") for url in range(1, 31)]
    teas = [link(url, "tea", "green tea") for url in range(100, 200)]
    strategy = begun(Auto(Keywords("green tea")), *seeds)
    order = crawl(strategy, {1: teas}, set(range(100, 200)), 45)
    assert set(range(1, 21)) <= set(order)
    assert order.count(25) == 0, "those behind the first twenty are judged like links"


def test_few_seeds_wait_while_the_first_pays() -> None:
    seeds = [Link(url, url, f"http://s{url}.test/") for url in range(1, 4)]
    teas = [link(url, "tea", "green tea") for url in range(100, 120)]
    strategy = begun(Auto(Keywords("green tea")), *seeds)
    order = crawl(strategy, {1: teas}, set(range(100, 120)), 15)
    assert not {2, 3} & set(order[3:])


def test_seeds_that_pass_teach_nothing_about_links() -> None:
    strategy = begun(Auto(NoTopic()), *(link(home, "home") for home in range(30)))
    before = strategy._combiner.weights.tolist()
    crawl(strategy, {}, set(range(30)), 30)
    assert strategy._combiner.weights.tolist() == before
    assert strategy._rates.followed[ROOT] == 0


def test_seeds_that_do_not_pass_are_examples() -> None:
    strategy = begun(Auto(NoTopic()), link(1, "home"), link(2, "home"))
    crawl(strategy, {}, {1}, 2)
    assert strategy._rates.followed[ROOT] == 1


def test_seeds_that_passed_let_the_next_seed_go_first() -> None:
    """Ten seeds passed; one more waits beside a page that the last of them links to."""
    settings = AutoSettings(first_seeds=10, early_depth=0.0)
    homes = [link(home, "home") for home in range(11)]
    strategy = begun(Auto(NoTopic(), settings=settings), *homes)
    order = crawl(strategy, {9: [link(50, "note")]}, set(range(10)), 12)
    assert order[-2:] == [10, 50]


def elsewhere(url: int) -> Link:
    return Link(url, 1, f"http://b.test/more/{url}", path="ul.more a")


@pytest.mark.parametrize(
    ("topic", "new_within", "is_more"),
    [
        (Keywords("coffee"), np.inf, True),
        (Keywords("coffee"), 3600.0, False),
        (NoTopic(), np.inf, False),
    ],
)
def test_a_given_host_of_which_little_was_tried_is_tried_again(
    topic: Topic, new_within: float, is_more: bool
) -> None:
    """Every fourth page of the other host is relevant."""
    teas, more = range(100, 160), range(200, 220)
    pages = {0: [link(page, "tea") for page in teas], 1: [elsewhere(page) for page in more]}
    tried = []
    for gain in (0.0, AutoSettings().untried_host):
        settings = AutoSettings(untried_host=gain)
        strategy = Auto(topic, new_within=new_within, settings=settings)
        order = crawl(begun(strategy, link(0, "home"), elsewhere(1)), pages, set(teas[::4]), 50)
        tried.append(sum(page in more for page in order))
    assert (tried[1] > tried[0]) == is_more


def test_auto_says_what_each_feature_added_to_a_link() -> None:
    tea = link(2, "x", "green tea")
    strategy = begun(Auto(Keywords("green tea")), link(1, "x", "about"), tea)
    reasons = strategy.explain(visit(Choice(0, 0), 0.0).page, tea)
    assert reasons is not None
    assert reasons.parts[0].name == "topic in link"
    assert reasons.parts[0].adds == pytest.approx((1.0, PRIOR["topic in link"]))
    assert "0.9" in reasons.says
    assert reasons.says.endswith("mainly because the link text “green tea” matches the topic")


def test_a_page_without_links_to_it_is_not_explained() -> None:
    assert Auto(NoTopic()).explain(visit(Choice(0, 0), 0.0).page, link(5, "x")) is None


def redirected(choice: Choice, final: int, relevance: float, *links: Link) -> Visit:
    content = MemoryContent(Document(), links)
    page = Page(choice, Status.OK, "", final, 0.0, 0.0, final, content.columns(), content)
    return Visit(page, relevance, relevance > 0.5)


def test_a_page_that_is_reached_under_two_addresses_counts_once() -> None:
    strategy = begun(Auto(NoTopic()), link(0, "home"))
    (home,) = strategy.ask(1, frozenset())
    strategy.tell([visit(home, 0.0, link(1, "old"), link(2, "new"))])
    one, other = strategy.ask(2, frozenset())
    strategy.tell([redirected(one, 9, 1.0, link(20, "x"))])
    earned = strategy._rates.earned[ROOT]
    known = strategy._in_links.values[20]
    strategy.tell([redirected(other, 9, 1.0, link(20, "x"))])
    assert strategy._rates.followed[ROOT] == 3
    assert strategy._rates.earned[ROOT] == earned > 0
    assert strategy._in_links.values[20] == known == 1


def test_a_page_that_is_read_again_does_not_speak_twice_of_what_it_links_to() -> None:
    strategy = begun(Auto(NoTopic(), new_within=3600.0), link(0, "home"))
    (home,) = strategy.ask(1, frozenset())
    strategy.tell([visit(home, 0.0, link(1, "a"), link(2, "a"))])
    content = MemoryContent(Document(), (link(1, "a"), link(2, "a"), link(3, "a")))
    again = Page(home, Status.OK, "", 0, 60.0, 60.0, 77, content.columns(), content)
    strategy.tell([Visit(again, 1.0, True)])
    assert strategy._in_links.values[[1, 2, 3]].tolist() == [1, 1, 1]


def test_the_first_of_many_seeds_has_its_turn_at_once_and_the_next_after_a_download() -> None:
    seeds = [link(n, "seed") for n in range(8)]
    strategy = begun(Auto(NoTopic()), *seeds)
    for turn in range(4):
        (choice,) = strategy.ask(1, frozenset())
        assert (choice.url, choice.promise) == (turn, 1.0)
        strategy.tell([visit(choice, 0.0)])
        strategy._look()


def test_weights_are_fitted_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = []
    monkeypatch.setattr(Combiner, "fit", lambda self: fits.append(len(self._worth)))
    strategy = begun(Auto(NoTopic()), link(0, "home"))
    crawl(strategy, {0: [link(n, "x") for n in range(1, 60)]}, {3}, 41)
    assert len(fits) == 4  # after 10, 20, 30 and 40 downloads


def test_a_page_is_spoken_of_by_the_first_few_links_to_it_and_as_deep_as_the_first() -> None:
    strategy = begun(Auto(NoTopic()), *(link(n, "seed") for n in range(5)))
    (first, *others) = strategy.ask(5, frozenset())
    assert first.depth == 0
    for choice in (first, *others):
        strategy.tell([visit(choice, 0.0, link(50, "x"))])
    assert len(strategy._pending.of(50).urls) == AutoSettings().most_in_links
    (found,) = strategy.ask(1, frozenset())
    assert (found.url, found.depth) == (50, 1)


def test_until_something_is_found_pages_near_the_seeds_come_first() -> None:
    near, deep = link(2, "near"), link(3, "deep")
    pages = {1: [deep], 0: [link(1, "home"), near]}
    strategy = begun(Auto(NoTopic()), link(0, "seed"))
    order = crawl(strategy, pages, set(), 4)
    assert order.index(2) < order.index(3), "both look alike but for their distance"
    odds = {}
    for weight in (0.0, 0.5):
        auto = begun(Auto(NoTopic(), settings=AutoSettings(early_depth=weight)), link(0, "seed"))
        crawl(auto, {0: [near]}, set(), 1)
        promise = auto._promises(auto._pending.of(2)).item()
        odds[weight] = np.log(promise / (1 - promise))
    assert odds[0.0] - odds[0.5] == pytest.approx(0.5, abs=1e-6), "one link from the seed"


def test_where_news_is_wanted_links_are_not_ranked_by_their_page_or_word_rates() -> None:
    strategy = begun(Auto(NoTopic(), new_within=86400.0), link(0, "home"))
    crawl(strategy, {0: [link(url, "tea", "green tea") for url in range(1, 6)]}, {1, 2, 3}, 5)
    assert not strategy._words.followed.any()
    row = LinkGroups._fields.index("parent_page")
    rows = [links.groups[row] for links in strategy._pending.blocks()]
    assert rows
    assert not np.concatenate(rows).any()
