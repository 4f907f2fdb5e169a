"""Memory that forgets the oldest, and stays within its bounds."""

from __future__ import annotations

import tracemalloc
from random import Random

import numpy as np

from foragers.filters.traps.bounded import RecentDict, RecentIntegers, SeenKeys
from foragers.filters.traps.settings import SeenContentSettings


def test_a_filter_forgets_nothing_it_took_in_and_errs_seldom() -> None:
    rng = np.random.default_rng(5)
    known, others = rng.integers(0, 2**64, (2, 300_000), np.uint64)
    numbers = SeenKeys()
    for chunk in np.split(known, 100):
        numbers.add(chunk)
    assert numbers.has(known).all()
    assert numbers.has(others).mean() < 0.2


def test_a_filter_stays_below_its_ceiling() -> None:
    rng = np.random.default_rng(5)
    numbers = SeenKeys(SeenContentSettings(log_sizes=(10, 12)))
    for _ in range(100):
        numbers.add(rng.integers(0, 2**64, 200, np.uint64))
    assert sum(table.bits.nbytes for table in numbers.filters) <= 3 * 512


def test_recent_keeps_what_is_used() -> None:
    recent: RecentDict[int, str] = RecentDict(10)
    recent.put(0, "used")
    for i in range(1, 100):
        recent.put(i, "x")
        assert recent.get(0) == "used"
    assert len(recent) <= 20
    assert recent.get(1) is None


def test_recent_numbers_are_a_recent_dictionary_in_a_fifth_of_the_memory() -> None:
    chance, model = Random(1), RecentDict[str, int](50)
    numbers = RecentIntegers(50)
    for step in range(3000):
        key = f"http://a.test/{chance.randrange(150)}"
        if chance.random() < 0.5:
            value = chance.getrandbits(64)
            model.put(key, value)
            numbers.put(key, value)
        assert numbers.get(key) == model.get(key)
        assert len(numbers) == len(model), step
    tracemalloc.start()
    many = RecentIntegers(10_000)
    for number in range(5000):
        many.put(f"http://a.test/page/{number}", number << 40)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held / 5000 < 40
