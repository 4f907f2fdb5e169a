"""How much of what there is a crawl has found, from its folder."""

from __future__ import annotations

from typing import Any

import msgspec

from foragers.files import read
from foragers.measures.remaining import Estimate, law_of
from foragers.reporting.folder import OPTIONS, CrawlFolder
from foragers.reporting.retelling import FromLedger, visits_before
from foragers.session.stopping import Lookout

HAS_LINKS = "SELECT 1 FROM visits WHERE words IS NOT NULL LIMIT 1"


def estimate_of(folder: CrawlFolder) -> Estimate | None:
    """Return the estimate of a crawl; None where it cannot be made.

    A crawl that has ended has written it down; that of one under way, or killed, is made
    again from the links in its ledger.  Of what is new there is no end.
    """
    strategy = wanted = ""
    try:
        told = msgspec.json.decode(read(folder.path / OPTIONS), type=dict[str, Any])
        aim, strategy = told.get("aim"), str(told.get("strategy", ""))
        wanted = str(told.get("wanted") or "")
        if isinstance(aim, dict) and aim.get("new_within"):
            return None
        if told.get("estimate") is not None:
            return msgspec.convert(told["estimate"], Estimate)
    except (OSError, ValueError, RecursionError):
        pass
    if folder.connection.execute(HAS_LINKS).fetchone() is None:
        return None
    lookout = Lookout(law=law_of(strategy), wanted=wanted)
    for visit in visits_before(folder, FromLedger(folder), folder.length + 1):
        lookout.watch([visit])
    return lookout.estimate()
