"""Replay of worlds small enough to know every answer."""

from __future__ import annotations

import pickle
from math import inf

import numpy as np
import pytest

from foragers.core.types import Choice, Page, Status, status_of
from foragers.worlds.archive import Archive
from foragers.worlds.oracle import final_urls, shown_versions
from foragers.worlds.replay import MAX_HOPS, Recorded
from support.worlds_by_hand import Later, address, small_world


def number(archive: Archive, name: str) -> int:
    found = archive.book.find(address(name))
    assert found is not None
    return found


def fetch(world: Recorded, name: str) -> Page:
    """Fetch one page now and return it."""
    url = number(world.archive, name)
    world.start(Choice(url, world.archive.book.host(url)))
    (page,) = world.finished()
    return page


def links(world: Recorded, page: Page) -> list[str]:
    return [world.archive.book.href(url).rpartition("/")[2] for url in page.links.targets.tolist()]


def test_page_has_its_links_and_words() -> None:
    world = Recorded(small_world({"a": ["b", "c", "b"]}, texts={"a": "some text"}))
    page = fetch(world, "a")
    assert page.status is Status.OK
    assert links(world, page) == ["b", "c", "b"]
    assert [link.anchor for link in page.links] == ["b", "c", "b"]
    assert page.links[0].href == "http://site.test/b"
    assert page.links[1].url == page.links.targets[1]
    assert page.document.text == "some text"


def test_url_that_is_only_linked_to_is_missing() -> None:
    page = fetch(Recorded(small_world({"a": ["b"]})), "b")
    assert (page.status, page.reason, page.version) == (Status.MISSING, "404", -1)
    assert len(page.links) == 0
    assert page.document.text == ""


CHANGES: list[Later] = [(10.0, "a", ["c"]), (20.0, "a", None), (30.0, "a", ["d"])]


def test_without_since_the_world_stands_still_as_it_was_at_the_end() -> None:
    world = Recorded(small_world({"a": ["b"]}, later=CHANGES))
    assert world.now == 30.0
    first = fetch(world, "a")
    assert links(world, first) == ["d"]
    assert (first.time, first.born) == (31.0, 30.0)
    world.finished(1000.0)
    assert fetch(world, "a").version == first.version


@pytest.mark.parametrize(
    ("at", "status", "shown"),
    [
        (4.0, Status.MISSING, []),
        (5.0, Status.OK, ["b"]),
        (9.999, Status.OK, ["b"]),
        (10.0, Status.OK, ["c"]),
        (19.0, Status.OK, ["c"]),
        (20.0, Status.MISSING, []),
        (30.0, Status.OK, ["d"]),
        (9999.0, Status.OK, ["d"]),
    ],
)
def test_versions_appear_at_their_time(at: float, status: Status, shown: list[str]) -> None:
    world = Recorded(small_world({"a": ["b"]}, born={"a": 5.0}, later=CHANGES), since=at - 1)
    page = fetch(world, "a")
    assert (page.time, page.status, links(world, page)) == (at, status, shown)


def test_answer_is_what_is_there_when_the_download_ends() -> None:
    world = Recorded(small_world({"a": ["b"]}, later=CHANGES), since=9.5, seconds_per_page=1.0)
    assert links(world, fetch(world, "a")) == ["c"]


def test_content_that_comes_back_has_the_version_it_had() -> None:
    archive = small_world({"a": ["b"]}, later=[(10.0, "a", ["c"]), (20.0, "a", ["b"])])
    archive.same_as = np.array([0, 1, 0], np.int32)
    pages = [fetch(Recorded(archive, since=at), "a") for at in (1.0, 12.0, 22.0)]
    assert [page.version for page in pages] == [0, 1, 0]
    assert [page.born for page in pages] == [0.0, 10.0, 20.0]


def test_redirects_are_followed_to_the_end() -> None:
    moved = {"x": "y", "y": "z", "z": "a"}
    page = fetch(Recorded(archive := small_world({"a": ["b"]}, redirects=moved)), "x")
    assert page.status is Status.OK
    assert page.final == number(archive, "a")
    assert page.choice.url == number(archive, "x")


def test_redirect_to_nothing_is_missing_there() -> None:
    page = fetch(Recorded(archive := small_world({"a": []}, redirects={"x": "gone"})), "x")
    assert page.status is Status.MISSING
    assert page.final == number(archive, "gone")


@pytest.mark.parametrize("moved", [{"x": "x"}, {"x": "y", "y": "x"}])
def test_redirects_in_a_circle_fail(moved: dict[str, str]) -> None:
    page = fetch(Recorded(small_world({"a": []}, redirects=moved)), "x")
    assert (page.status, page.reason) == (Status.FAILED, "too many redirects")
    assert len(page.links) == 0


@pytest.mark.parametrize(("hops", "status"), [(MAX_HOPS, Status.OK), (MAX_HOPS + 1, Status.FAILED)])
def test_so_many_redirects_are_followed_and_no_more(hops: int, status: Status) -> None:
    moved = {f"r{at}": f"r{at + 1}" for at in range(hops - 1)} | {f"r{hops - 1}": "a"}
    archive = small_world({"a": []}, redirects=moved)
    page = fetch(Recorded(archive), "r0")
    assert page.status is status
    finals = final_urls(archive, shown_versions(archive, None))
    expected = number(archive, "a") if status is Status.OK else -1
    assert finals[number(archive, "r0")] == expected


