"""Resuming a crawl with a wider scope.

Two kinds of pages become eligible.  Skipped pages are requested again, unless they are still out
of scope.  And links that were out of scope, which are not in the ledger, are extracted again from
the archived pages.  Each page with such links gets another row in the ledger, as a skipped visit,
so that the whole crawl can still be replayed from the ledger.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from foragers.core.links import ParsedLink, ParsedLinks
from foragers.core.loop import Crawl
from foragers.core.types import Choice, Purpose, Status, UrlId, Visit
from foragers.crawling.checkpoint import begin_anew
from foragers.crawling.options import CrawlOptions, options_from, options_in_folder
from foragers.crawling.own_requests import OwnRequests
from foragers.crawling.stopping import RecallMonitor
from foragers.errors import UsageError
from foragers.fetching.extractor import Extracted
from foragers.fetching.job import FetchJob
from foragers.fetching.live import Live
from foragers.fetching.page_builder import page_of
from foragers.fetching.redirects import RedirectChain
from foragers.parsing.robots_meta import Directives
from foragers.storage.ledger.crawl_ledger import CrawlLedger
from foragers.storage.ledger.postgres import without_password
from foragers.storage.ledger.stores import LEDGER_FILE, FolderStore, LedgerStore
from foragers.storage.warc.playback import RecordedResponse, read_record

REASON = "read again for links that were out of scope"


def is_widened(options: CrawlOptions, folder: Path, store: LedgerStore) -> bool:
    """Return whether the crawl in a folder is resumed with another scope.

    A crawl that has received nothing begins anew.  A UsageError names other changed options.
    """
    before = options_in_folder(folder)
    check_place(options, before, folder, store)
    changes = options.changes(before) if before else set()
    if before is None or not changes:
        return False
    if not store.has_received():
        begin_anew(folder, store)
        return False
    options.check_same(before, folder)
    return True


def check_place(
    options: CrawlOptions, before: CrawlOptions | None, folder: Path, store: LedgerStore
) -> None:
    """Raise a UsageError if folder and ledger belong to different crawls."""
    moved = before is not None and bool(before.ledger) != bool(options.ledger)
    if before is not None and moved and (before.ledger or FolderStore(folder).visits()):
        place = before.ledger or LEDGER_FILE
        raise UsageError(f"--ledger: the ledger of the crawl in {folder} is {place}; use that")
    told = store.told()
    if told and store.has_received():
        place = without_password(options.ledger)
        options.check_same(options_from(told), place, "ledger", scope=before is not None)


def ask_again(live: Live, ledger: CrawlLedger, own_requests: OwnRequests) -> None:
    """Request pages again that were always skipped, if they are in scope now."""
    facts = ledger.facts()
    skipped = facts.statuses == Status.SKIPPED.value
    always = skipped & ~np.isin(facts.urls, facts.urls[~skipped])
    again: list[Choice] = []
    last = {int(facts.urls[row]): int(row) for row in np.flatnonzero(always)}
    scope, table = live.scope, live.table
    for url, row in last.items():
        depth, final = int(facts.depths[row]), int(facts.finals[row])
        if any(scope.refuse(table.href(which), depth) for which in (url, final)):
            continue
        again.append(ledger.choice(row + 1))
    own_requests.ask_again(again)


def read_again(
    crawl: Crawl, live: Live, ledger: CrawlLedger, archive: Path, monitor: RecallMonitor
) -> None:
    """Tell the strategy the links of archived pages that have come into scope."""
    facts = ledger.facts()
    for final in dict.fromkeys(facts.finals[facts.ok].tolist()):
        before = ledger.last(final)
        links = () if before is None else new_links(live, before, final, archive)
        if before is None or not links:
            continue
        host, depth, scope = live.table.host(final), before.page.choice.depth, Purpose.SCOPE
        choice = Choice(final, host, 0.0, scope.value, final, depth, scope)
        job = FetchJob(choice, RedirectChain(live.table.href(final)))
        extracted = Extracted(Status.SKIPPED, REASON, links=links)
        page = page_of(job, extracted, live.table, "", 0.0)
        visits = [Visit(page, 0.0, False)]
        ledger.append(visits)
        crawl.tell(visits)
        monitor.watch(visits)


def new_links(live: Live, before: Visit, final: UrlId, archive: Path) -> list[ParsedLink]:
    """Return the links of an archived page that may be followed now and were not before."""
    extractor = live.extractor
    try:
        recorded = read_record(archive, before.page.record, extractor.limits.unpacked)
    except (UsageError, ValueError):  # not archived, or lost
        return []
    url = live.table.href(final)
    parsed = extractor.read(recorded.body, url, recorded.header("Content-Type"))
    if has_nofollow(recorded, parsed.robots, extractor.agent):
        return []
    known = {link.href for link in before.links}
    followed = ParsedLinks.of(extractor.follow(parsed.links, before.page.choice.depth + 1))
    return [out for out in followed if out.href not in known]


def has_nofollow(recorded: RecordedResponse, meta: str, agent: str) -> bool:
    """Return whether a page asks robots not to follow its links."""
    headers = [value for name, value in recorded.headers if name.lower() == "x-robots-tag"]
    return Directives.parse([meta, *headers], agent).nofollow
