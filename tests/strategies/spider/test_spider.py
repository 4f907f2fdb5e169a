"""The spider: what it expects of links, what it learns on the way, and what it says of it."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path

import numpy as np
import pytest

from foragers.core.loop import Crawl, seed_visit
from foragers.core.models import Model, save_model
from foragers.core.types import Choice, Link, Visit
from foragers.errors import UsageError
from foragers.judges.simple import LabelJudge
from foragers.judges.topic import NoTopic
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.registry import StrategyInputs, build
from foragers.strategies.spider.features import MARK, Lexicon, Said, flat
from foragers.strategies.spider.settings import SpiderSettings
from foragers.strategies.spider.strategy import (
    FullPage,
    Related,
    RlFuture,
    RlImmediate,
    Spider,
)
from foragers.testing import check_strategy
from foragers.text.link_counts import LinkCounts
from foragers.text.link_text import TEXTS, link_words, page_words
from foragers.worlds.archive import Archive
from foragers.worlds.replay import Recorded
from support.random_worlds import random_world
from support.worlds_by_hand import small_world, url_id


def model_of(texts: Sequence[tuple[int, float, dict[str, str]]]) -> Model:
    """Return the model of links given as bin, Q and words of each bag."""
    bags = sorted({bag for _, _, said in texts for bag in said})
    words, counts = {}, {}
    for bag in bags:
        found = sorted({word for _, _, said in texts for word in said.get(bag, "").split()})
        words[bag] = found
        counts[bag] = np.zeros((5, len(found)), np.int64)
        for place, _, said in texts:
            for word in said.get(bag, "").split():
                counts[bag][place, found.index(word)] += 1
    links = np.bincount([place for place, _, _ in texts], minlength=5)
    worth = np.zeros(5)
    for place, q, _ in texts:
        worth[place] += q
    return LinkCounts(words, counts, links, worth).model({})


LINKS = [
    (0, 1.5, {"head": "people", "link": "paper", "url": "papers", "near": "see"}),
    (0, 1.0, {"head": "list", "link": "paper pdf", "url": "papers", "near": "abstract"}),
    (1, 0.75, {"head": "people", "link": "list", "url": "joe", "near": "papers of"}),
    (2, 0.25, {"head": "home", "link": "people", "url": "staff", "near": "our"}),
    (4, 0.0, {"head": "home", "link": "news", "url": "news", "near": "our news"}),
    (4, 0.1, {"head": "news", "link": "back home", "url": "index", "near": "to"}),
]
MODEL = model_of(LINKS)


def by_the_formulas(bins: int, said: dict[str, str]) -> float:
    """Return the promise of a link, computed word by word with equations 3 to 5."""
    classes = [min(place, bins - 1) for place, _, _ in LINKS]
    shares, values = {}, {}
    for one in sorted(set(classes)):
        mine = [link for link, place in zip(LINKS, classes, strict=True) if place == one]
        probability = (1 + len(mine)) / (len(set(classes)) + len(LINKS))
        for bag in TEXTS["related"]:
            vocabulary = {word for _, _, words in LINKS for word in words[bag].split()}
            often = Counter(word for _, _, words in mine for word in words[bag].split())
            probability *= prod(
                (1 + often[word]) / (len(vocabulary) + often.total())
                for word in said[bag].split()
                if word in vocabulary
            )
        shares[one] = probability
        values[one] = sum(q for _, q, _ in mine) / len(mine)
    return sum(shares[one] * values[one] for one in shares) / sum(shares.values())


def first_promises(spider: Spider, world: Archive) -> dict[str, float]:
    """Return what a spider expects of the links of the first page."""
    visits = crawl(spider, world, frozenset())
    return {
        world.book.href(visit.url).rpartition("/")[2]: visit.page.choice.promise
        for visit in visits[1:]
    }


def crawl(spider: Spider, world: Archive, rewards: frozenset[int]) -> list[Visit]:
    ledger = MemoryLedger()
    work = Crawl(spider, Recorded(world), LabelJudge(rewards), ledger)
    work.begin()
    work.run()
    return ledger.visits


@pytest.mark.parametrize("bins", [2, 3, 4, 5])
def test_the_promise_is_the_mean_of_the_bins_by_equations_3_to_5(bins: int) -> None:
    world = small_world({"a": ["paper", "news", "list", "odd"]}, texts={"a": "people home unknown"})
    found = first_promises(Spider(NoTopic(), MODEL, bins=bins), world)
    for name in ("paper", "news", "list", "odd"):
        # In such a world a link's words are the name of its page, and nothing stands near it.
        said = {"head": "people home unknown", "link": name, "url": name, "near": ""}
        assert found[name] == pytest.approx(by_the_formulas(bins, said), rel=1e-12), name
    assert found["paper"] > found["list"] > found["news"] or bins == 2


def test_the_best_link_is_followed_first() -> None:
    world = small_world({"a": ["news", "list", "paper"]}, texts={"a": "people"})
    assert list(first_promises(Spider(NoTopic(), MODEL), world)) == ["paper", "list", "news"]


def test_a_page_has_the_best_promise_of_its_links() -> None:
    world = small_world({"a": ["b", "x"], "b": ["x"], "x": []}, texts={"a": "home", "b": "people"})
    spider = Spider(NoTopic(), MODEL)
    found = {visit.url: visit.page.choice for visit in crawl(spider, world, frozenset())}
    assert found[url_id(world, "x")].parent == url_id(world, "b")


def test_the_names_of_the_paper_are_spiders_with_something_fixed(tmp_path: Path) -> None:
    save_model(MODEL, tmp_path / "m")
    brief = StrategyInputs(NoTopic(), np.random.default_rng(0))

    def made(spec: str) -> Spider:
        strategy = build(spec, brief)
        assert isinstance(strategy, Spider)
        return strategy

    names = ("rl-immediate", "rl-future", "related", "spider")
    spiders = [made(f"{name}(model={tmp_path / 'm'})") for name in names]
    assert [(spider.bins, spider.text) for spider in spiders] == [
        (2, "related"),
        (4, "related"),
        (4, "related"),
        (4, "related"),
    ]
    assert not any(spider.learns for spider in spiders)
    assert made("full-page").text == "full-page"
    with pytest.raises(UsageError, match="bins=7: use 2 to 5"):
        build("spider(bins=7)", brief)
    with pytest.raises(UsageError, match="no parameter 'bins'"):
        build("rl-immediate(bins=3)", brief)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Spider(NoTopic(), bins=6), "bins=6: use 2 to 5"),
        (lambda: RlFuture(NoTopic(), bins=2), "bins=2: use 3 to 5"),
        (lambda: Spider(NoTopic(), text="all"), "text=all: use related or full-page"),
        (lambda: Spider(NoTopic(), weight=0.0), "weight=0: must be above 0"),
        (lambda: FullPage(NoTopic(), MODEL), "no words of page, link.url"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(make: Callable[[], Spider], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        make().check()


@pytest.mark.parametrize("kind", [RlImmediate, Related])
@pytest.mark.parametrize("online", [False, True])
def test_a_trained_spider_keeps_the_promises_of_a_strategy(kind: type, online: bool) -> None:
    archive = random_world(1)
    wanted = frozenset(archive.labels.urls["wanted"].tolist())
    check_strategy(
        lambda: kind(NoTopic(), MODEL, online=online),
        lambda: Recorded(archive, connections=5),
        LabelJudge(wanted),
    )


def mine(size: int) -> tuple[Archive, frozenset[int]]:
    """Return a world where the pages called gold lie behind those called vein-…, among many."""
    graph: dict[str, list[str]] = {"home": []}
    for number in range(size):
        graph["home"] += [f"dust-{number}", f"vein-{number}"]
        graph[f"dust-{number}"] = [f"sand-{number}-{place}" for place in range(4)]
        graph[f"vein-{number}"] = [f"rock-{number}", f"gold-{number}"]
        graph |= {f"sand-{number}-{place}": [] for place in range(4)}
        graph |= {f"rock-{number}": [], f"gold-{number}": []}
    world = small_world(graph)
    return world, frozenset(url_id(world, f"gold-{number}") for number in range(size))


def needed(visits: list[Visit], size: int) -> int:
    return [number for number, visit in enumerate(visits, 1) if visit.relevant][size - 1]


def test_an_online_spider_learns_from_what_it_finds() -> None:
    size = 40
    world, gold = mine(size)
    learner = Spider(NoTopic(), bins=3)
    visits = crawl(learner, world, gold)
    # Breadth-first fetches home and all veins and dust before it sees the first gold.
    first = needed(visits, 1)
    assert needed(visits, size) <= first + size, "it went on to dust, sand or rock"


def test_what_an_online_spider_learned_serves_the_next_crawl() -> None:
    size = 40
    world, gold = mine(size)
    learner = Spider(NoTopic(), bins=3)
    crawl(learner, world, gold)
    model = learner.learned(world.book)
    visits = crawl(Spider(NoTopic(), model, bins=3), world, gold)
    assert needed(visits, size) <= 1 + 2 * size, "it followed more than veins and gold"
    assert model.kind == Spider.model_kind[0]
    assert Spider(NoTopic(), MODEL).learned(world.book) is MODEL


def test_online_learning_overcomes_a_model_that_is_wrong_here() -> None:
    size = 40
    world, gold = mine(size)
    wrong = model_of(
        [(0, 1.0, {"head": "x", "link": "dust sand", "url": "dust sand", "near": "x"})] * 3
        + [(4, 0.0, {"head": "x", "link": "vein gold", "url": "vein gold", "near": "x"})] * 3
    )
    fixed = needed(crawl(Spider(NoTopic(), wrong, bins=3), world, gold), size)
    online = needed(crawl(Spider(NoTopic(), wrong, bins=3, online=True), world, gold), size)
    assert online < fixed


def test_a_spider_says_which_words_spoke_for_which_bin() -> None:
    world = small_world({"a": ["paper"], "paper": []}, texts={"a": "people"})
    page = crawl(Spider(NoTopic(), MODEL), world, frozenset())[0].page
    link = next(iter(page.links))
    found = Spider(NoTopic(), MODEL).explain(page, link)
    assert found is not None
    assert found.columns == ("immediate", "two-step", "three-step", "other")
    parts = {part.name: part.adds for part in found.parts}
    assert {"people (head)", "paper (link)"} <= set(parts)
    likely = dict(zip(found.columns, parts["P(bin | words)"], strict=True))
    assert sum(likely.values()) == pytest.approx(1)
    # All that is added, with how frequent the bins are, is the probability but for a constant.
    words = [adds for name, adds in parts.items() if name.endswith(")") and name[0] != "P"]
    sums = np.array(parts["how frequent the bins are"]) + np.sum(words, axis=0)
    assert np.exp(sums) / np.exp(sums).sum() == pytest.approx(list(likely.values()))
    values = parts["value of the bin"]
    promise = sum(share * value for share, value in zip(likely.values(), values, strict=True))
    said = {"head": "people", "link": "paper", "url": "paper", "near": ""}
    assert promise == pytest.approx(by_the_formulas(4, said))
    assert f"{promise:.3f}" in found.says
    assert Spider(NoTopic()).explain(page, link) is None


def test_the_bags_that_a_spider_reads_are_those_it_was_trained_on() -> None:
    world = small_world({"a": ["Paper-List_2.html"]}, texts={"a": "The people"})
    page = crawl(Spider(NoTopic(), MODEL), world, frozenset())[0].page
    link = next(iter(page.links))
    spider = Spider(NoTopic(), MODEL, online=True)
    spider.tell(crawl(Spider(NoTopic(), MODEL), world, frozenset())[:1])
    lexicon = spider._lexicon
    assert lexicon is not None
    for bag in TEXTS["related"]:
        words = (
            page_words(bag, page.document) if bag == "head" else link_words(bag, link, link.href)
        )
        assert set(words) <= set(lexicon.numbers[bag]), bag


@pytest.mark.parametrize("text", ["related", "full-page"])
@pytest.mark.parametrize("growing", [False, True])
def test_texts_read_all_at_once_are_those_read_one_by_one(text: str, growing: bool) -> None:
    odd = ["", "Paper LIST", "l'avion d'été", "東京都 paper", f"a {MARK} b", MARK, "it's 50%"]
    paths = ["", "/", "//x/y", "/a%20b/C%C3%A9.html", "/MyPapers96.html?q=1", f"/{MARK}/x", "/é"]
    links = [
        Link(number, 0, f"http://a.test{path}", said, f"{said} near")
        for number, (said, path) in enumerate(zip(odd, paths, strict=True))
    ]
    lexicon = Lexicon.of(TEXTS[text], None, growing=True)
    lexicon.of_links(Said.of(links[1:]))
    lexicon.growing = growing
    found = [sorted(part[part > 0].tolist()) for part in lexicon.of_links(Said.of(links)).apart()]
    for link, numbers in zip(links, found, strict=True):
        expected = [
            lexicon.numbers[bag].get(word, 0)
            for bag in TEXTS[text]
            if bag not in ("head", "page")
            for word in link_words(bag, link, link.href)
            if word != MARK
        ]
        assert numbers == sorted(number for number in expected if number), link
    assert len(lexicon.of_links(Said.of([])).words) == 0


def test_a_page_may_use_our_mark_as_a_word() -> None:
    world = small_world({"home": [MARK, "gold"], MARK: ["gold"], "gold": []}, texts={"home": MARK})
    gold = frozenset({url_id(world, "gold")})
    learner = Spider(NoTopic(), bins=3)
    crawl(learner, world, gold)
    learned = LinkCounts.of(learner.learned(world.book))
    assert "gold" in learned.words["link"]
    with_mark = model_of([(0, 1.0, dict.fromkeys(TEXTS["related"], f"{MARK} gold")), LINKS[-1]])
    again = Spider(NoTopic(), with_mark, online=True)
    crawl(again, world, gold)
    assert LinkCounts.of(again.learned(world.book)).links.sum() > 2


def test_a_model_of_nothing_leaves_a_spider_best_first() -> None:
    world, gold = mine(10)
    empty = LinkCounts.nothing(TEXTS["related"]).model({})
    for online in (False, True):
        spider = Spider(NoTopic(), empty, bins=3, online=online)
        assert len(crawl(spider, world, gold)) == len(world.book) == 81
        assert bool(LinkCounts.of(spider.learned(world.book)).links.sum()) == online


def test_what_was_learned_with_any_weight_can_be_used_again() -> None:
    world, gold = mine(10)
    for weight in (0.01, 0.3, 1e6):
        learner = Spider(NoTopic(), MODEL, online=True, weight=weight)
        crawl(learner, world, gold)
        again = LinkCounts.of(learner.learned(world.book))
        assert (again.worth <= 2 * again.links).all()


def test_a_spider_goes_on_from_a_pickle() -> None:
    world, gold = mine(10)
    spider = Spider(NoTopic(), MODEL, online=True)
    crawl(spider, world, gold)
    copy = pickle.loads(pickle.dumps(spider))
    assert copy.learned(world.book).arrays["links"].tolist() == (
        spider.learned(world.book).arrays["links"].tolist()
    )


def test_an_online_spider_judges_a_waiting_page_by_its_best_link() -> None:
    """Pages titled alike led to gold before, or to nothing; one page is linked from both kinds."""
    pages = {"home": ["good", "bad", "gold", "junk"], "good": ["gold", "both"], "gold": []}
    pages |= {"bad": ["junk", "both", "worse"], "junk": [], "both": [], "worse": []}
    texts = {"home": "home", "good": "mine shaft", "bad": "slag heap"}
    world = small_world(pages, texts=texts)
    gold = url_id(world, "gold")
    spider = Spider(NoTopic(), online=True)
    visits = crawl(spider, world, frozenset([gold]))
    spider = Spider(NoTopic(), online=True)
    spider.tell([seed_visit(Recorded(world).seeds, 0.0)])
    both, worse = (url_id(world, name) for name in ("both", "worse"))
    spider.tell([visit for visit in visits if visit.page.final not in (both, worse)])
    experience, scorer = spider._experience, spider._scorer
    assert experience is not None
    assert scorer is not None
    alone = [
        scorer.worth(scorer.scores(experience._seen[hint.source].words, flat([hint.words])))[0]
        for hint in experience._hints[both]
    ]
    assert len(alone) == 2
    assert max(alone) > min(alone)
    judged = experience.judged(scorer, [worse, both])
    assert judged[1] == pytest.approx(max(alone))


def test_seeds_come_first_whatever_is_learned_meanwhile() -> None:
    pages = {"a": ["gold", "vein"], "b": [], "gold": ["vein"], "vein": []}
    world = small_world(pages, seeds=["a", "b"], texts={"a": "mine", "b": "slag"})
    gold = url_id(world, "gold")
    recorded, judge = Recorded(world), LabelJudge(frozenset([gold]))
    spider = Spider(NoTopic(), online=True)
    spider.tell([seed_visit(recorded.seeds, 0.0)])
    for name in ("a", "gold"):  # a lesson is learned, while b waits
        choice = Choice(url_id(world, name), 0)
        page = recorded.answer(choice)
        relevance = judge.relevance(page)
        spider.tell([Visit(page, relevance, relevance >= judge.threshold)])
    assert spider._scorer is not None
    (seed,) = spider.ask(1, frozenset())
    assert (seed.url, seed.promise) == (url_id(world, "b"), 2.0)


def test_only_the_first_few_links_to_a_page_are_learned_from() -> None:
    names = [f"p{n}" for n in range(SpiderSettings().in_links + 3)]
    world = small_world({"home": names, **{name: ["target"] for name in names}, "target": []})
    spider = Spider(NoTopic(), online=True)
    crawl(spider, world, frozenset())
    assert spider._experience is not None
    assert len(spider._experience._hints[url_id(world, "target")]) == SpiderSettings().in_links
