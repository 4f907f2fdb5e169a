"""What the last requests brought, in words."""

from __future__ import annotations

from foragers.core.content import MemoryContent
from foragers.core.types import Choice, Document, Page, Status, Visit
from foragers.strategies.watch.sites import Waiting
from foragers.watching.events import Event, EventKind
from foragers.watching.recent import MOST_RECENT, RecentRequests

NEW = Event(event=EventKind.NEW, url="u", site="s", found=1.0, visit=1, title="Ferry sinks")


def visit(status: Status, reason: str = "", url: int = 3) -> Visit:
    content = MemoryContent(Document(), ())
    choice = Choice(url, 0, 1.0, "look")
    page = Page(choice, status, reason, url, 1.0, 1.0, 1, content.columns(), content)
    return Visit(page, 0.0, False)


def told(one: Visit, event: Event | None = None, *news: Waiting) -> list[str]:
    recent = RecentRequests()
    recent.see(one, "http://site.test/", event, news)
    return [request.brought for request in recent.requests]


def test_it_is_said_what_a_request_brought() -> None:
    assert told(visit(Status.OK), NEW) == ["new: Ferry sinks"]
    links = [Waiting(url, 0, parent, 1) for url, parent in ((7, 3), (8, 3), (9, 4))]
    assert told(visit(Status.OK), None, *links) == ["2 new links"]
    assert told(visit(Status.OK)) == ["nothing new"]
    assert told(visit(Status.UNCHANGED)) == ["unchanged"]
    assert told(visit(Status.UNWANTED, "feed")) == ["feed: nothing new"]
    assert told(visit(Status.FAILED, "500")) == ["500"]
    assert told(visit(Status.SKIPPED, "robots.txt")) == [], "nothing was requested"


def test_only_the_last_requests_are_kept() -> None:
    recent = RecentRequests()
    for number in range(3 * MOST_RECENT):
        recent.see(visit(Status.OK), f"http://site.test/{number}", None, ())
    assert len(recent.requests) == MOST_RECENT
    assert recent.requests[-1].url.endswith(f"/{3 * MOST_RECENT - 1}")
