"""Checkpoints: the state of a crawl, how it is saved, and how a crawl is resumed from it.

To resume a crawl, everything that learns is told the visits of the ledger after the checkpoint.

If the strategy is a population, its births and deaths are written to `agents.npz` and to the
ledger, completely at each checkpoint, so that they are right after a resume too.
docs/crawl-folder.md describes the columns.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from math import inf
from pathlib import Path
from typing import TypeGuard

import msgspec
import numpy as np

from foragers.core.files import created, write
from foragers.core.loop import Crawl, seed_visit
from foragers.core.pace import Pace
from foragers.core.plugins.guard import failures_named
from foragers.core.population import ForagerStanding, HasForagers
from foragers.core.protocols import Judge, Strategy
from foragers.core.types import NO_PARENT, Addresses, Choice
from foragers.crawling.channel.orders import OBEYED, ORDERS, CrawlOrders
from foragers.crawling.feedback import GIVEN, LEARNED, Feedback
from foragers.crawling.own_requests import OwnRequests
from foragers.crawling.settings import CheckpointSettings
from foragers.crawling.signed import checking, opened, signing, user_key
from foragers.crawling.stopping import RecallMonitor
from foragers.fetching.live import Live
from foragers.fetching.throttle import HostDelays
from foragers.filters.traps import Traps
from foragers.judges.function import FunctionJudge
from foragers.judges.novelty import Novelty
from foragers.storage.ledger.columns import Facts
from foragers.storage.ledger.crawl_ledger import CrawlLedger
from foragers.storage.ledger.stores import LedgerStore
from foragers.strategies.registry import census_of
from foragers.urls.strings import STRINGS_FILE, StringsFile
from foragers.urls.table import UrlTable

NOT_PICKLED = (pickle.PicklingError, AttributeError, TypeError)
"""The errors of pickle for code that another process could not import."""
LAYOUT = 11
"""The version of checkpoints.  Those of other versions are dropped, and the ledger is replayed."""


@dataclass
class Checkpoint:
    """Everything that learns, and the number of visits that it has learned from.

    The strategy has made the `pending` choices, and will not make them again.  `delays` says until
    when hosts are to be left alone.
    """

    visits: int
    strategy: Strategy
    judge: Judge
    traps: Traps | None
    table: UrlTable
    pending: list[Choice] = field(default_factory=list)
    own_requests: OwnRequests = field(default_factory=OwnRequests)
    delays: HostDelays = field(default_factory=dict)
    monitor: RecallMonitor = field(default_factory=RecallMonitor)
    layout: int = LAYOUT


def is_wanted(settings: CheckpointSettings, live: Live, is_interrupted: bool) -> bool:
    """Return whether the end of a crawl is worth a checkpoint: the ledger knows of no pauses."""
    is_urgent = is_interrupted and not settings.at_interrupt
    return not is_urgent or bool(live.closed_for(settings.longest_pause))


def save(folder: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint atomically, without a second copy of it in memory.

    None is written if the user has no key to sign it, or if a strategy or judge of the user's
    cannot be pickled: the ledger has everything.
    """
    if isinstance(checkpoint.table.store, StringsFile):
        checkpoint.table.store.keep()
    key = user_key()
    if key is None:
        return
    partial = folder / ".checkpoint.partial"
    try:
        with created(partial) as stream, signing(stream, key) as signed:
            pickle.dump(checkpoint, signed, pickle.HIGHEST_PROTOCOL)
        partial.replace(folder / "checkpoint")
    except NOT_PICKLED:
        partial.unlink(missing_ok=True)
        if is_built_in(checkpoint.strategy) and is_built_in(checkpoint.judge):
            raise
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def is_built_in(part: object) -> bool:
    """Return whether a strategy or judge has no code of the user's."""
    is_own = type(part).__module__.partition(".")[0] == __name__.partition(".")[0]
    judge = part.topic if isinstance(part, Novelty) else part
    return is_own and not isinstance(judge, FunctionJudge)


def load(folder: Path, visits: int) -> Checkpoint | None:
    """Return the last checkpoint of a crawl with some visits, if one is signed by this user."""
    key = user_key()
    try:
        with opened(folder / "checkpoint") as stream:
            if key is not None:
                with checking(stream, key) as signed:
                    checkpoint = pickle.load(signed)
                if fits(checkpoint, folder, visits):
                    return checkpoint
    except FileNotFoundError:
        return None
    except Exception:  # signed by somebody else, damaged, or of another version
        pass
    # It might fit by chance later, when the crawl has taken another way.
    (folder / "checkpoint").unlink()
    return None


