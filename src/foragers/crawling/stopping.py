"""Stop rules: the user's limits on recall and yield, and the estimates they need."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from foragers.core.display import counted
from foragers.core.types import Status, Visit
from foragers.errors import UsageError
from foragers.evaluation.metrics.fitted import FITTED, has_own_law
from foragers.evaluation.metrics.laws import Law
from foragers.evaluation.metrics.plan import FIRST_PLAN, BudgetPlan, PlanLaw, account, is_due, plan
from foragers.evaluation.metrics.recall import Estimate, accepted_by, combined, parts_of
from foragers.evaluation.metrics.sightings import Sightings

LONGEST_WINDOW = 1_000_000
"""The largest number of downloads in --until-yield."""
EVERY, SHARE = 20, 0.02
"""An estimate is made every 20 downloads, or 2 % of all if that is more; CPU."""


class Rate(msgspec.Struct, frozen=True):
    """A number of relevant pages in a number of downloads."""

    pages: int
    downloads: int


def rate_of(text: str) -> Rate:
    """Parse a rate such as `1/200`."""
    match = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text, re.ASCII)
    rate = Rate(*map(int, match.groups())) if match else Rate(0, 0)
    if not 1 <= rate.pages <= rate.downloads <= LONGEST_WINDOW:
        raise UsageError(
            f"--until-yield {text}: write PAGES/DOWNLOADS; 1/200 stops a crawl when its last"
            " 200 downloads found fewer than 1 relevant page"
        )
    return rate


@dataclass(frozen=True)
class StopRules:
    """When to stop: at an estimated recall, or when too few pages are found."""

    recall: float | None = None
    rate: Rate | None = None

    @classmethod
    def of(cls, recall: float | None, text: str | None) -> StopRules:
        """Parse the options; a UsageError says what is wrong with them."""
        if recall is not None and not 0 < recall <= 1:
            raise UsageError(f"--until-recall {recall:g}: must be above 0 and at most 1, like 0.9")
        return cls(recall, None if text is None else rate_of(text))

    def cautions(self, strategy: str) -> list[str]:
        """Return what a user must know before trusting the rules with a strategy."""
        if self.recall is None or has_own_law(strategy):
            return []
        return [
            "--until-recall was calibrated for auto; with other strategies too few crawls were"
            " measured: 7 of 9 stops were right, and 10 of 18 crawls that reached the recall went"
            " on; --until-yield stops them all"
        ]

    def reason(self, monitor: RecallMonitor) -> str:
        """Return why a crawl stops, or "" if it goes on."""
        latest, seen, rate = monitor.latest, monitor.sightings, self.rate
        if self.recall is not None and latest is not None and latest.reaches(self.recall):
            return (
                f"the recall has very likely reached {self.recall:g} (--until-recall): {latest};"
                f" counted are the pages accepted by {accepted_by(latest.wanted)}"
            )
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
    """Sees every visit, and estimates the number of relevant pages.

    `wanted` describes the pages that count as relevant, and `budget` is the number of downloads to
    plan for, 0 if there is none.  The `latest` estimate is made at fixed numbers of downloads, so
    that a resumed crawl makes the same one; some of its `plans` are kept, to account for them.  An
    idle monitor remembers nothing.
    """

    sightings: Sightings = field(default_factory=Sightings)
    latest: Estimate | None = None
    law: Law = FITTED
    plan_law: PlanLaw | None = None
    wanted: str = ""
    budget: int = 0
    is_idle: bool = False
    plans: list[BudgetPlan] = field(default_factory=list)
    _next: int = EVERY

    def watch(self, visits: Sequence[Visit]) -> None:
        """Add visits."""
        for visit in () if self.is_idle else visits:
            self.sightings.watch((visit,))
            downloads = self.sightings.downloads
            if downloads >= self._next and visit.page.status is not Status.SKIPPED:
                self.latest = self.estimate()
                self._next = downloads + max(EVERY, int(SHARE * downloads))
                if self.latest.plans and is_due(self.plans, downloads, self.budget):
                    self.plans.append(self.latest.plans[0])

    def estimate(self) -> Estimate:
        """Return the current estimate, with what the budget and twice the budget will find."""
        seen = self.sightings
        counts = parts_of(seen)
        current = combined(counts, self.law)
        ahead = [budget for budget in (self.budget, 2 * self.budget) if budget > seen.downloads]
        is_time = seen.downloads >= FIRST_PLAN and seen.waiting
        return msgspec.structs.replace(
            current,
            wanted=self.wanted,
            plans=tuple(
                plan(counts, self.plan_law, seen.downloads, budget, current.withheld)
                for budget in (ahead if is_time else ())
            ),
            planned=account(self.plans, seen.downloads, seen.found_at, current.recall),
        )
