"""Taking up a crawl: all that learns is told what the ledger holds beyond the checkpoint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from foragers.clock import from_system
from foragers.ledger.facts import Facts
from foragers.ledger.sqlite import SqliteLedger
from foragers.loop import Crawl, beginning
from foragers.pace import Pace
from foragers.session.standing import Standing
from foragers.types import NOWHERE, Choice
from foragers.worlds.errand import LATER
from foragers.worlds.live import Live


def catch_up(crawl: Crawl, live: Live, ledger: SqliteLedger, standing: Standing) -> None:
    """Learn what the ledger holds beyond a checkpoint, and send again what was under way."""
    if standing.visits == 0:
        crawl.begin()
        standing.lookout.watch([beginning(crawl.world.seeds, crawl.world.now)])
    facts, extras = ledger.facts(), standing.extras
    wishes = standing.wishes.items()
    live.dispatch.courtesy.recall({host: (from_system(at), busy) for host, (at, busy) in wishes})
    listing = live.lists.sitemaps or live.lists.feeds
    answered: Counter[Choice] = Counter()
    for visit in ledger.read(standing.visits):
        answered[visit.page.choice] += 1
        live.restore(visit, ledger.href(visit.page.final))
        extras.recall(visit, listing)
        crawl.judge.relevance(visit.page)
        crawl.strategy.tell([visit])
        standing.lookout.watch([visit])
    extras.take_up()
    pending = set(standing.pending)
    extras.ask_again(choice for choice in ledger.put_off(LATER) if choice not in pending)
    live.visited.load(facts, live.table)
    widen(live, facts)
    if crawl.pace:
        close_full_hosts(live, crawl.pace)
    send_again(crawl, standing.pending, answered)


def widen(live: Live, facts: Facts) -> None:
    """Let the scope hold the places that seeds have turned out to redirect to."""
    seeds = (facts.parents == NOWHERE) & (facts.depths == 0) & facts.ok
    for url in facts.finals[seeds & (facts.urls != facts.finals)].tolist():
        live.harvester.scope = live.harvester.scope.and_seed(live.table.href(url))


def close_full_hosts(live: Live, pace: Pace) -> None:
    """Choose nothing more from hosts that have given as many pages as they may."""
    for host in list(live.visited.counts):
        if live.visited.is_full(host):
            pace.start(host)


def send_again(crawl: Crawl, pending: Sequence[Choice], answered: Counter[Choice]) -> None:
    """Send the choices that were under way and are not answered in the ledger."""
    for choice in pending:
        if answered[choice]:
            answered[choice] -= 1
        else:
            crawl.send(choice)
