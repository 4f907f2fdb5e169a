"""Auto and its parts, with the numbers worked out by hand."""

from __future__ import annotations

import pickle
import re
import tracemalloc
from array import array
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.core.content import MemoryContent
from foragers.core.loop import seed_visit
from foragers.core.types import NO_PARENT, Choice, Document, Link, Page, Status, Visit
from foragers.judges.keywords import Keywords
from foragers.judges.topic import NoTopic
from foragers.strategies.auto.combiner import (
    FEATURES,
    FIRST_WEIGHTS,
    NAMES,
    Combiner,
    History,
    rows_by_name,
)
from foragers.strategies.auto.features import PageGroups, address_of, anchor_of
from foragers.strategies.auto.group_rates import ROOT, Rates
from foragers.strategies.auto.reward import Credit, Followed, Likeness
from foragers.strategies.auto.settings import AutoSettings
from foragers.strategies.auto.strategy import Auto
from foragers.strategies.auto.word_weights import (
    NO_WORD,
    SMALL_COUNTS,
    WordWeights,
    bucket,
    link_words,
    logs_of,
    numbered,
    page_words,
    spoken,
)
from foragers.urls.shapes import name_shape

NO_GROUPS = Rates().lineage([])
PRIOR = {feature.name: feature.prior for feature in FEATURES}


def worth(rates: Rates, group: int) -> float:
    return 1 / (1 + exp(-rates.odds[group] - rates.usual))


def answers(rates: Rates, group: int) -> float:
    return exp(rates.doubts[group])


def test_rates_are_shrunk_from_coarse_to_fine() -> None:
    rates = Rates(AutoSettings(shrinkage=3))
    host = rates.group("host")
    page = rates.group("page", host)
    for brought in (1.0, 0.0):
        rates.count(rates.lineage([page]), brought)
        rates.answer([page], True)
    rates.count(rates.lineage([host]), 0.0)
    rates.answer([host], False)
    rates.refresh()
    root = (1 + 3 * 0.02) / (3 + 3)
    at_host = (1 + 3 * root) / (3 + 3)
    assert worth(rates, ROOT) == pytest.approx(root)
    assert worth(rates, host) == pytest.approx(at_host)
    assert worth(rates, page) == pytest.approx((1 + 3 * at_host) / (2 + 3))
    assert answers(rates, host) == pytest.approx((2 + 3 * (2 + 3 * 0.9) / 6) / 6)


def test_a_new_group_is_believed_to_be_like_the_one_around_it() -> None:
    rates = Rates()
    host = rates.group("host")
    assert worth(rates, host) == pytest.approx(0.02)
    rates.count(rates.lineage([host]), 1.0)
    rates.refresh()
    assert rates.odds[rates.group("new", host)] == rates.odds[host]
    assert rates.group("new", host) == rates.group("new", host)


def test_groups_that_did_not_come_up_of_late_are_known_all_the_same() -> None:
    rates = Rates(AutoSettings(recent_names=3))
    names = [f"group {number}" for number in range(50)]
    numbers = [rates.group(name) for name in names]
    assert numbers == list(range(1, 51))
    assert [pickle.loads(pickle.dumps(rates)).group(name) for name in names] == numbers
    assert [rates.group(name) for name in names] == numbers
    assert len(rates._recent) <= 3


def test_beyond_a_number_of_groups_links_belong_to_the_one_around() -> None:
    rates = Rates(AutoSettings(most_groups=3))
    host, page = rates.group("host"), rates.group("page")
    assert [rates.group("more", page), rates.group("page"), len(rates)] == [page, page, 3]
    assert rates.group("host") == host


def test_a_host_that_answers_always_says_little_of_new_hosts() -> None:
    rates = Rates(AutoSettings(shrinkage=3))
    good, dead = rates.group("good"), rates.group("dead")
    for _ in range(100):
        rates.answer([good], True)
    for _ in range(3):
        rates.answer([dead], False)
    rates.refresh()
    new = (3 + 3 * 0.9) / (6 + 3)
    assert answers(rates, ROOT) == pytest.approx(new)
    assert answers(rates, good) == pytest.approx((100 + 3 * new) / 103)
    assert answers(rates, rates.group("new")) == pytest.approx(new)


