"""A crawl folder that is read while the crawl begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from foragers.errors import UsageError
from foragers.reports.crawl_folder import opened


def test_a_crawl_that_has_not_begun_is_not_called_damaged(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").touch()
    with pytest.raises(UsageError, match="has no visits yet"), opened(tmp_path):
        pass
