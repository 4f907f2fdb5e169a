"""The energy model: its account, its bounds, and webs small enough to follow by hand."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foragers.core.loop import Crawl, seed_visit
from foragers.core.types import Choice, Page, Status, Visit
from foragers.errors import UsageError
from foragers.judges.keywords import Keywords
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.population.energy import KINDS, Energy
from foragers.strategies.population.infospiders import InfoSpiders
from foragers.strategies.population.policies import FixedPolicy, LinkPolicy, Neuron
from foragers.strategies.population.population import Population
from foragers.strategies.registry import StrategyInputs, build
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded
from support.random_worlds import random_world
from support.worlds_by_hand import small_world

TOPIC = Keywords("prawn reef tide")
WORLDS = [random_world(seed) for seed in range(4)]


def make(spec: str = "energy", seed: int = 0) -> Energy:
    built = build(spec, StrategyInputs(TOPIC, np.random.default_rng(seed)))
    assert isinstance(built, Energy)
    return built


def assert_balanced(energy: Energy) -> None:
    book = energy.book
    scale = abs(book.put_in) + abs(book.paid) + abs(book.buried) + 1
    assert abs(book.missing(energy.population.members)) < 1e-9 * scale
    assert book.held == pytest.approx(
        sum(walker.energy for walker in energy.population.members), abs=1e-9 * scale
    )


def converse(energy: Energy, archive: Archive, seed: int, steps: int = 150) -> None:
    """Have a dialogue in which answers come late, in any order, or never."""
    rng, world = Random(seed), Recorded(archive, connections=50)
    energy.tell([seed_visit(world.seeds, 0.0)])
    under_way: list[Page] = []
    settled = False
    for _ in range(steps):
        under_way += [world.answer(choice) for choice in energy.ask(rng.randrange(6), set())]
        rng.shuffle(under_way)
        count = rng.randrange(len(under_way) + 1)
        told, under_way = under_way[:count], under_way[count:]
        told = [page for page in told if rng.random() > 0.05 or page.choice.parent == -1]
        energy.tell([judged(page) for page in told])
        assert_balanced(energy)
        size, bounds = len(energy.population), energy.population
        settled |= size >= bounds.least
        assert size <= bounds.most
        assert not settled or size >= bounds.least


def judged(page: Page) -> Visit:
    relevance = TOPIC.relevance(page)
    return Visit(page, relevance, relevance >= TOPIC.threshold)


@settings(max_examples=40)
@given(
    name=st.sampled_from(["energy", "infospiders"]),
    kind=st.sampled_from(KINDS),
    agents=st.integers(1, 12),
    bounds=st.tuples(st.integers(0, 10), st.integers(1, 12)).map(sorted).filter(lambda b: b[1]),
    cost=st.sampled_from([0.01, 0.5, 1.5]),
    gain=st.sampled_from([0.5, 10.0, 30.0]),
    jump=st.sampled_from([0.0, 0.3, 1.0]),
    world=st.sampled_from(WORLDS),
    seed=st.integers(0, 1000),
)
def test_energy_is_conserved_and_bounds_hold_whatever_comes(
    name: str,
    kind: str,
    agents: int,
    bounds: list[int],
    cost: float,
    gain: float,
    jump: float,
    world: Archive,
    seed: int,
) -> None:
    least, most = bounds
    spec = (
        f"{name}(kind={kind}, agents={agents}, least={least}, most={most}, cost={cost},"
        f" gain={gain}, jump={jump})"
    )
    energy = make(spec, seed)
    if kind != "conserved":
        # Nothing bounds these but how long we look.
        converse(energy, world, seed, 25)
    else:
        converse(energy, world, seed)


def crawl(energy: Energy, archive: Archive, budget: int = 500) -> MemoryLedger:
    ledger = MemoryLedger()
    work = Crawl(energy, Budget(Recorded(archive), budget), TOPIC, ledger)
    work.begin()
    work.run()
    return ledger


@pytest.mark.parametrize(
    "spec",
    [
        "energy(gain=30)",
        "energy(cost=1.5)",
        "energy(cost=40, gain=0.1)",
        "energy(least=7, most=7)",
        "energy(agents=1, least=1, most=1)",
        "energy(least=0, most=1000, agents=1000)",
        "infospiders(least=3, most=3, gain=30)",
    ],
)
def test_a_world_that_runs_out_is_fetched_whole(spec: str) -> None:
    archive = WORLDS[0]
    fetched = pages_of(crawl(make(spec), archive))
    reached = pages_of(crawl_breadth_first(archive))
    # With no bound below, the population may die out first.
    assert fetched == reached or "least=0" in spec


def pages_of(ledger: MemoryLedger) -> set[int]:
    return {visit.page.final for visit in ledger.read() if visit.page.status is Status.OK}


def crawl_breadth_first(archive: Archive) -> MemoryLedger:
    ledger = MemoryLedger()
    strategy = build("breadth-first", StrategyInputs(TOPIC, np.random.default_rng(0)))
    work = Crawl(strategy, Recorded(archive), TOPIC, ledger)
    work.begin()
    work.run()
    return ledger


def test_first_agents_are_shared_among_the_seeds_that_come() -> None:
    archive = small_world({"a": ["x"], "b": ["y"], "x": [], "y": []}, seeds=["a", "gone", "b"])
    energy = make("energy(agents=9, least=0, most=20)")
    crawl(energy, archive, 3)
    assert len(energy.population) == 9
    assert energy.book.put_in == 9.0


def test_agents_of_a_last_seed_that_fails_start_elsewhere() -> None:
    archive = small_world({"a": ["x"], "x": []}, seeds=["a", "gone"])
    energy = make("energy(agents=8, least=0, most=20)")
    crawl(energy, archive, 2)
    assert len(energy.population) == 8


def test_original_energy_by_hand() -> None:
    # One agent: 1 − 0.5 + 4 · 1 = 4.5 on the good page, so two agents of 2.25.
    archive = small_world(
        {"a": ["good"], "good": []}, texts={"good": "prawn reef tide"}, seeds=["a"]
    )
    energy = make("energy(kind=original, agents=1, cost=0.5, rho=4)")
    crawl(energy, archive)
    assert [walker.energy for walker in energy.population.members] == pytest.approx([2.25, 2.25])
    assert energy.population.events[-1][1:4] == ("birth", 1, 0)


def test_an_agent_without_energy_dies() -> None:
    archive = small_world({"a": ["p", "q"], "p": ["r"], "q": [], "r": ["s"], "s": []}, seeds=["a"])
    energy = make("energy(kind=original, agents=1, cost=0.6)")
    ledger = crawl(energy, archive)
    # 1 − 0.6 − 0.6 < 0: dead after two pages, and nobody goes on.
    assert (len(ledger), len(energy.population)) == (3, 0)
    assert energy.book.buried == pytest.approx(-0.2)


def test_energy_stays_on_pages_while_there_is_no_room() -> None:
    links = [f"p{number}" for number in range(30)]
    texts = {
        name: "prawn reef tide" if number > 25 else "rust" for number, name in enumerate(links)
    }
    archive = small_world({"a": links, **{name: [] for name in links}}, texts=texts, seeds=["a"])
    energy = make("energy(agents=4, least=4, most=4, jump=0)")
    crawl(energy, archive)
    assert len(energy.population) == 4
    assert energy.book.paid == pytest.approx(0.5 * 30)
    assert_balanced(energy)


@pytest.mark.parametrize("beta", [0.0, 0.25, 1.0])
def test_a_link_is_judged_by_its_words_in_part_and_for_the_rest_by_its_page(beta: float) -> None:
    archive = small_world({"a": ["prawn", "rust"]}, texts={"a": "reef tide"})
    page = Recorded(archive).answer(Choice(0, 0))
    energy = make(f"energy(beta={beta})")
    of_page, of_word = (2 / 3) ** 0.5, (1 / 3) ** 0.5  # two words of three, and one
    ways = energy._score(judged(page), [0, 1])
    expected = [beta * of_word + (1 - beta) * of_page, (1 - beta) * of_page]
    assert ways.promises.tolist() == pytest.approx(expected)


@pytest.mark.parametrize(("jump", "least", "most"), [(0, 0, 0), (0.2, 120, 280), (1, 1000, 1000)])
def test_agents_go_to_pages_with_energy_left_with_the_chance_jump(
    jump: float, least: int, most: int
) -> None:
    energy = make(f"energy(jump={jump})")
    energy.population = Population(0, 1)  # no room for more, so that the energy stays
    walker = energy._bear(1.0, 7, FixedPolicy(1.0))
    energy.book.leave(5, 2.0)
    jumps = 0
    for _ in range(1000):
        walker.at = 7
        energy._jump(walker)
        jumps += walker.at == 5
    assert least <= jumps <= most
    assert energy.book.left == {5: 2.0}


def test_an_agent_that_comes_to_energy_takes_it_where_there_is_room_for_more() -> None:
    energy = make("energy(jump=1)")
    energy.population = Population(0, 10)
    walker = energy._bear(0.5, 7, FixedPolicy(1.0))
    energy.book.leave(5, 0.25)
    energy._jump(walker)
    assert (walker.at, walker.energy, energy.book.left) == (5, 0.75, {})


def test_choices_are_signed_by_agents_that_live() -> None:
    energy = make("energy(agents=5)")
    visits = list(crawl(energy, WORLDS[1], 40).read())
    born = {event.member for event in energy.population.events if event.what == "birth"}
    signed = [visit.page.choice.agent for visit in visits if visit.page.choice.parent != -1]
    assert signed
    assert {int(name.removeprefix("walker-")) for name in signed} <= born


def test_pulse_tells_population_and_energy() -> None:
    energy = make()
    crawl(energy, WORLDS[2])
    columns = energy.census().columns()
    for time, living in zip(columns["pulse_times"], columns["pulse_populations"], strict=True):
        before = [event.population for event in energy.population.events if event.time <= time]
        assert living == before[-1]
    # The first of two seeds has half of the twenty agents, one unit each.
    assert columns["pulse_held"][0] == 10.0
    assert len(columns["pulse_left"]) == len(columns["pulse_times"]) > 10


def test_scores_tell_the_energy_of_each_agent() -> None:
    energy = make()
    crawl(energy, WORLDS[2])
    columns = energy.census().columns()
    last = columns["score_pages"] == columns["score_pages"].max()
    told = dict(zip(columns["score_members"][last], columns["score_values"][last], strict=True))
    assert told == {one.number: one.energy for one in energy.population.members}
    assert sum(told.values()) == pytest.approx(energy.book.held)
    assert columns["score_pages"][0] == 1


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("energy(kind=best)", "kind=best"),
        ("energy(context=page)", "context=page"),
        ("energy(cost=0)", "cost=0"),
        ("energy(gain=-1.0)", "gain=-1"),
        ("energy(temperature=0)", "temperature=0"),
        ("energy(jump=1.5)", "jump=1.5"),
        ("energy(least=9, most=3)", "least=9"),
        ("infospiders(sharpness=0)", "sharpness=0"),
    ],
)
def test_senseless_parameters_are_refused(spec: str, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        crawl(make(spec), WORLDS[0])


def neuron(mind: LinkPolicy) -> Neuron:
    assert isinstance(mind, Neuron)
    return mind


def test_infospiders_without_a_topic_look_for_words_of_the_seed() -> None:
    from foragers.judges.topic import NoTopic

    spiders = InfoSpiders(NoTopic(), np.random.default_rng(0))
    crawl(spiders, WORLDS[3], 60)
    living = [
        word for walker in spiders.population.members for word in neuron(walker.policy).keywords
    ]
    keywords = set(living)
    assert keywords <= {"prawn", "reef", "tide", "kelp", "rust", "engine", "bolt", "gear"}
    assert keywords
    assert spiders._lexicon.total() == len(living)


def test_a_page_that_is_not_there_costs_as_much_as_one_that_brings_nothing() -> None:
    archive = small_world({"a": ["gone"]}, seeds=["a"])
    energy = make("energy(kind=original, agents=1, cost=0.3)")
    crawl(energy, archive)
    assert [walker.energy for walker in energy.population.members] == pytest.approx([0.7])
    assert energy.book.paid == pytest.approx(0.3)


def test_infospiders_trust_each_word_of_the_topic_alike_and_begin_without_a_bias() -> None:
    mind = neuron(make("infospiders(trust=0.5)")._first_policy(None))
    assert mind.keywords == ("prawn", "reef", "tide")
    assert mind.weights.tolist() == [0.5, 0.5, 0.5, 0.0]