def test_an_address_is_taken_apart() -> None:
    address = address_of("http://a.example/docs/v2/guide-12.html?page=3")
    assert address.directories == ("/docs", "/docs/v2")
    assert (address.kind, address.shape) == ("html?", "2? a-0.a")
    assert address.spelled == "2 guide 12 html page 3"
    assert address.words == {word: bucket(word) for word in address.spelled.split()}
    assert address_of("http://a.example").directories == ()


@given(st.text("abcXYZ0123456789-_.é", max_size=30))
def test_the_shape_of_a_name_has_one_letter_for_each_run(name: str) -> None:
    assert name_shape(name) == re.sub("[a-zA-Z]+", "a", re.sub("[0-9]+", "0", name))


def test_links_of_a_page_have_the_groups_they_would_have_alone() -> None:
    """What is kept while a page is read makes no difference."""
    links = [
        (host, href, path, address_of(href), anchor_of(anchor))
        for host in (1, 2)
        for path in ("ul a", "p a")
        for where in ("a/b/one.html", "a/two.html", "a/b/3.php?x=1", "", "a/b/4.php")
        for anchor in ("one", "the other")
        for href in (f"http://h{host}.test/{where}",)
    ]
    together, alone = Rates(), Rates()
    page = PageGroups(together, "http://h7.test/")
    for link in links:
        assert page.of(*link) == PageGroups(alone, "http://h7.test/").of(*link)
    assert together.parents == alone.parents


def test_links_under_one_tag_path_are_told_apart_by_page_and_belong_to_the_host() -> None:
    rates = Rates()
    href, anchor = "http://a.test/x/1", anchor_of("one")
    here, again, there = (
        PageGroups(rates, page).of(0, href, "ul a", address_of(href), anchor)[0]
        for page in ("http://a.test/7", "http://a.test/7", "http://a.test/8")
    )
    assert here == again != there
    assert rates.parents[here] == rates.parents[there] != ROOT


def test_the_lineage_of_groups_counts_each_once() -> None:
    rates = Rates()
    host = rates.group("host")
    pages = [rates.group(name, host) for name in "ab"]
    assert rates.lineage([*pages, host]).tolist() == [ROOT, host, *pages]


def test_what_was_found_through_a_page_is_passed_back() -> None:
    credit = Credit()
    credit.add(1, Followed(NO_PARENT, NO_GROUPS, (), 0, 0.0))
    credit.add(2, Followed(1, NO_GROUPS, (), 1, 1.0))
    raised = list(credit.pass_back(2, 1.0))
    # The parent was relevant itself: it cannot be worth more.  Its own parent gains half a page.
    assert [(one.link.place, one.link.found) for one in raised] == [(0, 0.5)]
    assert raised[0].more == pytest.approx(0.7 * (1 - exp(-0.5)))
    again = list(credit.pass_back(1, 1.0))
    assert again[0].worth == pytest.approx(0.7 * (1 - exp(-1.5)))


def test_an_unknown_parent_gets_no_credit() -> None:
    assert list(Credit().pass_back(7, 1.0)) == []


def test_a_followed_link_comes_back_as_it_was() -> None:
    credit, groups = Credit(), array("i", [0, 5, 299_999])
    link = Followed(NO_PARENT, groups, ((3, 131_071), (), (7,)), 12, 0.25)
    credit.add(1, link)
    (raised,) = credit.pass_back(1, 1.0)
    assert raised.link == link._replace(found=1.0)


def test_the_page_that_was_found_first_is_forgotten_first() -> None:
    credit = Credit(AutoSettings(most_followed=3))
    for page in (1, 2, 3, 1, 4, 5, 6, 7):  # finding a page again does not make it younger
        credit.add(page, Followed(NO_PARENT, NO_GROUPS, (), page, 0.0))
        known = [one for one in range(8) if list(credit.pass_back(one, 1e-9))]
        assert known == {4: [2, 3, 4], 5: [3, 4, 5], 6: [4, 5, 6], 7: [5, 6, 7]}.get(page, known)
    assert [one.link.place for one in credit.pass_back(6, 1.0)] == [6]


