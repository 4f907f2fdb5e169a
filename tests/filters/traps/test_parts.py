"""The parts that traps are made of: memory, texts, likeness, standing, idle, error pages."""

from __future__ import annotations

import tracemalloc
from random import Random

import numpy as np

from foragers.filters.traps import duplicates as texts
from foragers.filters.traps.bounded import Filter, Recent, RecentNumbers
from foragers.filters.traps.duplicates import Likenesses, likeness, sketch_of
from foragers.filters.traps.fingerprint import fingerprint
from foragers.filters.traps.idle_parameters import Idle
from foragers.filters.traps.reputation import PatternOutcome, PatternRecord, PatternRecords
from foragers.filters.traps.settings import TrapSettings
from foragers.filters.traps.soft404 import ErrorPages
from foragers.urls.shapes import shape_of
from support.simulated import framed, prose


def test_a_filter_forgets_nothing_it_took_in_and_errs_seldom() -> None:
    rng = np.random.default_rng(5)
    known, others = rng.integers(0, 2**64, (2, 300_000), np.uint64)
    numbers = Filter()
    for chunk in np.split(known, 100):
        numbers.add(chunk)
    assert numbers.has(known).all()
    assert numbers.has(others).mean() < 0.2


def test_a_filter_stays_below_its_ceiling() -> None:
    rng = np.random.default_rng(5)
    numbers = Filter(TrapSettings(filter_sizes=(10, 12)))
    for _ in range(100):
        numbers.add(rng.integers(0, 2**64, 200, np.uint64))
    assert sum(table.bits.nbytes for table in numbers.tables) <= 3 * 512


def test_recent_keeps_what_is_used() -> None:
    recent: Recent[int, str] = Recent(10)
    recent.put(0, "used")
    for i in range(1, 100):
        recent.put(i, "x")
        assert recent.get(0) == "used"
    assert len(recent) <= 20
    assert recent.get(1) is None


def test_recent_numbers_are_a_recent_dictionary_in_a_fifth_of_the_memory() -> None:
    chance, model = Random(1), Recent[str, int](50)
    numbers = RecentNumbers(50)
    for step in range(3000):
        key = f"http://a.test/{chance.randrange(150)}"
        if chance.random() < 0.5:
            value = chance.getrandbits(64)
            model.put(key, value)
            numbers.put(key, value)
        assert numbers.get(key) == model.get(key)
        assert len(numbers) == len(model), step
    tracemalloc.start()
    many = RecentNumbers(10_000)
    for number in range(5000):
        many.put(f"http://a.test/page/{number}", number << 40)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held / 5000 < 40


def test_nearly_the_same_page_is_found_until_too_many_came_after_it() -> None:
    known, chance = Likenesses(limit=400), np.random.default_rng(1)
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
    known = Likenesses()
    for _ in range(2000):
        known.find_or_add(np.sort(chance.integers(0, 1 << 32, 40, np.uint32)), "u")
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held / 2000 < 240  # as objects it would take 700


def test_old_texts_are_known_without_their_address() -> None:
    known = texts.KnownTexts(TrapSettings(recent_texts=10))
    for i in range(25):
        assert known.find_or_add(i * 7**15, f"u{i}") is None
    assert known.find_or_add(3 * 7**15, "x") == ""
    assert known.find_or_add(24 * 7**15, "x") == "u24"


def test_a_text_and_its_place_take_few_bytes() -> None:
    tracemalloc.start()
    known = texts.KnownTexts()
    for number in range(3000):
        url = f"http://a.test/{number:056d}"
        assert known.find_or_add(number * 7**15, url) is None
        assert known.find_or_add(number * 7**15, "") == url
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held / 3000 < 120  # as objects it would take 230


def test_dates_are_no_part_of_phrases_but_of_the_digest() -> None:
    one = fingerprint(framed("no events on Monday 12 May 2024"), "http://a.test/1")
    other = fingerprint(framed("no events on Friday 1 August 2031"), "http://a.test/2")
    assert np.array_equal(one.phrases, other.phrases)
    assert one.digest != other.digest


def test_a_page_of_numbers_keeps_them() -> None:
    one = fingerprint("temperature 12 14 17 19 21 18 16", "http://a.test/")
    other = fingerprint("temperature 2 4 7 9 11 8 6", "http://a.test/")
    assert not np.array_equal(one.phrases, other.phrases)


