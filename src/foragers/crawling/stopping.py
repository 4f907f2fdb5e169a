"""When a crawl has found enough: what is seen as it goes, and the user's wish to stop by it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from foragers.core.display import counted
from foragers.core.types import Status, Visit
from foragers.errors import UsageError
from foragers.evaluation.metrics.recall import FITTED, Estimate, Law, estimate
from foragers.evaluation.metrics.sightings import Sightings

LONGEST_WINDOW = 1_000_000
EVERY, SHARE = 20, 0.02
"""An estimate is made after so many downloads, or this share of all: it costs a little."""


class Rate(msgspec.Struct, frozen=True):
    """So many relevant pages in so many downloads."""

    pages: int
    downloads: int


def rate_of(text: str) -> Rate:
    """Read `1/200`."""
    found = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text, re.ASCII)
    rate = Rate(*map(int, found.groups())) if found else Rate(0, 0)
    if not 1 <= rate.pages <= rate.downloads <= LONGEST_WINDOW:
        raise UsageError(
            f"--until-yield {text}: write PAGES/DOWNLOADS; 1/200 stops a crawl when its last"
            " 200 downloads found fewer than 1 relevant page"
        )
    return rate


@dataclass(frozen=True)
class StopRules:
    """What a user takes as enough: a share of all there is, or too little for the effort."""

    recall: float | None = None
    rate: Rate | None = None

    @classmethod
    def of(cls, recall: float | None, text: str | None) -> StopRules:
        """Read the options, or say in one line what is wrong with them."""
        if recall is not None and not 0 < recall <= 1:
            raise UsageError(f"--until-recall {recall:g}: must be above 0 and at most 1, like 0.9")
        return cls(recall, None if text is None else rate_of(text))

    def reason(self, lookout: RecallMonitor) -> str:
        """Return why a crawl may stop; nothing as long as it may not."""
        latest, seen, rate = lookout.latest, lookout.sightings, self.rate
        if self.recall is not None and latest is not None:
            what = "lower end of the interval for" if lookout.law.narrow else "estimated"
            if latest.reaches(self.recall, lookout.law):
                return f"the {what} recall has reached {self.recall:g} (--until-recall): {latest}"
        if rate is not None and seen.downloads >= rate.downloads:
            found = seen.found_lately(rate.downloads)
            if found < rate.pages:
                return (
                    f"the last {counted(rate.downloads, 'download')} found {found:,} relevant"
                    f" pages, fewer than {rate.pages:,} (--until-yield)"
                )
        return ""


@dataclass
class RecallMonitor:
    """Sees every visit, and knows at any time how much there may be left to find.

    `wanted` says what the judge lets pass.  The `latest` estimate is made at fixed numbers of
    downloads, so that a crawl which was taken up again comes to the same one.
    """

    sightings: Sightings = field(default_factory=Sightings)
    latest: Estimate | None = None
    law: Law = FITTED
    wanted: str = ""
    _next: int = EVERY

    def watch(self, visits: Sequence[Visit]) -> None:
        """Take in some visits."""
        for visit in visits:
            self.sightings.watch((visit,))
            downloads = self.sightings.downloads
            if downloads >= self._next and visit.page.status is not Status.SKIPPED:
                self.latest = self.estimate()
                self._next = downloads + max(EVERY, int(SHARE * downloads))

    def estimate(self) -> Estimate:
        """Return the estimate as of now."""
        told = estimate(self.sightings, self.law)
        return msgspec.structs.replace(told, wanted=self.wanted)
