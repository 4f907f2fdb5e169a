"""Where a crawl stands: what a checkpoint holds, and how it is found again.

Taking up a crawl: all that learns is told what the ledger holds beyond the checkpoint.

The ledger of births and deaths of a crawl: `agents.npz`, for strategies that are populations.

It is written whole at each checkpoint and at the end, from the strategy as it stands then, so
that it is right after a crawl was taken up.  docs/crawl-folder.md tells its columns.  The
ledger itself is told too, for who would rather ask it.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TypeGuard
from urllib.parse import quote

import numpy as np

from foragers.core.files import created, write
from foragers.core.loop import Crawl, seed_visit
from foragers.core.pace import Pace
from foragers.core.population import Populous
from foragers.core.protocols import Judge, Strategy
from foragers.core.types import NO_PARENT, Choice
from foragers.crawling.own_requests import OwnRequests
from foragers.crawling.signed import checking, opened, signing, user_key
from foragers.crawling.stopping import RecallMonitor
from foragers.fetching.live import Live
from foragers.fetching.throttle import HostDelays
from foragers.filters.traps import Traps
from foragers.judges.function import FunctionJudge
from foragers.judges.novelty import Novelty
from foragers.storage.ledger.checking import check_visits
from foragers.storage.ledger.columns import Facts
from foragers.storage.ledger.crawl_ledger import CrawlLedger
from foragers.urls.strings import STRINGS_FILE, StringsFile
from foragers.urls.table import UrlTable

NOT_PICKLED = (pickle.PicklingError, AttributeError, TypeError)
"""What pickle raises for code that another process could not import."""
LAYOUT = 2
"""Raised when checkpoints change, so that older ones give way to the ledger, which has it all."""


@dataclass
class Checkpoint:
    """What a checkpoint holds: all that learns, and how much of the ledger it has learned from.

    The strategy has given away the `pending` choices and will not make them again; `wishes`
    tell which hosts are to be left alone until when.
    """

    visits: int
    strategy: Strategy
    judge: Judge
    traps: Traps | None
    table: UrlTable
    pending: list[Choice] = field(default_factory=list)
    extras: OwnRequests = field(default_factory=OwnRequests)
    wishes: HostDelays = field(default_factory=dict)
    lookout: RecallMonitor = field(default_factory=RecallMonitor)
    layout: int = LAYOUT


def save(folder: Path, standing: Checkpoint) -> None:
    """Write a checkpoint in one step, and take no second copy of it in memory.

    Without a key nobody could trust it, so none is written: the ledger has it all.  Nor is one
    written of a strategy or judge of the user's that cannot be pickled.
    """
    if isinstance(standing.table.store, StringsFile):
        standing.table.store.keep()
    key = user_key()
    if key is None:
        return
    partial = folder / ".checkpoint.partial"
    try:
        with created(partial) as stream, signing(stream, key) as signed:
            pickle.dump(standing, signed, pickle.HIGHEST_PROTOCOL)
        partial.replace(folder / "checkpoint")
    except NOT_PICKLED:
        partial.unlink(missing_ok=True)
        if is_built_in(standing.strategy) and is_built_in(standing.judge):
            raise
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def is_built_in(part: object) -> bool:
    """Say whether a part of a crawl holds no code of the user's."""
    is_own = type(part).__module__.partition(".")[0] == __name__.partition(".")[0]
    judge = part.topic if isinstance(part, Novelty) else part
    return is_own and not isinstance(judge, FunctionJudge)


def load(folder: Path) -> Checkpoint | None:
    """Return the last checkpoint of a crawl, if there is one that this user has written."""
    key = user_key()
    try:
        with opened(folder / "checkpoint") as stream:
            if key is not None:
                with checking(stream, key) as signed:
                    found = pickle.load(signed)
                if fits(found, folder):
                    return found
    except FileNotFoundError:
        return None
    except Exception:  # signed by somebody else, damaged, or of another version
        pass
    # It must not come to fit later, when the crawl has gone another way.
    (folder / "checkpoint").unlink()
    return None


