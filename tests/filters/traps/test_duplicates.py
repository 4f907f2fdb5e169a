"""Pages that are the same, or nearly the same, as one before."""

from __future__ import annotations

import tracemalloc

import numpy as np

from foragers.filters.traps import duplicates as texts
from foragers.filters.traps.duplicates import NearDuplicates, similarity, sketch_of
from foragers.filters.traps.fingerprint import fingerprint
from foragers.filters.traps.settings import DuplicateSettings
from support.simulated import prose


def test_nearly_the_same_page_is_found_until_too_many_came_after_it() -> None:
    known, chance = NearDuplicates(DuplicateSettings(sketch_entries=400)), np.random.default_rng(1)
    pages = [np.sort(chance.integers(0, 1 << 32, 40, np.uint32)) for _ in range(300)]
    for number, phrases in enumerate(pages):
        assert known.find_or_add(phrases, f"u{number}") is None
        for back in (0, 50):
            if number >= back:
                almost = np.delete(pages[number - back], chance.integers(0, 16, 2))
                assert known.find_or_add(almost, "again") == f"u{number - back}"
    assert known.find_or_add(pages[0], "u0 again") is None
    assert len(known.young) + len(known.old) <= 800


def test_a_page_to_be_compared_with_takes_few_bytes() -> None:
    chance = np.random.default_rng(1)
    tracemalloc.start()
    known = NearDuplicates()
    for _ in range(2000):
        known.find_or_add(np.sort(chance.integers(0, 1 << 32, 40, np.uint32)), "u")
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held / 2000 < 240  # as objects it would take 700


def test_old_texts_are_known_without_their_address() -> None:
    known = texts.ExactDuplicates(DuplicateSettings(recent_texts=10))
    for i in range(25):
        assert known.find_or_add(i * 7**15, f"u{i}") is None
    assert known.find_or_add(3 * 7**15, "x") == ""
    assert known.find_or_add(24 * 7**15, "x") == "u24"


def test_a_text_and_its_place_take_few_bytes() -> None:
    tracemalloc.start()
    known = texts.ExactDuplicates()
    for number in range(3000):
        url = f"http://a.test/{number:056d}"
        assert known.find_or_add(number * 7**15, url) is None
        assert known.find_or_add(number * 7**15, "") == url
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held / 3000 < 120  # as objects it would take 230


def test_likeness_is_about_the_share_of_common_phrases() -> None:
    words = prose("long", 600).split()
    changed = words[:]
    changed[300] = "something"
    whole, nearly, half, other = (
        sketch_of(fingerprint(" ".join(text), "").phrases)
        for text in (words, changed, words[:300] + prose("b", 300).split(), prose("c", 600).split())
    )
    assert similarity(whole, whole) == 1
    assert similarity(whole, nearly) > 0.75
    assert similarity(whole, half) < 0.75
    assert similarity(whole, other) < 0.2
