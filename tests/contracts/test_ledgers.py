"""Every ledger keeps the promises of a ledger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from foragers.core.types import Choice, Visit
from foragers.storage.ledger.memory import MemoryLedger
from foragers.storage.ledger.postgres import PostgresLedger, connect
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.testing import NumberedAddresses, check_crawl_ledger, check_ledger

ADDRESSES = NumberedAddresses()


def test_memory_ledger_keeps_its_promises() -> None:
    check_ledger(MemoryLedger)


@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("batch", [1, 3, 1000])
def test_sqlite_ledger_keeps_its_promises(words: bool, batch: int, tmp_path: Path) -> None:
    def opened() -> SqliteLedger:
        return SqliteLedger(tmp_path / "ledger.sqlite", ADDRESSES, words=words, batch=batch)

    check_ledger(opened, opened, words=words)


@pytest.mark.parametrize("words", [True, False])
def test_sqlite_ledger_in_memory_keeps_its_promises(words: bool) -> None:
    check_ledger(lambda: SqliteLedger(":memory:", ADDRESSES, words=words), words=words)


def in_postgres(database: str, **options: Any) -> PostgresLedger:
    connected = connect(database)
    connected.lock()
    connected.prepare()
    return PostgresLedger(connected, ADDRESSES, **options)


@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("batch", [1, 1000])
def test_postgres_ledger_keeps_its_promises(words: bool, batch: int, database: str) -> None:
    def opened() -> PostgresLedger:
        return in_postgres(database, words=words, batch=batch)

    check_ledger(opened, opened, words=words)


@pytest.mark.parametrize("batch", [1, 1000])
def test_postgres_ledger_keeps_all_that_a_live_crawl_needs(batch: int, database: str) -> None:
    def opened() -> PostgresLedger:
        return in_postgres(database, batch=batch)

    check_crawl_ledger(opened, opened)


class Forgetful(MemoryLedger):
    def append(self, visits: Sequence[Visit]) -> None:
        self.visits[:] = visits


class Backwards(MemoryLedger):
    def append(self, visits: Sequence[Visit]) -> None:
        self.visits.extend(reversed(visits))


class Borrowing(MemoryLedger):
    def append(self, visits: Sequence[Visit]) -> None:
        self.visits = [*self.visits, *visits] if self.visits else cast(list[Visit], visits)


class Deaf(MemoryLedger):
    def read(self, start: int = 0) -> Iterator[Visit]:
        return iter(self.visits)


@pytest.mark.parametrize("kind", [Forgetful, Backwards, Borrowing, Deaf])
def test_check_notices_a_broken_ledger(kind: type[MemoryLedger]) -> None:
    with pytest.raises(AssertionError):
        check_ledger(kind)


def test_check_notices_a_ledger_that_loses_words() -> None:
    with pytest.raises(AssertionError, match="lost its words"):
        check_ledger(lambda: SqliteLedger(":memory:", ADDRESSES, words=False))


def test_check_notices_a_ledger_that_does_not_outlive_its_program() -> None:
    with pytest.raises(AssertionError, match="visits were added"):
        check_ledger(MemoryLedger, MemoryLedger)


@pytest.mark.parametrize("batch", [1, 1000])
def test_sqlite_ledger_keeps_all_that_a_live_crawl_needs(batch: int, tmp_path: Path) -> None:
    def opened() -> SqliteLedger:
        return SqliteLedger(tmp_path / "ledger.sqlite", ADDRESSES, batch=batch)

    check_crawl_ledger(opened, opened)
    check_crawl_ledger(lambda: SqliteLedger(":memory:", ADDRESSES, batch=batch))


class NeverDeferred(SqliteLedger):
    def deferred(self) -> list[Choice]:
        return []


class Listless(SqliteLedger):
    def lists(self) -> list[int]:
        return []


class Uncounted(SqliteLedger):
    def downloads(self) -> int:
        return len(self)


class Oblivious(SqliteLedger):
    def last(self, final: int, before: int | None = None) -> None:
        return None


@pytest.mark.parametrize("kind", [NeverDeferred, Listless, Uncounted, Oblivious])
def test_check_notices_a_ledger_that_no_crawl_can_be_resumed_from(kind: type[SqliteLedger]) -> None:
    with pytest.raises(AssertionError):
        check_crawl_ledger(lambda: kind(":memory:", ADDRESSES))
