"""Contract checks for strategies, worlds and ledgers, ours and yours.

    check_strategy(lambda: MyStrategy(seed=1), lambda: Recorded(archive), judge)
    check_world(lambda: Recorded(archive, connections=4))
    check_ledger(lambda: MyLedger(path), reopen=lambda: MyLedger(path))
    check_crawl_ledger(lambda: MyLedger(path), reopen=lambda: MyLedger(path))

Each check raises an AssertionError that names in one sentence the rule that is broken.  The checks
take functions that make new objects, since most rules are about repeating a call.
"""

from foragers.testing.faults import (
    Barren,
    Late,
    ListedOnly,
    Lossy,
    Seedless,
    Shuffled,
    Tangled,
    Unkept,
    Vanished,
)
from foragers.testing.ledgers import (
    NumberedAddresses,
    check_crawl_ledger,
    check_ledger,
    sample_visits,
)
from foragers.testing.strategies import check_strategy
from foragers.testing.worlds import check_world

__all__ = [
    "Barren",
    "Late",
    "ListedOnly",
    "Lossy",
    "NumberedAddresses",
    "Seedless",
    "Shuffled",
    "Tangled",
    "Unkept",
    "Vanished",
    "check_crawl_ledger",
    "check_ledger",
    "check_strategy",
    "check_world",
    "sample_visits",
]