def test_redirect_appears_at_its_time_too() -> None:
    archive = small_world({"a": []}, redirects={"x": "a"}, born={"x": 10.0})
    assert fetch(Recorded(archive, since=5.0), "x").status is Status.MISSING
    assert fetch(Recorded(archive, since=15.0), "x").final == number(archive, "a")


def test_oracle_sees_what_the_world_shows_at_any_time() -> None:
    archive = small_world({"a": ["b"], "c": []}, redirects={"x": "a"}, later=CHANGES)
    for at in (0.0, 5.0, 10.0, 25.0, 40.0):
        finals = final_urls(archive, shown_versions(archive, at))
        for url in range(len(archive.book)):
            page = Recorded(archive, since=at).answer(Choice(url, 0))
            assert finals[url] == (page.final if page.status is Status.OK else -1)


def test_world_without_pages_answers_404_to_everything() -> None:
    archive = small_world({}, seeds=["a"])
    assert fetch(Recorded(archive), "a").status is Status.MISSING
    assert fetch(Recorded(archive, since=3.0), "a").status is Status.MISSING
    for at in (None, 3.0):
        assert final_urls(archive, shown_versions(archive, at)).tolist() == [-1]


def test_time_passes_by_downloads_and_by_waiting() -> None:
    world = Recorded(small_world({"a": ["b"]}), since=100.0, seconds_per_page=2.0, connections=2)
    assert (world.now, world.free, world.running) == (100.0, 2, 0)
    world.start(Choice(0, 0))
    assert world.finished(101.0) == ()
    assert (world.now, world.free, world.running) == (101.0, 1, 1)
    world.start(Choice(1, 0))
    assert [page.choice.url for page in world.finished(103.0)] == [0]
    assert world.now == 102.0
    assert [page.choice.url for page in world.finished(inf)] == [1]
    assert (world.now, world.free, world.running) == (103.0, 2, 0)
    assert world.finished() == ()
    assert world.now == 103.0
    world.finished(50.0)
    assert world.now == 103.0


def test_answers_due_at_the_same_time_come_together_in_the_order_of_their_start() -> None:
    world = Recorded(small_world({"a": ["b", "c"]}), connections=3)
    for url in (2, 0, 1):
        world.start(Choice(url, 0))
    assert [page.choice.url for page in world.finished()] == [2, 0, 1]


def test_seeds_are_links_without_words() -> None:
    world = Recorded(small_world({"a": ["b"], "b": []}, seeds=["b", "a"]))
    assert [(seed.url, seed.href, seed.anchor) for seed in world.seeds] == [
        (1, "http://site.test/b", ""),
        (0, "http://site.test/a", ""),
    ]


def test_pickled_world_goes_on_like_the_original() -> None:
    world = Recorded(small_world({"a": ["b"]}, later=CHANGES), since=9.5)
    fetch(world, "a")
    world.start(Choice(0, 0))
    again = pickle.loads(pickle.dumps(world))
    (ours,), (theirs,) = world.finished(), again.finished()
    assert (ours.time, ours.version) == (theirs.time, theirs.version)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (200, Status.OK),
        (206, Status.OK),
        (301, Status.FAILED),
        (400, Status.MISSING),
        (401, Status.REFUSED),
        (403, Status.REFUSED),
        (404, Status.MISSING),
        (410, Status.MISSING),
        (429, Status.REFUSED),
        (451, Status.REFUSED),
        (500, Status.FAILED),
        (503, Status.FAILED),
        (0, Status.FAILED),
    ],
)
def test_status_codes_are_statuses(code: int, status: Status) -> None:
    assert status_of(code) is status
    archive = small_world({"a": ["b"]})
    archive.codes[0] = code
    assert fetch(Recorded(archive), "a").status is status


def test_a_download_takes_between_the_two_ends_of_the_latency_and_the_same_on_each_host() -> None:
    world = Recorded(small_world({"a": []}), latency=(2.0, 4.0))
    seconds = [world._seconds(host) for host in range(50)]
    assert min(seconds) == seconds[0] == 2.0
    assert 3.9 < max(seconds) < 4.0
    assert sum(seconds) / 50 == pytest.approx(3.0, abs=0.1)
    assert [world._seconds(host) for host in range(50)] == seconds


def test_another_seed_gives_hosts_other_latencies_within_the_same_ends() -> None:
    first, second = (
        [
            Recorded(small_world({"a": []}), latency=(2.0, 4.0), seed=seed)._seconds(h)
            for h in (0, 1)
        ]
        for seed in (0, 1)
    )
    assert first[0] == 2.0
    assert second[0] == pytest.approx(2.0 + 2 * 0.4142, abs=1e-3)
    assert all(2.0 <= seconds < 4.0 for seconds in second)


def test_the_first_download_of_a_host_waits_for_robots_txt_and_a_pause() -> None:
    archive = small_world({"a": ["b"], "b": []})
    world = Recorded(archive, seconds_per_page=2.0, robots=5.0)
    begin = world.now
    times = [fetch(world, name).time - begin for name in "ab"]
    assert times == [2.0 + 5.0 + 2.0, 2.0 + 5.0 + 2.0 + 2.0]
