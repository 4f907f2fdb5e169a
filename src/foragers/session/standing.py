"""Where a crawl stands: what a checkpoint holds, and how it is found again."""

from __future__ import annotations

import pickle
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeGuard
from urllib.parse import quote

from foragers.files import created
from foragers.ledger.checking import VISITS, check_table
from foragers.protocols import Judge, Strategy
from foragers.session.extras import Extras
from foragers.session.letters_file import NAME, LettersFile
from foragers.session.signed import checking, opened, signing, user_key
from foragers.session.stopping import Lookout
from foragers.traps import Traps
from foragers.types import Choice
from foragers.urls import UrlTable
from foragers.worlds.courtesy import Wishes


@dataclass
class Standing:
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
    extras: Extras = field(default_factory=Extras)
    wishes: Wishes = field(default_factory=dict)
    lookout: Lookout = field(default_factory=Lookout)


def save(folder: Path, standing: Standing) -> None:
    """Write a checkpoint in one step, and take no second copy of it in memory.

    Without a key nobody could trust it, so none is written: the ledger has it all.
    """
    if isinstance(standing.table.store, LettersFile):
        standing.table.store.keep()
    key = user_key()
    if key is None:
        return
    partial = folder / ".checkpoint.partial"
    try:
        with created(partial) as stream, signing(stream, key) as signed:
            pickle.dump(standing, signed, pickle.HIGHEST_PROTOCOL)
        partial.replace(folder / "checkpoint")
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def load(folder: Path) -> Standing | None:
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


def fits(found: object, folder: Path) -> TypeGuard[Standing]:
    """Say whether what was found is a checkpoint of the crawl in a folder."""
    if not isinstance(found, Standing) or found.visits > written(folder):
        return False
    lookout = getattr(found, "lookout", None)
    if not hasattr(getattr(lookout, "sightings", None), "left_out"):  # of an earlier version
        return False
    if isinstance(found.table.store, LettersFile):
        found.table.store.move(folder / NAME)
    return found.table.is_sound()


def nothing_came(folder: Path) -> bool:
    """Say whether no server has answered yet in a crawl: all was skipped, or failed."""
    came = "SELECT 1 FROM visits WHERE status NOT IN ('skipped', 'failed') LIMIT 1"
    return count(folder, f"SELECT count(*) FROM ({came})") == 0


def begin_anew(folder: Path) -> None:
    """Remove all that a crawl has written of its visits."""
    for name in ("checkpoint", NAME, "agents.npz"):
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
            check_table(ledger, "visits", VISITS)
            return int(ledger.execute(query).fetchone()[0])
    except (sqlite3.Error, ValueError):
        return None
