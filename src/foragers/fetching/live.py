"""The live web as a world: the downloads of a crawl, and what the crawl asks about hosts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from foragers.core.clock import from_system, steady, to_system
from foragers.core.types import Choice, HostId, Link, Page, UrlId, Visit
from foragers.errors import UsageError
from foragers.fetching.downloads import Downloads
from foragers.fetching.extractor import PageExtractor
from foragers.fetching.job import Retry
from foragers.fetching.throttle import HostDelays
from foragers.filters.scope import Scope
from foragers.filters.traps import Traps
from foragers.parsing.hub_links import FeedHub
from foragers.storage.ledger.crawl_ledger import CrawlLedger
from foragers.urls.table import UrlTable


@dataclass(slots=True)
class Live:
    """The live web, with up to some `connections` at once, until a `deadline`."""

    urls: tuple[str, ...]
    downloads: Downloads
    connections: int = 16
    deadline: float = inf

    @property
    def now(self) -> float:
        """The time, by a monotonic clock."""
        return steady()

    @property
    def left(self) -> float:
        """Infinity: the live web has no budget."""
        return inf

    @property
    def running(self) -> int:
        """The number of jobs in progress."""
        return self.downloads.running

    @property
    def free(self) -> int:
        """The number of jobs that may be started; pages being rendered do not count."""
        downloads, now = self.downloads, steady()
        busy = downloads.running - min(len(downloads.renderer), self.connections)
        free = self.connections - busy if now < self.deadline else 0
        return downloads.outages.usable(free, downloads.running, now)

    @property
    def seeds(self) -> Sequence[Link]:
        """The seeds of the crawl."""
        urls = dict.fromkeys(self.table.intern(url) for url in self.urls)
        return [Link(url, self.table.host(url), self.table.href(url)) for url in urls]

    def start(self, choice: Choice) -> None:
        """Start the download of a choice."""
        self.downloads.start(choice)

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Wait for pages, not for long and at the latest until a time, and return them."""
        downloads = self.downloads
        turn = steady() + downloads.settings.turn
        while not downloads.has_news:
            now = steady()
            downloads.send_due(now)
            # The deadline is read each time: an interrupt brings it forward.
            latest = min(until, self.deadline, turn)
            is_idle = not downloads.running and until == inf
            if downloads.has_news or now >= latest or is_idle:
                break
            downloads.wait(latest)
        return downloads.take_ready()

    @property
    def pending(self) -> list[Choice]:
        """The choices in progress."""
        return self.downloads.pending

    @property
    def table(self) -> UrlTable:
        """The numbers of all known URLs and hosts."""
        return self.downloads.table

    @property
    def extractor(self) -> PageExtractor:
        """Extracts pages from responses."""
        return self.downloads.extractor

    @property
    def traps(self) -> Traps | None:
        """The trap detector, if the crawl has one."""
        return self.extractor.traps

    @property
    def scope(self) -> Scope:
        """The scope of the crawl, which grows with the targets of seeds' redirects."""
        return self.downloads.scope

    def widen(self, url: str) -> None:
        """Add the target of a seed's redirect to the scope."""
        self.downloads.widen(url)

    def stop(self) -> None:
        """Start nothing more, and end the next wait at once."""
        self.deadline = 0.0

    def close(self) -> None:
        """Drop all connections."""
        self.downloads.close()

    def restore(self, visit: Visit, href: str) -> None:
        """Number the URLs of a visit from the ledger as they were numbered then."""
        final = self.table.intern(href)
        targets, _ = self.table.intern_many([link.href for link in visit.links])
        if final != visit.page.final or targets.tolist() != visit.links.targets.tolist():
            raise UsageError("the ledger does not fit this crawl; choose another --out")
        self.extractor.restore(visit, href)

    def restore_history(self, ledger: CrawlLedger) -> None:
        """Restore which pages were fetched, from the ledger of a crawl that is resumed."""
        self.downloads.history.load(ledger.facts(), self.table, ledger.lists())

    def restore_delays(self, delays: HostDelays) -> None:
        """Restore which hosts are to be left alone, by the system clock."""
        steadily = {host: (from_system(at), busy) for host, (at, busy) in delays.items()}
        self.downloads.throttle.restore(steadily)

    def delays(self) -> HostDelays:
        """Return which hosts are to be left alone until when, by the system clock."""
        delays = self.downloads.throttle.delays(steady())
        return {host: (to_system(at), busy) for host, (at, busy) in delays.items()}

    def closed_for(self, seconds: float) -> dict[str, float]:
        """Return the hosts that are to be left alone for longer than some seconds, with the end."""
        delays, now = self.downloads.throttle.delays(steady()), steady()
        return {host: at for host, (at, _) in delays.items() if at > now + seconds}

    def free_at(self, host: str) -> float:
        """Return when a host may be requested."""
        return self.downloads.throttle.free_at(host)

    def is_unreachable(self, host: str) -> bool:
        """Return whether the last request could not reach a host."""
        return self.downloads.throttle.state(host).down > 0

    def full_hosts(self) -> list[HostId]:
        """Return the hosts that have reached their limit of pages."""
        history = self.downloads.history
        return [host for host in history.counts if history.is_full(host)]

    @property
    def wants_lists(self) -> bool:
        """Whether the crawl looks for sitemaps or feeds."""
        lists = self.downloads.lists
        return lists.sitemaps or lists.named or lists.feeds

    @property
    def network_is_down(self) -> bool:
        """Whether no host at all can be reached."""
        return self.downloads.outages.is_down

    @property
    def down_for(self) -> float:
        """For how many seconds no host has been reached."""
        return self.downloads.outages.down_for(steady())

    @property
    def until_probe(self) -> float:
        """In how many seconds a host is tried again while the network is down."""
        return max(0.0, self.downloads.outages.probe_at - steady())

    def is_cut_off(self, patience: float) -> bool:
        """Return whether no host has been reached for longer than a patience in seconds."""
        return self.down_for > patience * self.downloads.settings.throttle.backoff

    def take_retries(self) -> list[Retry]:
        """Return the choices to be sent again, once."""
        retries, self.downloads.retries = self.downloads.retries, []
        return retries

    def take_hubs(self) -> dict[UrlId, FeedHub]:
        """Return the hubs that feeds announced since the last call; the first begins to note."""
        lists = self.downloads.lists
        hubs, lists.hubs = lists.hubs or {}, {}
        return hubs

    def take_notices(self) -> list[str]:
        """Return the lines for users, once."""
        notices, self.downloads.notices = self.downloads.notices, []
        return notices
