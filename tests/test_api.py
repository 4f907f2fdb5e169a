"""Crawling from Python."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

import foragers
from foragers import FetchedPage, LiveCrawl, UsageError
from foragers.strategies.baselines import BreadthFirst
from support.crawling import serving
from support.hostile_server import HostileServer, page

SITE = {
    "/a": page("/b"),
    "/b": page("/c"),
    "/c": page(),
    "/gone": b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n",
}


@pytest.fixture
def server() -> Iterator[HostileServer]:
    with serving(SITE) as found:
        yield found


def crawl(server: HostileServer, out: Path | None, **options: Any) -> LiveCrawl:
    given: dict[str, Any] = {
        "delay": 0,
        "allow_private": "127.0.0.0/8",
        "strategy": "breadth-first",
        **options,
    }
    return foragers.crawl(server.url("/"), out=out, **given)


def test_a_crawl_is_iterated_for_pages_with_plain_attributes(
    server: HostileServer, tmp_path: Path
) -> None:
    pages = list(crawl(server, tmp_path))
    by_path = {one.url.removeprefix(server.url("/")): one for one in pages}
    assert set(by_path) == {"", "a", "b", "c", "gone"}
    one = by_path["a"]
    assert (one.status, one.ok, one.relevance, one.relevant) == ("ok", True, 1.0, True)
    assert one.links == (server.url("/b"),)
    assert one.final_url == one.url
    assert isinstance(one.title, str)
    assert isinstance(one.text, str)
    assert ".warc.gz#" in one.warc
    assert by_path["gone"].status == "missing"
    assert repr(one).startswith(f"FetchedPage('{server.url('/a')}', status='ok', relevance=1.00")
    assert server.url("/a") in one._repr_html_()


def test_run_crawls_to_the_end_and_says_what_came_of_it(
    server: HostileServer, tmp_path: Path
) -> None:
    found = crawl(server, tmp_path)
    assert str(found.stopped) == ""
    assert found.run() is found
    assert found.stopped == "there is nothing left to fetch"
    assert (found.summary.downloads, found.folder, found.running) == (5, tmp_path, False)
    assert found.explain(server.url("/b")).fetched
    assert found.report().read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    for shown in (repr(found), found._repr_html_()):
        assert str(tmp_path) in shown
        assert "there is nothing left to fetch" in shown


@pytest.mark.parametrize("method", ["to_pandas", "to_polars", "to_arrow"])
def test_pages_become_a_table_with_the_same_columns_whatever_was_found(
    server: HostileServer, tmp_path: Path, method: str
) -> None:
    found = crawl(server, tmp_path, judge=lambda one: one.url.endswith("/b")).run()
    whole, relevant = getattr(found, method)(), getattr(found, method)(relevant=True)
    assert (whole.shape, relevant.shape) == ((4, 22), (1, 22))
    columns = {"url": [server.url("/b")], "links": [[server.url("/c")]], "relevance": [1.0]}
    for name, values in columns.items():
        assert list(map(plain, relevant[name])) == values
    nothing = crawl(server, tmp_path / "other", judge=lambda _one: 0.0).run()
    empty = getattr(nothing, method)(relevant=True)
    assert empty.shape == (0, 22)
    for name in ("fetched", "published", "relevance", "relevant", "promise", "depth", "offset"):
        assert type_of(empty, name) == type_of(whole, name), name


def plain(value: Any) -> object:
    """Return a value of a table as plain Python has it."""
    return value.as_py() if hasattr(value, "as_py") else getattr(value, "to_list", lambda: value)()


def type_of(table: Any, name: str) -> str:
    """Return the type of a column."""
    return str(getattr(table[name], "dtype", None) or table[name].type)


def test_times_of_a_table_are_times(server: HostileServer, tmp_path: Path) -> None:
    found = crawl(server, tmp_path, budget=1).run()
    (page,) = list(crawl(server, tmp_path / "again", budget=1))
    for moments in (
        found.to_pandas()["fetched"].tolist(),
        found.to_polars()["fetched"].to_list(),
        found.to_arrow()["fetched"].to_pylist(),
    ):
        (moment,) = moments
        assert abs(moment.timestamp() - page.fetched_at) < 600


def test_after_the_end_there_are_no_more_pages(server: HostileServer, tmp_path: Path) -> None:
    found = crawl(server, tmp_path)
    assert len(list(found)) == 5
    assert list(found) == []


def test_a_loop_left_early_keeps_everything_and_another_goes_on(
    server: HostileServer, tmp_path: Path
) -> None:
    found = crawl(server, tmp_path)
    first = []
    for one in found:
        first.append(one.url)
        if len(first) == 2:
            break
    assert (found.running, found.summary.downloads >= 2) == (False, True)
    rest = [one.url for one in found]
    assert not set(first) & set(rest)
    assert found.summary.downloads == 5
    assert found.stopped == "there is nothing left to fetch"


def test_an_exception_in_the_loop_closes_the_crawl(server: HostileServer, tmp_path: Path) -> None:
    found = crawl(server, tmp_path)

    def stumble() -> None:
        for one in found:
            raise ZeroDivisionError(one.url)

    with pytest.raises(ZeroDivisionError):
        stumble()
    found.close()
    assert not found.running
    assert len(list(crawl(server, tmp_path))) == 4


def test_with_closes_a_crawl(server: HostileServer, tmp_path: Path) -> None:
    with crawl(server, tmp_path) as found:
        pages = iter(found)
        assert isinstance(next(pages), FetchedPage)
        assert bool(found.running)
        assert isinstance(found.strategy, BreadthFirst)
        with pytest.raises(UsageError, match="under way in another loop"):
            next(iter(found))
    assert not found.running
    assert found.summary.downloads >= 1


def test_async_for_gives_the_same_pages(server: HostileServer, tmp_path: Path) -> None:
    async def gather() -> list[str]:
        return [one.url async for one in crawl(server, tmp_path)]

    assert len(asyncio.run(gather())) == 5


def test_async_for_left_early_closes_the_crawl_and_another_goes_on(
    server: HostileServer, tmp_path: Path
) -> None:
    found = crawl(server, tmp_path)

    async def first() -> str:
        async for one in found:
            return one.url
        raise AssertionError("there is no page")

    url = asyncio.run(first())
    assert not found.running
    assert url not in [one.url for one in found]
    assert found.summary.downloads == 5


def test_crawls_go_side_by_side_in_one_event_loop(server: HostileServer, tmp_path: Path) -> None:
    async def count(name: str) -> int:
        return len([one async for one in crawl(server, tmp_path / name)])

    async def both() -> list[int]:
        return list(await asyncio.gather(count("one"), count("other")))

    assert asyncio.run(both()) == [5, 5]


def test_without_out_a_folder_is_made_and_named(server: HostileServer) -> None:
    found = crawl(server, None, budget=1).run()
    assert (found.folder / "ledger.sqlite").exists()
    assert str(found.folder) in repr(found)


def test_a_judge_may_be_a_function_of_a_page(server: HostileServer, tmp_path: Path) -> None:
    found = crawl(server, tmp_path, judge=lambda one: one.url.endswith("/b"))
    assert [one.url for one in found if one.relevant] == [server.url("/b")]
    assert "lambda" in str(found.options.aim)


def test_a_judge_that_fails_is_named_as_an_argument(server: HostileServer, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^judge=.*ZeroDivisionError.*, line \d+"):
        crawl(server, tmp_path, judge=lambda _page: 1 / 0).run()


def test_a_strategy_may_be_a_class_or_an_object(server: HostileServer, tmp_path: Path) -> None:
    for number, strategy in enumerate((BreadthFirst, BreadthFirst())):
        found = crawl(server, tmp_path / str(number), strategy=strategy).run()
        assert found.summary.downloads == 5
        assert found.explain(server.url("/b")).fetched


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"budget": 0}, "budget=0: must be at least 1"),
        ({"topic": "!"}, "topic= '!' has no words"),
        ({"topik": "tea"}, "has no argument topik="),
        ({"budget": "many"}, "budget='many': must be a whole number"),
        ({"judge": 7}, "judge="),
        ({"strategy": 7}, "strategy 'builtins:int' has no method ask"),
        ({"strategy": "autoo"}, "did you mean 'auto'"),
        ({"topic": "tea", "judge": "a:b"}, "topic= and judge= exclude each other"),
    ],
)
def test_errors_name_the_argument(options: dict[str, Any], told: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        foragers.crawl("http://a.test/", out=tmp_path / "x", **options).run()
    assert told in str(error.value)
    assert "--" not in str(error.value)


@pytest.mark.parametrize("method", ["to_pandas", "to_polars", "to_arrow"])
def test_a_missing_package_is_named(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foragers.core.plugins.loading.find_spec", lambda _name: None)
    found = foragers.crawl("http://a.test/", out=tmp_path)
    with pytest.raises(UsageError, match=rf"{method}\(\) needs (\w+): pip install \1"):
        getattr(found, method)()


def test_the_signature_has_every_option() -> None:
    names = set(signature(foragers.crawl).parameters)
    assert {"urls", "out", "topic", "judge", "strategy", "budget", "max_depth"} <= names


def test_all_public_names_are_shown_and_can_be_had() -> None:
    assert dir(foragers) == sorted(foragers.__all__)
    for name in foragers.__all__:
        assert getattr(foragers, name) is not None
    with pytest.raises(AttributeError, match="nothing_like_it"):
        foragers.nothing_like_it  # noqa: B018


def test_importing_foragers_loads_none_of_its_parts() -> None:
    code = "import sys, foragers; print([m for m in sys.modules if m.startswith('foragers.')])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "['foragers.version']"


def test_a_seed_that_cannot_be_fetched_is_told_with_the_argument_that_helps(
    server: HostileServer, tmp_path: Path
) -> None:
    with pytest.warns(UserWarning, match=r"is a private address; add allow_private= 127\.0\.0\.1"):
        crawl(server, tmp_path, allow_private=()).run()


@pytest.mark.parametrize(
    ("url", "out", "told"),
    [
        ("http://[1", None, r"^http://\[1: not a URL"),
        (5, None, "^5: not a URL; write 'https://host/path'"),
        ("http://a.test/", 5, "^out='5': not the name of a folder"),
    ],
)
def test_a_wrong_url_or_folder_is_named(url: Any, out: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        foragers.crawl(url, out=out).run()
