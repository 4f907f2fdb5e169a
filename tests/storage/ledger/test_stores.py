"""Where the ledger of a crawl is."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from foragers.storage.ledger.stores import LedgerStore, open_store
from foragers.testing import NumberedAddresses
from foragers.testing.ledgers import sample_visits


def check(store: LedgerStore) -> None:
    """Check a store that holds nothing yet; the ledger is closed, and so is the store."""
    ledger = store.ledger(NumberedAddresses())
    assert store.visits() == 0
    assert not store.has_received()
    ledger.append(sample_visits()[2:4])
    assert store.visits() == 2
    assert store.has_received(), "a server that refuses has responded"
    ledger.close()


def test_a_folder_is_a_store(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    check(store)
    store.tell("{}")
    assert store.told() == ""
    store.clear()
    assert not list(tmp_path.iterdir())


def test_a_database_is_a_store(tmp_path: Path, database: str) -> None:
    check(open_store(tmp_path, database))
    with closing(open_store(tmp_path, database)) as store:
        assert store.visits() == 2
        store.tell('{"seeds": []}')
        assert store.told() == '{"seeds": []}'
        store.clear()
        assert store.visits() == 0
    assert not list(tmp_path.iterdir())


def test_a_folder_without_a_ledger_has_no_visits(tmp_path: Path) -> None:
    assert open_store(tmp_path).visits() == 0
    (tmp_path / "ledger.sqlite").write_text("something else")
    assert open_store(tmp_path).visits() == 0


@pytest.mark.parametrize("again", [False, True])
def test_a_damaged_file_is_not_taken_for_a_crawl_that_received_nothing(
    tmp_path: Path, again: bool
) -> None:
    (tmp_path / "ledger.sqlite").write_text("something else" * 100 * again)
    assert open_store(tmp_path).has_received()
