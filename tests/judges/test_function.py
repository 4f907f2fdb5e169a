import pickle
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.core.loop import Crawl
from foragers.core.plugins.page import FetchedPage
from foragers.core.types import Document, Page, Status
from foragers.errors import UsageError
from foragers.judges.function import FunctionJudge
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.baselines import BreadthFirst
from foragers.worlds.replay import Recorded
from support.judged_pages import page
from support.worlds_by_hand import small_world


def long_enough(page: Page) -> bool:
    return len(page.document.text) > 3


def by_title(document: Document) -> float:
    return 0.25 if document.title else 0


def by_annotation(it: Document) -> float:
    return float(it.title == "tea")


def by_address(page: Page, url: str) -> bool:
    return url == "http://site.test/7"


def broken(page: Page) -> float:
    raise ValueError("two\nlines")


def wordless(page: Page) -> None:
    return None


def test_a_function_takes_the_page_and_may_say_true_or_false() -> None:
    assert FunctionJudge(long_enough).relevance(page("green tea")) == 1.0
    assert FunctionJudge(long_enough).relevance(page("tea")) == 0.0


def test_a_function_takes_the_document_if_it_says_so() -> None:
    assert FunctionJudge(by_title).relevance(page(title="tea")) == 0.25
    assert FunctionJudge(by_annotation).relevance(page(title="tea")) == 1.0


def test_a_function_is_told_the_address_if_it_asks_for_the_url() -> None:
    assert FunctionJudge(by_address).relevance(page(url=1, final=7)) == 1.0


def test_a_function_is_not_asked_about_failures() -> None:
    assert FunctionJudge(broken).relevance(page(status=Status.FAILED)) == 0.0


@pytest.mark.parametrize(("said", "relevance"), [(nan, 0.0), (inf, 1.0), (-3, 0.0), (1.5, 1.0)])
def test_what_a_function_says_is_brought_into_zero_to_one(said: float, relevance: float) -> None:
    assert FunctionJudge(lambda page: said).relevance(page()) == relevance


@given(st.floats())
def test_relevance_is_from_zero_to_one(said: float) -> None:
    assert 0.0 <= FunctionJudge(lambda page: said).relevance(page()) <= 1.0


def test_a_function_that_fails_is_named_with_the_page_in_one_line() -> None:
    with pytest.raises(UsageError) as error:
        FunctionJudge(broken).relevance(page(url=7))
    assert str(error.value) == (
        f"--judge {__name__}:broken failed on http://site.test/7 (ValueError: two lines,"
        f" line {broken.__code__.co_firstlineno + 1}); fix the function and run again"
    )


def test_a_function_that_says_nothing_is_an_error() -> None:
    with pytest.raises(UsageError, match="wordless failed on"):
        FunctionJudge(cast(Callable[[Page], float], wordless)).relevance(page())


def test_a_function_is_imported_by_name_from_where_the_user_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "judge_of_mine.py").write_text("def half(page):\n    return 0.5\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["/nowhere"])
    judge = FunctionJudge("judge_of_mine:half")
    assert judge.relevance(page()) == 0.5
    assert pickle.loads(pickle.dumps(judge)).relevance(page()) == 0.5


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("half", "--judge half: write it as module:function"),
        ("no_such_module_here:f", "cannot import no_such_module_here .ModuleNotFoundError"),
        ("math:half", "--judge math:half: math has no function half"),
        ("math:pi", "--judge math:pi: math has no function pi"),
    ],
)
def test_a_name_that_leads_nowhere_is_an_error(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        _ = FunctionJudge(name).resolved


def test_a_function_of_a_module_survives_pickling() -> None:
    judge = FunctionJudge(long_enough)
    judge.relevance(page())
    assert pickle.loads(pickle.dumps(judge)) == judge


def test_a_function_of_pages_gets_those_that_were_fetched_at_once() -> None:
    calls = []

    def together(pages: list[FetchedPage]) -> list[float]:
        calls.append([one.text for one in pages])
        return [len(one.text) / 10 for one in pages]

    judge = FunctionJudge(together)
    some = [page("tea"), page(status=Status.FAILED), page("green tea")]
    assert judge.relevances(some) == [0.3, 0.0, 0.9]
    assert judge.relevance(page("tea")) == 0.3
    assert judge.relevances([page(status=Status.FAILED)]) == [0.0]
    assert calls == [["tea", "green tea"], ["tea"]]


def test_a_function_of_pages_says_one_number_for_each() -> None:
    def one_for_all(pages: list[FetchedPage]) -> list[float]:
        return [0.5]

    with pytest.raises(UsageError, match="1 numbers for 2 pages"):
        FunctionJudge(one_for_all).relevances([page("tea"), page("milk")])


def test_a_crawl_lets_a_function_judge_the_pages_that_came_in_together() -> None:
    sizes = []

    def together(pages: list[FetchedPage]) -> list[bool]:
        sizes.append(len(pages))
        return [one.url.endswith("b") for one in pages]

    archive, ledger = small_world({"a": ["b", "c", "d"], "b": [], "c": [], "d": []}), MemoryLedger()
    world = Recorded(archive, connections=3)
    crawl = Crawl(BreadthFirst(), world, FunctionJudge(together), ledger)
    crawl.begin()
    crawl.run()
    assert sizes == [1, 3]
    assert [visit.relevant for visit in ledger.visits if visit.url >= 0] == [
        False, True, False, False,
    ]  # fmt: skip
