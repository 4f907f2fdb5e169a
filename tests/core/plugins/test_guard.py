"""Strategies of the user's that break: one line that names file and line, and nothing is lost."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from math import inf, nan
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

import foragers
from foragers import UsageError
from foragers.cli.main import main
from foragers.core.plugins.guard import StrategyGuard
from foragers.core.types import Choice, HostId, Purpose, Visit
from foragers.urls.table import UrlTable
from foragers.worlds.store import save
from support.crawling import serving
from support.hostile_server import page
from support.worlds_by_hand import small_world

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
ASK = "return self.frontier.pop(n, closed)"


def asking(answer: str) -> str:
    return SOURCE.replace(ASK, answer)


def telling(first: str) -> str:
    return SOURCE.replace("for link in", f"{first}\n            for link in")


UNUSABLE = {
    "import nothing_like_it\n" + SOURCE: "No module named 'nothing_like_it', line 1",
    "x = (\n" + SOURCE: "SyntaxError: '(' was never closed, line 1",
    "import sys; sys.exit(3)\n" + SOURCE: "SystemExit: 3, line 1",
    SOURCE + "raise ValueError('two\\nlines')\n": "ValueError: two lines, line 23",
    SOURCE.replace("def ask(", "def askk("): "has no method ask ({file}, line 7)",
    SOURCE.replace("def tell(", "def tel("): "has no method tell ({file}, line 7)",
    SOURCE.replace("class Mine", "class Yours"): "{file} has no class Mine",
    SOURCE + "Mine = 7\n": "not a class, but 7",
    SOURCE.replace("weight: float = 1.0", "weight: float"): "cannot be made (TypeError",
    SOURCE + "\n    def __post_init__(self):\n        1 / 0\n": (
        "cannot be made (ZeroDivisionError: division by zero; {file}, line 25); mend the strategy"
    ),
    SOURCE + "\n    def check(self):\n        1 / 0\n": (
        "check() failed (ZeroDivisionError: division by zero; {file}, line 25)"
    ),
}
"""Files of which nothing can be made: no crawl begins."""
BROKEN = {
    asking("return 7"): "ask() failed (TypeError: 'int' object is not iterable; {file}, line 14)",
    asking("return None"): "ask() returned None",
    asking("raise KeyError(n)"): "ask() failed (KeyError: 1; {file}, line 15)",
    asking("raise SystemExit"): "ask() failed (SystemExit; {file}, line 15)",
    asking("yield from self.frontier.pop(n, closed); 1 / 0"): "ask() failed (ZeroDivisionError",
    asking("return [7]"): "ask() returned int 7, not a Choice ({file}, line 14)",
    asking("return 'abc'"): "ask() returned str 'a', not a Choice",
    asking("return [Choice(999999, 0)]"): "URL number 999999, of which it was never told",
    asking("return [Choice(-1, 0)]"): "URL number -1, of which it was never told",
    asking("return [Choice(0, 55)]"): "URL number 0 with host 55, which is not its host",
    asking("return [Choice(0, 0, float('nan'))]"): "with promise nan, which is no finite number",
    asking("return [Choice('0', 0)]"): "a choice whose url is '0', not an integer",
    asking("return [*self.frontier.pop(n, closed)] * 3"): "more choices than it was asked for (1)",
    asking("while True: yield Choice(0, 0)"): "more choices than it was asked for (1)",
    SOURCE.replace("def tell(self, visits)", "def tell(self)"): "tell() failed (TypeError",
    telling("1 / 0"): "tell() failed (ZeroDivisionError: division by zero; {file}, line 20)",
    telling("1 / (visit.page.choice.depth < 0)"): "tell() failed (ZeroDivisionError",
}
"""Files that break when the crawl has begun."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "broken.py"


@pytest.fixture
def world(tmp_path: Path) -> Path:
    save(small_world({"home": ["a", "b"], "a": ["b"], "b": []}), tmp_path / "world")
    return tmp_path / "world"


def crawling(file: Path, out: Path, seed: str) -> list[str]:
    words = ["crawl", seed, "--strategy", f"{file}:Mine", "--out", str(out)]
    return [*words, "--delay", "0", "--allow-private", "127.0.0.0/8"]


