"""LAFC on webs small enough to follow by hand."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack, cast

import msgspec
import numpy as np
import pytest

from foragers.core.content import MemoryContent
from foragers.core.loop import Crawl, seed_visit
from foragers.core.models import Model
from foragers.core.types import Choice, Document, Links, Page, Status, Visit
from foragers.errors import UsageError
from foragers.judges.keywords import Keywords
from foragers.judges.topic import NoTopic
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.automata.lafc import Lafc
from foragers.strategies.automata.table import Automata
from foragers.strategies.registry import StrategyInputs, build
from foragers.testing import check_strategy
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded
from support.random_worlds import random_world
from support.worlds_by_hand import small_world, url_id


@dataclass
class ByName:
    """Judges a page by a table of names."""

    similarity: Mapping[str, float]
    threshold: float = 0.75

    def relevance(self, page: Page) -> float:
        return self.similarity.get(page.document.title, 0.0) if page.status is Status.OK else 0.0


class Lots:
    """Chance that draws what it is told, and then 0."""

    def __init__(self, *lots: float) -> None:
        self.lots = list(lots)

    def random(self) -> float:
        return self.lots.pop(0) if self.lots else 0.0


def crawl(
    strategy: Lafc, archive: Archive, similarity: Mapping[str, float], budget: int = 100
) -> list[str]:
    """Crawl, and return the names of the pages in the order fetched."""
    ledger = MemoryLedger()
    world = Budget(Recorded(archive), budget)
    work = Crawl(strategy, world, ByName(similarity), ledger)
    work.begin()
    work.run()
    return [archive.book.href(visit.url).rpartition("/")[2] for visit in ledger.read()]


class Parameters(TypedDict, total=False):
    a: float
    b: float
    control: float
    literal: bool
    beyond: bool
    walkers: int


def lafc(*lots: float, model: Model | None = None, **parameters: Unpack[Parameters]) -> Lafc:
    return Lafc(cast(np.random.Generator, Lots(*lots)), model=model, **parameters)


def chances(strategy: Lafc, archive: Archive, name: str) -> list[float]:
    """Return the probabilities of a page's links."""
    automata = strategy.automata
    found: list[float] = automata.probabilities(automata.find(url_id(archive, name))).tolist()
    return found


FORK = small_world({"s": ["a", "b", "c"], "a": ["d", "e"], "b": [], "c": [], "d": [], "e": []})
SIMILAR = {"s": 0.0, "a": 0.9, "b": 0.2, "c": 0.9, "d": 0.1, "e": 0.85}


def test_walk_goes_deeper_from_pages_above_the_control_threshold() -> None:
    # Lots of 0 take the first link that is left: s, then a (0.9), d (0.1: back to a), e, ...
    assert crawl(lafc(), FORK, SIMILAR) == ["s", "a", "d", "e", "b", "c"]


def test_links_are_chosen_by_lot_among_those_that_are_left() -> None:
    # s; of a, b, c the lot 0.5 is b; of a, c 0.6 is c, which has no links; then a is left.
    assert crawl(lafc(0, 0.5, 0.6), FORK, SIMILAR)[:4] == ["s", "b", "c", "a"]


def test_rewards_and_penalties_follow_the_dynamic_threshold() -> None:
    strategy = lafc(0, 0.5, 0.6, a=0.1)
    crawl(strategy, FORK, SIMILAR)
    # b first: 0.2 >= 0, rewarded: 0.9/3, 1/3 + 0.1 * 2/3, 0.9/3 = 0.3, 0.4, 0.3.
    # c next, among a and c: 0.9 >= 0.2, K = 0.6, 0.5 + 0.05 = 0.55: 0.27, 0.4, 0.33.
    # a last and alone: 0.9 >= 0.9, K = 0.27, certain before and after.
    assert chances(strategy, FORK, "s") == pytest.approx([0.27, 0.4, 0.33], abs=1e-6)
    # d with 0.1 >= 0, rewarded: 0.55, 0.45; e is then alone.
    assert chances(strategy, FORK, "a") == pytest.approx([0.55, 0.45], abs=1e-6)
    assert strategy.automata.threshold(strategy.automata.find(0)) == pytest.approx(0.9)