def test_the_order_of_words_is_no_part_of_the_bag() -> None:
    one = fingerprint("green tea black coffee", "")
    other = fingerprint("black coffee green tea", "")
    assert one.bag == other.bag
    assert one.digest != other.digest


def test_likeness_is_about_the_share_of_common_phrases() -> None:
    words = prose("long", 600).split()
    changed = words[:]
    changed[300] = "something"
    whole, nearly, half, other = (
        sketch_of(fingerprint(" ".join(text), "").phrases)
        for text in (words, changed, words[:300] + prose("b", 300).split(), prose("c", 600).split())
    )
    assert likeness(whole, whole) == 1
    assert likeness(whole, nearly) > 0.75
    assert likeness(whole, half) < 0.75
    assert likeness(whole, other) < 0.2


def test_a_throttled_kind_lets_through_the_logarithm_of_what_it_offers() -> None:
    kind = PatternRecord()
    passed = 0
    for _ in range(100_000):
        if kind.admit():
            passed += 1
            kind.record(new=False, exact=False)
    assert 16 <= passed <= 16 + 17


def test_exact_copies_are_throttled_sooner() -> None:
    kind = PatternRecord()
    while kind.admit():
        kind.record(new=False, exact=True)
    assert kind.pages == 10


def test_a_kind_with_a_fifth_of_new_pages_is_never_throttled() -> None:
    kind = PatternRecord()
    for i in range(10_000):
        assert kind.admit()
        kind.record(new=i % 5 == 0, exact=True)


def test_something_new_loosens_the_throttle() -> None:
    kind = PatternRecord()
    for _ in range(22):
        kind.record(new=False, exact=False)
    asked = 0
    while kind.dull:
        asked += 1
        if kind.admit():
            kind.record(new=True, exact=False)
    assert asked < 200


def test_a_part_that_makes_no_difference_is_found_and_one_that_does_is_not() -> None:
    idle = Idle(PatternRecords())
    for i in range(40):
        idle.record(f"http://a.test/x?id={i // 2}&zz={i}", bag=i // 2)
    assert idle.refusing("http://a.test/x?id=3&zz=99") == "http://a.test/?zz="
    assert idle.refusing("http://a.test/x?id=999&zz=99") is None
    assert idle.refusing("http://b.test/x?id=3&zz=99") is None


def test_three_addresses_with_one_error_text_make_an_error_page() -> None:
    pages = ErrorPages()
    seen = []
    for name in ("green-tea", "black-tea", "white-coffee", "cocoa"):
        url = f"http://a.test/{name}"
        text = f"Die Seite {name} wurde leider nicht gefunden bitte suchen Sie weiter"
        seen.append(pages.recognise("a.test", url, text, "", again=False))
    assert seen == [False, False, True, True]


def test_an_article_about_errors_is_none() -> None:
    pages = ErrorPages()
    for i in range(20):
        text = f"Why 404 not found is shown {prose(f'article {i}', 80)}"
        assert not pages.recognise("a.test", f"http://a.test/a{i}", text, "", again=False)


def test_an_address_that_is_visited_again_is_no_other_address() -> None:
    """From the third address on a text that speaks of an error is one, not from the third visit."""
    pages, text = ErrorPages(), f"Sorry, the page was not found. {prose('error', 40)}"
    for number, again in ((1, False), (2, False), (1, True), (2, True), (1, True)):
        url = f"http://a.test/x/{number}"
        assert not pages.recognise("a.test", url, text, "", again)
    assert pages.recognise("a.test", "http://a.test/x/3", text, "", False)


def test_links_of_a_seed_are_throttled_only_where_next_to_nothing_is_new() -> None:
    shape, standings = shape_of("http://a.test/entry/1"), PatternRecords()
    for number in range(200):
        outcome = PatternOutcome.NEW if number in (150, 170) else PatternOutcome.DULL
        standings.record(shape, False, outcome, exact=True)
    # Two of the last 64 brought something new.
    assert [standings.refusing_near(shape, False) for _ in range(50)] == [None] * 50
    for _ in range(64):
        standings.record(shape, False, PatternOutcome.DULL, exact=True)
    refused = [standings.refusing_near(shape, False) for _ in range(50)]
    assert refused.count("a.test/entry/{n}") >= 45
    assert standings.refusing_near(shape_of("http://a.test/other"), False) is None
