"""Leave one site out where sites are odd, counted again from the ledgers by other code."""

from __future__ import annotations

import csv
import math
import sqlite3
from pathlib import Path

import pytest

from foragers.cli.main import main
from foragers.papers.spider.experiment import file_name
from foragers.worlds.store import save
from support.worlds_by_hand import small_world


def tree(site: str, pages: int, every: int) -> tuple[dict[str, list[str]], set[str]]:
    """Return a binary tree of pages, and which are wanted: every so many, never the root."""
    names = [f"http://{site}/{n}" for n in range(pages)]
    graph = {
        name: [names[k] for k in (2 * n + 1, 2 * n + 2) if k < pages]
        for n, name in enumerate(names)
    }
    return graph, {name for n, name in enumerate(names) if n and every and n % every == 0}


SITES = {"some.test": (20, 3), "all.test": (17, 1), "none.test": (18, 0), "small.test": (5, 2)}


@pytest.fixture(scope="module")
def wanted() -> set[str]:
    return set().union(*(tree(site, *shape)[1] for site, shape in SITES.items()))


def world(folder: Path, sites: dict[str, tuple[int, int]]) -> Path:
    graph: dict[str, list[str]] = {"http://alone.test/0": ["http://alone.test/gone"]}
    good: list[str] = []
    for site, shape in sites.items():
        pages, found = tree(site, *shape)
        graph |= pages
        good += sorted(found)
    seeds = [name for name in graph if name.endswith("/0")]
    save(small_world(graph, seeds=seeds, labels={"good": good}), folder / "w")
    return folder / "w"


def reproduce(folder: Path, web: Path) -> int:
    options = ["--world", str(web), "--relevant", "good", "--jobs", "1"]
    return main(["reproduce", "spider", *options, "--out", str(folder / "out")])


def followed(ledger: Path, wanted: set[str]) -> tuple[int, int]:
    """Return how many links were followed, and how many up to three quarters of what is wanted."""
    connection = sqlite3.connect(ledger)
    rows = connection.execute("SELECT final FROM pages WHERE parent IS NOT NULL ORDER BY number")
    finals = [final for (final,) in rows]
    connection.close()
    site = finals[0].rpartition("/")[0]
    left = math.ceil(0.75 * sum(name.startswith(site + "/") for name in wanted))
    for number, final in enumerate(finals, 1):
        left -= final in wanted and final not in finals[: number - 1]
        if left == 0:
            return len(finals), number
    raise AssertionError("not all was found")


def test_shares_are_those_of_the_ledgers(
    tmp_path: Path, wanted: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce(tmp_path, world(tmp_path, SITES)) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "nothing wanted within reach: alone.test, none.test" in told
    assert "fewer than 15 pages within reach: small.test" in told
    with (tmp_path / "out" / "sites-w.csv").open() as file:
        rows = {row["site"]: row for row in csv.DictReader(file)}
    assert set(rows) == {"some.test", "all.test"}
    names = {
        "breadth-first": "Breadth-First",
        "optimal": "Optimal",
        "immediate": "RL Immediate, related",
        "future 4": "RL Future (4 bins), related",
    }
    for site, row in rows.items():
        ledgers = tmp_path / "out" / "w" / "ledgers" / site
        links, _ = followed(ledgers / "Breadth-First.sqlite", wanted)
        assert int(row["links"]) == links == SITES[site][0] - 1
        for column, name in names.items():
            _, many = followed(ledgers / f"{name}.sqlite", wanted)
            assert float(row[column]) == pytest.approx(100 * many / links), (site, name)


def test_a_reproduction_that_is_resumed_crawls_no_site_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = world(tmp_path, SITES)
    assert reproduce(tmp_path, web) == 0
    first = (tmp_path / "out" / "links-w.csv").read_bytes()
    with monkeypatch.context() as patch:
        crawls = "foragers.papers.spider.experiment.crawls_of"
        patch.setattr(crawls, lambda *_: pytest.fail("crawled again"))
        assert reproduce(tmp_path, web) == 0
    assert (tmp_path / "out" / "links-w.csv").read_bytes() == first
    # A ledger that is gone is made again.
    (tmp_path / "out" / "w" / "ledgers" / "some.test" / "Optimal.sqlite").unlink()
    assert reproduce(tmp_path, web) == 0
    assert (tmp_path / "out" / "w" / "ledgers" / "some.test" / "Optimal.sqlite").exists()


def test_one_site_is_refused_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    web = world(tmp_path, {"some.test": (20, 3)})
    assert reproduce(tmp_path, web) == 2
    said = capsys.readouterr().err
    assert "1 site can be crawled (nothing wanted within reach: alone.test)" in said
    assert said.count("\n") == 1


def test_files_of_sites_have_names_of_their_own() -> None:
    assert file_name("a.test:80", []) == "a.test_80"
    assert file_name("a.test_80", ["a.test_80"]) == "a.test_80-2"
    assert file_name("..", []) == "site"
    assert file_name("../x", []) == "_x"
    assert len(file_name("long" * 100, [])) == 80