def test_reward_penalty_takes_from_links_that_disappoint() -> None:
    strategy = lafc(a=0.1, b=0.1)
    # s: a (0.9) is rewarded: 0.4, 0.3, 0.3.  Then b (0.2 < 0.9) among b and c, K = 0.6:
    # 0.9 * 0.5 = 0.45 and 0.1 + 0.45 = 0.55: 0.27 and 0.33; c alone, 0.9 >= 0.9, stays.
    crawl(strategy, FORK, SIMILAR)
    assert chances(strategy, FORK, "s") == pytest.approx([0.4, 0.27, 0.33], abs=1e-6)


def test_single_walk_waits_for_its_answer() -> None:
    strategy = lafc()
    world = Recorded(FORK, connections=8)
    work = Crawl(strategy, world, ByName(SIMILAR), MemoryLedger())
    work.begin()
    work.step()
    assert len(strategy.ask(8, frozenset())) == 1
    assert strategy.ask(8, frozenset()) == []


CHAIN = small_world(
    {"s": ["p"], "p": ["x", "y", "z"], "x": [], "y": ["q"], "z": [], "q": ["r"], "r": []}
)
FAR = {"p": 0.9, "x": 0.1, "y": 0.3, "z": 0.2, "q": 1.0, "r": 1.0}


def test_document_stays_on_the_stack_until_its_links_are_spent() -> None:
    assert crawl(lafc(beyond=False), CHAIN, FAR) == ["s", "p", "x", "y", "z"]


def test_by_the_letter_a_resumed_document_is_lost() -> None:
    # p is pushed, x fails and takes p off the stack, y fails and takes s off: z is lost.
    assert crawl(lafc(literal=True, beyond=False), CHAIN, FAR) == ["s", "p", "x", "y"]


def test_when_the_stack_is_empty_the_most_similar_page_below_the_threshold_is_taken_up() -> None:
    assert crawl(lafc(), CHAIN, FAR) == ["s", "p", "x", "y", "z", "q", "r"]


def test_lower_control_threshold_lets_the_walk_pass() -> None:
    assert crawl(lafc(control=0.3), CHAIN, FAR) == ["s", "p", "x", "y", "q", "r", "z"]


def test_links_to_visited_pages_are_disabled() -> None:
    archive = small_world({"s": ["a", "b"], "a": ["s", "b", "a"], "b": ["a", "s"]})
    strategy = lafc()
    assert crawl(strategy, archive, {"a": 1.0, "b": 1.0}) == ["s", "a", "b"]
    assert chances(strategy, archive, "b") == [0.5, 0.5]


def test_page_that_is_missing_is_penalised_and_the_walk_goes_on() -> None:
    archive = small_world({"s": ["gone", "b"], "b": []})
    strategy = lafc(a=0.5, b=0.5)
    assert crawl(strategy, archive, {"b": 1.0}) == ["s", "gone", "b"]
    # gone: 0.5 * 0.5 = 0.25; b: 0.5 + 0.25 = 0.75, and alone it stays.
    assert chances(strategy, archive, "s") == pytest.approx([0.25, 0.75])


def test_redirect_to_a_visited_page_is_no_new_document() -> None:
    archive = small_world({"s": ["a", "old"], "a": ["b"], "b": []}, redirects={"old": "a"})
    strategy = lafc()
    assert crawl(strategy, archive, {"a": 1.0, "b": 1.0}) == ["s", "a", "b", "old"]
    assert len(strategy.automata) == 4


def again(strategy: Lafc, archive: Archive, *lots: float, **parameters: Unpack[Parameters]) -> Lafc:
    """Return the strategy of the next crawl."""
    return lafc(*lots, model=strategy.learned(archive.book), **parameters)


def test_next_crawl_takes_up_the_automata() -> None:
    first = lafc(0, 0.5, 0.6, a=0.1)
    crawl(first, FORK, SIMILAR)
    second = again(first, FORK, 0, 0.3, a=0.1)
    # 0.27, 0.4, 0.33: the lot 0.3 falls on b, which with 0.2 < 0.9 is not rewarded.
    assert crawl(second, FORK, SIMILAR, budget=2) == ["s", "b"]
    assert chances(second, FORK, "s") == pytest.approx([0.27, 0.4, 0.33], abs=1e-6)
    third = again(second, FORK, 0, 0.0)
    crawl(third, FORK, SIMILAR, budget=2)
    # What the second crawl did not come to (a) is remembered as well.
    assert third.learned(FORK.book).facts["documents"] == 3