def test_a_followed_link_takes_few_bytes() -> None:
    credit = Credit()
    tracemalloc.start()
    for page in range(2000):
        words = tuple(tuple(range(page + n, page + n + 8)) for n in range(3))
        credit.add(page, Followed(page, array("i", range(page, page + 15)), words, page, 0.1))
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held / 2000 < 500  # some 400, and as objects it would take 1,300


def test_words_of_relevant_pages_lean_to_them() -> None:
    weights = WordWeights()
    tea, tax = bucket("tea"), bucket("tax")
    weights.read(np.array([tea], np.int32), True)
    weights.read(np.array([tax], np.int32), False)
    weights.refresh()
    assert weights.leans[tea] == pytest.approx(log(1.3 / 1.6) - log(0.3 / 1.6))
    assert weights.leans[tax] == pytest.approx(-weights.leans[tea])
    assert weights.leans[NO_WORD] == 0


def test_words_met_before_any_page_was_relevant_are_few_numbers_and_lean_later() -> None:
    weights = WordWeights()
    tea, tax = bucket("tea"), bucket("tax")
    for _ in range(100):
        weights.read(np.array([tax], np.int32), False)
    weights.refresh()
    assert [numbers.tolist() for numbers in weights._met] == [[tax]]
    weights.read(np.array([tea], np.int32), True)
    weights.refresh()
    assert weights.leans[tax] == pytest.approx(log(0.3 / 1.6) - log(100.3 / 100.6))
    assert weights.leans[tea] > 0 > weights.leans[tax]


def test_a_link_speaks_by_its_anchor_and_the_end_of_its_address() -> None:
    found = link_words(numbered(["green", "the", "tea"]), numbered(["shop", "tea", "pots"]))
    assert found[:4] == tuple(bucket(word) for word in ("green", "tea", "shop", "pots"))
    assert found[4:] == (NO_WORD,) * 8


def test_word_weights_go_towards_what_links_were_worth() -> None:
    weights = WordWeights()
    good, bad = map(bucket, ("good", "bad"))
    for _ in range(20):
        weights.learn(((good,),), 1.0, 0.0)
        weights.learn(((bad,),), 0.0, 0.0)
    assert weights.weights[good] > 1
    assert weights.weights[bad] < -1
    assert weights.weights[NO_WORD] == 0


def test_the_words_of_links_end_where_there_are_no_more() -> None:
    links = np.array([[7, 8], [NO_WORD, 9], [NO_WORD, NO_WORD]], np.int32)
    assert spoken(links) == ((7,), (8, 9))


def test_words_of_a_page_are_those_it_begins_with_each_once() -> None:
    document = Document("The tea", ("Tea of Ceylon",), f"茶 东京 été {' ' * 3000} late")
    expected = {bucket(word) for word in ("tea", "ceylon", "été")}
    assert sorted(page_words(document).tolist()) == sorted(expected)


def test_counts_beyond_those_at_hand_are_worked_out() -> None:
    counts = np.array([0, 5, SMALL_COUNTS + 7])
    assert logs_of(counts, 0.3) == pytest.approx(np.log(counts + 0.3), rel=1e-15)
    assert logs_of(counts[:2], 0.3).tolist() == logs_of(counts, 0.3).tolist()[:2]


def test_a_feature_that_is_right_gains_weight_and_one_that_is_wrong_loses_it() -> None:
    combiner, rng = Combiner(), np.random.default_rng(1)
    right, wrong = NAMES.index("shape"), NAMES.index("anchor")
    for _ in range(400):
        features = np.zeros(len(PRIOR), np.float32)
        features[0], features[right], features[wrong] = 1, *rng.normal(size=2)
        combiner.remember(features, float(features[right] - features[wrong] > 0))
    for _ in range(3):
        combiner.fit()
    assert combiner.weights[right] > PRIOR["shape"] + 1
    assert combiner.weights[wrong] < -1
    assert combiner.weights[NAMES.index("parent")] == pytest.approx(PRIOR["parent"])


def past(features: dict[str, list[float]], worth: list[float]) -> History:
    said = np.zeros((len(worth), len(PRIOR)))
    said[:, 0] = 1
    for name, column in features.items():
        said[:, NAMES.index(name)] = column
    return History(said, np.array(worth))


