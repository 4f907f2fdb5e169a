"""A crawl that goes on where more is allowed than before.

Two kinds of pages become eligible.  Those that were skipped are asked for again, unless they
are still out of scope.  And links that were out of scope, which the ledger does not hold, are
read again from the archived pages: each page that has some gets another row in the ledger, as
a visit that was skipped, so that the ledger alone still tells the whole crawl.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from foragers.core.links import ParsedLink, ParsedLinks
from foragers.core.loop import Crawl
from foragers.core.types import Choice, Purpose, Status, UrlId, Visit
from foragers.crawling.own_requests import OwnRequests
from foragers.crawling.stopping import RecallMonitor
from foragers.errors import UsageError
from foragers.fetching.extractor import Extracted, PageExtractor
from foragers.fetching.job import FetchJob
from foragers.fetching.live import Live
from foragers.fetching.page_builder import page_of
from foragers.parsing.robots_meta import Directives
from foragers.storage.ledger.crawl_ledger import CrawlLedger
from foragers.storage.warc.playback import RecordedResponse, read_record

REASON = "read again for links that were out of scope"


def ask_again(live: Live, ledger: CrawlLedger, extras: OwnRequests) -> None:
    """Ask again for pages that were only ever skipped, if they are in scope now."""
    facts = ledger.facts()
    skipped = facts.statuses == Status.SKIPPED.value
    alone = skipped & ~np.isin(facts.urls, facts.urls[~skipped])
    again: list[Choice] = []
    last = {int(facts.urls[row]): int(row) for row in np.flatnonzero(alone)}
    scope, table = live.harvester.scope, live.table
    for url, row in last.items():
        depth, final = int(facts.depths[row]), int(facts.finals[row])
        if any(scope.refuse(table.href(place), depth) for place in (url, final)):
            continue
        again.append(ledger.choice(row + 1))
    extras.ask_again(again)


def read_again(
    crawl: Crawl, live: Live, ledger: CrawlLedger, archive: Path, lookout: RecallMonitor
) -> None:
    """Tell the strategy the links of archived pages that were out of scope and are not now."""
    facts = ledger.facts()
    for final in dict.fromkeys(facts.finals[facts.ok].tolist()):
        before = ledger.last(final)
        links = () if before is None else new_links(live.harvester, before, final, live, archive)
        if before is None or not links:
            continue
        host, depth, scope = live.table.host(final), before.page.choice.depth, Purpose.SCOPE
        choice = Choice(final, host, 0.0, scope.value, final, depth, scope)
        errand = FetchJob(choice, live.table.href(final))
        page = page_of(
            errand, Extracted(Status.SKIPPED, REASON, outlinks=links), live.table, "", 0.0
        )
        visits = [Visit(page, 0.0, False)]
        ledger.append(visits)
        crawl.tell(visits)
        lookout.watch(visits)


def new_links(
    harvester: PageExtractor, before: Visit, final: UrlId, live: Live, archive: Path
) -> list[ParsedLink]:
    """Return the links of an archived page that may be followed now and were not kept then."""
    try:
        answer = read_record(archive, before.page.record, harvester.limits.unpacked)
    except (UsageError, ValueError):  # not archived, or lost
        return []
    url = live.table.href(final)
    parsed = harvester.read(answer.body, url, answer.header("Content-Type"))
    if not_to_be_followed(answer, parsed.robots, harvester.agent):
        return []
    known = {link.href for link in before.links}
    followed = ParsedLinks.of(harvester.follow(parsed.links, before.page.choice.depth + 1))
    return [out for out in followed if out.href not in known]


def not_to_be_followed(answer: RecordedResponse, meta: str, agent: str) -> bool:
    """Say whether a page asked robots not to follow its links."""
    told = [value for name, value in answer.headers if name.lower() == "x-robots-tag"]
    return Directives.parse([meta, *told], agent).nofollow