def test_automata_are_known_by_address_not_by_number() -> None:
    first = lafc(a=0.1)
    crawl(first, FORK, SIMILAR)
    expected = dict(zip("abc", chances(first, FORK, "s"), strict=True))
    other = small_world({"s": ["c", "a", "b"], "c": [], "b": [], "a": []}, seeds=["s"])
    second = lafc(model=first.learned(FORK.book))
    crawl(second, other, SIMILAR, budget=1)
    found = dict(zip("cab", chances(second, other, "s"), strict=True))
    assert found == pytest.approx(expected, abs=1e-6)


def test_changed_links_change_the_action_set_by_equations_7_and_8() -> None:
    first = lafc(0, 0.5, 0.6, a=0.1)
    crawl(first, FORK, SIMILAR)  # a 0.27, b 0.4, c 0.33; the best was a
    changed = small_world({"s": ["a", "c", "n", "m"], "a": [], "c": [], "n": [], "m": []})
    second = again(first, FORK)
    crawl(second, changed, SIMILAR, budget=1)
    # Without b: 0.45, 0.55; with two more of four: half of these, and a quarter each.
    assert chances(second, changed, "s") == pytest.approx([0.225, 0.275, 0.25, 0.25], abs=1e-6)
    assert second.automata.threshold(second.automata.find(0)) == pytest.approx(0.9)


def test_threshold_is_found_anew_when_the_best_link_is_gone() -> None:
    first = lafc(a=0.1)
    crawl(first, FORK, {"a": 0.9, "b": 0.2, "c": 0.3})
    changed = small_world({"s": ["b", "c"], "b": [], "c": []})
    second = again(first, FORK)
    crawl(second, changed, {}, budget=1)
    assert second.automata.threshold(second.automata.find(0)) == 0.0


