"""What the last requests of a watch brought, for people who look on."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from foragers.core.display import counted
from foragers.core.types import LISTS, Status, Visit
from foragers.strategies.watch.sites import Waiting
from foragers.watching.events import Event

MOST_RECENT = 20


class RecentRequest(msgspec.Struct, frozen=True):
    """A request: when, why, and what it brought."""

    time: float
    url: str
    why: str
    brought: str


@dataclass
class RecentRequests:
    """The last requests, the newest last."""

    requests: deque[RecentRequest] = field(default_factory=lambda: deque(maxlen=MOST_RECENT))

    def see(self, visit: Visit, url: str, event: Event | None, news: Sequence[Waiting]) -> None:
        """Note a request; `news` are the new links of the last visits."""
        page = visit.page
        if page.status is Status.SKIPPED:
            return
        links = sum(link.parent == page.final for link in news)
        brought = brought_by(visit, event, links)
        self.requests.append(RecentRequest(page.time, url, page.choice.agent or "look", brought))


def brought_by(visit: Visit, event: Event | None, links: int) -> str:
    """Return in words what a request brought."""
    page = visit.page
    if event is not None:
        return f"{event.event.value}: {event.title or event.url}"
    if links:
        return counted(links, "new link")
    if page.status is Status.UNCHANGED:
        return "unchanged"
    if page.status is Status.OK:
        return "nothing new"
    if page.status is Status.UNWANTED and page.reason in LISTS:
        return f"{page.reason}: nothing new"
    return page.reason or page.status.value
