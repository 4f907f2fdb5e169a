"""What a crawl has seen of a web: counted by hand."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import numpy as np

from foragers.core.loop import Crawl, seed_visit
from foragers.core.types import Choice, Link, Status, Visit
from foragers.evaluation.metrics.sightings import AGENTS, HALVES, KNOWN, TAKEN, Sightings
from foragers.http.causes import LeftOut
from foragers.judges.simple import Everything
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.baselines import BreadthFirst
from foragers.testing.ledgers import sample
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded


def to(*urls: int, host: int = 0) -> tuple[Link, ...]:
    return tuple(Link(url, host, f"http://h{host}.test/{url}") for url in urls)


def told(*visits: Visit) -> Sightings:
    seen = Sightings()
    seen.watch([seed_visit(to(0), 0.0), *visits])
    return seen


def test_what_is_linked_waits_once_however_often_it_is_linked() -> None:
    seen = told(sample(Choice(0, 0), links=to(1, 2, 2, 3)))
    assert (seen.downloads, seen.waiting, seen.known) == (1, 3, 4)
    assert [mark & (KNOWN | TAKEN) for mark in seen.marks[:5].tolist()] == [3, 1, 1, 1, 0]


def test_pages_that_two_agents_link_to_are_in_both_samples() -> None:
    seen = told(
        sample(Choice(0, 0, agent="ant"), links=to(1, 2)),
        sample(Choice(1, 0, agent="bee"), links=to(2, 3)),
        sample(Choice(2, 0, agent="ant"), links=to(3000)),
    )
    one, other = AGENTS
    sampled = [int(seen.marks[url]) & (one | other) for url in (1, 2, 3, 3000)]
    assert sampled == [one, one | other, other, one]
    assert seen.pages_by_agents == [2, 1]
    assert all(bool(seen.marks[url] & (HALVES[0] | HALVES[1])) for url in (1, 2, 3, 3000))


def test_a_redirect_settles_both_addresses() -> None:
    seen = told(
        sample(Choice(0, 0), links=to(1, 2)),
        sample(Choice(1, 0), final=2, relevance=1.0),
        sample(Choice(1, 0), final=2, relevance=1.0),
    )
    assert seen.waiting == 0
    assert len(seen.found) == 1, "each page is found once"


def test_what_was_skipped_waits_no_more_and_is_no_download() -> None:
    seen = told(sample(Choice(0, 0), links=to(1, 2)), sample(Choice(1, 0), status=Status.SKIPPED))
    assert (seen.downloads, seen.waiting) == (1, 1)


def test_relevant_pages_found_lately_are_counted_by_download() -> None:
    hits = (1, 1, 0, 1, 0, 0)
    seen = told(*(sample(Choice(url, 0), relevance=hit) for url, hit in enumerate(hits)))
    assert [seen.found_lately(window) for window in (1, 2, 3, 4, 6, 99)] == [0, 0, 1, 1, 3, 3]


def test_a_whole_crawl_leaves_nothing_waiting_and_a_pickled_one_goes_on_the_same() -> None:
    world, seen = Recorded(generate("topics", seed=3, pages=300)), Sightings()
    crawl = Crawl(BreadthFirst(), world, Everything(), MemoryLedger())
    crawl.begin()
    seen.watch([seed_visit(world.seeds, 0.0)])
    halfway = []

    def watch(visits: Sequence[Visit]) -> None:
        seen.watch(visits)
        if seen.downloads == 150:
            halfway.append(pickle.dumps(seen))

    crawl.run(watch)
    again = pickle.loads(halfway[0])
    again.watch(list(crawl.ledger.read(150)))
    assert seen.waiting == again.waiting == 0
    assert seen.downloads == seen.known == len(seen.found) == 300
    assert (seen.short, seen.long) == (again.short, again.long)
    assert np.array_equal(seen.marks[:300], again.marks[:300])


def test_known_pages_that_were_not_had_are_counted_by_why() -> None:
    def ended(url: int, status: Status, reason: str) -> Visit:
        return sample(Choice(url, 0), status=status, reason=reason)

    seen = told(
        sample(Choice(0, 0), links=to(1, 2, 3, 4, 5)),
        ended(1, Status.SKIPPED, "trap: nothing new since http://h0.test/"),
        ended(2, Status.FAILED, "timeout"),
        ended(3, Status.SKIPPED, "robots.txt"),
        ended(4, Status.MISSING, "404"),
        sample(Choice(5, 0)),
        ended(5, Status.FAILED, "timeout"),  # it was had before
    )
    assert [seen.left_out[why] for why in LeftOut] == [1, 1, 1]
    assert seen.pages == 2
    seen.watch([sample(Choice(2, 0), relevance=1.0), ended(1, Status.SKIPPED, "robots.txt")])
    assert [seen.left_out[why] for why in LeftOut] == [0, 0, 2]
    assert (seen.pages, len(seen.found)) == (3, 1), "what comes late is found too"


def test_a_page_that_another_address_redirects_to_is_found_once() -> None:
    seen = told(
        sample(Choice(0, 0), links=to(1, 2)),
        sample(Choice(1, 0), relevance=1.0),
        sample(Choice(2, 0), final=1, version=1, relevance=1.0),
    )
    assert (seen.downloads, list(seen.found), seen.waiting) == (3, [1], 0)


def test_urls_on_a_host_that_gave_no_page_wait_in_vain_until_it_gives_one() -> None:
    missing = [sample(Choice(url, 7), status=Status.MISSING) for url in (1, 2, 3)]
    start = sample(Choice(0, 0), links=(*to(1, 2, 3, 4, 5, host=7), *to(6, host=8)))
    assert told(start).waiting_in_vain() == 0, "nobody has asked yet"
    assert told(start, missing[0]).waiting_in_vain() == 4
    seen = told(start, *missing)
    assert (seen.waiting, seen.waiting_in_vain()) == (3, 2)
    seen.watch([sample(Choice(4, 7))])
    assert (seen.waiting, seen.waiting_in_vain()) == (2, 0)
    seen.watch([sample(Choice(5, 7), status=Status.MISSING)])
    assert seen.in_vain[7] == -1, "a host that has answered stays so"


def test_it_is_known_by_when_four_of_five_relevant_pages_were_found() -> None:
    assert told(sample(Choice(0, 0))).mostly_by == 0
    start = sample(Choice(0, 0), links=to(*range(1, 12)))
    found = [sample(Choice(url, 0), relevance=1.0) for url in (1, 2, 3, 4)]
    barren = [sample(Choice(url, 0)) for url in (5, 6, 7)]
    last = sample(Choice(8, 0), relevance=1.0)
    assert told(start, *found, *barren, last).mostly_by == 5, "the fourth of five: download 5"
    assert told(start, *found, *barren).mostly_by == 5, "of four, 3.2 is rounded up"
    assert told(start, *barren, *found, last).mostly_by == 8


def test_the_yield_of_pages_of_any_kind_is_kept_apart() -> None:
    seen = told(sample(Choice(0, 0)), sample(Choice(1, 0)), sample(Choice(2, 0), relevance=1.0))
    assert (seen.received.found, seen.short.found) == (1.0, 1 / 3)
    seen.watch([sample(Choice(3, 0), status=Status.MISSING)])
    assert seen.received.found == 3 / 4