def test_repeated_crawls_come_to_prefer_the_link_that_pays() -> None:
    names = [f"n{number}" for number in range(10)]
    archive = small_world({"s": names, **{name: [] for name in names}})
    model: Model | None = None
    for seed in range(60):
        strategy = Lafc(np.random.default_rng(seed), model, a=0.2)
        crawl(strategy, archive, {"n7": 1.0})
        model = strategy.learned(archive.book)
    assert chances(strategy, archive, "s")[7] > 0.95


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("starts", np.array([0, 99], np.int64)),
        ("starts", np.empty(0, np.int64)),
        ("probabilities", np.array([np.nan, 1, 1], np.float32)),
        ("best", np.empty(0, np.int32)),
        ("pages", np.array([9, 0], np.uint64)),
        ("thresholds", np.array([np.nan, 0.5], np.float32)),
        ("thresholds", np.zeros((2, 2), np.float32)),
    ],
)
def test_garbled_model_is_refused_in_one_line(name: str, value: np.ndarray) -> None:
    first = lafc()
    crawl(first, FORK, SIMILAR, budget=2)
    model = first.learned(FORK.book)
    for arrays in ({**model.arrays, name: value}, {}):
        broken = Model(model.kind, model.version, model.facts, arrays)
        with pytest.raises(UsageError, match="automata"):
            lafc(model=broken).check()


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("a=0", "a=0: the reward must be above 0"),
        ("a=-0.1", "a=-0.1: the reward"),
        ("a=1.01", "a=1.01: the reward"),
        ("b=-1", "b=-1: must be between 0 and 1"),
        ("b=1.5", "b=1.5: must"),
        ("control=-0.1", "control=-0.1: must"),
        ("control=1.2", "control=1.2: must"),
        ("walkers=0", "walkers=0: use 1 to 10,000"),
        ("walkers=1000000000", "use 1 to 10,000"),
        ("walkers=-3", "walkers=-3"),
        ("walkers=1.5", "walkers must be a whole number"),
        ("a=nan", "a must be a number"),
    ],
)
def test_parameter_that_makes_no_sense_is_refused(parameters: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        build(f"lafc({parameters})", StrategyInputs(NoTopic(), np.random.default_rng(3)))


@pytest.mark.parametrize("parameters", ["a=1", "b=1", "control=0", "control=1", "walkers=64"])
def test_parameter_at_the_edge_is_allowed(parameters: str) -> None:
    build(f"lafc({parameters})", StrategyInputs(NoTopic(), np.random.default_rng(3)))


ARCHIVE = random_world(1)


@pytest.mark.parametrize(
    "spec", ["lafc(walkers=3)", "lafc(literal=true)", "lafc(b=0.05, walkers=2)"]
)
def test_walkers_keep_the_promises_of_a_strategy(spec: str) -> None:
    judge = Keywords("prawn reef tide")
    check_strategy(
        lambda: build(spec, StrategyInputs(NoTopic(), np.random.default_rng(3))),
        lambda: Recorded(ARCHIVE, connections=5),
        judge,
    )


def test_walkers_fill_the_connections_and_visit_the_same_pages() -> None:
    def visited(walkers: int, connections: int) -> tuple[int, set[int], float]:
        world = Recorded(ARCHIVE, connections=connections)
        ledger = MemoryLedger()
        strategy = Lafc(np.random.default_rng(1), walkers=walkers)
        work = Crawl(strategy, world, Keywords("prawn reef tide"), ledger)
        work.begin()
        work.run()
        pages = [visit.page.final for visit in ledger.read() if visit.page.status is Status.OK]
        return len(pages), set(pages), world.now - ARCHIVE.end

    alone, together = visited(1, 6), visited(6, 6)
    assert alone[1] == together[1]
    assert together[2] < alone[2] / 3


def test_visits_that_were_never_asked_for_are_learned_from() -> None:
    strategy = lafc(a=0.1)
    ledger = MemoryLedger()
    work = Crawl(strategy, Budget(Recorded(FORK), 4), ByName(SIMILAR), ledger)
    work.begin()
    before = pickle.dumps(strategy)
    work.run()
    late: Lafc = pickle.loads(before)
    for visit in ledger.read():
        late.tell([visit])
    assert chances(late, FORK, "s") == pytest.approx(chances(strategy, FORK, "s"))
    assert [choice.url for choice in late.ask(1, frozenset())] == [
        choice.url for choice in strategy.ask(1, frozenset())
    ]


def test_page_met_again_in_the_crawl_has_its_links_brought_up_to_date() -> None:
    # s leads to a, to old, which redirects to a, and to b; between the two a has changed.
    archive = small_world(
        {"s": ["a", "old", "b"], "a": ["d", "e"], "b": [], "d": [], "e": [], "f": []},
        redirects={"old": "a"},
        later=[(4.5, "a", ["e", "f"])],
        end=99,
    )
    strategy = lafc(a=0.1)
    ledger = MemoryLedger()
    judge = ByName({"a": 1.0, "d": 0.5, "e": 0.2, "f": 1.0})
    work = Crawl(strategy, Recorded(archive, since=0, seconds_per_page=1.0), judge, ledger)
    work.begin()
    work.run()
    found = [archive.book.href(visit.url).rpartition("/")[2] for visit in ledger.read()]
    # d is rewarded: 0.55, 0.45; e is not.  Then d is gone, which leaves e with all, and f is new:
    # a half each; the best link is gone, so that f with 1.0 is rewarded, alone as it is.
    assert found == ["s", "a", "d", "e", "old", "b", "f"]
    assert chances(strategy, archive, "a") == pytest.approx([0.5, 0.5])
    url = archive.book.find("http://site.test/a")
    assert url is not None
    assert strategy.automata.threshold(strategy.automata.find(url)) == 1.0


def test_answer_that_comes_after_its_document_changed_is_learned_from() -> None:
    archive = small_world({"s": ["a", "b"], "a": [], "b": [], "c": []})
    strategy = lafc(a=0.5)
    world = Recorded(archive)
    work = Crawl(strategy, world, ByName({"b": 1.0}), MemoryLedger())
    work.begin()
    work.step()
    (choice,) = strategy.ask(1, frozenset())
    start = world.answer(Choice(0, 0))
    # The page is told of again, by then with c, b and a.
    links = Links(
        np.array([3, 2, 1], np.int32),
        np.zeros(3, np.int32),
        archive.book,
        MemoryContent(Document()),
    )
    changed = msgspec.structs.replace(start, links=links)
    strategy.tell([Visit(changed, 0.0, False)])
    assert chances(strategy, archive, "s") == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    strategy.tell([work.visit(world.answer(choice))])
    # a, which was the first of two and is now the last of three: 1/3 + 0.5 * 2/3.
    assert chances(strategy, archive, "s") == pytest.approx([1 / 6, 1 / 6, 2 / 3])


def names_fetched(closed: Sequence[int], archive: Archive) -> list[str]:
    strategy = lafc()
    work = Crawl(strategy, Budget(Recorded(archive), 2), ByName({"a": 1.0}), MemoryLedger())
    work.begin()
    work.run()
    return [archive.book.href(choice.url) for choice in strategy.ask(1, frozenset(closed))]


def test_links_on_closed_hosts_are_passed_over() -> None:
    archive = small_world(
        {
            "s": ["a", "http://far.test/x"],
            "a": ["b", "c"],
            "b": [],
            "c": [],
            "http://far.test/x": [],
        }
    )
    here, far = (archive.book.host_names.index(name) for name in ("site.test", "far.test"))
    assert names_fetched([], archive) == ["http://site.test/b"]
    assert names_fetched([here], archive) == ["http://far.test/x"]
    assert names_fetched([here, far], archive) == []


def test_walker_that_waits_for_hosts_goes_on_when_one_opens() -> None:
    archive = small_world(
        {"s": ["a", "http://far.test/x"], "a": ["b"], "b": [], "http://far.test/x": []}
    )
    here, far = (archive.book.host_names.index(name) for name in ("site.test", "far.test"))
    strategy = lafc()
    work = Crawl(strategy, Budget(Recorded(archive), 2), ByName({"a": 1.0}), MemoryLedger())
    work.begin()
    work.run()
    strategy = pickle.loads(pickle.dumps(strategy))
    for _ in range(3):
        assert strategy.ask(1, frozenset([here, far])) == []
    (choice,) = strategy.ask(1, frozenset([far]))
    assert archive.book.href(choice.url) == "http://site.test/b"


def test_pools_keep_what_was_written() -> None:
    automata = Automata()
    world = random_world(3)
    recorded = Recorded(world)
    seen = {}
    for url in range(40):
        page = recorded.answer(Choice(url, 0))
        if page.status is Status.OK:
            seen[automata.add(url, 0, page.links)] = list(
                dict.fromkeys(page.links.targets.tolist())
            )
            automata = pickle.loads(pickle.dumps(automata))
    assert seen
    for number, targets in seen.items():
        assert automata.targets(number).tolist() == targets


TREE = small_world(
    {
        "s": ["a"], "a": ["b", "a1"], "b": ["c", "b1"], "c": ["d", "c1"], "d": ["d1", "d2"],
        "a1": [], "b1": [], "c1": [], "d1": [], "d2": [],
    }
)  # fmt: skip
GOOD = dict.fromkeys("sabcd", 0.9)


def answer(strategy: Lafc, choice: Choice) -> None:
    page = Recorded(TREE).answer(choice)
    relevance = ByName(GOOD).relevance(page)
    strategy.tell([Visit(page, relevance, relevance >= 0.75)])


def names(choices: Sequence[Choice]) -> list[tuple[str, str]]:
    """Return who goes where."""
    return [(one.agent, TREE.book.href(one.url).rpartition("/")[2]) for one in choices]


def descended(walkers: int) -> Lafc:
    """Return walkers of which the first has gone down to c, and no other has a document."""
    strategy = lafc(walkers=walkers)
    strategy.tell([seed_visit(Recorded(TREE).seeds, 0.0)])
    for _ in "sabc":
        (choice,) = strategy.ask(1, frozenset())
        assert choice.agent == "w0"
        answer(strategy, choice)
    return strategy


def test_a_walker_without_documents_takes_the_oldest_of_another_with_links_left() -> None:
    strategy = descended(2)
    # w0 stands on c and goes on to d; w1 is given what w0 met first and has links left: a.
    assert names(strategy.ask(2, frozenset())) == [("w0", "d"), ("w1", "a1")]


def test_the_oldest_document_is_taken_from_the_longest_stack() -> None:
    strategy = descended(3)
    first = strategy.ask(3, frozenset())
    assert names(first) == [("w0", "d"), ("w1", "a1"), ("w2", "b1")]
    assert [len(walker.stack) for walker in strategy._walks] == [1, 1, 1]


def test_a_visit_is_credited_to_the_walker_that_signed_it() -> None:
    """Taken up from a ledger, a crawl is told of choices that this object never made."""
    (choice, _) = descended(2).ask(2, frozenset())
    for number in range(2):
        late = descended(2)
        answer(late, msgspec.structs.replace(choice, agent=f"w{number}"))
        document = late.automata.find(choice.url)
        assert [document in walker.stack for walker in late._walks] == [number == 0, number == 1]


def test_one_walker_alone_does_not_sign() -> None:
    strategy = lafc()
    strategy.tell([seed_visit(Recorded(TREE).seeds, 0.0)])
    assert names(strategy.ask(1, frozenset())) == [("", "s")]
