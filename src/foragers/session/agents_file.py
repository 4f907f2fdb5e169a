"""The ledger of births and deaths of a crawl: `agents.npz`, for strategies that are populations.

It is written whole at each checkpoint and at the end, from the strategy as it stands then, so
that it is right after a crawl was taken up.  docs/crawl-folder.md tells its columns.  The
ledger itself is told too, for who would rather ask it.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np

from foragers.files import write
from foragers.fleet.census import Populous
from foragers.ledger.sqlite import SqliteLedger
from foragers.protocols import Strategy

NAME = "agents.npz"


def keep_agents(folder: Path, strategy: Strategy, ledger: SqliteLedger) -> None:
    """Write down who lived when, if the strategy is a population."""
    census = strategy.census() if isinstance(strategy, Populous) else None
    if census is None:
        return
    packed = BytesIO()
    np.savez_compressed(packed, allow_pickle=False, **census.columns())
    write(folder / NAME, packed.getvalue())
    ledger.keep_census(census)
