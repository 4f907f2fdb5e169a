"""Events: new pages are told from hubs and from old pages, and changes from nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from foragers.core.content import MemoryContent
from foragers.core.types import Choice, Document, Link, Page, Status, Visit
from foragers.strategies.watch.strategy import LOOK, NEW, SWEEP, UNSEEN
from foragers.watching.events import Event, EventKind, Findings, delays, difference


def event(
    kind: EventKind = EventKind.NEW, since: float | None = None, published: float | None = None
) -> Event:
    return Event(
        event=kind,
        url="http://a.test/1",
        site="a.test",
        found=1000.0,
        visit=1,
        since=since,
        published=published,
    )


def test_a_difference_shows_the_sentences_that_changed() -> None:
    before = "The bridge is open. It was built last year. Boats pass below it."
    after = "The bridge is closed. It was built last year. Boats pass below it."
    assert difference(before, after) == "- The bridge is open.\n+ The bridge is closed."


def test_counters_and_dates_are_no_change() -> None:
    assert difference("A long text stays. 12 views.", "A long text stays. 13 views.") == ""


@given(st.text())
def test_equal_texts_do_not_differ(text: str) -> None:
    assert difference(text, text) == ""


@given(st.text(), st.text())
def test_any_two_texts_can_be_compared(before: str, after: str) -> None:
    assert len(difference(before, after)) <= 4000


def test_the_delay_of_a_dated_page_is_known_and_that_of_others_bounded() -> None:
    dated = event(published=900.0, since=800.0)
    undated = event(since=800.0)
    unknown = event()
    odd = event(published=100.0, since=800.0)  # older than the look that did not show it
    low_high = list(delays([dated, undated, unknown, odd]))
    assert low_high == [(100.0, 100.0), (0.0, 200.0), (0.0, float("inf")), (0.0, 200.0)]


def test_the_id_of_a_new_page_is_its_url_and_others_have_their_own() -> None:
    changed = event(EventKind.CHANGED)
    assert event().key == "http://a.test/1"
    assert changed.key == "http://a.test/1#changed-1"


PROSE = "The bridge over the river is open again after a long winter of work. "


class Visits(list[Visit]):
    """Visits that can be asked for earlier ones, as a ledger can."""

    def last(self, final: int, before: int | None = None) -> Visit | None:
        earlier = self[: before - 1 if before else None]
        found = [v for v in earlier if v.page.final == final and v.page.status is Status.OK]
        return found[-1] if found else None


def visit(
    url: int,
    agent: str,
    text: str = PROSE,
    status: Status = Status.OK,
    published: float | None = None,
    links: int = 0,
    time: float = 1e6,
) -> Visit:
    others = tuple(Link(100 + n, 0, f"http://a.test/{n}", "a link text") for n in range(links))
    content = MemoryContent(
        Document(f"Page {url}", (), text, published=published),
        (Link(url, 0, f"http://a.test/page-{url}"), *others),
    )
    choice = Choice(url, 0, agent=agent, depth=1)
    reason = "404" if status is Status.MISSING else ""
    version = hash(text) & 0xFFFF
    page = Page(choice, status, reason, url, time, time, version, content.columns(), content)
    return Visit(page, 1.0, True)


def events_of(*visits: Visit, changes: bool = True) -> list[tuple[EventKind, str]]:
    ledger = Visits()
    findings = Findings(ledger, began=900_000.0, changes=changes)
    found = []
    for number, one in enumerate(visits, 1):
        ledger.append(one)
        event = findings.look(number, one, since=None)
        if event is not None:
            found.append((event.event, event.url))
    return found


def test_a_new_link_leads_to_a_new_page_unless_its_date_is_old() -> None:
    assert events_of(visit(1, NEW)) == [(EventKind.NEW, "http://a.test/page-1")]
    assert events_of(visit(1, NEW, published=1000.0)) == []
    assert events_of(visit(1, NEW, published=950_000.0)) != []


def test_a_page_found_while_exploring_is_new_only_by_its_date() -> None:
    assert events_of(visit(1, UNSEEN)) == []
    assert events_of(visit(1, UNSEEN, published=950_000.0)) != []
    assert events_of(visit(1, UNSEEN, published=1000.0)) == []


def test_a_page_that_consists_of_links_is_no_news() -> None:
    assert events_of(visit(1, NEW, text="a link text " * 30, links=30)) == []


def test_a_page_is_new_once_and_then_changed() -> None:
    later = PROSE.replace("open again", "closed for good")
    seen = events_of(visit(1, NEW), visit(1, SWEEP, text=later), visit(1, SWEEP, text=later))
    assert [kind for kind, _ in seen] == [EventKind.NEW, EventKind.CHANGED]
    quiet = events_of(visit(1, NEW), visit(1, SWEEP, text=later), changes=False)
    assert [kind for kind, _ in quiet] == [EventKind.NEW]


def test_a_page_is_removed_after_two_looks_and_reported_once() -> None:
    gone = visit(1, LOOK, status=Status.MISSING)
    assert [kind for kind, _ in events_of(visit(1, NEW), gone)] == [EventKind.NEW]
    told = events_of(visit(1, NEW), gone, gone, gone, gone)
    assert [kind for kind, _ in told] == [EventKind.NEW, EventKind.REMOVED]
    back = events_of(visit(1, NEW), gone, visit(1, LOOK), gone)
    assert [kind for kind, _ in back] == [EventKind.NEW]