def test_the_loss_of_a_fit_is_that_of_a_penalised_regression() -> None:
    seen = past({"shape": [2.0, 0.0]}, [1.0, 0.25])
    weights = FIRST_WEIGHTS.copy()
    weights[NAMES.index("shape")] = 0.5  # said: 1 and 0
    missed = log(1 + exp(1)) - 1 + log(2) - 0
    assert seen.loss(weights) == pytest.approx(missed + 4 * (0.5 - PRIOR["shape"]) ** 2 / 2)


def test_a_fit_that_would_overshoot_does_not_run_away() -> None:
    # The topic misleads altogether: where all is said to be near certain, a whole Newton step from
    # the first weights goes far beyond the best ones, which lie where 1,200 / (1 + exp(-3w)) is
    # 4(4 - w).
    seen = past({"topic in link": [3.0, -3.0] * 200}, [0.0, 1.0] * 200)
    assert seen.loss(FIRST_WEIGHTS - seen.step(FIRST_WEIGHTS)) > 10 * seen.loss(FIRST_WEIGHTS)
    fitted = seen.fitted(FIRST_WEIGHTS)
    assert fitted[NAMES.index("topic in link")] == pytest.approx(-1.3371, abs=1e-3)


@given(st.integers(0, 2**32), st.integers(1, 60), st.floats(0.1, 20))
def test_a_fit_never_predicts_less_well_than_the_weights_before(
    seed: int, links: int, loudness: float
) -> None:
    rng = np.random.default_rng(seed)
    seen = History(rng.normal(size=(links, len(PRIOR))) * loudness, rng.random(links).round())
    before = FIRST_WEIGHTS + rng.normal(size=len(PRIOR)) * loudness
    assert seen.loss(seen.fitted(before)) <= seen.loss(before)


def test_what_is_no_longer_remembered_is_not_corrected() -> None:
    combiner = Combiner(AutoSettings(remembered=50))
    first = combiner.remember(np.zeros(len(PRIOR), np.float32), 0.0)
    for _ in range(50):
        last = combiner.remember(np.zeros(len(PRIOR), np.float32), 0.25)
    combiner.correct(first, 1.0)
    assert set(combiner._worth.tolist()) == {0.25}
    combiner.correct(last, 1.0)
    assert 1.0 in combiner._worth


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


def test_auto_says_what_each_adviser_made_of_a_link() -> None:
    tea = link(2, "x", "green tea")
    strategy = begun(Auto(Keywords("green tea")), link(1, "x", "about"), tea)
    reasons = strategy.explain(visit(Choice(0, 0), 0.0).page, tea)
    assert reasons is not None
    assert reasons.parts[0].name == "topic in link"
    assert reasons.parts[0].adds == pytest.approx((1.0, PRIOR["topic in link"]))
    assert "0.9" in reasons.says
    assert reasons.says.endswith("strongest feature: topic in link")


def test_a_page_nobody_spoke_of_is_not_explained() -> None:
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


def test_rows_stand_in_the_order_of_their_names_and_a_missing_or_unknown_name_is_refused() -> None:
    rows = rows_by_name(("a", "b"), {"b": np.array([1.0, 2.0]), "a": 3.0}, 2)
    assert rows.tolist() == [[3.0, 3.0], [1.0, 2.0]]
    for columns in ({"a": 1.0}, {"a": 1.0, "c": 1.0}, {"a": 1.0, "b": 1.0, "c": 1.0}):
        with pytest.raises(KeyError, match=r"[bc]"):
            rows_by_name(("a", "b"), columns, 2)


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


def test_a_group_with_cases_may_stand_in_one_without() -> None:
    # As after earlier crawls that knew the inner group alone: p = (s + m·p(around)) / (n + m).
    rates = Rates()
    around = rates.group("around")
    inner = rates.group("inner", around)
    empty = rates.group("empty", inner)
    rates.followed[inner], rates.earned[inner] = 5, 4.0
    rates.refresh()
    usual = 0.02
    expected = (4 + 3 * usual) / (5 + 3)
    odds = np.log([usual / (1 - usual), expected / (1 - expected)])
    assert rates.usual == pytest.approx(odds[0])
    assert rates.odds[around] == pytest.approx(0.0, abs=1e-6)
    assert rates.odds[inner] == pytest.approx(odds[1] - odds[0], rel=1e-6)
    assert rates.odds[empty] == rates.odds[inner]
