"""What `Traps` says of single pages, and that it can be kept and run again."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path

from foragers.filters.traps import TrapKind, Traps, TrapVerdict
from support import trap_sites
from support.core_speed import units
from support.simulated import crawl, framed, prose

TESTS = Path(__file__).parents[2]


def test_the_same_text_elsewhere_is_an_exact_duplicate_of_the_first() -> None:
    traps = Traps()
    assert traps.learn("http://a.test/1", prose("x", 100), []) == TrapVerdict(TrapKind.NEW)
    found = traps.learn("http://b.test/2", prose("x", 100), [])
    assert found == TrapVerdict(TrapKind.EXACT, "http://a.test/1")


def test_a_few_other_words_make_a_near_duplicate() -> None:
    traps = Traps()
    traps.learn("http://a.test/1", prose("x", 200), [])
    found = traps.learn("http://b.test/2", prose("x", 200) + " and a little more", [])
    assert found == TrapVerdict(TrapKind.NEAR, "http://a.test/1")


def test_products_in_the_same_large_frame_are_no_duplicates() -> None:
    traps = Traps()
    frame = prose("frame", 300)
    for i in range(50):
        found = traps.learn(f"http://a.test/product/{i}", f"{frame} {prose(f'p{i}', 10)}", [])
        assert found.kind is TrapKind.NEW


def test_a_revisit_is_no_duplicate_of_itself_and_counts_for_nothing() -> None:
    traps = Traps()
    for _ in range(60):
        assert traps.learn("http://a.test/x/1", prose("x", 100), []).kind is TrapKind.NEW
    assert traps.refuse("http://a.test/x/2") is None


def test_a_redirect_to_a_known_page_is_a_duplicate_of_it() -> None:
    traps = Traps()
    traps.learn("http://a.test/1", prose("x", 100), [])
    assert (
        traps.learn("http://a.test/2", prose("x", 100), [], "http://a.test/1").kind is TrapKind.NEW
    )
    assert traps.learn("http://a.test/3", prose("x", 100), []).of == "http://a.test/1"


def test_files_without_words_are_never_throttled() -> None:
    traps = Traps()
    for i in range(500):
        assert traps.refuse(f"http://a.test/files/{i}.pdf") is None
        traps.learn(f"http://a.test/files/{i}.pdf", "", [])


def test_a_known_page_with_a_session_id_is_refused() -> None:
    traps = Traps()
    traps.learn("http://a.test/x", prose("x", 100), [])
    reason = traps.refuse("http://a.test/x?PHPSESSID=1")
    assert reason == "a known page with a session id or tracking parameter"
    assert traps.refuse("http://a.test/y?PHPSESSID=1") is None


def test_a_reason_names_the_shape() -> None:
    result = crawl(trap_sites.QueryCalendar(), limit=500)
    assert "hardly anything new at site.test/events.php?month&year" in result.refused.values()


def test_languages_without_spaces_have_words_too() -> None:
    traps = Traps()
    traps.learn("http://a.test/1", "東京都は日本の首都である。人口は千四百万人を超える。", [])
    found = traps.learn("http://a.test/2", "大阪府は近畿地方にある。城と食べ物で知られている。", [])
    assert found.kind is TrapKind.NEW


def test_traps_pickled_halfway_go_on_as_if_nothing_had_happened() -> None:
    one, other = Traps(), Traps()
    for i in range(400):
        url = f"http://a.test/calendar/{i}"
        text, links = framed(f"day {i} nothing"), [f"http://a.test/calendar/{i + 1}"]
        assert one.refuse(url) == other.refuse(url)
        assert one.learn(url, text, links) == other.learn(url, text, links)
        if i % 50 == 0:
            other = pickle.loads(pickle.dumps(other))


def test_another_process_decides_the_same() -> None:
    script = (
        "from support import simulated, trap_sites\n"
        "for site in (trap_sites.Facets(), trap_sites.SoftErrors()):\n"
        "    print(simulated.crawl(site, 500).downloads)"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(TESTS)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_asking_and_learning_are_fast() -> None:
    traps = Traps()
    links = [f"http://a.test/section/{i}" for i in range(40)]
    numbers = iter(range(10_000))

    def learn() -> None:
        n = next(numbers)
        traps.learn(f"http://a.test/news/{n}", framed(prose(f"fast {n}", 230)), links)

    for n in range(300):
        prose(f"fast {n}", 230)
    # About a third and a hundredth are meant.
    assert units(learn, number=20, times=10) < 1.5
    assert units(partial(traps.refuse, "http://a.test/news/7"), number=200) < 0.05


def test_a_line_of_pages_that_only_lead_on_comes_to_an_end() -> None:
    """Pages without a word of their own, each to a shape that is worth a link: not for ever."""
    traps, refused = Traps(), 0
    traps.learn("http://a.test/", framed(prose("home", 100)), ["http://a.test/go/0"])
    for n in range(30):  # a shape that has proved its worth
        traps.learn(f"http://a.test/item/{n}", framed(prose(f"item {n}", 80)), [])
    for n in range(300):
        url = f"http://a.test/go/{n}"
        if traps.refuse(url) is not None:
            refused += 1
        links = [f"http://a.test/go/{n + 1}", f"http://a.test/item/{1000 + n}"]
        traps.learn(url, framed("go on"), links)
    assert refused > 100
