"""`foragers explain`: why a page was fetched, or why it was not."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from foragers.cli.explain import lines, way
from foragers.core.display import plain
from foragers.reports.explain import Explanation, PathStep
from foragers.reports.similar_urls import Linking, likeness
from foragers.storage.ledger.sqlite import SqliteLedger
from support.crawl_folders import FILE, crawl_folder, empty_folder, refused, said
from support.worlds_by_hand import address, small_world

HOSTILE = "\x1b[2J\x1b]0;owned\x07 \u202egnp.exe [bold]x[/bold]\r\nfake line"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    world = small_world(
        {"home": ["a"], "a": ["t"], "t": ["later", "home"], "later": []},
        texts={"home": "robot arms", "a": "robot arms", "t": HOSTILE},
    )
    return crawl_folder(tmp_path, world, budget=3)


def explained(capsys: pytest.CaptureFixture[str], folder: Path, name: str) -> dict[str, Any]:
    code, out, _ = said(capsys, "explain", folder, address(name), "--json")
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    return found


def test_the_path_leads_from_the_seed_with_the_words_of_each_link(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = explained(capsys, folder, "t")
    assert found["fetched"]
    path = found["path"]
    assert [step["url"] for step in path] == [address(name) for name in ("home", "a", "t")]
    assert [step["anchor"] for step in path] == [None, "a", "t"]
    assert [step["depth"] for step in path] == [0, 1, 2]
    assert path[1]["promise"] == pytest.approx(0.5)
    assert path[0]["relevance"] == pytest.approx(1.0)
    assert path[0]["warc"] == FILE
    assert path[0]["offset"] == 0


def test_people_read_the_same_as_machines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "explain", folder, address("a"))
    assert code == 0
    for words in ("outcome       ok", "promise       0.500", "1.000, relevant", f"{FILE} at byte"):
        assert words in out
    way = out[out.index("Path of the crawl to this page") :].splitlines()
    assert [line.strip() for line in way[1:]] == [
        address("home"),
        "seed, promise 0.000, relevance 1.000",
        "↓ “a”",
        address("a"),
        "promise 0.500, relevance 1.000",
    ]


def test_a_redirect_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = small_world({"home": ["old"], "t": []}, redirects={"old": "t"})
    folder = crawl_folder(tmp_path, world)
    _, out, _ = said(capsys, "explain", folder, address("t"))
    assert f"redirected to {address('t')}" in out
    assert out.startswith(address("old"))


def test_what_failed_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = crawl_folder(tmp_path, small_world({"home": ["gone"]}))
    _, out, _ = said(capsys, "explain", folder, address("gone"))
    assert "outcome       missing 404" in out
    assert "not archived" in out


def test_a_known_page_that_was_not_fetched_names_who_links_to_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = explained(capsys, folder, "later")
    assert not found["fetched"]
    assert found["links"] == 1
    assert found["linked_from"][0]["url"] == address("t")
    assert found["linked_from"][0]["anchor"] == "later"
    _, out, _ = said(capsys, "explain", folder, address("later"))
    assert "is known but was not fetched" in out
    assert "1 page links to it" in out
    assert "“later”" in out


def test_an_address_never_seen_gets_the_nearest_known_ones(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = explained(capsys, folder, "latter")
    assert not found["fetched"]
    assert found["nearest"][0] == address("later")
    _, out, _ = said(capsys, "explain", folder, address("latter"))
    assert "was never seen" in out
    assert address("later") in out
    assert said(capsys, "explain", folder, "nonsense")[0] == 0


def test_other_spellings_are_the_same_address(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for spelling in ("http://SITE.test:80/a#part", "http://site.test//a", "site.test/a"):
        _, out, _ = said(capsys, "explain", folder, spelling)
        assert out.startswith(address("a")), spelling


def test_text_from_the_web_cannot_drive_the_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = said(capsys, "explain", folder, address("t"))
    assert "[bold]x[/bold]" in out
    assert not set("\x1b\x07\r\u202e") & set(out)
    assert "\nfake line" not in out
    _, out, _ = said(capsys, "explain", folder, "http://x.test/\x1b[2J")
    assert "\x1b" not in out


def test_a_page_fetched_twice_is_explained_by_its_last_download(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    connection = sqlite3.connect(folder / "ledger.sqlite")
    (columns,) = connection.execute(
        "SELECT group_concat(name) FROM pragma_table_info('visits') WHERE name <> 'number'"
    ).fetchone()
    connection.execute(
        f"INSERT INTO visits (number, {columns}) SELECT 9, {columns} FROM visits WHERE number = 2"
    )
    connection.commit()
    connection.close()
    found = explained(capsys, folder, "a")
    assert found["downloads"] == [2, 9]
    assert [step["number"] for step in found["path"]] == [1, 9]


def test_a_seed_that_waits_is_called_a_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = empty_folder(tmp_path, small_world({"home": []}))
    (folder / "crawl.json").write_text(json.dumps({"seeds": [address("home")]}))
    _, out, _ = said(capsys, "explain", folder, address("home"))
    assert "is a seed but was not fetched" in out


def test_a_ledger_without_words_still_has_paths(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = crawl_folder(tmp_path, small_world({"home": ["a"], "a": []}))
    connection = sqlite3.connect(folder / "ledger.sqlite")
    connection.execute("UPDATE visits SET words = NULL")
    connection.commit()
    connection.close()
    assert [step["anchor"] for step in explained(capsys, folder, "a")["path"]] == [None, None]


def test_a_crawl_that_goes_on_can_be_asked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = SqliteLedger(folder / "ledger.sqlite", small_world({"home": []}).book)
    ledger._connection.execute("BEGIN IMMEDIATE")
    assert explained(capsys, folder, "a")["fetched"]
    ledger._connection.rollback()
    ledger.close()


def test_bad_folders_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = address("home")
    assert "is not a folder" in refused(capsys, "explain", tmp_path / "nowhere", url)
    assert "has no ledger.sqlite" in refused(capsys, "explain", tmp_path, url)
    sqlite3.connect(tmp_path / "ledger.sqlite").close()
    assert "cannot be read" in refused(capsys, "explain", tmp_path, url)


def test_likeness_counts_the_letters_at_both_ends() -> None:
    assert likeness("abc", "abc") == 1
    assert likeness("abXcd", "abYcd") == 4 / 5
    assert likeness("aa", "aaa") == 2 / 3
    assert likeness("abc", "xyz") == likeness("", "") == 0


@pytest.mark.parametrize(("links", "more"), [(1, False), (4, True)])
def test_of_the_pages_that_link_to_an_address_those_not_shown_are_counted(
    links: int, more: bool
) -> None:
    shown = Linking("http://a.test/", "words", "", 0.5)
    told = [str(line) for line in lines(Explanation("x", links=links, linked_from=(shown,)))]
    assert any("… and 3 more" in line for line in told) == more
    assert any("more" in line for line in told) == more


@pytest.mark.parametrize(("steps", "shown"), [(15, 15), (16, 15), (40, 15)])
def test_of_a_long_path_the_two_ends_are_shown(steps: int, shown: int) -> None:
    path = tuple(
        PathStep(n, n, f"http://a.test/{n}", f"http://a.test/{n}", "words", "", 0.5, 0.5, True,
             "ok", "", None, "", "", n, None, None)
        for n in range(steps)
    )  # fmt: skip
    told = [str(line) for line in way(Explanation("x", fetched=True, path=path))]
    numbers = [int(line.rpartition("/")[2]) for line in told if "http://a.test/" in line]
    assert len(numbers) == shown
    assert numbers[:3] == [0, 1, 2]
    assert numbers[-12:] == list(range(steps - 12, steps))
    left_out = [line.strip() for line in told if "steps" in line]
    assert left_out == ([f"… {steps - 15} steps …"] if steps > 15 else [])


def test_a_text_that_is_too_long_is_cut_to_its_length() -> None:
    assert plain("x" * 200, 200) == "x" * 200
    assert plain("x" * 201, 200) == "x" * 199 + "…"