def fits(found: object, folder: Path) -> TypeGuard[Checkpoint]:
    """Say whether what was found is a checkpoint of the crawl in a folder."""
    if not isinstance(found, Checkpoint) or found.visits > written(folder):
        return False
    if vars(found).get("layout") != LAYOUT:  # of an earlier version
        return False
    if isinstance(found.table.store, StringsFile):
        found.table.store.move(folder / STRINGS_FILE)
    return found.table.is_sound()


def nothing_came(folder: Path) -> bool:
    """Say whether no server has answered yet in a crawl: all was skipped, or failed."""
    came = "SELECT 1 FROM visits WHERE status NOT IN ('skipped', 'failed') LIMIT 1"
    return count(folder, f"SELECT count(*) FROM ({came})") == 0


def begin_anew(folder: Path) -> None:
    """Remove all that a crawl has written of its visits."""
    for name in ("checkpoint", STRINGS_FILE, "agents.npz"):
        (folder / name).unlink(missing_ok=True)
    for file in folder.glob("ledger.sqlite*"):
        file.unlink()


def written(folder: Path) -> int:
    """Return how many visits the ledger of a crawl holds."""
    return count(folder, "SELECT count(*) FROM visits") or 0


def count(folder: Path, query: str) -> int | None:
    """Return what a query counts in the ledger of a crawl, None if it cannot be asked."""
    try:
        with closing(
            sqlite3.connect(f"file:{quote(str(folder))}/ledger.sqlite?mode=ro", uri=True)
        ) as ledger:
            check_visits(ledger)
            return int(ledger.execute(query).fetchone()[0])
    except (sqlite3.Error, ValueError):
        return None


def catch_up(crawl: Crawl, live: Live, ledger: CrawlLedger, standing: Checkpoint) -> None:
    """Learn what the ledger holds beyond a checkpoint, and send again what was under way."""
    if standing.visits == 0:
        crawl.begin()
        standing.lookout.watch([seed_visit(crawl.world.seeds, crawl.world.now)])
    facts, extras = ledger.facts(), standing.extras
    live.restore_delays(standing.wishes)
    answered: Counter[Choice] = Counter()
    for visit in ledger.read(standing.visits):
        answered[visit.page.choice] += 1
        live.restore(visit, ledger.href(visit.page.final))
        extras.recall(visit, live.wants_lists)
        crawl.judge.relevance(visit.page)
        crawl.tell([visit])
        standing.lookout.watch([visit])
    extras.take_up()
    pending = set(standing.pending)
    extras.ask_again(choice for choice in ledger.deferred() if choice not in pending)
    live.restore_history(ledger)
    widen(live, facts)
    if crawl.pace:
        close_full_hosts(live, crawl.pace)
    send_again(crawl, standing.pending, answered)


def widen(live: Live, facts: Facts) -> None:
    """Let the scope hold the places that seeds have turned out to redirect to."""
    seeds = (facts.parents == NO_PARENT) & (facts.depths == 0) & facts.ok
    for url in facts.finals[seeds & (facts.urls != facts.finals)].tolist():
        live.widen(live.table.href(url))


def close_full_hosts(live: Live, pace: Pace) -> None:
    """Choose nothing more from hosts that have given as many pages as they may."""
    for host in live.full_hosts():
        pace.start(host)


def send_again(crawl: Crawl, pending: Sequence[Choice], answered: Counter[Choice]) -> None:
    """Send the choices that were under way and are not answered in the ledger."""
    for choice in pending:
        if answered[choice]:
            answered[choice] -= 1
        else:
            crawl.send(choice)


AGENTS_FILE = "agents.npz"


def keep_agents(folder: Path, strategy: Strategy, ledger: CrawlLedger) -> None:
    """Write down who lived when, if the strategy is a population."""
    census = strategy.census() if isinstance(strategy, Populous) else None
    if census is None:
        return
    packed = BytesIO()
    np.savez_compressed(packed, allow_pickle=False, **census.columns())
    write(folder / AGENTS_FILE, packed.getvalue())
    ledger.keep_census(census)
