"""Every registered strategy keeps the promises of a strategy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import msgspec
import numpy as np
import pytest

from foragers.core.protocols import Judge, Strategy
from foragers.core.types import Choice, HostId, Visit
from foragers.frontier.frontier import Frontier
from foragers.judges.build import topic_of
from foragers.judges.keywords import Keywords
from foragers.judges.simple import LabelJudge
from foragers.strategies.registry import STRATEGIES, StrategyInputs, build, parameters
from foragers.testing import check_strategy
from foragers.worlds.archive import Archive
from foragers.worlds.oracle import ArchiveOracle
from foragers.worlds.replay import Recorded
from support.random_worlds import random_world

ARCHIVE = random_world(1)
EVOLVING = random_world(2, changes=30)
WANTED = frozenset(ARCHIVE.labels.urls["wanted"].tolist())


def with_a_parameter(name: str) -> str:
    """Return a strategy with its first number set to something unusual."""
    for key, (kind, default) in parameters(STRATEGIES[name]).items():
        if kind in (int, float):
            return f"{name}({key}={kind(default * 0.7 + (kind is int))})"
    return name


NAMES = {STRATEGIES[name]: name for name in STRATEGIES}.values()
"""A strategy that has two names is checked under one of them."""
SPECS = sorted({*NAMES, *map(with_a_parameter, NAMES)})


def maker(spec: str, archive: Archive, judge: Judge, since: float | None) -> Callable[[], Strategy]:
    def make() -> Strategy:
        wanted = frozenset(archive.labels.urls["wanted"].tolist())
        oracle = ArchiveOracle(archive, wanted, since)
        return build(spec, StrategyInputs(topic_of(judge), np.random.default_rng(3), oracle))

    return make


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("judge", [LabelJudge(WANTED), Keywords("prawn reef tide")], ids=repr)
def test_strategy_keeps_its_promises_in_a_world_that_stands_still(spec: str, judge: Judge) -> None:
    check_strategy(
        maker(spec, ARCHIVE, judge, None), lambda: Recorded(ARCHIVE, connections=5), judge
    )


@pytest.mark.parametrize("spec", SPECS)
def test_strategy_keeps_its_promises_in_a_world_that_changes(spec: str) -> None:
    judge = Keywords("prawn reef tide")
    check_strategy(
        maker(spec, EVOLVING, judge, 0.5), lambda: Recorded(EVOLVING, 0.5, connections=3), judge
    )


@dataclass(slots=True)
class Broken:
    """Breadth-first with something wrong, to see that the checks notice."""

    frontier: Frontier = field(default_factory=Frontier)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        return self.frontier.pop(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        for visit in visits:
            page = visit.page
            self.frontier.fetched(page)
            self.frontier.extend(page.links, 1.0, page.final, page.choice.depth + 1)


class Greedy(Broken):
    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        return self.frontier.pop(n + 1, closed)


class Impolite(Broken):
    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        return self.frontier.pop(n, set())


class Forgetful(Broken):
    def tell(self, visits: Sequence[Visit]) -> None:
        for visit in visits:
            self.frontier = Frontier()
            self.frontier.extend(
                visit.page.links, 1.0, visit.page.final, visit.page.choice.depth + 1
            )


class Endless(Broken):
    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        choices = self.frontier.pop(n, closed)
        return [msgspec.structs.replace(choice, promise=float("inf")) for choice in choices]


class Rootless(Broken):
    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        return [
            msgspec.structs.replace(one, depth=one.depth + 1)
            for one in self.frontier.pop(n, closed)
        ]


class Moody(Broken):
    moods = np.random.default_rng(1)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        return self.frontier.pop(min(n, int(self.moods.integers(n + 1))), closed)


@dataclass
class Unpacked(Broken):
    secret: object = field(default_factory=lambda: lambda: None)


@dataclass
class Amnesic(Broken):
    def __reduce__(self) -> tuple[type[Broken], tuple[()]]:
        return (Amnesic, ())


class Fragile(Broken):
    def tell(self, visits: Sequence[Visit]) -> None:
        for visit in visits:
            if visit.page.status == "missing":
                raise KeyError(visit.url)
        Broken.tell(self, visits)


@pytest.mark.parametrize(
    ("kind", "complaint"),
    [
        (Greedy, "was asked for"),
        (Impolite, "closed host"),
        (Forgetful, "twice"),
        (Endless, "promise inf"),
        (Rootless, "at depth"),
        (Moody, "the same seed"),
        (Unpacked, "cannot be pickled"),
        (Amnesic, "going on unpickled"),
        (Fragile, "failed when told: KeyError"),
    ],
)
def test_check_notices_a_broken_strategy(kind: type, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_strategy(kind, lambda: Recorded(ARCHIVE, connections=5), LabelJudge(WANTED))


def test_check_lets_a_strategy_revisit_that_may() -> None:
    with pytest.raises(AssertionError, match="twice"):
        check_strategy(Forgetful, lambda: Recorded(ARCHIVE), LabelJudge(WANTED))
    check_strategy(Forgetful, lambda: Recorded(ARCHIVE), LabelJudge(WANTED), revisits=True)
