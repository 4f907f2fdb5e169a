"""A replay with the rules of a live crawl: copies, error pages, redirects, traps."""

from __future__ import annotations

from foragers.core.types import Choice, Page, Status
from foragers.evaluation.comparison.as_live import AsLive
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded
from support.worlds_by_hand import small_world, url_id

LONG = " ".join(f"word{number}" for number in range(200))


def fetch(world: AsLive | Budget, recorded: Recorded, name: str, depth: int = 3) -> Page:
    """Fetch one page now and return it."""
    archive = recorded.archive
    url = url_id(archive, name)
    world.start(Choice(url, archive.book.host(url), parent=0, depth=depth))
    (page,) = world.finished()
    return page


def test_a_copy_is_unwanted_and_keeps_its_links() -> None:
    recorded = Recorded(small_world({"a": ["x"], "b": ["x"]}, texts={"a": LONG, "b": LONG}))
    world = AsLive(recorded)
    assert fetch(world, recorded, "a").status is Status.OK
    page = fetch(world, recorded, "b")
    assert (page.status, page.version) == (Status.UNWANTED, -1)
    assert page.reason == "copy of http://site.test/a"
    assert page.links.targets.tolist() == [url_id(recorded.archive, "x")]


def test_a_redirect_to_a_page_fetched_before_is_unwanted_and_gives_nothing() -> None:
    recorded = Recorded(small_world({"a": ["x"]}, redirects={"b": "a"}))
    world = AsLive(recorded)
    assert fetch(world, recorded, "a").status is Status.OK
    page = fetch(world, recorded, "b")
    assert (page.status, page.reason) == (Status.UNWANTED, "redirects to a page fetched before")
    assert len(page.links) == 0
    assert page.href == "http://site.test/a"


def test_a_page_that_is_fetched_again_is_no_copy_of_itself() -> None:
    recorded = Recorded(small_world({"a": ["x"]}, texts={"a": LONG}))
    world = AsLive(recorded)
    assert fetch(world, recorded, "a").status is Status.OK
    assert fetch(world, recorded, "a").status is Status.OK


def test_a_url_that_the_trap_rules_refuse_is_skipped_at_once_and_costs_nothing() -> None:
    trap = "http://site.test/" + "a/" * 40
    recorded = Recorded(small_world({"a": [trap]}))
    world = Budget(AsLive(recorded), 5)
    assert fetch(world, recorded, "a").status is Status.OK
    began = recorded.now
    page = fetch(world, recorded, trap)
    assert page.status is Status.SKIPPED
    assert page.reason.startswith("trap: ")
    assert (recorded.now, world.left, world.running) == (began, 4, 0)


def test_refused_choices_count_as_running_until_they_are_answered() -> None:
    trap = "http://site.test/" + "a/" * 40
    recorded = Recorded(small_world({"a": [trap]}), connections=2)
    world = AsLive(recorded)
    url = url_id(recorded.archive, trap)
    world.start(Choice(url, recorded.archive.book.host(url), parent=0, depth=3))
    assert (world.running, world.free, recorded.running) == (1, 1, 0)
