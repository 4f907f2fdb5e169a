"""Algorithm 2 of `population` to the letter, and a base of documents from an earlier crawl."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from foragers.core.loop import Crawl
from foragers.core.models import Model, load_model, save_model
from foragers.errors import UsageError
from foragers.judges.keywords import Keywords
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.population.accounts import EnergyBook, PopulationWalker
from foragers.strategies.population.balance import Balance
from foragers.strategies.population.energy import Energy
from foragers.strategies.population.policies import FixedPolicy
from foragers.strategies.population.population import Population
from foragers.strategies.population.saved import KIND, KnownDocuments, thinned
from foragers.strategies.population.settings import DEFAULT_POPULATION, BalanceSettings
from foragers.strategies.registry import StrategyInputs, build
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded
from support.random_worlds import random_world
from support.worlds_by_hand import small_world

TOPIC = Keywords("prawn reef tide")
WORLD = random_world(3)


def make(spec: str, before: Model | None = None, seed: int = 0) -> Energy:
    inputs = StrategyInputs(TOPIC, np.random.default_rng(seed), None, before)
    built = build(spec, inputs)
    assert isinstance(built, Energy)
    return built


def crawl(energy: Energy, archive: Archive, budget: int = 200) -> MemoryLedger:
    ledger = MemoryLedger()
    work = Crawl(energy, Budget(Recorded(archive), budget), TOPIC, ledger)
    work.begin()
    work.run()
    return ledger


def alone(energy: float, spec: str = "energy(literal=true)") -> tuple[Energy, PopulationWalker]:
    """Return a population of one agent."""
    strategy = make(spec)
    strategy.population = Population(0, 100)
    walker = strategy._bear(energy, 0, FixedPolicy(1.0))
    strategy.book.endow(walker)
    return strategy, walker


@pytest.mark.parametrize(
    ("energy", "agents", "each"), [(2.5, 3, 1.25), (1.5, 2, 1.5), (4.0, 5, 1.0)]
)
def test_clones_come_besides_the_parent_and_energy_is_made(
    energy: float, agents: int, each: float
) -> None:
    strategy, walker = alone(energy)
    strategy._multiply(walker)
    assert [one.energy for one in strategy.population.members] == [each] * agents
    # The account knows of what was made: one clone's worth.
    assert strategy.book.put_in == energy + each
    assert strategy.book.missing(strategy.population.members) == pytest.approx(0)


def test_without_the_letter_no_energy_is_made() -> None:
    strategy, walker = alone(2.5, "energy")
    strategy._multiply(walker)
    assert [one.energy for one in strategy.population.members] == [1.25, 1.25]
    assert strategy.book.put_in == 2.5


def test_the_bounds_are_those_of_the_comparisons() -> None:
    strategy, walker = alone(0.5, "energy(literal=true, least=2, most=2)")
    strategy._bear(0.5, 0, FixedPolicy(1.0))
    assert state(strategy) == (False, True)  # two are not more than two, and not fewer
    strategy._bear(0.5, 0, FixedPolicy(1.0))
    assert state(strategy) == (True, True)
    strategy._die(walker)
    strategy._die(strategy.population.members[0])
    assert state(strategy) == (False, False)


def state(strategy: Energy) -> tuple[bool, bool]:
    """Return whether there are too many agents, and whether one may die."""
    return strategy._is_crowded, strategy._may_die


def test_a_debt_that_is_left_on_a_document_is_taken_with_it() -> None:
    book, walker = EnergyBook(), PopulationWalker(0, 1.0, 7, FixedPolicy(1.0))
    book.endow(walker)
    book.leave(7, -0.25, debts=True)
    assert book.draw(np.random.default_rng(0)) is None  # nobody is sent there
    assert book.missing([walker]) == 0
    book.take(walker, 7)
    assert walker.energy == 0.75
    assert book.missing([walker]) == 0


def test_the_curve_is_not_shifted() -> None:
    literal, ours = (
        Balance(0.5, 10.0, BalanceSettings(shifted=shifted)) for shifted in (False, True)
    )
    rng = np.random.default_rng(0)
    values = (rng.random(400) ** 4).tolist()
    for value in values:
        literal.add(value)
        ours.add(value)
    level, slope = literal.level, literal.slope
    assert (ours.level, ours.slope) == (level, slope)
    for value in (0.1, 0.5, 0.9):
        printed = 10.5 / (1 + np.exp(-slope * (value - level))) - 0.5
        assert literal.energy(value) == pytest.approx(printed)
    # As printed, the pages gain more than they cost.
    assert sum(map(literal.energy, values)) > abs(sum(map(ours.energy, values)))


def test_known_documents_cost_nothing() -> None:
    # Every page links to all others: most links lead to known documents.
    names = "abcdefgh"
    archive = small_world({name: [other for other in names if other != name] for name in names})
    energy = make("energy(literal=true, agents=1, least=0, most=5, cost=0.01, jump=0)")
    facts = crawl(energy, archive).facts()
    assert len(set(facts.urls.tolist())) == len(facts.urls) == 8
    kinds = {transfer.what for transfer in energy.book.transfers}
    assert "pay" not in kinds


@pytest.mark.parametrize("kind", ["original", "sigmoid", "conserved"])
def test_the_account_is_right_to_the_letter(kind: str) -> None:
    energy = make(f"energy(kind={kind}, literal=true, agents=5, least=3, most=8)")
    crawl(energy, WORLD)
    book = energy.book
    scale = abs(book.put_in) + abs(book.paid) + abs(book.buried) + 1
    assert abs(book.missing(energy.population.members)) < 1e-9 * scale


@pytest.fixture(scope="module")
def model() -> Model:
    energy = make("energy(agents=5, least=3, most=6)")
    crawl(energy, WORLD, 60)
    return energy.learned(WORLD.book)


def test_a_population_goes_on_with_its_energies_and_its_history(model: Model) -> None:
    base = KnownDocuments.of(model)
    assert len(base.documents) > 10
    assert base.relevances.tolist() == sorted(base.relevances.tolist())
    again = make("energy(agents=1, least=0, most=6)", model)
    crawl(again, WORLD, len(WORLD.seeds))
    assert [one.energy for one in again.population.members] == base.energies.tolist()
    assert len(again.balance) == len(base.relevances)  # the seeds are in the base already


def test_a_known_document_has_what_was_left_once_and_is_not_counted_again(model: Model) -> None:
    base = KnownDocuments.of(model)
    again = make("energy(agents=5, least=3, most=6)", model)
    crawl(again, WORLD, 60)
    after = KnownDocuments.of(again.learned(WORLD.book))
    assert set(base.documents.tolist()) <= set(after.documents.tolist())
    new = set(after.documents.tolist()) - set(base.documents.tolist())
    assert len(after.relevances) == len(base.relevances) + len(new)


def test_energy_of_the_base_is_taken_once() -> None:
    page = WORLD.seeds[0]
    energy = make("energy")
    energy._collected.add(page)
    energy.book.leave(page, 0.75)
    base = KnownDocuments.of(energy.learned(WORLD.book))
    assert base.take(page, WORLD.book) == 0.75
    assert base.take(page, WORLD.book) == 0.0
    assert base.take(page + 1, WORLD.book) is None


def test_the_file_gives_the_same_base(model: Model, tmp_path: Path) -> None:
    save_model(model, tmp_path / "m")
    again = KnownDocuments.of(load_model(tmp_path / "m", *KIND))
    assert again.left.tolist() == KnownDocuments.of(model).left.tolist()


@pytest.mark.parametrize(
    "change",
    [
        {"left": np.array([1.0])},
        {"left": np.array([np.nan])},
        {"relevances": np.array([[0.5]])},
        {"energies": np.array([np.inf])},
        {"documents": np.array(["x"])},
    ],
)
def test_a_damaged_base_is_refused_in_one_line(model: Model, change: dict[str, np.ndarray]) -> None:
    with pytest.raises(UsageError, match="--learned"):
        KnownDocuments.of(replace(model, arrays={**model.arrays, **change}))


def test_a_long_history_is_thinned_by_rank() -> None:
    longest = DEFAULT_POPULATION.saved_values
    values = thinned(np.arange(3.0 * longest))
    assert len(values) == longest
    assert values[[0, -1]].tolist() == [0.0, 3.0 * longest - 1]
    assert np.diff(values).max() <= 4