def only_line(capsys: pytest.CaptureFixture[str]) -> str:
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith("foragers: ")
    return line.removeprefix("foragers: ")


def in_python(line: str, file: Path) -> str:
    return line.replace(f"--strategy {file}:Mine: ", f"strategy={f'{file}:Mine'!r}: ")


def visits_in(out: Path) -> int:
    """Return the number of visits of a sound ledger; each has its response in a sound WARC file."""
    ledger = sqlite3.connect(out / "ledger.sqlite")
    assert ledger.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    visits = int(ledger.execute("SELECT count(*) FROM visits").fetchone()[0])
    ledger.close()
    archived = 0
    for warc in (out / "warc").glob("*.warc.gz"):
        with warc.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                record.content_stream().read()
                archived += record.rec_type == "response"
    assert archived >= visits
    return visits


@pytest.mark.parametrize("source", UNUSABLE, ids=list(UNUSABLE.values()))
def test_a_file_of_which_nothing_can_be_made_is_refused_before_anything_is_written(
    source: str, file: Path, world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(source)
    told, out = UNUSABLE[source].format(file=file), tmp_path / "out"
    assert main(crawling(file, out, "http://127.0.0.1:9/")) == 2
    assert told in only_line(capsys)
    words = ["compare", str(world), "--strategies", f"{file}:Mine", "--jobs", "1"]
    assert main([*words, "--out", str(out)]) == 2
    assert told in only_line(capsys)
    with pytest.raises(UsageError) as live:
        foragers.crawl("http://127.0.0.1:9/", strategy=f"{file}:Mine", out=out).run()
    with pytest.raises(UsageError) as replayed:
        foragers.compare(world, strategies=[f"{file}:Mine"])
    for error in (live, replayed):
        assert told in str(error.value)
        assert "--" not in str(error.value)
    assert not (out / "ledger.sqlite").exists()


@pytest.mark.parametrize("source", BROKEN, ids=list(BROKEN.values()))
def test_a_strategy_that_breaks_ends_the_crawl_with_one_line_and_nothing_is_lost(
    source: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(source)
    told, out = BROKEN[source].format(file=file), tmp_path / "out"
    with serving({"/a": page("/b"), "/b": page()}) as server:
        assert main(crawling(file, out, server.url("/"))) == 2
        line = only_line(capsys)
        assert told in line
        assert f"{file}, line " in line
        assert line.startswith(f"--strategy {file}:Mine: ")
        assert line.endswith("mend the strategy and run again; what was fetched is kept")
        fetched = visits_in(out)
        assert fetched == ("depth" in line or "1 / (visit" in source)
        options = {"delay": 0, "allow_private": "127.0.0.0/8"}
        crawl: Callable[..., foragers.LiveCrawl] = foragers.crawl
        found = crawl(server.url("/"), strategy=f"{file}:Mine", out=tmp_path / "again", **options)
        with pytest.raises(UsageError) as error:
            found.run()
        assert str(error.value) == in_python(line, file)
        assert not found.running
        assert found.summary.downloads == visits_in(tmp_path / "again") == fetched


@pytest.mark.parametrize("source", BROKEN, ids=list(BROKEN.values()))
def test_a_strategy_that_breaks_ends_a_comparison_with_one_line(
    source: str, file: Path, world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(source)
    told = BROKEN[source].format(file=file)
    words = ["compare", str(world), "--topic", "tea", "--jobs", "1", "--out", str(tmp_path / "out")]
    assert main([*words, "--strategies", f"random,{file}:Mine"]) == 2
    line = only_line(capsys)
    assert told in line
    assert f"{file}, line " in line
    assert line.endswith("mend the strategy and run again")
    with pytest.raises(UsageError) as error:
        foragers.compare(world, "tea", strategies=["random", f"{file}:Mine"])
    assert str(error.value) == in_python(line, file)
    kept = sorted(path.name for path in (tmp_path / "out" / "ledgers").iterdir())
    assert "random-0.sqlite" in kept, "the run that was done"
    assert not [name for name in kept if "broken" in name], "and nothing of the other"
    file.write_text(SOURCE)
    forget("broken")
    assert main([*words, "--strategies", f"random,{file}:Mine"]) == 0


def test_the_line_comes_from_a_worker_process_too(
    file: Path, world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(telling("1 / 0"))
    words = ["compare", str(world), "--topic", "tea", "--jobs", "2"]
    assert main([*words, "--strategies", f"random,{file}:Mine"]) == 2
    assert f"ZeroDivisionError: division by zero; {file}, line 20" in only_line(capsys)


def test_the_line_of_a_method_that_is_inherited_is_named(
    file: Path, world: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    file.with_name("inherited_from.py").write_text(telling("1 / 0"))
    file.write_text("from inherited_from import Mine as Other\n\n\nclass Mine(Other): ...\n")
    words = ["compare", str(world), "--topic", "tea", "--jobs", "1"]
    assert main([*words, "--strategies", f"{file}:Mine"]) == 2
    assert f"; {file.with_name('inherited_from.py')}, line 20)" in only_line(capsys)


def forget(name: str) -> None:
    """Let a file be loaded anew, as another process would."""
    for module in [one for one in sys.modules if one.startswith(f"foragers_file_{name}")]:
        del sys.modules[module]


def test_a_crawl_goes_on_when_its_strategy_is_mended(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(telling("1 / (visit.page.choice.depth < 0)"))
    with serving({"/a": page("/b"), "/b": page()}) as server:
        words = crawling(file, tmp_path / "out", server.url("/"))
        assert main(words) == 2
        file.write_text(SOURCE)
        forget("broken")
        assert main(words) == 0
        assert server.paths.count("/") == 1, "the page that was fetched is not fetched again"
    assert "going on with" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("def census(self):\n        1 / 0", "census() failed (ZeroDivisionError"),
        ("def learned(self, addresses):\n        1 / 0", "learned() failed (ZeroDivisionError"),
    ],
)
def test_what_a_strategy_cannot_say_at_the_end_is_told_and_the_crawl_is_whole(
    more: str, told: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(f"{SOURCE}\n    model_kind = ('mine', 1)\n\n    {more}\n")
    with serving({"/a": page("/b"), "/b": page()}) as server:
        words = crawling(file, tmp_path / "out", server.url("/"))
        learned = ["--learned", str(tmp_path / "learned")] if "learned" in more else []
        assert main([*words, *learned]) == 2
    line = only_line(capsys)
    assert told in line
    assert f"{file}, line 27" in line
    assert visits_in(tmp_path / "out") == 3


class Stubborn:
    """A strategy that answers the same whatever it is asked."""

    def __init__(self, *choices: Choice) -> None:
        self.choices = choices

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        return self.choices

    def tell(self, visits: Sequence[Visit]) -> None:
        pass


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ([Choice(0, 0), Choice(0, 0)], "URL number 0 twice"),
        ([Choice(1, 1)], "URL number 1 on host 1, which is closed now"),
        ([Choice(0, 0, inf)], "with promise inf"),
        ([Choice(0, 0, nan)], "with promise nan"),
        ([Choice(0, 0, parent=7)], "with parent 7, of which it was never told"),
        ([Choice(0, 0, depth=-1)], "with depth -1, which is below 0"),
    ],
)
def test_choices_that_make_no_sense_are_named(choices: list[Choice], told: str) -> None:
    with pytest.raises(UsageError, match=rf"ask\(\) returned .*{told}.* \(.*, line \d+"):
        guard().ask(Stubborn(*choices), 2, frozenset({1}))


def guard() -> StrategyGuard:
    table = UrlTable()
    for url in ("http://a.test/", "http://b.test/"):
        table.intern(url)
    return StrategyGuard("stubborn", table)


def test_sound_choices_pass_and_two_agents_may_choose_one_page() -> None:
    choices = [Choice(0, 0, 1.0, "one"), Choice(0, 0, 0.5, "two", 1, 3, Purpose.PAGE)]
    assert list(guard().ask(Stubborn(*choices), 2, frozenset({1}))) == choices
