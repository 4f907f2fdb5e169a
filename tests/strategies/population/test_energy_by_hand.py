"""Algorithm 2 of `population` step by step: cases small enough to be worked out on paper.

The paper's pseudo-code, for an agent on document D, UB = `most` and LB = `least`:

    update_energy: a new D gets f(r, R); if agents > UB: E -= C, else E += energy(D), energy(D) = 0
    reproduce:     E > 1: ⌊E⌋ clones of E/⌊E⌋, E = E/⌊E⌋
                   E < 0: agents < LB: pick D among documents with energy next, else die
"""

from __future__ import annotations

import numpy as np
import pytest

from foragers.core.loop import Crawl
from foragers.judges.keywords import Keywords
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.population.accounts import PopulationWalker
from foragers.strategies.population.balance import Balance
from foragers.strategies.population.energy import Energy
from foragers.strategies.population.policies import FixedPolicy
from foragers.strategies.population.population import Population
from foragers.strategies.population.restart_points import OpenLinks
from foragers.strategies.population.saved import KnownDocuments
from foragers.strategies.population.settings import BalanceSettings
from foragers.strategies.registry import StrategyInputs, build
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded
from support.worlds_by_hand import small_world, url_id

TOPIC = Keywords("prawn reef tide")
GOOD = "prawn reef tide"


def make(spec: str) -> Energy:
    built = build(spec, StrategyInputs(TOPIC, np.random.default_rng(0)))
    assert isinstance(built, Energy)
    return built


def chain(spec: str, *texts: str) -> tuple[Energy, int]:
    """Crawl a chain of pages after the seed with these texts; return also how many were fetched."""
    names = [f"p{number}" for number in range(len(texts))]
    pages = {"seed": names[:1], **{name: names[n + 1 : n + 2] for n, name in enumerate(names)}}
    energy = make(spec)
    ledger = MemoryLedger()
    archive = small_world(pages, texts=dict(zip(names, texts, strict=True)), seeds=["seed"])
    work = Crawl(energy, Budget(Recorded(archive), 100), TOPIC, ledger)
    work.begin()
    work.run()
    return energy, len(ledger)


def crowd(spec: str, *energies: float) -> tuple[Energy, list[PopulationWalker]]:
    """Return a population of agents with these energies, all on document 0."""
    strategy = make(spec)
    strategy.population = Population(0, 100)
    walkers = [strategy._bear(energy, 0, FixedPolicy(1.0)) for energy in energies]
    for walker in walkers:
        strategy.book.endow(walker)
    return strategy, walkers


def balanced(strategy: Energy) -> bool:
    return abs(strategy.book.missing(strategy.population.members)) < 1e-12


def test_equal_relevances_at_the_level_have_the_printed_energy() -> None:
    values = (0.0, 0.2, 0.5, 0.5, 1.0)
    printed, ours = (Balance(0.5, 1.5, BalanceSettings(shifted=s)) for s in (False, True))
    for value in values:
        printed.add(value)
        ours.add(value)
    # n* = 5 / (1/3 + 1) = 3.75, so R is the fourth value, and λ = 8 / min(0.5, 0.5).
    assert (printed.level, printed.slope) == (0.5, 16.0)
    assert printed.energy(0.5) == pytest.approx(2.0 / 2 - 0.5)
    # Ours gives both what balances the rest: (2 · 0.5 − 1 · 1.5) / 2.
    assert ours.energy(0.5) == pytest.approx(-0.25)


def test_a_life_of_one_agent_to_the_letter() -> None:
    # The first page is alone at its level: 0.  Then R is the relevance of the first, the largest,
    # and each page below it costs 0.5: 1, 1, 0.5, 0.0 (alive), −0.5 (dead), and nobody goes on.
    spec = "energy(literal=true, agents=1, least=0, most=5, cost=0.5, gain=10, jump=0)"
    energy, fetched = chain(spec, GOOD, *["rust"] * 6)
    assert (len(energy.population), fetched) == (0, 1 + 4)
    assert energy.book.buried == pytest.approx(-0.5)


def test_below_the_lower_bound_the_same_agent_goes_on_with_its_debt() -> None:
    spec = "energy(literal=true, agents=1, least=2, most=5, cost=0.5, gain=10, jump=0)"
    energy, fetched = chain(spec, GOOD, *["rust"] * 6)
    # No document has energy left, so there is nowhere to be moved to: all seven pages.
    assert fetched == 1 + 7
    assert [one.energy for one in energy.population.members] == [pytest.approx(1 - 6 * 0.5)]


