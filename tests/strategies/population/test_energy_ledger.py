"""The energy ledger, kept again from its tables alone."""

from __future__ import annotations

import pickle
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foragers.core.loop import Crawl
from foragers.core.population import Census, Lives
from foragers.core.types import Visit
from foragers.judges.keywords import Keywords
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.strategies.population.energy import KINDS, Energy
from foragers.strategies.registry import StrategyInputs, build
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded
from support.random_worlds import random_world

TOPIC = Keywords("prawn reef tide")
WORLDS = [random_world(seed) for seed in range(4)]
IN_ALL = """
SELECT total(amount) FILTER (WHERE what IN ('endow', 'give', 'leave')) AS put_in,
       total(amount) FILTER (WHERE what IN ('endow', 'give', 'take'))
         - total(amount) FILTER (WHERE what IN ('pay', 'bury')) AS held,
       total(amount) FILTER (WHERE what = 'leave')
         - total(amount) FILTER (WHERE what = 'take') AS lying,
       total(amount) FILTER (WHERE what = 'pay') AS paid,
       total(amount) FILTER (WHERE what = 'bury') AS buried
FROM energy
"""
HELD = """
SELECT agent, sum(amount) FROM (
    SELECT agent, amount FROM energy WHERE what IN ('endow', 'give', 'take', 'share')
    UNION ALL SELECT agent, -amount FROM energy WHERE what IN ('pay', 'bury')
    UNION ALL SELECT parent, -amount FROM energy WHERE what = 'share')
GROUP BY agent
"""
LIVING = """
SELECT agent FROM lives WHERE what = 'birth' EXCEPT SELECT agent FROM lives WHERE what = 'death'
"""
STRANGE = """
SELECT document FROM energy WHERE what IN ('give', 'leave')
EXCEPT SELECT final FROM visits WHERE status = 'ok'
"""


def crawl(spec: str, archive: Archive, file: Path, seed: int = 0, budget: int = 300) -> Energy:
    energy = build(spec, StrategyInputs(TOPIC, np.random.default_rng(seed)))
    assert isinstance(energy, Energy)
    ledger = SqliteLedger(file, archive.book, words=False)
    work = Crawl(energy, Budget(Recorded(archive, connections=7), budget), TOPIC, ledger)
    work.begin()
    work.run()
    ledger.keep_census(energy.census())
    ledger.close()
    return energy


def check_account(connection: sqlite3.Connection, cost: float) -> None:
    """Go through the ledger of energy row by row, believing nothing else."""
    held: dict[int, float] = defaultdict(float)
    lying: dict[int, float] = defaultdict(float)
    gone: set[int] = set()
    query = "SELECT what, agent, parent, document, amount FROM energy ORDER BY number"
    for what, agent, parent, document, amount in connection.execute(query):
        assert agent not in gone, "the dead neither get nor give"
        if what in ("endow", "give", "take", "share"):
            held[agent] += amount
        if what == "share":
            assert parent not in gone
            held[parent] -= amount
        if what == "leave":
            assert document not in lying, "a document brings energy once"
            lying[document] = amount
        if what == "take":
            assert lying.pop(document) == amount > 0
        if what == "pay":
            assert amount == cost
            held[agent] -= amount
        if what == "bury":
            assert held.pop(agent) == pytest.approx(amount, abs=1e-9)
            assert amount < 0
            gone.add(agent)
    living = {agent for (agent,) in connection.execute(LIVING)}
    assert set(held) == living
    found = dict(connection.execute(HELD))
    assert {agent: found[agent] for agent in living} == pytest.approx(dict(held), abs=1e-9)
    assert [found[agent] for agent in gone] == pytest.approx([0.0] * len(gone), abs=1e-9)
    put_in, together, on_documents, paid, buried = connection.execute(IN_ALL).fetchone()
    assert put_in == pytest.approx(together + on_documents + paid + buried, abs=1e-9)
    assert together == pytest.approx(sum(held.values()), abs=1e-6)
    assert on_documents == pytest.approx(sum(lying.values()), abs=1e-6)
    assert connection.execute(STRANGE).fetchall() == []


