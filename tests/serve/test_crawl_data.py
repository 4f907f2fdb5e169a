"""What is shown of a crawl grows with its ledger."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from foragers.core.types import Choice
from foragers.serve.crawl_data import CrawlData
from foragers.serve.page_index import Wishes, quoted
from foragers.serve.settings import ServeSettings
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.testing import NumberedAddresses
from foragers.testing.ledgers import sample


def test_pages_are_added_as_the_ledger_grows(tmp_path: Path) -> None:
    data = CrawlData(tmp_path, replace(ServeSettings(), refresh=0.0, per_page=3))
    with closing(SqliteLedger(tmp_path / "ledger.sqlite", NumberedAddresses())) as ledger:
        for length in (2, 5):
            while len(ledger) < length:
                number = len(ledger)
                ledger.append([sample(Choice(number, 0, float(number)), time=float(number))])
            assert data.look().length == length
            assert data.index.find(Wishes(every=True))[1] == length
    assert len(data.index.find(Wishes(every=True))[0]) == 3
    assert len(data.index.find(Wishes(every=True, page=2))[0]) == 2
    data.close()


@pytest.mark.parametrize("words", ["tea OR", '"', "a* -b", "title:x", "(", "NEAR(a b)"])
def test_operators_of_the_search_are_plain_words(tmp_path: Path, words: str) -> None:
    data = CrawlData(tmp_path)
    with closing(SqliteLedger(tmp_path / "ledger.sqlite", NumberedAddresses())) as ledger:
        ledger.append([sample(Choice(0, 0))])
    data.look()
    data.index.find(Wishes(words=words))
    assert quoted('a "b c') == '"a" "b" "c"'
    data.close()