def test_at_the_upper_bound_energy_is_taken_to_the_letter_and_left_by_ours() -> None:
    # One agent, at most one: "more than UB" is not met, and the agent takes what it finds.
    spec = "energy(agents=1, least=1, most=1, cost=0.5, gain=10, jump=0"
    literal, _ = chain(f"{spec}, literal=true)", GOOD, "rust")
    assert literal.book.paid == 0
    # Ours: with `most` agents there is no room, so both pages cost C and keep their energy.
    ours, _ = chain(f"{spec})", GOOD, "rust")
    assert ours.book.paid == 2 * 0.5
    # The second page has −0.5, which nobody takes: it is stranded, and the account knows it.
    assert (ours.book.stranded, ours.book.left) == (-0.5, {})
    assert balanced(ours)


def test_clones_may_exceed_the_upper_bound_to_the_letter() -> None:
    strategy, (walker,) = crowd("energy(literal=true, least=0, most=2)", 4.0)
    assert strategy._live_on(walker)
    assert [one.energy for one in strategy.population.members] == [1.0] * 5
    assert strategy._is_crowded


def test_a_visit_to_a_known_document_costs_nothing_unless_there_are_too_many() -> None:
    for most, left in ((3, 0.5), (2, 0.5 - 0.25)):
        spec = f"energy(literal=true, least=0, most={most}, cost=0.25, jump=0)"
        strategy, (walker, *_) = crowd(spec, 0.5, 0.5, 0.5)
        # Document 0 links to document 1, which is known, and that to 2, which is new.
        strategy._collected.add(1)
        strategy._documents[0] = links_to(1)
        strategy._documents[1] = links_to(2)
        assert strategy._choose(walker)
        assert (walker.at, walker.energy) == (1, left)
        assert 2 in strategy._choices
        assert balanced(strategy)


def test_what_is_left_on_a_known_document_is_taken_on_the_way_be_it_a_debt() -> None:
    for energy, after in ((0.25, 0.75), (-0.25, 0.25)):
        strategy, (walker,) = crowd("energy(literal=true, least=0, most=3, jump=0)", 0.5)
        strategy._collected.add(1)
        strategy.book.leave(1, energy, debts=True)
        strategy._documents[0] = links_to(1)
        strategy._documents[1] = links_to(2)
        assert strategy._choose(walker)
        assert (walker.energy, strategy.book.left) == (after, {})
        assert balanced(strategy)


def test_teleports_are_chained_until_nothing_is_owed() -> None:
    strategy, (walker,) = crowd("energy(literal=true, least=2, most=5, jump=0)", -1.125)
    for document, energy in ((1, 0.5), (2, 0.5), (3, 0.25)):
        strategy._collected.add(document)
        strategy.book.leave(document, energy, debts=True)
        strategy._documents[document] = links_to(9)
    assert strategy._live_on(walker)  # one agent is fewer than two
    assert strategy._choose(walker)
    # −1.125 + 0.5 + 0.5 + 0.25, in any order: all three are needed.
    assert (walker.energy, strategy.book.left) == (0.125, {})
    assert 9 in strategy._choices
    assert balanced(strategy)


def test_a_teleport_to_much_energy_multiplies_at_once() -> None:
    strategy, (walker,) = crowd("energy(literal=true, least=2, most=5, jump=0)", -0.5)
    strategy._collected.add(1)
    strategy.book.leave(1, 3.0, debts=True)
    strategy._documents[1] = links_to(9)
    assert strategy._choose(walker)
    # −0.5 + 3 = 2.5: two clones of 1.25 besides the agent, all on that document.
    assert [(one.energy, one.at) for one in strategy.population.members] == [(1.25, 1)] * 3


def test_who_still_owes_after_a_teleport_dies_if_there_are_agents_enough_by_then() -> None:
    strategy, (walker, _) = crowd("energy(literal=true, least=2, most=5, jump=0)", -2.0, 0.5)
    strategy._collected.add(1)
    strategy.book.leave(1, 0.5, debts=True)
    strategy._documents[1] = links_to(9)
    assert strategy._choose(walker)  # settled: it died on the way
    assert [one.energy for one in strategy.population.members] == [0.5]
    assert strategy.book.buried == -1.5
    assert not strategy._choices
    assert balanced(strategy)