@settings(max_examples=30, deadline=None)
@given(
    name=st.sampled_from(["energy", "infospiders"]),
    kind=st.sampled_from(KINDS),
    agents=st.integers(1, 30),
    bounds=st.tuples(st.integers(0, 20), st.integers(1, 20)).map(sorted).filter(lambda b: b[1]),
    cost=st.sampled_from([1e-6, 0.5, 1.5, 40.0]),
    gain=st.sampled_from([0.1, 10.0, 30.0]),
    temperature=st.sampled_from([1e-300, 0.03, 1e300]),
    jump=st.sampled_from([0.0, 0.3, 1.0]),
    world=st.sampled_from(WORLDS),
    seed=st.integers(0, 1000),
)
def test_the_account_can_be_kept_again_from_the_ledger(
    name: str,
    kind: str,
    agents: int,
    bounds: list[int],
    cost: float,
    gain: float,
    temperature: float,
    jump: float,
    world: Archive,
    seed: int,
) -> None:
    least, most = bounds
    spec = (
        f"{name}(kind={kind}, agents={agents}, least={least}, most={most}, cost={cost},"
        f" gain={gain}, temperature={temperature}, jump={jump})"
    )
    with TemporaryDirectory() as folder:
        file = Path(folder) / "ledger.sqlite"
        energy = crawl(spec, world, file, seed, 60)
        connection = sqlite3.connect(file)
        check_account(connection, cost)
        sizes = [size for (size,) in connection.execute("SELECT population FROM lives")]
        connection.close()
    assert sizes[-1] == len(energy.population)
    if kind == "conserved":
        assert max(sizes) <= most
        # From when the first agents are there, there are never too few.
        first = min(max(agents, least), most)
        assert min(sizes[first - 1 :]) >= least


def test_the_ledger_grows_by_what_is_new(tmp_path: Path) -> None:
    archive = WORLDS[1]
    energy = build("energy(agents=4)", StrategyInputs(TOPIC, np.random.default_rng(0)))
    assert isinstance(energy, Energy)
    ledger = SqliteLedger(tmp_path / "ledger.sqlite", archive.book, words=False)
    work = Crawl(energy, Budget(Recorded(archive), 60), TOPIC, ledger)

    def watch(_: Sequence[Visit]) -> None:
        ledger.keep_census(energy.census())

    work.begin()
    work.run(watch)
    ledger.close()
    assert rows(tmp_path / "ledger.sqlite", "lives") == [
        ("walker", place + 1, event.time, event.what, event.member,
         None if event.parent < 0 else event.parent, event.population)
        for place, event in enumerate(energy.population.events)
    ]  # fmt: skip
    assert len(rows(tmp_path / "ledger.sqlite", "energy")) == len(energy.book.transfers)


def test_what_a_strategy_remembers_otherwise_is_written_anew(tmp_path: Path) -> None:
    file = tmp_path / "ledger.sqlite"
    crawl("energy(agents=4)", WORLDS[1], file, 0, 60)
    other = crawl("energy(agents=4)", WORLDS[1], tmp_path / "other.sqlite", 1, 60)
    ledger = SqliteLedger(file, WORLDS[1].book, words=False)
    ledger.keep_census(pickle.loads(pickle.dumps(other.census())))
    ledger.close()
    for table in ("lives", "energy"):
        assert rows(file, table) == rows(tmp_path / "other.sqlite", table) != []


def rows(file: Path, table: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(file)
    found = connection.execute(f"SELECT * FROM {table} ORDER BY kind, number").fetchall()
    connection.close()
    return found


def test_what_is_remembered_otherwise_is_written_anew_however_much_it_is(tmp_path: Path) -> None:
    def lives(*times: float) -> Census:
        found = Lives()
        for number, time in enumerate(times):
            found.born(time, number, -1, number + 1)
        return Census({"walker": found})

    file = tmp_path / "ledger.sqlite"
    ledger = SqliteLedger(file, WORLDS[1].book, words=False)
    for times in ((1.0, 2.0), (1.0, 2.0, 3.0), (1.0, 2.5, 3.5, 4.0), (1.0,)):
        ledger.keep_census(lives(*times))
        assert [row[2] for row in rows(file, "lives")] == list(times)
    ledger.close()