def fits(loaded: object, folder: Path, visits: int) -> TypeGuard[Checkpoint]:
    """Return whether an object is a checkpoint of the crawl in a folder."""
    if not isinstance(loaded, Checkpoint) or loaded.visits > visits:
        return False
    if vars(loaded).get("layout") != LAYOUT:  # of an earlier version
        return False
    if isinstance(loaded.table.store, StringsFile):
        loaded.table.store.move(folder / STRINGS_FILE)
    return loaded.table.is_sound()


SAID_FILES = (GIVEN, LEARNED, ORDERS, OBEYED)
"""What users have said to a crawl, and what came of it."""


def begin_anew(folder: Path, store: LedgerStore) -> None:
    """Remove the visits of a crawl."""
    for name in ("checkpoint", STRINGS_FILE, AGENTS_FILE, FORAGERS_FILE, *SAID_FILES):
        (folder / name).unlink(missing_ok=True)
    store.clear()


def catch_up(
    crawl: Crawl,
    live: Live,
    ledger: CrawlLedger,
    checkpoint: Checkpoint,
    feedback: Feedback,
    orders: CrawlOrders,
) -> None:
    """Learn from the visits after a checkpoint, and send its pending choices again."""
    if checkpoint.visits == 0:
        crawl.begin()
        checkpoint.monitor.watch([seed_visit(crawl.world.seeds, crawl.world.now)])
    facts, own_requests = ledger.facts(), checkpoint.own_requests
    live.restore_delays(checkpoint.delays)
    answered: Counter[Choice] = Counter()
    for number, visit in enumerate(ledger.read(checkpoint.visits), checkpoint.visits):
        feedback.restore(number)
        orders.restore(number)
        answered[visit.page.choice] += 1
        live.restore(visit, ledger.href(visit.page.final))
        own_requests.restore(visit, live.wants_lists)
        crawl.judge.relevance(visit.page)
        crawl.tell([visit])
        checkpoint.monitor.watch([visit])
    feedback.restore_all(len(ledger))
    own_requests.release_all()
    pending = set(checkpoint.pending)
    asked = {*facts.urls.tolist(), *(choice.url for choice in pending)}
    orders.settle(len(ledger), asked)
    own_requests.ask_again(choice for choice in ledger.deferred() if choice not in pending)
    live.restore_history(ledger)
    widen(live, facts)
    if crawl.pace:
        close_full_hosts(live, crawl.pace)
    send_again(crawl, checkpoint.pending, answered)


def widen(live: Live, facts: Facts) -> None:
    """Add the targets of seeds' redirects to the scope."""
    seeds = (facts.parents == NO_PARENT) & (facts.depths == 0) & facts.ok
    for url in facts.finals[seeds & (facts.urls != facts.finals)].tolist():
        live.widen(live.table.href(url))


def close_full_hosts(live: Live, pace: Pace) -> None:
    """Close the hosts that have reached their limit of pages."""
    for host in live.full_hosts():
        pace.closed.close_until(host, inf)


def send_again(crawl: Crawl, pending: Sequence[Choice], answered: Counter[Choice]) -> None:
    """Send the pending choices that have no visit in the ledger."""
    for choice in pending:
        if answered[choice]:
            answered[choice] -= 1
        elif crawl.pace and choice.host in crawl.pace.closed:
            crawl.held.append(choice)
        else:
            crawl.send(choice)


AGENTS_FILE, FORAGERS_FILE = "agents.npz", "foragers.json"


def standings_in(strategy: Strategy, addresses: Addresses) -> Sequence[ForagerStanding]:
    """Return the foragers of a strategy with their scores and weblogs, if it is a fleet."""
    if not isinstance(strategy, HasForagers):
        return ()
    with failures_named(strategy, "standings"):
        return strategy.standings(addresses)


def keep_agents(
    folder: Path, strategy: Strategy, ledger: CrawlLedger, addresses: Addresses
) -> None:
    """Write births and deaths, if the strategy is a population, and how foragers stand."""
    foragers = standings_in(strategy, addresses)
    if foragers:
        write(folder / FORAGERS_FILE, msgspec.json.encode(foragers) + b"\n")
    census = census_of(strategy)
    if census is None:
        return
    packed = BytesIO()
    np.savez_compressed(packed, allow_pickle=False, **census.columns())
    write(folder / AGENTS_FILE, packed.getvalue())
    ledger.keep_census(census)
