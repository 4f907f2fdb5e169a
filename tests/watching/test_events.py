"""Events: new pages are told from hubs and from old pages, and changes from nothing."""

from __future__ import annotations

from foragers.core.content import MemoryContent
from foragers.core.types import Choice, Document, Link, Page, Status, Visit
from foragers.strategies.watch.articles import is_article
from foragers.strategies.watch.sites import Waiting
from foragers.strategies.watch.strategy import LOOK, NEW, SWEEP, UNSEEN
from foragers.watching.events import Event, EventKind, Findings, delays, settled


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
    final: int | None = None,
    canonical: str | None = None,
    depth: int = 1,
) -> Visit:
    others = tuple(Link(100 + n, 0, f"http://a.test/{n}", "a link text") for n in range(links))
    content = MemoryContent(
        Document(f"Page {url}", (), text, published=published, canonical=canonical),
        (Link(final or url, 0, f"http://a.test/page-{final or url}"), *others),
    )
    choice = Choice(url, 0, agent=agent, depth=depth)
    reason = "404" if status is Status.MISSING else ""
    version = hash(text) & 0xFFFF
    page = Page(
        choice, status, reason, final or url, time, time, version, content.columns(), content
    )
    return Visit(page, 1.0, True)


class Pages:
    """Numbers of URLs, as a table has them."""

    def find(self, url: str) -> int | None:
        name = url.removeprefix("http://a.test/page-")
        return int(name) if name.isdigit() else None


def events_of(*visits: Visit, changes: bool = True) -> list[tuple[EventKind, str]]:
    ledger = Visits()
    findings = Findings(ledger, began=900_000.0, changes=changes, numbers=Pages())
    found = []
    for number, one in enumerate(visits, 1):
        ledger.append(one)
        event = findings.look(number, one)
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


def test_a_date_far_ahead_is_none() -> None:
    ahead = 1e6 + 10 * 86_400.0
    assert events_of(visit(1, UNSEEN, published=ahead)) == []
    findings = Findings(Visits(), began=900_000.0)
    told = findings.look(1, visit(1, NEW, published=ahead))
    assert told is not None
    assert told.published is None


def test_a_page_that_consists_of_links_is_no_news() -> None:
    assert events_of(visit(1, NEW, text="a link text " * 30, links=30)) == []


def test_a_page_is_new_once_and_then_changed() -> None:
    later = PROSE.replace("open again", "closed for good")
    seen = events_of(visit(1, NEW), visit(1, SWEEP, text=later), visit(1, SWEEP, text=later))
    assert [kind for kind, _ in seen] == [EventKind.NEW, EventKind.CHANGED]
    quiet = events_of(visit(1, NEW), visit(1, SWEEP, text=later), changes=False)
    assert [kind for kind, _ in quiet] == [EventKind.NEW]


def test_a_list_that_was_seen_before_has_not_changed() -> None:
    teasers = "a link text " + 16 * PROSE
    lists = [visit(1, NEW, text=text, links=30) for text in (teasers, teasers + "And more now.")]
    assert is_article(lists[0].page, headline=True), "its links would make it one"
    assert events_of(*lists) == []


def test_a_page_is_removed_after_two_looks_and_reported_once() -> None:
    gone = visit(1, LOOK, status=Status.MISSING)
    assert [kind for kind, _ in events_of(visit(1, NEW), gone)] == [EventKind.NEW]
    told = events_of(visit(1, NEW), gone, gone, gone, gone)
    assert [kind for kind, _ in told] == [EventKind.NEW, EventKind.REMOVED]
    back = events_of(visit(1, NEW), gone, visit(1, LOOK), gone)
    assert [kind for kind, _ in back] == [EventKind.NEW]


def test_a_page_that_leads_to_the_home_page_now_is_removed() -> None:
    home = visit(9, LOOK, text="a link text " * 30, links=30, depth=0)
    moved = visit(1, SWEEP, text="a link text " * 30, links=30, final=9)
    told = events_of(home, visit(1, NEW), moved, moved, moved)
    assert told == [
        (EventKind.NEW, "http://a.test/page-1"),
        (EventKind.REMOVED, "http://a.test/page-1"),
    ]


