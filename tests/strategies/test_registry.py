"""Strategies by name."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields

import numpy as np
import pytest

from foragers.core.protocols import Strategy
from foragers.core.types import Choice, HostId, Visit
from foragers.errors import UsageError
from foragers.judges.topic import NoTopic
from foragers.strategies import registry
from foragers.strategies.registry import STRATEGIES, StrategyInputs, build, parameters, parse, split
from foragers.worlds.oracle import ArchiveOracle
from support.worlds_by_hand import small_world

ORACLE = ArchiveOracle(small_world({"a": []}), frozenset({0}), None)


def brief() -> StrategyInputs:
    return StrategyInputs(NoTopic(), np.random.default_rng(1), ORACLE)


@dataclass
class Fussy:
    """Takes a parameter of every kind."""

    flag: bool = False
    count: int = 1
    share: float = 0.5
    name: str = "x"
    table: list[int] = field(default_factory=list)
    _hidden: int = 0

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        return ()

    def tell(self, visits: Sequence[Visit]) -> None:
        pass


@pytest.fixture
def fussy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "STRATEGIES", {**STRATEGIES, "fussy": Fussy})


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_can_be_built_shown_and_pickled(name: str) -> None:
    strategy = build(name, brief())
    assert isinstance(strategy, Strategy)
    assert type(strategy).__name__ in repr(strategy)
    assert type(pickle.loads(pickle.dumps(strategy))) is type(strategy)


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_parameter_can_be_set_from_its_own_default(name: str) -> None:
    for key, (kind, default) in parameters(STRATEGIES[name]).items():
        if default is None:
            continue  # a model, of which there is none by default
        shown = repr(default) if kind is str else default
        assert parse(f"{name}({key}={shown})") == (name, {key: default})


@pytest.mark.parametrize("name", STRATEGIES)
def test_constructors_store_and_do_nothing_else(name: str) -> None:
    assert "__post_init__" not in vars(STRATEGIES[name])
    assert {field.name for field in fields(STRATEGIES[name])}.isdisjoint({"seed"})


def test_name_alone_and_with_parameters() -> None:
    assert parse("breadth-first") == ("breadth-first", {})
    assert parse(" best-first ( inherit = 0.25 ) ") == ("best-first", {"inherit": 0.25})
    assert parse("best-first()") == ("best-first", {})
    assert parse("best-first(inherit=1)") == ("best-first", {"inherit": 1.0})
    assert type(parse("best-first(inherit=1)")[1]["inherit"]) is float
    assert parse("shark-search(beta=.5, delta=1e-3,)")[1] == {"beta": 0.5, "delta": 0.001}
    assert getattr(build("best-first(inherit=0.25)", brief()), "inherit") == 0.25  # noqa: B009


@pytest.mark.usefixtures("fussy")
@pytest.mark.parametrize(
    ("written", "given"),
    [
        ("flag=true", {"flag": True}),
        ("flag=False", {"flag": False}),
        ("count=-3", {"count": -3}),
        ("share=2", {"share": 2.0}),
        ("name=word", {"name": "word"}),
        ("name='two, words'", {"name": "two, words"}),
        ('name="x=(1, 2)"', {"name": "x=(1, 2)"}),
        ("name=12", {"name": "12"}),
        ("name=inner(a=1, b=2), count=4", {"name": "inner(a=1, b=2)", "count": 4}),
    ],
)
def test_values_are_read_as_their_parameter_needs_them(
    written: str, given: dict[str, object]
) -> None:
    assert parse(f"fussy({written})") == ("fussy", given)


@pytest.mark.usefixtures("fussy")
@pytest.mark.parametrize(
    ("spec", "remedy"),
    [
        ("", "NAME(param=value, ...)"),
        ("best-first(inherit=0.5", "NAME(param=value, ...)"),
        ("best-first)", "NAME(param=value, ...)"),
        ("a b", "NAME(param=value, ...)"),
        ("best-frist", "did you mean 'best-first'?"),
        ("zzz", "there are auto, breadth-first"),
        ("best-first(inherti=0.5)", "did you mean 'inherit'?"),
        ("best-first(zzz=1)", "there are inherit"),
        ("breadth-first(zzz=1)", "it has none"),
        ("best-first(0.5)", "write '0.5' as param=value"),
        ("best-first(inherit=high)", "inherit must be a number, not 'high'"),
        ("best-first(inherit=)", "inherit must be a number, not ''"),
        ("best-first(inherit=None)", "must be a number"),
        ("best-first(frontier=1)", "has no parameter 'frontier'"),
        ("best-first(topic=x)", "has no parameter 'topic'"),
        ("fussy(count=1.5)", "count must be a whole number, not '1.5'"),
        ("fussy(count=True)", "count must be a whole number"),
        ("fussy(flag=1)", "flag must be True or False, not '1'"),
        ("fussy(_hidden=1)", "has no parameter '_hidden'"),
        ("fussy(count=1, count=2)", "count"),
        ("best-first(inherit=nan)", "inherit must be"),
        ("best-first(inherit=1e999)", "inherit must be"),
    ],
)
def test_wrong_strategy_is_refused_in_one_line_with_a_remedy(spec: str, remedy: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(spec)
    message = str(caught.value)
    assert remedy in message
    assert "\n" not in message


def test_strategy_that_needs_an_oracle_says_where_to_get_one() -> None:
    with pytest.raises(UsageError, match="foragers compare"):
        build("optimal", StrategyInputs(NoTopic(), np.random.default_rng(1)))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("a=1", ["a=1"]),
        ("a=1,b=2", ["a=1", "b=2"]),
        ("a=(1,2),b=[]", ["a=(1,2)", "b=[]"]),
        ("a='x,y',b=\"z,w\"", ["a='x,y'", 'b="z,w"']),
        (" , ,", []),
    ],
)
def test_parameters_are_split_at_commas_that_stand_alone(text: str, parts: list[str]) -> None:
    assert list(split(text)) == parts