def test_ours_moves_an_agent_that_may_not_die_and_makes_no_energy() -> None:
    strategy, (walker,) = crowd("energy(least=1, most=5, jump=0)", -0.75)
    strategy.population.least = 1
    strategy.book.leave(1, 0.5)
    strategy.book.leave(2, 0.5)
    before = strategy.book.put_in
    assert strategy._live_on(walker)
    assert (walker.energy, strategy.book.left, strategy.book.put_in) == (0.25, {}, before)
    assert balanced(strategy)


def test_energy_stays_on_a_document_while_there_are_too_many_wherever_an_agent_comes_from() -> None:
    # Document 0 has no links, so the agent picks document 1 among those with energy.
    for most, after, left in ((3, 0.75, {}), (2, 0.25, {1: 0.25})):
        spec = f"energy(literal=true, least=0, most={most}, cost=0.25, jump=0)"
        strategy, (walker, *_) = crowd(spec, 0.5, 0.5, 0.5)
        strategy._collected.add(1)
        strategy.book.leave(1, 0.25, debts=True)
        strategy._documents[1] = links_to(9)
        assert strategy._choose(walker)
        assert (walker.at, walker.energy, strategy.book.left) == (1, after, left)
        assert balanced(strategy)


def test_a_redirect_to_a_known_document_costs_nothing_to_the_letter() -> None:
    archive = small_world(
        {"seed": ["a"], "a": ["moved"]},
        texts={"a": GOOD},
        redirects={"moved": "a"},
        seeds=["seed"],
    )
    for literal, paid in (("true", 0.0), ("false", 0.5)):
        energy = make(f"energy(literal={literal}, agents=1, least=0, most=5, cost=0.5, jump=0)")
        work = Crawl(energy, Budget(Recorded(archive), 3), TOPIC, MemoryLedger())
        work.begin()
        work.run()
        assert energy.book.paid == paid
        assert balanced(energy)


def test_clones_of_an_agent_that_died_while_it_chose_go_on_at_once() -> None:
    strategy, (walker,) = crowd("energy(literal=true, least=0, most=2, cost=3, jump=0)", 0.5)
    strategy._collected.add(1)
    strategy._collected.add(2)
    strategy.book.leave(1, 2.0, debts=True)
    strategy._documents |= {0: links_to(1), 1: links_to(2), 2: links_to(9)}
    strategy._restart_points.add(2, links_to(9))
    strategy._idle.append(walker)
    strategy._choose_all()
    # 0.5 + 2 on document 1: two clones of 1.25.  Three are more than two, so document 2 costs 3
    # and kills it.  Two are not, so the first clone comes to document 2 for nothing, clones itself
    # there, and goes on to the only new link.  The second finds three agents again, and dies.
    assert [(one.number, one.energy) for one in strategy.population.members] == [
        (1, 1.25),
        (3, 1.25),
    ]
    assert list(strategy._choices) == [9]
    assert balanced(strategy)


def test_energy_of_an_earlier_crawl_stays_while_there_are_too_many_agents() -> None:
    before = make("energy")
    archive = small_world({"seed": ["a"], "a": []}, seeds=["seed"])
    page = url_id(archive, "a")
    before._collected.add(page)
    before.book.leave(page, 0.75)
    model = before.learned(archive.book)
    for most, left, paid in ((1, [0.75], 0.5), (2, [0.0], 0.0)):
        inputs = StrategyInputs(TOPIC, np.random.default_rng(0), None, model)
        energy = build(f"energy(agents=1, least=1, most={most}, cost=0.5, jump=0)", inputs)
        assert isinstance(energy, Energy)
        work = Crawl(energy, Budget(Recorded(archive), 2), TOPIC, MemoryLedger())
        work.begin()
        work.run()
        base = KnownDocuments.of(energy.learned(archive.book))
        assert [one for one in base.left.tolist() if one] == [one for one in left if one]
        assert energy.book.paid == paid
        assert balanced(energy)


def links_to(url: int) -> OpenLinks:
    return OpenLinks([url], [0], np.array([0.5], np.float32), 1)
