"""Strategies of the user's: by object, class, module, file, name and entry point."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Protocol, cast

import numpy as np
import pytest

from foragers.cli.main import main
from foragers.core.options import ReplayOptions, Target
from foragers.core.plugins.loading import Given
from foragers.core.types import Choice, HostId, Visit
from foragers.errors import UsageError
from foragers.evaluation.comparison.plan import Plan, compare
from foragers.evaluation.comparison.study import prepare
from foragers.frontier.frontier import Frontier
from foragers.judges.topic import NoTopic
from foragers.strategies import registry
from foragers.strategies.registry import (
    StrategyInputs,
    build,
    info,
    is_safe,
    parse,
    register_strategy,
    resolve,
)
from foragers.worlds.generated import generate
from foragers.worlds.store import save
from support.crawling import serving
from support.hostile_server import page

SOURCE = '''
from dataclasses import dataclass, field
from foragers.frontier.frontier import Frontier
from foragers.types import Choice


@dataclass
class Mine:
    """Fetches in the order of discovery."""

    weight: float = 1.0
    frontier: Frontier = field(default_factory=Frontier)

    def ask(self, n, closed):
        return self.frontier.pop(n, closed)

    def tell(self, visits):
        for visit in visits:
            self.frontier.fetched(visit.page)
            for link in visit.links:
                depth = visit.page.choice.depth + 1
                self.frontier.push(link.url, link.host, self.weight, visit.page.final, depth)
'''


class Plain:
    """A class that is no dataclass."""

    def __init__(self, rng: np.random.Generator | None, weight: float = 2.0) -> None:
        self.rng, self.weight = rng, weight

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        return ()

    def tell(self, visits: Sequence[Visit]) -> None:
        pass


class Weighted(Protocol):
    weight: float


def weight_of(strategy: object) -> float:
    return cast(Weighted, strategy).weight


def brief() -> StrategyInputs:
    return StrategyInputs(NoTopic(), np.random.default_rng(0))


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    file = tmp_path / "mine.py"
    file.write_text(SOURCE)
    return file


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("worlds") / "topics"
    save(generate("topics", 1, 400), folder)
    return folder


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "REGISTRY", {})


def test_a_class_in_a_file_is_built_with_its_parameters(mine: Path) -> None:
    strategy = build(f"{mine}:Mine(weight=3)", brief())
    assert weight_of(strategy) == 3.0
    found = info(f"{mine}:Mine")
    assert (found.origin, found.is_built_in) == (str(mine), False)
    assert not found.revisits
    assert not found.explains
    assert not found.saves
    assert type(pickle.loads(pickle.dumps(strategy))) is type(strategy)


def test_a_class_in_a_module_where_the_user_stands_is_built(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine.rename(mine.with_name("mine_in_a_module.py"))
    monkeypatch.chdir(mine.parent)
    monkeypatch.setattr("sys.path", [*sys.path])
    assert type(build("mine_in_a_module:Mine", brief())).__name__ == "Mine"


def test_a_file_finds_the_modules_beside_it(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    mine.rename(mine.with_name("beside_it.py"))
    other = mine.with_name("other.py")
    other.write_text("from beside_it import Mine\n\n\nclass Other(Mine): ...\n")
    assert weight_of(build(f"{other}:Other(weight=3)", brief())) == 3.0


def test_a_class_that_is_no_dataclass_gets_what_it_asks_for_by_name() -> None:
    spec = resolve(Plain)
    assert spec == f"{__name__}:Plain"
    built = build(spec, brief())
    assert isinstance(built, Plain)
    assert (built.weight, type(built.rng)) == (2.0, np.random.Generator)
    assert parse(f"{__name__}:Plain(weight=4)")[1] == {"weight": 4.0}


def test_an_object_is_copied_for_every_crawl_and_named_by_what_differs() -> None:
    given = Plain(None, 5.0)
    spec = resolve(given)
    assert spec == f"{__name__}:Plain(weight=5.0)"
    first, second = build(spec, brief()), build(spec, brief())
    assert first is not given
    assert first is not second
    assert isinstance(first, Plain)
    assert first.weight == 5.0


def test_what_was_given_goes_to_another_process_with_its_code() -> None:
    @dataclass
    class Local:
        weight: float = 1.0
        frontier: list[int] = field(default_factory=list)

        def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
            return ()

        def tell(self, visits: Sequence[Visit]) -> None:
            pass

    sent = pickle.loads(pickle.dumps(resolve(Local(7.0))))
    assert isinstance(sent, Given)
    built = build(sent, brief())
    assert (type(built).__name__, weight_of(built)) == ("Local", 7.0)


@pytest.mark.usefixtures("names")
def test_a_registered_name_is_a_strategy() -> None:
    register_strategy("plain-one", Plain)
    spec = resolve("plain-one(weight=3)")
    assert weight_of(build(spec, brief())) == 3.0
    assert weight_of(build(pickle.loads(pickle.dumps(spec)), brief())) == 3.0
    assert register_strategy("decorated")(Plain) is Plain
    assert info("decorated").origin == "registered"


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize(
    ("name", "kind", "wrong"),
    [
        ("auto", Plain, "Foragers has a strategy of that name"),
        ("a b", Plain, "use letters, digits"),
        ("mine", Plain(None), "give a class"),
        ("mine", int, "has no method ask"),
    ],
)
def test_what_cannot_be_registered_is_refused(name: str, kind: type, wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong):
        register_strategy(name, kind)


def test_the_entry_points_of_other_packages_are_strategies_and_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = EntryPoint("elsewhere", f"{__name__}:Plain", registry.GROUP)
    monkeypatch.setattr(registry, "installed", lambda _group: {"elsewhere": entry})
    assert type(build("elsewhere(weight=1)", brief())) is Plain
    assert main(["strategies"]) == 0
    assert "elsewhere" in capsys.readouterr().out
    with pytest.raises(UsageError, match="did you mean 'elsewhere'"):
        parse("elsewere")


def test_code_that_only_a_folder_names_is_not_safe_to_ask() -> None:
    assert is_safe("best-first(inherit=0.5)")
    for spec in ("os:system", "evil.py:Evil", "elsewhere", "evil.py:Evil(x=1)"):
        assert not is_safe(spec)


@pytest.mark.parametrize("processes", [1, 2])
def test_own_strategies_are_compared_here_and_in_worker_processes(
    mine: Path, world: Path, processes: int
) -> None:
    base = ReplayOptions(str(world), "", Target(topic="robot sensor"), budget=40)
    specs = (f"{mine}:Mine", resolve(Own(0.5)), "best-first")
    plan = Plan(base, specs, processes=processes)
    plan.check()
    study = prepare(base)
    study.score()
    found = compare(plan, study).strategies
    assert [found[spec].runs[0].downloads for spec in specs] == [40, 40, 40]


@dataclass
class Own:
    """In the order of discovery."""

    weight: float = 1.0
    frontier: Frontier = field(default_factory=Frontier)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        return self.frontier.pop(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        for visit in visits:
            self.frontier.fetched(visit.page)
            for link in visit.links:
                depth = visit.page.choice.depth + 1
                self.frontier.push(link.url, link.host, self.weight, visit.page.final, depth)


def test_explain_runs_no_code_that_only_the_folder_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text("open('ran', 'w').close()\n" + SOURCE)
    out = tmp_path / "out"
    with serving({"/a": page("/b"), "/b": page()}) as server:
        words = ["crawl", server.url("/"), "--strategy", "breadth-first", "--out", str(out)]
        assert main([*words, "--delay", "0", "--allow-private", "127.0.0.0/8"]) == 0
        told = (out / "crawl.json").read_text().replace('"breadth-first"', '"evil.py:Mine"')
        (out / "crawl.json").write_text(told)
        for extra, ran in (([], False), (["--strategy", "evil.py:Mine"], True)):
            assert main(["explain", str(out), server.url("/b"), *extra]) == 0
            assert (tmp_path / "ran").exists() is ran
    assert "evil.py:Mine is no part of foragers" in capsys.readouterr().out


def test_the_command_line_compares_files_and_judges_by_a_file(
    mine: Path, world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = mine.with_name("judging.py")
    judge.write_text("def long(page):\n    return len(page.text) > 100\n")
    words = ["compare", str(world), "--strategies", f"random,{mine}:Mine(weight=2)"]
    assert main([*words, "--judge", f"{judge}:long", "--budget", "20", "--jobs", "1"]) == 0
    judge.write_text("def long(page):\n    return page.no_such_thing\n")
    for name in [name for name in sys.modules if name.startswith("foragers_file_judging")]:
        del sys.modules[name]
    assert main([*words, "--judge", f"{judge}:long", "--budget", "20", "--jobs", "1"]) == 2
    assert "no_such_thing', line 2)" in capsys.readouterr().err