def test_an_article_is_reported_once_under_whatever_name() -> None:
    other = visit(2, NEW, canonical="http://a.test/page-1")
    assert events_of(visit(1, NEW), other) == [(EventKind.NEW, "http://a.test/page-1")]
    assert events_of(other, visit(1, NEW)) == [(EventKind.NEW, "http://a.test/page-2")]
    assert len(events_of(visit(1, NEW), visit(2, NEW, canonical="http://b.test/page-1"))) == 2


def test_a_resumed_watch_knows_what_was_reported() -> None:
    ledger = Visits([visit(1, NEW)])
    gone = visit(1, LOOK, status=Status.MISSING)
    first = Findings(ledger, began=900_000.0, numbers=Pages())
    ledger += [gone, gone]
    told = [one for n, v in enumerate(ledger, 1) if (one := first.look(n, v))]
    assert [one.event for one in told] == [EventKind.NEW, EventKind.REMOVED]
    second = Findings(ledger, began=900_000.0, numbers=Pages())
    second.restore(told)
    ledger += [gone, gone]
    assert [second.look(n, gone) for n in (4, 5)] == [None, None]
    assert second.look(6, visit(1, NEW)) is None


TITLE = "The harbour opens again today"


def waiting(url: int, title: str = TITLE) -> Waiting:
    return Waiting(url, 0, 9, 1, 0, 999_000.0, 999_990.0, title=title)


def announced(*visits: Visit, links: tuple[Waiting, ...] = ()) -> tuple[Findings, list[Event]]:
    """Announce links, then look through visits to which they led."""
    ledger = Visits()
    findings = Findings(ledger, began=900_000.0, numbers=Pages())
    told = [findings.announce(0, one, f"http://a.test/page-{one.url}", 1e6) for one in links]
    found = [one for one in told if one is not None]
    for number, one in enumerate(visits, 1):
        ledger.append(one)
        event = findings.look(number, one, waiting(one.url))
        found += [event] if event is not None else []
    return findings, found


def test_a_new_article_is_reported_by_its_link_and_then_fetched() -> None:
    _, found = announced(visit(1, NEW, published=950_000.0), links=(waiting(1),))
    assert [(one.event, one.fetched) for one in found] == [
        (EventKind.NEW, False),
        (EventKind.FETCHED, True),
    ]
    assert (found[0].title, found[0].since) == (TITLE, 999_000.0)
    (one,) = settled(found)
    assert (one.event, one.title, one.found) == (EventKind.NEW, "Page 1", 1e6)
    assert (one.since, one.published, one.key) == (999_000.0, 950_000.0, found[0].url)


def test_what_proves_to_be_old_is_withdrawn_and_a_missing_page_is_not() -> None:
    _, found = announced(visit(1, NEW, published=1000.0), links=(waiting(1),))
    assert [one.event for one in found] == [EventKind.NEW, EventKind.WITHDRAWN]
    assert settled(found) == []
    _, found = announced(visit(1, NEW, status=Status.MISSING), links=(waiting(1),))
    assert [one.event for one in found] == [EventKind.NEW]


def test_an_article_is_announced_once_under_whatever_url() -> None:
    _, found = announced(links=(waiting(1), waiting(1), waiting(2), waiting(3, "Another title")))
    assert [one.url for one in found] == ["http://a.test/page-1", "http://a.test/page-3"]
    _, found = announced(visit(2, NEW), links=(waiting(1),))  # fetched by its other URL
    assert [(one.event, one.url) for one in found] == [
        (EventKind.NEW, "http://a.test/page-1"),
        (EventKind.FETCHED, "http://a.test/page-1"),
    ]
    findings, _ = announced(visit(1, NEW))
    assert findings.announce(5, waiting(1), "http://a.test/page-1", 1e6) is None


def test_what_was_announced_is_known_after_a_kill() -> None:
    _, found = announced(links=(waiting(1), waiting(2, "Another title")))
    again = Findings(Visits(), began=900_000.0, numbers=Pages())
    again.restore(found)
    assert set(again.told) == {1, 2}
    assert again.announce(5, waiting(1), "http://a.test/page-1", 1e6) is None
    event = again.look(6, visit(1, NEW), waiting(1))
    assert event is not None
    assert event.event is EventKind.FETCHED
    again.restore([event])
    assert set(again.told) == {2}
