"""The silence alarm is raised once for each trouble, and again after a recovery."""

from __future__ import annotations

from foragers.core.content import MemoryContent
from foragers.core.types import Choice, Document, Link, Page, Status, Visit
from foragers.watching.alarms import Alarms, Trouble


def visit(
    status: Status,
    time: float,
    links: int = 20,
    depth: int = 0,
    url: int = 0,
    menu: int = 0,
    final: int | None = None,
) -> Visit:
    targets = [url, *range(1000 * url + 1, 1000 * url + links + 1), *range(-menu, 0)]
    content = MemoryContent(
        Document(), tuple(Link(100_000 + n, 0, f"http://a.test/{n}") for n in targets)
    )
    choice = Choice(url, 0, depth=depth)
    final = url if final is None else final
    page = Page(choice, status, "403", final, time, time, 1, content.columns(), content)
    return Visit(page, 1.0, True)


def raised(alarms: Alarms, *visits: Visit) -> list[Trouble]:
    return [kind for one in visits for kind, _ in alarms.see("a.test", one)]


def test_a_site_that_refuses_is_reported_once() -> None:
    alarms = Alarms()
    refusals = [visit(Status.REFUSED, 600.0 * n) for n in range(10)]
    assert raised(alarms, visit(Status.OK, 0.0), *refusals) == [Trouble.REFUSES]
    assert raised(alarms, visit(Status.OK, 7000.0)) == []
    again = [visit(Status.REFUSED, 8000.0 + 600.0 * n) for n in range(10)]
    assert raised(alarms, *again) == [Trouble.REFUSES]


def test_a_few_failures_are_no_alarm() -> None:
    failures = [visit(Status.FAILED, 10.0 * n) for n in range(10)]
    assert raised(Alarms(), *failures) == []


def test_a_page_that_loses_its_links_has_a_new_layout() -> None:
    alarms = Alarms()
    before = [visit(Status.OK, n, links=40) for n in range(3)]
    assert raised(alarms, *before, visit(Status.OK, 4.0, links=2)) == [Trouble.LAYOUT]
    assert raised(alarms, visit(Status.OK, 5.0, links=2)) == []


def test_a_home_page_that_redirects_to_a_login_is_reported_once() -> None:
    alarms = Alarms()
    before = [visit(Status.OK, n, links=40) for n in range(3)]
    login = [visit(Status.OK, 4.0 + n, links=1, final=77) for n in range(3)]
    assert raised(alarms, *before, *login) == [Trouble.LAYOUT]


def test_a_site_that_stops_publishing_is_silent() -> None:
    alarms, hour = Alarms(), 3600.0
    for n in range(8):
        alarms.published("a.test", n * hour)
    assert not list(alarms.silent(20 * hour))
    assert [site for site, _, _ in alarms.silent(40 * hour)] == ["a.test"]
    assert not list(alarms.silent(50 * hour))
    alarms.published("a.test", 60 * hour)
    assert not list(alarms.silent(61 * hour))


def test_no_site_is_silent_while_nobody_looks() -> None:
    alarms, hour = Alarms(), 3600.0
    for n in range(8):
        alarms.wake(n * hour)
        alarms.published("a.test", n * hour)
    assert not list(alarms.silent(100 * hour)), "the watch was stopped, and just goes on"
    alarms.wake(100 * hour)
    assert not list(alarms.silent(101 * hour))
    for n in range(100, 126, 5):
        alarms.wake(n * hour)
    ((_, kind, told),) = alarms.silent(126 * hour)
    assert kind is Trouble.SILENT
    assert "no new page for 1 d 2 h" in told


def test_a_resumed_watch_does_not_report_a_trouble_again() -> None:
    alarms, hour = Alarms(), 3600.0
    resumed = Alarms()
    for n in range(8):
        alarms.published("a.test", n * hour)
        resumed.published("a.test", n * hour)
    assert list(alarms.silent(40 * hour))
    resumed.restore(alarms.troubles())
    assert not list(resumed.silent(41 * hour))


def test_a_home_page_that_keeps_only_its_menu_has_a_new_layout() -> None:
    alarms = Alarms()
    others = [visit(Status.OK, n, 5, depth=1, url=n, menu=15) for n in range(1, 12)]
    homes = [visit(Status.OK, 20.0 + n, 25, menu=15) for n in range(3)]
    assert raised(alarms, homes[0], *others, *homes) == []
    assert raised(alarms, visit(Status.OK, 30.0, 0, menu=15)) == [Trouble.LAYOUT]


def test_a_new_layout_is_reported_once_though_other_pages_are_as_before() -> None:
    alarms = Alarms()
    section = [visit(Status.OK, n, 40, depth=1, url=7) for n in range(3)]
    assert raised(alarms, *section, *[visit(Status.OK, 5.0 + n, 40) for n in range(3)]) == []
    broken = visit(Status.OK, 9.0, 2)
    assert raised(alarms, broken, section[0], broken, section[1], broken) == [Trouble.LAYOUT]
    assert raised(alarms, visit(Status.OK, 20.0, 40), broken) == [Trouble.LAYOUT], "it recovered"


def test_a_site_that_refuses_is_not_also_silent() -> None:
    alarms, hour = Alarms(), 3600.0
    for n in range(8):
        alarms.published("a.test", n * hour)
    refusals = [visit(Status.REFUSED, 8 * hour + 600.0 * n) for n in range(10)]
    assert raised(alarms, *refusals) == [Trouble.REFUSES]
    assert not list(alarms.silent(10 * hour))
    later = [visit(Status.REFUSED, n * hour) for n in range(10, 41, 10)]
    assert raised(alarms, *later) == []
    assert not list(alarms.silent(40 * hour))
    assert raised(alarms, visit(Status.OK, 41 * hour)) == []
    assert [site for site, _, _ in alarms.silent(42 * hour)] == ["a.test"]
